"""What the embedded service stores. Ids are opaque strings; money is whole cents; times are UTC."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Concat
from django.utils import timezone

from dashboard.store.base import Brought, Import, Owned, Workspace, new_id

__all__ = ["Brought", "Import", "Owned", "Workspace", "new_id"]  # what stands in base.py is found here, too


class ApiKey(models.Model):
    """A key of the API. Only the SHA-256 of the secret is stored; the secret is shown once, when it is made."""

    id = models.CharField(primary_key=True, max_length=64)
    workspace = models.ForeignKey(Workspace, models.CASCADE)
    name = models.CharField(max_length=200)
    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)


class Judge(Owned):
    id_prefix = "jdg"
    name = models.CharField(max_length=200)
    model = models.CharField(max_length=200)
    instructions = models.TextField()
    dimensions = models.JSONField(default=list)  # [{key, description}]
    system_prompt = models.TextField(null=True)  # noqa: DJ001 - null and "" differ on the wire


class SearchText(models.TextField):  # type: ignore[type-arg]  # no generic when it runs
    """What a conversation's turns say, for searching: made from `messages` whenever the row is written."""

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        text = collect_text(getattr(model_instance, "messages", None)).casefold()
        setattr(model_instance, self.attname, text)
        return text


def collect_text(messages: Any) -> str:
    """The text of every turn, a line each; what is no text (a picture, a tool call) is left out."""
    lines = []
    for message in messages if isinstance(messages, list) else []:
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else [content]:
            text = part.get("text") if isinstance(part, dict) else part
            if isinstance(text, str):
                lines.append(text)
    return "\n".join(lines)


class Trace(Brought, Owned):
    """A captured conversation."""

    id_prefix = "tr"
    source = models.CharField(max_length=200)
    external_id = models.CharField(max_length=200, null=True)  # noqa: DJ001 - unique when given
    messages = models.JSONField(default=list)
    tools = models.JSONField(null=True)
    model = models.CharField(max_length=200, default="")
    metadata = models.JSONField(default=dict)
    search_text = SearchText(default="", editable=False)

    class Meta:
        constraints = [models.UniqueConstraint("workspace", "source", "external_id", name="trace_external_id_once")]
        indexes = [models.Index("workspace", F("created_at").desc(), F("id").desc(), name="trace_newest")]


class Dataset(Owned):
    id_prefix = "ds"
    name = models.CharField(max_length=200)
    method = models.CharField(max_length=40, default="sft")


class DatasetItem(models.Model):
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="items")
    trace = models.ForeignKey(Trace, models.CASCADE)
    split = models.CharField(max_length=40, default="train")
    ordinal = models.IntegerField()

    class Meta:
        constraints = [models.UniqueConstraint("dataset", "ordinal", name="dataset_ordinal_once")]


class Benchmark(Brought, Owned):
    """The frozen definition. Nothing but status, retired_at and retired_by changes after creation."""

    id_prefix = "bm"
    name = models.CharField(max_length=200)
    status = models.CharField(max_length=20, default="active")
    judge = models.ForeignKey(Judge, models.SET_NULL, null=True)
    judge_name = models.CharField(max_length=200)
    judge_model = models.CharField(max_length=200)
    judge_instructions = models.TextField()
    judge_dimensions = models.JSONField(default=list)
    judge_system_prompt = models.TextField(null=True)  # noqa: DJ001
    decoding = models.JSONField(default=dict)  # {temperature, max_tokens, stream}
    scoring = models.JSONField(default=dict)  # {metric, scale, aggregate, require_all_rows}
    item_count = models.IntegerField(default=0)
    items_digest = models.CharField(max_length=64, default="")
    per_run_ceiling_cents = models.BigIntegerField(default=0)
    created_by = models.CharField(max_length=200, default="")
    retired_at = models.DateTimeField(null=True)
    retired_by = models.CharField(max_length=200, null=True)  # noqa: DJ001
    retired_reason = models.TextField(null=True)  # noqa: DJ001
    # The id while the benchmark is active, else null. Rules refer to this column, so that the database itself never
    # holds a rule on a retired benchmark, whoever writes and whenever.
    attachable_id = models.GeneratedField(
        expression=Case(When(status="active", then=F("id"))),
        output_field=models.CharField(max_length=64, null=True),
        db_persist=True,
        unique=True,
    )
    # What a published score is over: replays that carry one refer to this column, so that the database itself never
    # holds a score over another set, whoever writes and whenever.
    measured_key = models.GeneratedField(
        expression=Concat("id", Value(":"), "items_digest"),
        output_field=models.CharField(max_length=129),
        db_persist=True,
        unique=True,
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "workspace", "name", condition=Q(status="active"), name="benchmark_name_while_active"
            )
        ]
        indexes = [models.Index("workspace", F("created_at").desc(), F("id").desc(), name="benchmark_newest")]


