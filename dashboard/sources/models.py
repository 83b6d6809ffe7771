"""The reader's memory: the last good answer of every read of a remote source. Only `reader.memory` touches it."""

from __future__ import annotations

from django.db import models


class Remembered(models.Model):
    """One answer. Of a key and a workspace it holds fingerprints alone."""

    place = models.CharField(max_length=64, primary_key=True)
    """Stands for source, workspace and key, and for what was asked."""
    source = models.CharField(max_length=8)
    scope = models.CharField(max_length=64)
    """The fingerprint of base URL, workspace and key."""
    about = models.CharField(max_length=64, blank=True)
    """Stands for the thing that was asked about; empty for a list."""
    digest = models.CharField(max_length=64)
    size = models.PositiveIntegerField()
    """Bytes of `body`."""
    whole = models.BooleanField()
    """False for a list that was cut."""
    read_at = models.DateTimeField(db_index=True)
    """When the service last said so, to the minute."""
    body = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["source", "scope"])]
