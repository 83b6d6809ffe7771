"""The conversations to pick from as the page prints them: one page of them, each with its preview and its marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from dashboard.contract import MOST_ITEMS
from dashboard.sources.loop.wire import Trace
from dashboard.web.common.numbers import NOTHING
from dashboard.web.common.times import Moment, show_moment
from dashboard.web.conversations.present import Conversation, Limits, build_conversation
from dashboard.web.pinning.picks import Pick, Picks, pick_trace

ROWS_A_PAGE = 25
PREVIEW = Limits(turn=700, data=80, total=4_000, turns=12)


class PickRow(NamedTuple):
    """One conversation. `mark` says what is wrong with it; `conversation` is None where it could not be read."""

    id: str
    text: str
    picked: bool
    bad: bool
    mark: str
    filed: str
    model: str
    at: Moment | None
    conversation: Conversation | None


class PickPage(NamedTuple):
    rows: tuple[PickRow, ...]
    number: int
    pages: int
    first: int
    last: int
    total: int
    failure: str = ""


def build_row(trace: Trace | str, pick: Pick, picked: bool, repeats: Mapping[str, str], now: datetime) -> PickRow:
    """`trace` is a text where it could not be read: why."""
    mark = f"Cannot be pinned: {pick.why}." if pick.why else ""
    if pick.id in repeats:
        mark = f"{mark} The same conversation as {repeats[pick.id]}, which is picked too.".strip()
    if isinstance(trace, str):
        return PickRow(pick.id, pick.text, picked, bool(pick.why), mark, NOTHING, NOTHING, None, None)
    return PickRow(
        pick.id,
        pick.text or "(nothing was said)",
        picked,
        bool(pick.why),
        mark,
        trace.deployment_id or NOTHING,
        trace.model or NOTHING,
        show_moment(trace.created_at, now),
        build_conversation(trace.messages, trace.tools, PREVIEW),
    )


def build_page(
    traces: Sequence[Trace], picks: Sequence[Pick], review: Picks, number: int, total: int, now: datetime
) -> PickPage:
    """One page of all that match."""
    chosen = {pick.id for pick in picks}
    rows = tuple(build_row(trace, pick_trace(trace), trace.id in chosen, review.repeats, now) for trace in traces)
    return place(rows, number, total)


def build_picked_page(
    shown: Sequence[Pick], found: Mapping[str, Trace | str], review: Picks, number: int, total: int, now: datetime
) -> PickPage:
    rows = tuple(build_row(found[pick.id], pick, True, review.repeats, now) for pick in shown)
    return place(rows, number, total)


def place(rows: tuple[PickRow, ...], number: int, total: int) -> PickPage:
    first = (number - 1) * ROWS_A_PAGE + 1 if rows else 0
    return PickPage(rows, number, max(1, -(-total // ROWS_A_PAGE)), first, first + len(rows) - 1 if rows else 0, total)


def label_all(total: int, count: int) -> str:
    """What the button that picks all that match will do, "" where there is nothing that it could."""
    room = MOST_ITEMS - count
    if room <= 0 or not total:
        return ""
    return f"Pick all {total} that match" if total <= room else f"Pick the newest {room} of {total} that match"
