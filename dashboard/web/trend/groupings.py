"""How a person looks at the runs of a Runloop benchmark: what they chose, whether it fits the runs, what is remembered.

A choice stands in the page's address; a page opened without one takes the last that this person made for the
benchmark. Only sending the picker stores one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from dashboard.sources.runloop.wire import RunloopRun
from dashboard.web.common.ids import TOO_LONG, is_short
from dashboard.web.trend.models import Grouping

if TYPE_CHECKING:
    from django.contrib.auth.models import User

CHOICE = ("group", "label", "candidate", "incumbent")
"""The parameters of a choice: two metadata keys, and two values of the first to be set side by side."""

SIDES = ("candidate", "incumbent")


def remember(user: User, benchmark_id: str, choice: Mapping[str, str]) -> None:
    """Keep this choice in the place of the last one."""
    values = {name: choice.get(name, "") for name in CHOICE}
    Grouping.objects.update_or_create(user=user, benchmark_id=benchmark_id, defaults=values)


def recall(user: User, benchmark_id: str) -> dict[str, str]:
    """The last choice, as its parameters stand in an address; empty without one."""
    found = Grouping.objects.filter(user=user, benchmark_id=benchmark_id).values(*CHOICE).first()
    return {name: value for name, value in (found or {}).items() if value or name == "group"}


def find_misfits(choice: Mapping[str, str], runs: Iterable[RunloopRun]) -> dict[str, str]:
    """What does not fit these runs, by parameter: a key that none has, a group that is not there, half a pair."""
    runs = list(runs)
    group, sides = choice.get("group", ""), {side: choice.get(side, "") for side in SIDES}
    misfits = {
        name: f"No run has the metadata key “{choice[name]}”."
        for name in ("group", "label")
        if choice.get(name) and not any(choice[name] in run.metadata for run in runs)
    }
    misfits |= {name: TOO_LONG for name in CHOICE if not is_short(choice.get(name, ""))}
    if "group" in misfits:  # then its groups are not there either, and one sentence is enough
        return misfits
    values = {run.metadata.get(group) for run in runs}
    for side, value in sides.items():
        if value and not group:
            misfits[side] = "Choose by which key the runs are grouped first."
        elif value and value not in values:
            misfits[side] = f"No run has “{value}” as its {group}."
    if sides["candidate"] and sides["candidate"] == sides["incumbent"]:
        misfits.setdefault("incumbent", "It is the same group as the candidate.")
    for side, other in (SIDES, SIDES[::-1]):
        if sides[side] and not sides[other] and side not in misfits:
            misfits[other] = f"Choose one to set beside the {side}, or leave both."
    return misfits