class BenchmarkItem(models.Model):
    """One pinned conversation, copied: the source may go, the copy stays."""

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="items")
    ordinal = models.IntegerField()
    source_trace = models.ForeignKey(Trace, models.SET_NULL, null=True)
    prompt = models.JSONField()
    tools = models.JSONField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint("benchmark", "ordinal", name="item_ordinal_once")]


class Rule(Brought, Owned):
    """A training rule: what a training run is fired from, and which benchmark its runs replay."""

    id_prefix = "rule"
    name = models.CharField(max_length=200)
    enabled = models.BooleanField(default=True)
    paused_reason = models.CharField(max_length=200, null=True)  # noqa: DJ001
    last_reason = models.CharField(max_length=500, null=True)  # noqa: DJ001
    serving = models.JSONField(default=dict)  # {kind, name, deployment_id}
    model_id = models.CharField(max_length=200, default="")
    benchmark = models.ForeignKey(Benchmark, models.PROTECT, null=True, related_name="rules", to_field="attachable_id")
    eval_judge = models.ForeignKey(Judge, models.SET_NULL, null=True)
    eval_ceiling_cents = models.BigIntegerField(default=2000)
    training_ceiling_cents = models.BigIntegerField(default=5000)
    candidate_ceiling_cents = models.BigIntegerField(default=2000)
    auto_promote = models.BooleanField(default=False)
    promote_margin = models.FloatField(default=0.0)
    promote_min_win_rate = models.FloatField(default=0.5)
    review_window_hours = models.IntegerField(default=72)
    revision = models.IntegerField(default=1)
    accepted_revision = models.IntegerField(default=1)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint("workspace", "name", name="rule_name_once")]
        indexes = [models.Index("workspace", F("created_at").desc(), F("id").desc(), name="rule_newest")]


class TrainingRun(Brought, Owned):
    id_prefix = "run"
    rule = models.ForeignKey(Rule, models.SET_NULL, null=True, related_name="runs")
    rule_name = models.CharField(max_length=200, null=True)  # noqa: DJ001
    seq = models.IntegerField()
    rule_revision = models.IntegerField(default=1)
    trigger = models.CharField(max_length=20, default="manual")
    state = models.CharField(max_length=40)
    state_entered_at = models.DateTimeField(default=timezone.now)
    last_reason = models.CharField(max_length=500, null=True)  # noqa: DJ001
    error_code = models.CharField(max_length=80, null=True)  # noqa: DJ001
    # Frozen when the run fires: what the rule carries later does not move them.
    training_ceiling_cents = models.BigIntegerField(default=0)
    candidate_ceiling_cents = models.BigIntegerField(default=0)
    eval_ceiling_cents = models.BigIntegerField(default=0)
    billed_training_cents = models.BigIntegerField(default=0)
    billed_candidate_cents = models.BigIntegerField(default=0)
    spent_eval_cents = models.BigIntegerField(default=0)
    benchmark_spent_cents = models.BigIntegerField(default=0)
    checkpoint_id = models.CharField(max_length=200, null=True)  # noqa: DJ001
    checkpoint_step = models.BigIntegerField(null=True)
    verdict = models.CharField(max_length=40, null=True)  # noqa: DJ001
    decision = models.CharField(max_length=40, null=True)  # noqa: DJ001
    decided_by = models.CharField(max_length=200, null=True)  # noqa: DJ001
    decided_at = models.DateTimeField(null=True)
    review_deadline_at = models.DateTimeField(null=True)
    rollback_available_until = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint("workspace", "seq", name="run_seq_once")]
        indexes = [models.Index("workspace", F("created_at").desc(), F("id").desc(), name="run_newest")]


