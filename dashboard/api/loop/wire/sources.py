"""What benchmarks are made from: judges, captured conversations and training sets, as the wire has them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from dashboard.api.http.shapes import Page, Shape
from dashboard.api.loop.wire.benchmarks import Decoding, Dimension, Scoring


class Frozen(Shape, frozen=True):
    """What a benchmark is frozen to where its body says nothing else. `judge_model` "": its body has to name one."""

    judge_model: str
    decoding: Decoding
    scoring: Scoring


class Judge(Shape, frozen=True):
    """A rubric handed to a model. `scale`, `freezes` and `sample` are this service's own keys."""

    id: str
    workspace_id: str
    name: str
    model: str
    instructions: str
    dimensions: list[Dimension]
    system_prompt: str | None
    scale: str
    freezes: Frozen
    created_at: datetime
    sample: bool


class JudgeList(Shape, frozen=True):
    judges: list[Judge]


class JudgeAnswer(Shape, frozen=True):
    judge: Judge


class Trace(Shape, frozen=True):
    """A captured conversation; `deployment_id` is the source it was filed under."""

    id: str
    workspace_id: str
    deployment_id: str
    external_id: str | None
    model: str
    messages: Any
    tools: Any
    metadata: dict[str, Any]
    created_at: datetime
    sample: bool


class TraceAnswer(Shape, frozen=True):
    trace: Trace


class TraceDeleted(Shape, frozen=True):
    trace_id: str
    deleted: bool = True


class Imported(Shape, kw_only=True, frozen=True):
    """What became of the rows of one import.

    No verdict is recorded here, so `reviewed` is 0 and every new conversation needs review; what a row says of its
    answer is kept in the conversation's metadata. Rows are stored all together, so none is ever not saved.
    """

    import_id: str
    imported: int
    trace_ids: list[str]
    already_present: int
    refused: int
    refused_why: list[str]
    by_shape: dict[str, int]
    notes: list[str]
    needs_review: int
    reviewed: int = 0
    not_saved: int = 0
    not_saved_rows: list[int] = []
    verdicts_not_saved: int = 0
    verdicts_not_saved_rows: list[int] = []


class TracePage(Page, frozen=True):
    traces: list[Trace]


class Dataset(Shape, frozen=True):
    """A training set; `item_count` conversations are in it."""

    id: str
    workspace_id: str
    name: str
    method: str
    item_count: int
    created_at: datetime
    sample: bool


class DatasetPage(Page, frozen=True):
    datasets: list[Dataset]
