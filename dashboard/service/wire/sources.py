"""What benchmarks are made from: judges, captured conversations and training sets, as the wire has them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from dashboard.service.wire.base import Page, Shape
from dashboard.service.wire.benchmarks import Dimension


class Judge(Shape, frozen=True):
    """A rubric handed to a model."""

    id: str
    workspace_id: str
    name: str
    model: str
    instructions: str
    dimensions: list[Dimension]
    system_prompt: str | None
    created_at: datetime
    sample: bool


class JudgeList(Shape, frozen=True):
    judges: list[Judge]


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
