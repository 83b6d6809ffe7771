"""The paired comparison of a training run."""

from __future__ import annotations

from django.db import models

from dashboard.store.models.base import Owned
from dashboard.store.models.training import TrainingRun


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
