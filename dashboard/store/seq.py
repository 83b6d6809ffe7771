"""Training runs are counted over a workspace, one writer at a time."""

from __future__ import annotations

from django.db.models import Max

from dashboard.store.models import TrainingRun, Workspace


def take_seqs(workspace: Workspace) -> int:
    """The highest number given so far, held until the transaction ends: whoever wants the next ones waits for it."""
    Workspace.objects.select_for_update().get(pk=workspace.pk)
    return TrainingRun.objects.filter(workspace=workspace).aggregate(top=Max("seq"))["top"] or 0
