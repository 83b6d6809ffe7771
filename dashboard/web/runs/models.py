"""What a reviewer saw when deciding, kept as it stood."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from dashboard.web.common.written_once import WrittenOnce


class DecisionRecord(WrittenOnce):
    """One decision that somebody sent from a page. `body` is JSON text, and `digest` the SHA-256 of exactly this text.

    The other columns repeat what the body says, to find it by. It names people and things as text, so it outlives them.
    """

    what = "the decision records"

    id = models.CharField(primary_key=True, max_length=40)
    at = models.DateTimeField(default=timezone.now)
    run_id = models.CharField(max_length=512, db_index=True)
    workspace_id = models.CharField(max_length=200, blank=True)
    """As the service names it; "" where it does not."""
    action = models.CharField(max_length=20)
    outcome = models.CharField(max_length=10)
    """What came of it: "done", or "unknown" where no answer came and looking it up did not tell either."""
    who_name = models.CharField(max_length=200)
    body = models.TextField()
    digest = models.CharField(max_length=64, unique=True)

    class Meta(WrittenOnce.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.who_name}: {self.action} {self.run_id}, {self.outcome}"
