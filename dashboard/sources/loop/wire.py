"""The nouns: what the APIs say, as frozen structs. What can stand on a line (a score, a moment) is the trend's.

Every struct ignores keys it does not know and keeps strings (status, decision, kind) as they were given, so a newer
API never breaks a page. Times are aware datetimes in UTC; a naive one was read as UTC. Money is whole cents.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar

import msgspec

from dashboard.trend.points import Instant as Instant
from dashboard.trend.points import Score as Score
from dashboard.trend.points import Unreadable as Unreadable


def as_utc(moment: datetime) -> datetime:
    """The same instant in UTC. A naive one is taken as UTC, which is what the contract promises."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


class _Timed(msgspec.Struct, frozen=True):
    """Brings the datetimes of a record to UTC, once, when it is made."""

    moments: ClassVar[tuple[str, ...]] = ("created_at",)

    def __post_init__(self) -> None:
        for name in self.moments:
            value = getattr(self, name)
            if type(value) is datetime and value.tzinfo is not UTC:
                msgspec.structs.force_setattr(self, name, as_utc(value))


class JudgeDimension(msgspec.Struct, frozen=True):
    key: str
    description: str = ""


class Decoding(msgspec.Struct, frozen=True):
    temperature: float | None = None
    max_tokens: int | None = None
    stream: bool | None = None


class Scoring(msgspec.Struct, frozen=True):
    metric: str = ""
    scale: str = ""
    """The judge's scale in words, "0-1" or "1 to 5" among them; `trend.scale` reads the bounds, if there are any."""
    aggregate: str = ""
    require_all_rows: bool | None = None


class Benchmark(_Timed, frozen=True):
    """A fixed set of conversations with a judge frozen beside it."""

    moments: ClassVar[tuple[str, ...]] = ("created_at", "retired_at")

    id: str
    name: str
    status: str
    workspace_id: str = ""
    judge_id: str | None = None
    judge_name: str = ""
    judge_model: str = ""
    judge_instructions: str = ""
    judge_dimensions: tuple[JudgeDimension, ...] = ()
    judge_system_prompt: str | None = None
    decoding: Decoding = Decoding()
    scoring: Scoring = Scoring()
    item_count: int = 0
    items_digest: str = ""
    per_run_ceiling_cents: int | None = None
    created_by: str = ""
    created_at: Instant = None
    retired_at: Instant = None
    retired_by: str | None = None
    retired_reason: str | None = None
    """Why, in the words of who retired it; only our own service says."""
    sample: bool = False
    """True for rows of the sample workspace; our own service says so, no other does."""


class ModelRef(msgspec.Struct, frozen=True, gc=False):
    """Which model answered: an alias of the serverless fleet, or one deployment."""

    kind: str = ""
    name: str = ""
    deployment_id: str | None = None
    model_version: str | None = None


class HistoryPoint(_Timed, frozen=True, gc=False):
    """One replay on a benchmark's history, with or without a score.

    The keys after `status_reason` are not in the published shape of a history point. Our service sends them, a newer
    API may; where they are absent they are None, or False, and nothing is concluded from them.
    """

    benchmark_run_id: str
    run_id: str = ""
    run_seq: int | None = None
    rule_id: str | None = None
    rule_name: str | None = None
    created_at: Instant = None
    candidate_score: Score = None
    incumbent_score: Score = None
    score_delta: Score = None
    checkpoint_id: str | None = None
    decision: str | None = None
    status: str = ""
    status_reason: str | None = None
    items_digest: str | None = None
    rows_total: int | None = None
    rows_scored: int | None = None
    incumbent_ref: ModelRef | None = None
    undated: bool = False
    """True where `created_at` was invented and says the replay's place alone; only our own service says."""


class History(msgspec.Struct, frozen=True):
    """A benchmark's replays as they were read."""

    benchmark_id: str
    points: tuple[HistoryPoint, ...]
    """Newest first as the service gave them, no replay twice."""
    total: int
    """How many replays the service says there are."""
    moved: bool = False
    """True when replays were still arriving after the bounded re-reads: newer replays exist than these."""


class DimensionScore(msgspec.Struct, frozen=True):
    dimension: str
    incumbent: Score = None
    candidate: Score = None
    delta: Score = None


