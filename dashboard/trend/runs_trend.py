"""The trend of a Runloop benchmark: runs in, slots, lines, groups and the metadata keys that were seen out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend.lines import Line, join
from dashboard.trend.runs import RUN_SCALE, ReadRun, RunSlot, order_run, read_run
from dashboard.trend.runs_paired import Side, build_paired_lines, pair_runs
from dashboard.trend.scale import Scale
from dashboard.trend.window import EVERYTHING, Window

MOST_LINES = 12
"""More lines than this cannot be told apart: of more groups those with the newest runs have one."""
_NEVER = datetime.min.replace(tzinfo=UTC)


class GroupSummary(NamedTuple):
    """The runs that share a value of the group's metadata key. `key` is that value, "" for runs that have none."""

    key: str
    name: str
    """The value, "no <key>", or "all runs" where nothing groups them."""
    runs: int


class KeySeen(NamedTuple):
    """A metadata key that runs carry: how many of them, and how many different values they give it."""

    key: str
    runs: int
    values: int


@dataclass(frozen=True, slots=True)
class RunTrend:
    """What the page shows. `slots` run from oldest to newest; a line's places are indices into them."""

    slots: tuple[RunSlot, ...]
    lines: tuple[Line, ...]
    """Of more groups than `MOST_LINES` the last one holds the runs of all others unjoined, as "<n> other values"."""
    groups: tuple[GroupSummary, ...]
    """Every group of the runs, the one with the newest run first."""
    keys: tuple[KeySeen, ...]
    """The metadata keys seen, most used first."""
    paired: bool
    """True where two groups stand side by side as candidate and incumbent."""
    total_slots: int
    """The slots before the window."""

    scale: Scale = RUN_SCALE
    lower_is_better: bool = False

    @property
    def overlaid(self) -> bool:
        """True where lines lie over one another, each the scores of a group."""
        return not self.paired

    @property
    def gap_count(self) -> int:
        """How many of the runs shown have no score."""
        return sum(len(slot.runs) for slot in self.slots) - self.scored_count

    @property
    def scored_count(self) -> int:
        """How many of the runs shown have a score."""
        return sum((slot.candidate is not None) + (slot.incumbent is not None) for slot in self.slots)

    @property
    def open_runs(self) -> list[RunloopRun]:
        """The runs shown that are still running, on either side of a pair."""
        return [run for slot in self.slots for run in slot.runs if run.state == "running"]

    @property
    def meets(self) -> bool:
        """True where a label shown has a run of both sides."""
        return any(slot.other is not None for slot in self.slots)

    @property
    def latest(self) -> RunSlot | None:
        """The newest slot with a score, side by side with one of the candidate; None where there is none."""
        return next((slot for slot in reversed(self.slots) if slot.candidate is not None), None)


def build_run_trend(
    runs: Iterable[RunloopRun],
    *,
    now: datetime,
    group: str | None = None,
    label: str | None = None,
    candidate: str | None = None,
    incumbent: str | None = None,
    window: Window = EVERYTHING,
) -> RunTrend:
    """The trend of these runs, each once, in whatever order they come.

    `group` is the metadata key whose values are lines, None for one line. `label` is the metadata key of the checkpoint
    label; without it, and for a run that has none, it is the run's name, else its id. With two different values of
    `group` as `candidate` and `incumbent` only these two are shown, side by side; runs without a value are no side.
    """
    group = group or None
    read = [read_run(run, group=group, label=label, now=now) for run in sorted(runs, key=order_run)]
    by_group: dict[str, list[ReadRun]] = defaultdict(list)
    for one in read:
        by_group[one.group].append(one)
    newest_first = sorted(by_group, key=lambda key: (_newest_at(by_group[key]) or _NEVER, key), reverse=True)
    names = {key: _name(group, key) for key in newest_first}

    paired = False
    if group and candidate and incumbent and candidate != incumbent:
        paired = True
        sides = (
            Side("candidate", candidate),
            Side("incumbent", incumbent),
        )
        everything = pair_runs(read, *sides)
        slots = _number(window.select(everything))
        lines = build_paired_lines(slots, *sides)
    else:
        # Chosen by their newest runs, numbered by name: a run that arrives changes no line's colour.
        lined, rest = sorted(newest_first[:MOST_LINES], key=lambda key: _natural(names[key])), newest_first[MOST_LINES:]
        everything = [_place(place, one, names[one.group] if group else "") for place, one in enumerate(read)]
        slots = _number(window.select(everything))
        lines = _build_lines(slots, lined, names)
        if rest:
            lines.append(_collect(slots, set(rest)))
    return RunTrend(
        slots=tuple(slots),
        lines=tuple(lines),
        groups=tuple(GroupSummary(key, names[key], len(by_group[key])) for key in newest_first),
        keys=_see_keys(read),
        paired=paired,
        total_slots=len(everything),
    )


def _name(group: str | None, key: str) -> str:
    return key or (f"no {group}" if group else "all runs")


def _natural(name: str) -> tuple[list[str | tuple[int, str]], str]:
    """Sorts by the numbers in a name: step-9500 comes before step-10000."""
    parts: list[str | tuple[int, str]] = list(re.split(r"([0-9]+)", name))
    for place in range(1, len(parts), 2):
        digits = str(parts[place]).lstrip("0")
        parts[place] = (len(digits), digits)
    return parts, name


def _newest_at(runs: Iterable[ReadRun]) -> datetime | None:
    """The newest time that could be read."""
    return max((one.run.started_at for one in runs if isinstance(one.run.started_at, datetime)), default=None)


def _place(place: int, one: ReadRun, name: str) -> RunSlot:
    return RunSlot(place, one.run, None, one.group, name, one.label, one.gap, one.flags, one.score, None, None)


def _number(slots: Sequence[RunSlot]) -> list[RunSlot]:
    """The slots with their places among each other."""
    return [slot if slot.place == place else slot._replace(place=place) for place, slot in enumerate(slots)]


def _build_lines(slots: Sequence[RunSlot], lined: Sequence[str], names: Mapping[str, str]) -> list[Line]:
    """A line for each of these groups. A gap of its own breaks it; the runs of others do not."""
    marks: dict[str, list[tuple[int, bool, bool]]] = {key: [] for key in lined}
    for slot in slots:
        if slot.group in marks:
            marks[slot.group].append((slot.place, slot.gap is None, False))
    return [Line(key, "candidate", join(marks[key]), names[key], number) for number, key in enumerate(lined)]


def _collect(slots: Sequence[RunSlot], groups: set[str]) -> Line:
    """The points of these groups, none joined to another."""
    points = tuple((slot.place,) for slot in slots if slot.group in groups and slot.gap is None)
    return Line("", "candidate", points, f"{len(groups)} other value{'s' if len(groups) > 1 else ''}", None)


def _see_keys(runs: Iterable[ReadRun]) -> tuple[KeySeen, ...]:
    values: dict[str, list[str]] = defaultdict(list)
    for one in runs:
        for key, value in one.run.metadata.items():
            if value:
                values[key].append(value)
    seen = (KeySeen(key, len(given), len(set(given))) for key, given in values.items())
    return tuple(sorted(seen, key=lambda one: (-one.runs, one.key)))
