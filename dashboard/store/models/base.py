"""What every stored row shares. Ids are opaque strings; money is whole cents; times are UTC."""

from __future__ import annotations

import secrets
from typing import Any

from django.db import models
from django.db.models import F
from django.utils import timezone


def new_id(prefix: str) -> str:
    """An opaque id such as `bm_5f0c…`, 64 random bits."""
    return f"{prefix}_{secrets.token_hex(8)}"


class Workspace(models.Model):
    """Who owns everything else. The embedded dashboard reads the one named by `default()`."""

    id = models.CharField(primary_key=True, max_length=64)
    name = models.CharField(max_length=200)
    org_id = models.CharField(max_length=64, default="org_local")
    org_name = models.CharField(max_length=200, default="Local")

    @classmethod
    def default(cls) -> Workspace:
        """The workspace that the dashboard in this process shows, made on first use."""
        return cls.objects.get_or_create(id="ws_local", defaults={"name": "Local workspace"})[0]


class Import(models.Model):
    """What one run of an import command brought, so that it can be taken back as a whole."""

    id = models.CharField(primary_key=True, max_length=64)
    workspace = models.ForeignKey(Workspace, models.CASCADE)
    kind = models.CharField(max_length=40)  # results, conversations, agent runs
    target = models.CharField(max_length=200)  # the name of what it went into
    created_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
    before = models.JSONField(default=dict)  # id of a replay that it filled -> what stood there

    class Meta:
        indexes = [models.Index("workspace", F("created_at").desc(), name="import_newest")]


class Brought(models.Model):
    """A row that an import may have brought."""

    brought_by = models.ForeignKey(Import, models.SET_NULL, null=True, related_name="+")

    class Meta:
        abstract = True


class Owned(models.Model):
    """A row of one workspace with an opaque id. `sample` marks what the sample workspace brought and can remove."""

    id_prefix = "x"
    id = models.CharField(primary_key=True, max_length=64)
    workspace = models.ForeignKey(Workspace, models.CASCADE)
    sample = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.id = self.id or new_id(self.id_prefix)
        super().save(*args, **kwargs)