class Replay(_Timed, frozen=True):
    """A BenchmarkRun: one replay of a benchmark on one training run, against candidate and incumbent."""

    moments: ClassVar[tuple[str, ...]] = ("created_at", "finished_at")

    id: str
    benchmark_id: str
    run_id: str = ""
    benchmark_name: str = ""
    workspace_id: str = ""
    incumbent_ref: ModelRef = ModelRef()
    candidate_ref: ModelRef = ModelRef()
    items_digest: str = ""
    rows_total: int | None = None
    rows_scored: int | None = None
    rows_failed: int | None = None
    candidate_score: Score = None
    incumbent_score: Score = None
    score_delta: Score = None
    per_dimension: tuple[DimensionScore, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    spent_cents: int | None = None
    ceiling_cents: int | None = None
    status: str = ""
    status_reason: str | None = None
    created_at: Instant = None
    finished_at: Instant = None
    bounds: dict[str, tuple[float, float]] | None = None
    """By side, between which scores the missing rows leave it; None where the service does not say."""


class Serving(msgspec.Struct, frozen=True):
    kind: str = ""
    name: str = ""
    deployment_id: str | None = None


class Rule(_Timed, frozen=True):
    """A standing instruction to train, judge and perhaps promote. Many more keys exist; these are the ones we read."""

    moments: ClassVar[tuple[str, ...]] = ("created_at", "updated_at")

    id: str
    name: str
    enabled: bool = True
    workspace_id: str = ""
    paused_reason: str | None = None
    last_reason: str | None = None
    serving: Serving = Serving()
    model_id: str = ""
    benchmark_id: str | None = None
    training_ceiling_cents: int | None = None
    candidate_ceiling_cents: int | None = None
    eval_ceiling_cents: int | None = None
    monthly_ceiling_cents: int | None = None
    eval_judge_id: str | None = None
    auto_promote: bool | None = None
    promote_margin: Score = None
    promote_min_win_rate: Score = None
    min_judge_agreement: Score = None
    review_window_hours: int | None = None
    benchmark_decides: bool | None = None
    """True where the benchmark gates promotion; None from a service that does not know of that."""
    benchmark_min_rows: int | None = None
    benchmark_min_delta: Score = None
    revision: int | None = None
    accepted_revision: int | None = None
    """The revision whose amounts somebody agreed to; another than `revision` means that the rule stands still."""
    created_at: Instant = None
    updated_at: Instant = None


class TrainingRun(_Timed, frozen=True):
    """One run of a rule. Many more keys exist than we read. Lists leave out those from `checkpoint_id` on."""

    moments = (
        "created_at", "state_entered_at", "review_deadline_at", "finished_at", "decided_at", "rollback_available_until"
    )  # fmt: skip

    id: str
    rule_id: str | None = None
    rule_name: str | None = None
    workspace_id: str = ""
    seq: int | None = None
    trigger: str = ""
    state: str = ""
    state_entered_at: Instant = None
    last_reason: str | None = None
    error_code: str | None = None
    verdict: str | None = None
    decision: str | None = None
    billed_training_cents: int | None = None
    billed_candidate_cents: int | None = None
    spent_eval_cents: int | None = None
    benchmark_spent_cents: int | None = None
    evaluation_id: str | None = None
    review_deadline_at: Instant = None
    created_at: Instant = None
    finished_at: Instant = None
    undated: bool = False
    """As of a HistoryPoint."""
    checkpoint_id: str | None = None
    checkpoint_step: int | None = None
    benchmark_run_id: str | None = None
    """Its replay, of whichever benchmark."""
    rule_revision: int | None = None
    training_ceiling_cents: int | None = None
    candidate_ceiling_cents: int | None = None
    eval_ceiling_cents: int | None = None
    serving_before: Serving | None = None
    decided_by: str | None = None
    decided_at: Instant = None
    rollback_available_until: Instant = None


class BenchmarkItem(msgspec.Struct, frozen=True):
    """One pinned conversation: messages and tools stay as they were given, whatever their shape."""

    id: int | str
    ordinal: int = 0
    source_trace_id: str | None = None
    source_trace_url: str | None = None
    prompt: Any = None
    tools: Any = None


class Frozen(msgspec.Struct, frozen=True):
    """What a benchmark is frozen to where nobody says otherwise."""

    judge_model: str = ""
    """The model that judges, the workspace's if the judge names none; "" where there is none at all."""
    decoding: Decoding = Decoding()
    scoring: Scoring = Scoring()


class Judge(_Timed, frozen=True):
    """A rubric handed to a model. A benchmark freezes a copy of it."""

    id: str
    name: str
    model: str = ""
    """The model that judges unless a benchmark names another; "" for none."""
    instructions: str = ""
    dimensions: tuple[JudgeDimension, ...] = ()
    system_prompt: str | None = None
    scale: str = ""
    """As of `Scoring`. Only our own service says it, and `freezes`; "" and None where a service does not."""
    freezes: Frozen | None = None
    created_at: Instant = None
    sample: bool = False


class Trace(_Timed, frozen=True):
    """A captured or imported conversation: messages and tools stay as they were given, whatever their shape."""

    id: str
    deployment_id: str = ""
    """The source it was filed under."""
    external_id: str | None = None
    model: str = ""
    messages: Any = None
    completion: Any = None
    """The answer, where the service keeps it apart from the messages."""
    tools: Any = None
    metadata: Any = None
    created_at: Instant = None
    sample: bool = False


class Dataset(_Timed, frozen=True):
    """A training set; a benchmark can copy its conversations, or those of one split."""

    id: str
    name: str
    method: str = ""
    item_count: int | None = None
    created_at: Instant = None
    sample: bool = False
