"""How people look at the trends that they group themselves."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Grouping(models.Model):
    """How one person last looked at one Runloop benchmark: its runs by which metadata key, and which two side by side.

    What is empty was not chosen.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    benchmark_id = models.CharField(max_length=512)
    group = models.TextField(blank=True)
    label = models.TextField(blank=True)
    candidate = models.TextField(blank=True)
    incumbent = models.TextField(blank=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["user", "benchmark_id"], name="one_grouping_each")]

    def __str__(self) -> str:
        return f"{self.benchmark_id} by {self.group or 'nothing'}"
