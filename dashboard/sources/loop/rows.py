"""The rows of a replay: what both models answered to each pinned conversation, and the few facts a grid needs of it."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.trend.points import Score as Score
from dashboard.trend.points import Unreadable as Unreadable


class RowSide(msgspec.Struct, frozen=True):
    """One model's answer. `judge` is the judge's word, of any shape; `passed` None: the service does not say."""

    completion: Any = None
    tool_calls: Any = None
    judge: Any = None
    score: Score = None
    passed: bool | None = None


class ReplayRow(msgspec.Struct, frozen=True):
    """One conversation of a replay. `winner` and `status` are the service's words, `error` says why a row failed."""

    ordinal: int
    id: int | str = ""
    source_trace_id: str | None = None
    source_trace_url: str | None = None
    prompt: Any = None
    tools: Any = None
    reference: Any = None
    incumbent: RowSide = RowSide()
    candidate: RowSide = RowSide()
    winner: str | None = None
    status: str = ""
    error: str | None = None


class RowMark(msgspec.Struct, frozen=True, gc=False):
    """What a row came to, without what was said."""

    ordinal: int
    status: str = ""
    winner: str | None = None
    candidate: Score = None
    incumbent: Score = None
    candidate_passed: bool | None = None
    incumbent_passed: bool | None = None


def mark_row(row: ReplayRow) -> RowMark:
    ours, theirs = row.candidate, row.incumbent
    return RowMark(row.ordinal, row.status, row.winner, ours.score, theirs.score, ours.passed, theirs.passed)