class RunEvent(models.Model):
    """One row of a training run's timeline."""

    run = models.ForeignKey(TrainingRun, models.CASCADE, related_name="timeline")
    seq = models.IntegerField()
    ts = models.DateTimeField()
    from_state = models.CharField(max_length=40, null=True)  # noqa: DJ001
    to_state = models.CharField(max_length=40)
    reason = models.CharField(max_length=500, default="")
    error_code = models.CharField(max_length=80, null=True)  # noqa: DJ001
    detail = models.JSONField(default=dict)
    actor = models.CharField(max_length=200, default="service")

    class Meta:
        constraints = [models.UniqueConstraint("run", "seq", name="run_event_seq_once")]


class PublishedOver(models.ForeignKey):  # type: ignore[type-arg]  # no generic when it runs
    """The set that a replay's score is over, told from the replay itself whenever it is written; null of no score."""

    def pre_save(self, model_instance: models.Model, add: bool) -> str | None:
        replay: Any = model_instance
        over = None if replay.candidate_score is None else f"{replay.benchmark_id}:{replay.items_digest}"
        setattr(replay, self.attname, over)
        return over


class BenchmarkRun(Owned):
    """One replay. Only `done` carries scores; one that ended without them says why.

    It has all three, or, where no incumbent was measured, the candidate's alone. What was measured and must not be
    published (over another set, or not over every row) is in `withheld`, which no route answers.
    """

    id_prefix = "brun"
    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="replays")
    run = models.OneToOneField(TrainingRun, models.CASCADE, related_name="replay")
    incumbent_ref = models.JSONField(default=dict)  # {kind, name, deployment_id, model_version}
    candidate_ref = models.JSONField(default=dict)
    items_digest = models.CharField(max_length=64, default="")
    rows_total = models.IntegerField(default=0)
    rows_scored = models.IntegerField(default=0)
    rows_failed = models.IntegerField(default=0)
    candidate_score = models.FloatField(null=True)
    incumbent_score = models.FloatField(null=True)
    score_delta = models.FloatField(null=True)
    per_dimension = models.JSONField(default=list)
    prompt_tokens = models.BigIntegerField(default=0)
    completion_tokens = models.BigIntegerField(default=0)
    spent_cents = models.BigIntegerField(default=0)
    ceiling_cents = models.BigIntegerField(default=0)
    status = models.CharField(max_length=40)
    status_reason = models.TextField(null=True)  # noqa: DJ001
    finished_at = models.DateTimeField(null=True)
    undated = models.BooleanField(default=False)  # its times were invented by the import, for its order alone
    candidate_stderr = models.FloatField(null=True)
    incumbent_stderr = models.FloatField(null=True)
    withheld = models.JSONField(null=True)  # {candidate_score, incumbent_score, per_dimension}
    import_key = models.CharField(max_length=80, default="")  # an imported result's own time, else its content's hash
    published_over = PublishedOver(
        Benchmark, models.CASCADE, null=True, to_field="measured_key", related_name="+", editable=False
    )

    class Meta:
        indexes = [models.Index("benchmark", F("created_at").desc(), F("id").desc(), name="replay_newest")]
        constraints = [
            models.CheckConstraint(
                name="scores_all_or_none_with_a_reason",
                condition=Q(
                    status="done",
                    candidate_score__isnull=False,
                    incumbent_score__isnull=False,
                    score_delta__isnull=False,
                )
                | Q(status="done", candidate_score__isnull=False, incumbent_score=None, score_delta=None)
                | Q(candidate_score=None, incumbent_score=None, score_delta=None)
                & (Q(status="open") | Q(status_reason__isnull=False) & ~Q(status_reason="")),
            ),
            models.CheckConstraint(
                name="no_score_over_another_set",
                condition=Q(candidate_score=None)
                | Q(published_over__isnull=False, published_over=Concat("benchmark_id", Value(":"), "items_digest")),
            ),
            models.CheckConstraint(
                name="no_score_with_rows_missing",
                condition=Q(candidate_score=None) | Q(rows_scored__gte=F("rows_total")),
            ),
        ]


