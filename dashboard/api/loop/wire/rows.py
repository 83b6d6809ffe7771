"""A row of a replay, as the wire has it: one conversation with both answers. This service's own shape."""

from __future__ import annotations

from typing import Any

from dashboard.api.http.shapes import Page, Shape


class ReplayRowSide(Shape, frozen=True):
    """One model's answer. `judge` is {overall, dimensions{}, reason}; `passed` is null where nobody can say."""

    completion: str | None = None
    tool_calls: Any = None
    judge: dict[str, Any] | None = None
    score: float | None = None
    passed: bool | None = None


class ReplayRow(Shape, kw_only=True, frozen=True):
    """One conversation of a replay. `benchmark_item_id` is null where an import brought the question.

    `winner` (candidate, incumbent or tie) is null until both were scored; `error` says why a failed row failed.
    """

    id: int
    benchmark_item_id: int | None
    ordinal: int
    source_trace_id: str | None
    source_trace_url: str | None
    prompt: Any
    tools: Any
    reference: Any
    incumbent: ReplayRowSide
    candidate: ReplayRowSide
    winner: str | None
    status: str
    error: str | None


class ReplayRowPage(Page, frozen=True):
    items: list[ReplayRow]
