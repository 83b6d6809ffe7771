"""A training run in full, the paired comparison behind its verdict, its rule's month: what a decision is read from."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.sources.loop.wire import (
    DimensionScore,
    Instant,
    JudgeDimension,
    ModelRef,
    Replay,
    Rule,
    Score,
    Serving,
    TrainingRun,
    _Timed,
)


class RunEvent(_Timed, frozen=True):
    """One line of a run's timeline."""

    moments = ("ts",)

    seq: int = 0
    ts: Instant = None
    from_state: str | None = None
    to_state: str = ""
    reason: str | None = None
    error_code: str | None = None
    detail: dict[str, str] = {}
    """What the service adds to it; a value that is no text stands as its JSON."""
    actor: str | None = None


class RunLinks(msgspec.Struct, frozen=True):
    """Addresses that the service gives for what belongs to a run; None where there is nothing."""

    training_job_url: str | None = None
    candidate_url: str | None = None
    dataset_url: str | None = None
    evaluation_url: str | None = None
    benchmark_url: str | None = None


class RunActions(msgspec.Struct, frozen=True):
    """What the service would do with the run now. What it does not offer is not to be asked for."""

    promote: bool = False
    reject: bool = False
    rollback: bool = False
    cancel: bool = False


class RunDetail(msgspec.Struct, frozen=True):
    """A run with its timeline and, beside the paired verdict and never in its place, its replay of the benchmark."""

    run: TrainingRun = TrainingRun(id="")
    timeline: tuple[RunEvent, ...] = ()
    benchmark: Replay | None = None
    links: RunLinks = RunLinks()
    available_actions: RunActions = RunActions()


class RunOutcome(msgspec.Struct, frozen=True):
    """What stands after an action, whoever came first; `serving` where it changed what answers the traffic."""

    run: TrainingRun = TrainingRun(id="")
    serving: Serving | None = None


class Warned(msgspec.Struct, frozen=True):
    """Something to know before the numbers are read."""

    code: str = ""
    message: str = ""


class Margin(msgspec.Struct, frozen=True):
    """The thresholds that a verdict was measured against, frozen with it."""

    promote_margin: Score = None
    promote_min_win_rate: Score = None
    min_judge_agreement: Score = None
    min_holdout_rows: int | None = None


class Agreement(msgspec.Struct, frozen=True):
    """How often a judge agreed with the workspace's own reviewers. Without `enough_pairs` the share says nothing."""

    pairs: int | None = None
    agreement: Score = None
    mean_abs_error: Score = None
    window_days: int | None = None
    enough_pairs: bool | None = None


class Evaluation(_Timed, frozen=True):
    """The paired comparison: candidate and incumbent on the same held-out rows. win_rate = wins / (wins + losses)."""

    moments = ("created_at", "finished_at")

    id: str
    run_id: str = ""
    split: str = ""
    incumbent_ref: ModelRef = ModelRef()
    candidate_ref: ModelRef = ModelRef()
    judge_id: str | None = None
    judge_name: str | None = None
    judge_model: str | None = None
    judge_instructions: str | None = None
    judge_dimensions: tuple[JudgeDimension, ...] = ()
    judge_system_prompt: str | None = None
    rows_selected: int | None = None
    rows_scored: int | None = None
    rows_failed: int | None = None
    wins: int | None = None
    losses: int | None = None
    ties: int | None = None
    win_rate: Score = None
    incumbent_mean: Score = None
    candidate_mean: Score = None
    mean_delta: Score = None
    per_dimension: tuple[DimensionScore, ...] = ()
    judge_agreement: Agreement | None = None
    warnings: tuple[Warned, ...] = ()
    verdict: str | None = None
    verdict_reason: str | None = None
    margin_used: Margin | None = None
    spent_cents: int | None = None
    status: str = ""
    last_error: str | None = None
    created_at: Instant = None
    finished_at: Instant = None


class Side(msgspec.Struct, frozen=True):
    """One model's answer to one conversation, and what it scored. `judge` is the judge's word, of any shape."""

    completion: Any = None
    tool_calls: Any = None
    judge: Any = None
    score: Score = None


class EvaluationItem(msgspec.Struct, frozen=True):
    """One paired conversation: the prompt, both answers, and which won."""

    id: int | str
    trace_id: str | None = None
    prompt: Any = None
    tools: Any = None
    incumbent: Side = Side()
    candidate: Side = Side()
    winner: str | None = None
    status: str = ""
    error: str | None = None


class RuleDetail(msgspec.Struct, frozen=True):
    """A rule with its newest runs, what its runs of this month cost (whole cents), and how its judge agreed."""

    rule: Rule = Rule(id="", name="")
    recent_runs: tuple[TrainingRun, ...] = ()
    month_spent_cents: int | None = None
    judge_agreement: Agreement | None = None
