"""The rows of a replay as their page prints them: which are shown, in which order, both answers side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.urls import reverse

from dashboard.charts.numbers import choose_decimals
from dashboard.sources.loop.rows import ReplayRow, RowSide
from dashboard.trend import read_scale
from dashboard.trend.rows import FAILED, Mark, is_newly_failing, measure_change, regression_key
from dashboard.web.common.ids import has_page
from dashboard.web.common.numbers import NOTHING, Number, show_delta
from dashboard.web.common.texts import count_characters, cut_text, write_json
from dashboard.web.conversations.present import PREVIEW, Conversation, build_conversation
from dashboard.web.replays.differences import Piece, mark_differences
from dashboard.web.replays.forms import NEWLY
from dashboard.web.replays.present import show

LONGEST = 4_000
"""Characters of one answer, or of one reason, that are shown."""
MOST_DIMENSIONS = 20


class ShownSide(NamedTuple):
    """One model's answer in pieces. `size` says how long the whole is where it was cut."""

    name: str
    pieces: list[Piece]
    size: str
    calls: str
    score: Number
    passed: str
    dimensions: tuple[tuple[str, str], ...]
    reason: str


class ShownRow(NamedTuple):
    ordinal: int
    outcome: str
    """What the candidate did, in words."""
    change: Number
    newly: bool
    """True where the candidate passed in the replay before, and does not here."""
    conversation: Conversation
    trace_url: str
    reference: str
    error: str
    same: bool
    """True where both answers are one text."""
    compared: bool
    sides: tuple[ShownSide, ShownSide]


def choose_rows(
    rows: Sequence[ReplayRow], marks: Mapping[int, Mark], before: Mapping[int, Mark], only: str, scale: str
) -> list[ReplayRow]:
    """Those that are asked for, the worst regression first; ties stand in the order of the set."""
    kept = [row for row in rows if not only or _fits(row.ordinal, marks, before, only)]
    return sorted(kept, key=lambda row: (*regression_key(marks[row.ordinal], scale), row.ordinal))


def count_rows(marks: Mapping[int, Mark], before: Mapping[int, Mark], only: str) -> int:
    return sum(_fits(ordinal, marks, before, only) for ordinal in marks)


def _fits(ordinal: int, marks: Mapping[int, Mark], before: Mapping[int, Mark], only: str) -> bool:
    mark = marks[ordinal]
    return is_newly_failing([before.get(ordinal), mark]) if only == NEWLY else mark.outcome == only


def build_row(row: ReplayRow, mark: Mark, before: Mark | None, scale: str) -> ShownRow:
    decimals = choose_decimals([mark.candidate, mark.incumbent], read_scale(scale))
    change = measure_change(mark, scale)
    incumbent, candidate = (_read_text(side) for side in (row.incumbent, row.candidate))
    marked = mark_differences(incumbent, candidate)
    pieces = marked or ([Piece(incumbent, False)], [Piece(candidate, False)])
    trace = row.source_trace_id or ""
    delta = (
        None if change is None or mark.candidate is None or mark.incumbent is None else mark.candidate - mark.incumbent
    )
    return ShownRow(
        row.ordinal,
        "the row failed"
        if mark.outcome == FAILED
        else f"the candidate {mark.outcome}"
        if mark.outcome
        else "undecided",
        Number(NOTHING, "") if delta is None else show_delta(delta, decimals),
        is_newly_failing([before, mark]),
        build_conversation(row.prompt, row.tools, PREVIEW),
        reverse("conversation", args=[trace]) if trace and has_page(trace) else "",
        cut_text(row.reference if isinstance(row.reference, str) else write_json(row.reference), LONGEST).text
        if row.reference
        else "",
        cut_text(row.error or "", LONGEST).text,
        bool(incumbent) and incumbent == candidate,
        marked is not None,
        (
            _build_side("incumbent", row.incumbent, pieces[0], mark.incumbent_passed, decimals),
            _build_side("candidate", row.candidate, pieces[1], mark.passed, decimals),
        ),
    )


def _build_side(name: str, side: RowSide, pieces: list[Piece], passed: bool | None, decimals: int) -> ShownSide:
    whole = len(side.completion) if isinstance(side.completion, str) else 0
    reason, dimensions = _read_judge(side.judge)
    return ShownSide(
        name,
        pieces if any(piece.text for piece in pieces) else [],
        count_characters(whole) if whole > LONGEST else "",
        cut_text(write_json(side.tool_calls), LONGEST).text if side.tool_calls else "",
        show(side.score, decimals),
        "" if passed is None else "passed" if passed else "not passed",
        dimensions,
        reason,
    )


def _read_text(side: RowSide) -> str:
    given = side.completion
    text = given if isinstance(given, str) else write_json(given) if given else ""
    return cut_text(text, LONGEST).text


def _read_judge(judge: Any) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The judge's reason and its word on each dimension, as far as they have the shape that was agreed."""
    if not isinstance(judge, dict):
        return "", ()
    reason, given = judge.get("reason"), judge.get("dimensions")
    dimensions = list(given.items())[:MOST_DIMENSIONS] if isinstance(given, dict) else []
    shown = tuple((str(name), cut_text(write_json(value), 40).text) for name, value in dimensions)
    return cut_text(reason, LONGEST).text if isinstance(reason, str) else "", shown
