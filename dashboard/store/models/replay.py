"""Replays of a benchmark."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from dashboard.store.models.base import Owned
from dashboard.store.models.benchmark import Benchmark
from dashboard.store.models.training import TrainingRun


class BenchmarkRun(Owned):
    """One replay. Only `done` carries scores, and then all three; one that ended without them says why."""

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
                | Q(candidate_score=None, incumbent_score=None, score_delta=None)
                & (Q(status="open") | Q(status_reason__isnull=False) & ~Q(status_reason="")),
            )
        ]
