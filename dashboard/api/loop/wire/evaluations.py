"""The paired comparison of a training run, as the wire has it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from dashboard.api.http.shapes import ModelRef, Page, Shape
from dashboard.api.loop.wire.benchmarks import Decoding, Dimension, DimensionScore


class Warned(Shape, frozen=True):
    code: str
    message: str = ""


class Evaluation(Shape, kw_only=True, frozen=True):
    """Candidate against incumbent on the same held-out rows. win_rate = wins / (wins + losses); ties stand apart."""

    id: str
    run_id: str
    workspace_id: str
    loop_dataset_id: str | None = None
    split: str = "holdout"
    incumbent_ref: ModelRef = ModelRef()
    candidate_ref: ModelRef = ModelRef()
    judge_id: str | None = None
    judge_name: str | None = None
    judge_model: str | None = None
    judge_instructions: str | None = None
    judge_dimensions: list[Dimension] = []
    judge_system_prompt: str | None = None
    grader_ids: list[str] = []
    decoding: Decoding = Decoding()
    rows_selected: int = 0
    rows_scored: int = 0
    rows_failed: int = 0
    wins: int | None = None
    losses: int | None = None
    ties: int | None = None
    win_rate: float | None = None
    incumbent_mean: float | None = None
    candidate_mean: float | None = None
    mean_delta: float | None = None
    judge_incumbent_mean: float | None = None
    judge_candidate_mean: float | None = None
    grader_incumbent_mean: float | None = None
    grader_candidate_mean: float | None = None
    grader_items_applied: int = 0
    per_dimension: list[DimensionScore] = []
    per_grader: list[dict[str, Any]] = []
    judge_agreement: dict[str, Any] | None = None
    trainer_eval_loss: float | None = None
    warnings: list[Warned] = []
    verdict: str | None = None
    verdict_reason: str | None = None
    margin_used: dict[str, Any] | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    spent_cents: int = 0
    status: str
    last_error: str | None = None
    created_at: datetime
    finished_at: datetime | None = None


class EvaluationItemSide(Shape, frozen=True):
    """One model's answer to one conversation, with what it scored."""

    completion: str | None = None
    tool_calls: Any = None
    grader: dict[str, Any] | None = None
    judge: dict[str, Any] | None = None
    score: float | None = None
    model_version: str | None = None


class EvaluationItem(Shape, kw_only=True, frozen=True):
    """One paired conversation: the prompt, both answers, and which won."""

    id: int
    dataset_item_id: int = 0
    trace_id: str | None = None
    trace_url: str | None = None
    prompt: Any = []
    tools: Any = None
    incumbent: EvaluationItemSide = EvaluationItemSide()
    candidate: EvaluationItemSide = EvaluationItemSide()
    human_verdict: float | None = None
    winner: str | None
    status: str = "done"
    error: str | None = None


class EvaluationItemPage(Page, frozen=True):
    items: list[EvaluationItem]
