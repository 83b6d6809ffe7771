"""What the site keeps of its own: the audit log, wrong passwords of the last minutes, unsent forms."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.web.common.written_once import WrittenOnce

OUTCOMES = [("done", "done"), ("refused", "refused"), ("failed", "failed"), ("unknown", "unknown")]


class AuditEntry(WrittenOnce):
    """One write that somebody tried: written once, by `audit.record`, and never changed, deleted or pruned.

    It names people and things as text, so it outlives them. An entry is about 300 bytes; whoever must drop old ones has
    to do it in the database itself, where that leaves the gap in the ids that it should.
    """

    what = "the audit log"

    at = models.DateTimeField(default=timezone.now, db_index=True)
    who_id = models.BigIntegerField(null=True)
    """The user's id at the time; no foreign key, for it stays when the user goes. None for a command on the server."""
    who_name = models.CharField(max_length=200, db_index=True)
    action = models.CharField(max_length=50, db_index=True)
    target_kind = models.CharField(max_length=50, blank=True)
    target_id = models.CharField(max_length=400, blank=True)
    target_name = models.CharField(max_length=400, blank=True)
    outcome = models.CharField(max_length=10, choices=OUTCOMES)
    code = models.CharField(max_length=100, blank=True)
    """The service's code of a refusal, or what broke; "" when done."""
    message = models.CharField(max_length=1000, blank=True)
    """The refusal in the service's words, or what changed; never anything secret."""
    request_id = models.CharField(max_length=64, blank=True)

    class Meta(WrittenOnce.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.who_name}: {self.action} {self.target_kind} {self.target_name or self.target_id}, {self.outcome}"


class SignInFailure(models.Model):
    """A wrong password, for counting. Rows go when they are too old to count."""

    key = models.CharField(max_length=64)
    """A keyed hash of whose name and from where: people type passwords into the wrong field."""
    at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["key", "at"], name="sign_in_failure_key")]

    def __str__(self) -> str:
        return f"at {self.at}"


class Draft(models.Model):
    """A form of several steps that one person fills in: what was typed, and whether it was sent.

    It is open until it is sent, and sent once: whoever moves it from open to sending sends it. It ends as made, or as
    unknown where the answer was lost. A refusal opens it again.
    """

    id = models.CharField(primary_key=True, max_length=40)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    kind = models.CharField(max_length=20)
    body = models.JSONField(default=dict)
    state = models.CharField(max_length=10, default="open")
    made_id = models.CharField(max_length=400, blank=True)
    sent_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.kind} {self.id}, {self.state}"
