"""The conversations that somebody picks for a benchmark: what is kept of each, and how many at a time are added."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from dashboard.contract import LEAST_ITEMS, MOST_ITEMS
from dashboard.sources import reader
from dashboard.sources.loop.wire import Trace
from dashboard.sources.reader import Absent, Known, Late, Reading, Unread
from dashboard.web.conversations.present import is_usable, summarise

MOST_KEPT = 1_000
"""How many may be picked before some are dropped again."""
LOOK_UP_S = 8.0


class Pick(NamedTuple):
    """One picked conversation. `why` is what stands in its way, "" for nothing; `key` is equal for equal texts."""

    id: str
    text: str
    why: str = ""
    key: str = ""


class Picks(NamedTuple):
    """What the page says about all that is picked. `repeats`: id -> the earlier one with the same conversation."""

    total: int
    unusable: tuple[Pick, ...]
    repeats: dict[str, str]

    @property
    def fits(self) -> bool:
        return LEAST_ITEMS <= self.total <= MOST_ITEMS


def read_picks(body: dict[str, Any]) -> list[Pick]:
    return [Pick(*one) for one in body.get("picks", [])]


def review_picks(picks: Sequence[Pick]) -> Picks:
    first: dict[str, str] = {}
    repeats = {}
    for pick in picks:
        if pick.key and first.setdefault(pick.key, pick.id) != pick.id:
            repeats[pick.id] = first[pick.key]
    return Picks(len(picks), tuple(pick for pick in picks if pick.why), repeats)


def pick_trace(trace: Trace) -> Pick:
    return build_pick(trace.id, trace.messages)


def build_pick(trace_id: str, messages: Any) -> Pick:
    why = "" if is_usable(messages) else "it has no user turn with content"
    return Pick(trace_id, summarise(messages, 120), why, digest_messages(messages))


def digest_messages(messages: Any) -> str:
    """Equal for conversations that ask the same: the answer at the end does not count."""
    asked = list(messages) if isinstance(messages, list) else [messages]
    while asked and isinstance(asked[-1], dict) and asked[-1].get("role") == "assistant":
        asked.pop()
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]


def change_picks(picks: Sequence[Pick], shown: Iterable[str], ticked: Sequence[str]) -> tuple[list[Pick], list[str]]:
    """The picks without those that were shown and are not ticked any more; and the newly ticked, to be looked up."""
    gone = set(shown) - set(ticked)
    kept = [pick for pick in picks if pick.id not in gone]
    known = {pick.id for pick in kept}
    return kept, [one for one in dict.fromkeys(ticked) if one not in known]


def look_up(trace_ids: Sequence[str]) -> dict[str, Trace | str]:
    """Each conversation by id, as the service has it now, or why there is none to show: a text.

    What does not come in time is said to be unread.
    """
    asks = {trace_id: reader.trace.ask(trace_id) for trace_id in trace_ids}
    return {key: _read_off(one) for key, one in reader.each(asks, within_s=LOOK_UP_S, fresh=True).items()}


UNREAD = "it was not read in time"
MISSING = "there is no such conversation in this workspace"


def _read_off(reading: Reading[Trace]) -> Trace | str:
    match reading:
        case Known(value=trace):
            return trace
        case Absent():
            return MISSING
        case Unread(failure=failure):
            return UNREAD if isinstance(failure, Late) else failure.message


def pick_found(trace_ids: Sequence[str], found: dict[str, Trace | str]) -> list[Pick]:
    """The picks of what `look_up` gave. Only a conversation that is surely missing is in the way; one that could not
    be read is looked at again before anything is sent."""
    picks = []
    for trace_id in trace_ids:
        trace = found[trace_id]
        if isinstance(trace, Trace):
            picks.append(pick_trace(trace)._replace(id=trace_id))
        else:
            picks.append(Pick(trace_id, f"({trace})", trace if trace == MISSING else ""))
    return picks


def split_ids(text: str) -> list[str]:
    """Ids pasted as lines, a list with commas, or JSON; repeated ones stay repeated."""
    return [one for one in re.split(r"[\s,;\"'\[\]]+", text) if one]


def describe_pasted(pasted: Sequence[str], added: Sequence[Pick], known: set[str]) -> str:
    """What came of pasting, in a few sentences."""
    twice = [one for one, times in Counter(pasted).items() if times > 1]
    before = [one for one in dict.fromkeys(pasted) if one in known]
    bad = [pick for pick in added if pick.why]
    said = [f"{len(added)} added."]
    if before:
        said.append(f"{len(before)} had been picked before.")
    if twice:
        said.append(f"Named more than once and kept once: {_name(twice)}.")
    if bad:
        said.append(f"Cannot be pinned: {_name([f'{pick.id} ({pick.why})' for pick in bad])}.")
    return " ".join(said)


def _name(those: Sequence[str]) -> str:
    return ", ".join(those[:5]) + (f" and {len(those) - 5} more" if len(those) > 5 else "")
