"""One conversation of a replay, as it is stored: what was asked, and a side for each model (see `rows`)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from dashboard.contract import ROW_STATUSES
from dashboard.store.models.benchmark import BenchmarkItem
from dashboard.store.models.replay import BenchmarkRun


class ReplayRow(models.Model):
    """What both models answered to one conversation. `item` is the pinned one.

    A row of an import has none: what was asked stands in `question`, {prompt, tools, reference}, there alone.
    """

    replay = models.ForeignKey(BenchmarkRun, models.CASCADE, related_name="rows")
    ordinal = models.IntegerField()
    item = models.ForeignKey(BenchmarkItem, models.CASCADE, null=True, related_name="+")
    question = models.JSONField(null=True)
    candidate = models.JSONField(default=dict)
    incumbent = models.JSONField(default=dict)
    winner = models.CharField(max_length=20, null=True)  # noqa: DJ001
    status = models.CharField(max_length=20, default="pending")
    error = models.TextField(null=True)  # noqa: DJ001

    class Meta:
        constraints = [
            models.UniqueConstraint("replay", "ordinal", name="replay_row_ordinal_once"),
            models.CheckConstraint(
                name="replay_row_status_and_reason",
                condition=Q(status__in=[status for status in ROW_STATUSES if status != "failed"])
                | Q(status="failed", error__isnull=False) & ~Q(error=""),
            ),
        ]