class Evaluation(Owned):
    """The paired comparison of one training run."""

    id_prefix = "ev"
    run = models.OneToOneField(TrainingRun, models.CASCADE, related_name="evaluation")
    body = models.JSONField(default=dict)  # every key of the Evaluation but id, run and times, as it goes on the wire
    status = models.CharField(max_length=40, default="done")


class EvaluationItem(models.Model):
    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="items")
    ordinal = models.IntegerField()
    winner = models.CharField(max_length=20, null=True)  # noqa: DJ001
    body = models.JSONField(default=dict)  # every key of the item but id and winner, as it goes on the wire

    class Meta:
        constraints = [models.UniqueConstraint("evaluation", "ordinal", name="evaluation_item_ordinal_once")]


class RunloopRow(Owned):
    """A row of Runloop's API: its id is Runloop's own, and no prefix of ours stands before it."""

    id = models.CharField(primary_key=True, max_length=200)

    class Meta:
        abstract = True


class RunloopBenchmark(Brought, RunloopRow):
    """A set of scenarios that agents are run on. Who defined it and in what order is all that is kept."""

    name = models.CharField(max_length=200)
    metadata = models.JSONField(default=dict)  # {str: str}
    scenario_ids = models.JSONField(default=list)
    attribution = models.TextField(null=True)  # noqa: DJ001
    description = models.TextField(null=True)  # noqa: DJ001
    is_public = models.BooleanField(null=True)

    class Meta:
        indexes = [models.Index("workspace", F("created_at").desc(), F("id").desc(), name="runloop_benchmark_newest")]


class RunloopRun(Brought, RunloopRow):
    """One run of a benchmark, as Runloop answers it: times in Unix milliseconds, a score only where there is one.

    `environment_variables` ({name: value}) and `secrets_provided` ({name: name of the secret}) are None where they are
    not known. Nothing but the one run's own answer reads them.
    """

    benchmark = models.ForeignKey(RunloopBenchmark, models.CASCADE, null=True, related_name="runs")
    name = models.TextField(null=True)  # noqa: DJ001
    purpose = models.TextField(null=True)  # noqa: DJ001
    state = models.CharField(max_length=40)
    score = models.FloatField(null=True)
    start_time_ms = models.BigIntegerField()
    duration_ms = models.BigIntegerField(null=True)
    metadata = models.JSONField(default=dict)  # {str: str}
    environment_variables = models.JSONField(null=True)
    secrets_provided = models.JSONField(null=True)

    class Meta:
        # A page after a cursor is a walk along one of these, with and without a benchmark.
        indexes = [
            models.Index("workspace", F("start_time_ms").desc(), F("id").desc(), name="runloop_run_newest"),
            models.Index(
                "workspace", "benchmark", F("start_time_ms").desc(), F("id").desc(), name="runloop_run_of_benchmark"
            ),
        ]


class RunloopScenarioRun(models.Model):
    """What one scenario of a run came to. `ordinal` is its place in the run's answer."""

    id = models.CharField(primary_key=True, max_length=200)
    run = models.ForeignKey(RunloopRun, models.CASCADE, related_name="scenario_runs")
    ordinal = models.IntegerField()
    scenario_id = models.CharField(max_length=200)
    devbox_id = models.CharField(max_length=200, default="")
    name = models.TextField(null=True)  # noqa: DJ001
    state = models.CharField(max_length=40)
    start_time_ms = models.BigIntegerField(null=True)
    duration_ms = models.BigIntegerField(null=True)
    metadata = models.JSONField(default=dict)  # {str: str}
    scoring_contract_result = models.JSONField(null=True)  # {score, scoring_function_results[]}, as on the wire

    class Meta:
        constraints = [models.UniqueConstraint("run", "ordinal", name="runloop_scenario_run_ordinal_once")]
