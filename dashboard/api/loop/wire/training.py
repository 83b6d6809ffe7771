"""Training rules and runs, as the wire has them.

The embedded service fires no training of its own. Keys about how a run is fired, booked and billed have a default: the
published shape promises the key, and the value says that nothing of the kind is set up.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from dashboard.api.http.shapes import Page, Shape
from dashboard.api.loop.wire.benchmarks import BenchmarkRun


class Serving(Shape, frozen=True):
    """What serves. `model_version` is this service's own key; null where nobody knows it."""

    kind: str = "serverless_slug"
    name: str = ""
    deployment_id: str | None = None
    model_version: str | None = None


class TrainingRule(Shape, kw_only=True, frozen=True):
    """A standing instruction to train, judge and perhaps promote.

    `rollback_window_hours` and `sample` (it came with the sample workspace) are this service's own keys.
    """

    id: str
    workspace_id: str
    build_rule_id: str = ""
    name: str
    enabled: bool
    paused_reason: str | None
    cadence: str = "none"
    cadence_hour_utc: int = 0
    cadence_weekday: int | None = None
    combinator: str = "and"
    min_new_rows: int | None = None
    jitter_seconds: int = 0
    next_due_at: datetime | None = None
    last_checked_at: datetime | None = None
    last_fired_at: datetime | None = None
    last_run_id: str | None = None
    last_reason: str | None
    serving: Serving
    model_id: str
    model_revision: str = ""
    training_method: str = "sft"
    rlhf_type: str | None = None
    train_type: str = "lora"
    config: dict[str, Any] = {}
    train_gpu_priorities: list[dict[str, Any]] = []
    train_max_price_hour_cents: int = 0
    deploy_gpu_priorities: list[dict[str, Any]] = []
    deploy_max_price_hour_cents: int = 0
    training_ceiling_cents: int
    candidate_ceiling_cents: int
    eval_ceiling_cents: int
    monthly_ceiling_cents: int | None = None
    eval_judge_id: str | None
    eval_judge_model: str | None = None
    eval_graders_scope: str = "none"
    eval_max_rows: int = 0
    eval_max_tokens: int = 0
    min_holdout_rows: int = 0
    benchmark_id: str | None
    auto_promote: bool
    promote_margin: float
    promote_min_win_rate: float
    min_judge_agreement: float = 0.0
    review_window_hours: int
    rollback_window_hours: int
    candidate_boot_deadline_minutes: int = 0
    keep_candidate_warm_minutes: int = 0
    authorized_by: str = ""
    terms_version: str = ""
    revision: int
    accepted_revision: int
    accepted_at: datetime | None = None
    deleted_at: datetime | None = None
    created_at: datetime
    updated_at: datetime
    sample: bool


class TrainingRunSummary(Shape, kw_only=True, frozen=True):
    """A run as lists have it.

    `undated` is this service's own key: the run was imported and nobody knows when it was; its times were invented.
    So are `checkpoint_id`, `checkpoint_step` and `benchmark_run_id` in a list: a run in full has them everywhere.
    """

    id: str
    rule_id: str | None
    rule_name: str | None
    workspace_id: str
    seq: int
    trigger: str
    state: str
    state_entered_at: datetime
    last_reason: str | None
    error_code: str | None
    verdict: str | None
    decision: str | None
    checkpoint_id: str | None
    checkpoint_step: int | None
    benchmark_run_id: str | None
    train_rows: int | None = None
    holdout_rows: int | None = None
    billed_training_cents: int
    billed_candidate_cents: int
    spent_eval_cents: int
    benchmark_spent_cents: int
    training_job_id: str | None = None
    candidate_deployment_id: str | None = None
    evaluation_id: str | None
    review_deadline_at: datetime | None
    auto_promote_at: datetime | None = None
    notify_state: str = "none"
    created_at: datetime
    finished_at: datetime | None
    undated: bool


class TrainingRun(TrainingRunSummary, kw_only=True, frozen=True):
    """A run in full. What it cost is the sum of four columns: billed_training to benchmark_spent."""

    rule_revision: int
    authorized_by: str = ""
    rule_snapshot: dict[str, Any] = {}
    fired_reason: str | None = None
    attempts: int = 0
    next_poll_at: datetime | None = None
    last_error: str | None = None
    training_ceiling_cents: int
    candidate_ceiling_cents: int
    eval_ceiling_cents: int
    loop_dataset_id: str | None = None
    train_dataset_id: str | None = None
    holdout_dataset_id: str | None = None
    job_status: str | None = None
    queue_deadline_at: datetime | None = None
    training_eval_loss: float | None = None
    candidate_name: str | None = None
    candidate_seq: int = 0
    candidate_status: str | None
    candidate_deadline_at: datetime | None = None
    candidate_cleanup_at: datetime | None = None
    alias_name: str | None = None
    alias_written_at: datetime | None = None
    serving_before: Serving | None
    rollback_available_until: datetime | None
    decided_by: str | None
    decided_at: datetime | None
    notify_event: str | None = None
    notify_error: str | None = None
    notify_attempts: int = 0
    updated_at: datetime


class TrainingRunEvent(Shape, frozen=True):
    """One line of a run's timeline."""

    seq: int
    ts: datetime
    from_state: str | None
    to_state: str
    reason: str
    error_code: str | None
    detail: dict[str, Any]
    actor: str


class TrainingRunLinks(Shape, frozen=True):
    """Addresses of this API for what belongs to the run, null where there is nothing."""

    training_job_url: str | None = None
    candidate_url: str | None = None
    dataset_url: str | None = None
    evaluation_url: str | None = None
    benchmark_url: str | None = None


class TrainingRunAction(Shape, frozen=True):
    """A run after an action. `serving` is what its rule serves now, after a promotion or rollback; else null."""

    run: TrainingRun
    serving: Serving | None


class TrainingRunActions(Shape, frozen=True):
    """What may be done with the run through this API now."""

    promote: bool = False
    reject: bool = False
    rollback: bool = False
    cancel: bool = False


class TrainingRulePage(Page, frozen=True):
    rules: list[TrainingRule]


class TrainingRuleAnswer(Shape, frozen=True):
    """A rule with its newest runs. `month_spent_cents` is what its runs of this calendar month (UTC) cost."""

    rule: TrainingRule
    recent_runs: list[TrainingRunSummary]
    month_spent_cents: int
    judge_agreement: dict[str, Any] | None = None


class TrainingRuleMutation(Shape, frozen=True):
    """A rule after a change that raised no amount, so that nobody has to agree again and nothing was priced."""

    rule: TrainingRule
    consent_required: bool = False
    preflight: dict[str, Any] | None = None


class TrainingRunPage(Page, frozen=True):
    runs: list[TrainingRunSummary]


class TrainingRunAnswer(Shape, frozen=True):
    """A run with its timeline and, beside the paired verdict and never in its place, its replay of the benchmark."""

    run: TrainingRun
    timeline: list[TrainingRunEvent]
    benchmark: BenchmarkRun | None
    links: TrainingRunLinks
    available_actions: TrainingRunActions
