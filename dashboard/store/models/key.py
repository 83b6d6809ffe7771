"""API keys."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from dashboard.store.models.base import Workspace


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
