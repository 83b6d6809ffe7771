"""Judges."""

from __future__ import annotations

from django.db import models

from dashboard.store.models.base import Owned


class Judge(Owned):
    id_prefix = "jdg"
    name = models.CharField(max_length=200)
    model = models.CharField(max_length=200)
    instructions = models.TextField()
    dimensions = models.JSONField(default=list)  # [{key, description}]
    scale = models.CharField(max_length=100, default="0-1")  # in words that name two rising bounds
    system_prompt = models.TextField(null=True)  # noqa: DJ001 - null and "" differ on the wire
