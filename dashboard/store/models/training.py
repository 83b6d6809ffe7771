"""Training rules, and the runs that they fire."""

from __future__ import annotations

from django.db import models
from django.db.models import F
from django.utils import timezone

from dashboard.store.models.base import Brought, Owned
from dashboard.store.models.benchmark import Benchmark
from dashboard.store.models.judge import Judge


class Rule(Brought, Owned):
    """A training rule: what a training run is fired from, and which benchmark its runs replay."""

    id_prefix = "rule"
    name = models.CharField(max_length=200)
    enabled = models.BooleanField(default=True)
    paused_reason = models.CharField(max_length=200, null=True)  # noqa: DJ001
    last_reason = models.CharField(max_length=500, null=True)  # noqa: DJ001
    serving = models.JSONField(default=dict)  # {kind, name, deployment_id, model_version}
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
    rollback_window_hours = models.IntegerField(default=168)
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
    serving_before = models.JSONField(null=True)  # what the rule served when this run was promoted, as Rule.serving
    candidate_status = models.CharField(max_length=40, null=True)  # noqa: DJ001 - "closed" once the run has ended
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint("workspace", "seq", name="run_seq_once")]
        indexes = [
            models.Index("workspace", F("created_at").desc(), F("id").desc(), name="run_newest"),
            models.Index("rule", F("created_at").desc(), F("id").desc(), name="run_newest_of_rule"),
            # Every page counts those that await a decision.
            models.Index("workspace", "state", F("created_at").desc(), F("id").desc(), name="run_in_state"),
        ]


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
