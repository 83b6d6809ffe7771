"""Replays of a benchmark."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Concat

from dashboard.store.models.base import Owned
from dashboard.store.models.benchmark import Benchmark
from dashboard.store.models.training import TrainingRun


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
