"""Benchmarks, their pinned conversations, their replays and their history, as the wire has them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

import msgspec
from msgspec import UNSET, UnsetType

from dashboard.api.http.shapes import ModelRef, Page, Shape


class Dimension(Shape, frozen=True):
    key: str
    description: str = ""


class Decoding(Shape, frozen=True):
    """An import has neither number: it sends 0, which no replay of ours can have as its `max_tokens`."""

    temperature: float = 0.0
    max_tokens: int = 0
    stream: bool = False


class Scoring(Shape, frozen=True):
    metric: str = ""
    scale: str = ""
    aggregate: str = "mean"
    require_all_rows: bool = False


class Benchmark(Shape, frozen=True):
    """The frozen definition of a benchmark. `sample`: it came with the sample workspace.

    `retired_reason` and `sample` are this service's own keys.
    """

    id: str
    workspace_id: str
    name: str
    status: str
    judge_id: str | None
    judge_name: str
    judge_model: str
    judge_instructions: str
    judge_dimensions: list[Dimension]
    judge_system_prompt: str | None
    decoding: Decoding
    scoring: Scoring
    item_count: int
    items_digest: str
    per_run_ceiling_cents: int
    created_by: str
    created_at: datetime
    retired_at: datetime | None
    retired_by: str | None
    retired_reason: str | None
    sample: bool

    @classmethod
    def of(cls, row: Any) -> Self:
        known = {name: getattr(row, name) for name in cls.__struct_fields__}
        for name in ("decoding", "scoring"):
            known[name] = {key: value for key, value in known[name].items() if value is not None}
        return msgspec.convert(known, cls, from_attributes=True)


class BenchmarkAnswer(Shape, frozen=True):
    benchmark: Benchmark


class BenchmarkPage(Page, frozen=True):
    benchmarks: list[Benchmark]


class BenchmarkItem(Shape, frozen=True):
    """One pinned conversation. The source keys turn null when the conversation it was copied from is deleted."""

    id: int
    ordinal: int
    source_trace_id: str | None
    prompt: Any
    tools: Any
    source_trace_url: str | None = None


class BenchmarkItemPage(Page, frozen=True):
    items: list[BenchmarkItem]


class DimensionScore(Shape, frozen=True):
    dimension: str
    incumbent: float | None = None
    candidate: float | None = None
    delta: float | None = None


class BenchmarkRun(Shape, frozen=True):
    """One replay. Read `status` first: only a done one carries the three scores, and then all of them."""

    id: str
    benchmark_id: str
    benchmark_name: str
    run_id: str
    workspace_id: str
    incumbent_ref: ModelRef
    candidate_ref: ModelRef
    items_digest: str
    rows_total: int
    rows_scored: int
    rows_failed: int
    candidate_score: float | None
    incumbent_score: float | None
    score_delta: float | None
    per_dimension: list[DimensionScore]
    prompt_tokens: int
    completion_tokens: int
    spent_cents: int
    ceiling_cents: int
    status: str
    status_reason: str | None
    created_at: datetime
    finished_at: datetime | None
    candidate_stderr: float | UnsetType = UNSET
    incumbent_stderr: float | UnsetType = UNSET
    n: int | UnsetType = UNSET
    """How many questions the scores are over. Absent, as the errors are, where nobody knows."""

    @classmethod
    def of(cls, row: Any) -> Self:
        known = {name: getattr(row, name) for name in cls.__struct_fields__ if hasattr(row, name)}
        errors = {name: known.pop(name) for name in ("candidate_stderr", "incumbent_stderr")}
        errors["n"] = known["rows_scored"] or None
        known |= {name: value for name, value in errors.items() if value is not None}
        return msgspec.convert(known, cls, from_attributes=True)


class BenchmarkRunAnswer(Shape, frozen=True):
    benchmark_run: BenchmarkRun


class HistoryPoint(Shape, gc=False, frozen=True):
    """One replay on the trend, with or without a score. The keys after `status_reason` are this service's own.

    `undated`: nobody knows when it was; its `created_at` was invented by an import and says its place, not its time.
    """

    benchmark_run_id: str
    run_id: str
    run_seq: int
    rule_id: str | None
    rule_name: str | None
    created_at: datetime
    candidate_score: float | None
    incumbent_score: float | None
    score_delta: float | None
    checkpoint_id: str | None
    decision: str | None
    status: str
    status_reason: str | None
    items_digest: str
    rows_total: int
    rows_scored: int
    incumbent_ref: ModelRef
    undated: bool
    candidate_stderr: float | UnsetType = UNSET
    incumbent_stderr: float | UnsetType = UNSET
    n: int | UnsetType = UNSET


class HistoryPage(Page, frozen=True):
    benchmark_id: str
    points: list[HistoryPoint]
