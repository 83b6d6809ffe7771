"""Conversations, and the training sets that are made of them."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F

from dashboard.store.models.base import Brought, Owned


class SearchText(models.TextField):  # type: ignore[type-arg]  # no generic when it runs
    """What a conversation's turns say, for searching: made from `messages` whenever the row is written."""

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        text = collect_text(getattr(model_instance, "messages", None)).casefold()
        setattr(model_instance, self.attname, text)
        return text


def collect_text(messages: Any) -> str:
    """The text of every turn, a line each; what is no text (a picture, a tool call) is left out."""
    lines = []
    for message in messages if isinstance(messages, list) else []:
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else [content]:
            text = part.get("text") if isinstance(part, dict) else part
            if isinstance(text, str):
                lines.append(text)
    return "\n".join(lines)


class Trace(Brought, Owned):
    """A captured conversation."""

    id_prefix = "tr"
    source = models.CharField(max_length=200)
    external_id = models.CharField(max_length=200, null=True)  # noqa: DJ001 - unique when given
    messages = models.JSONField(default=list)
    tools = models.JSONField(null=True)
    model = models.CharField(max_length=200, default="")
    metadata = models.JSONField(default=dict)
    search_text = SearchText(default="", editable=False)

    class Meta:
        constraints = [models.UniqueConstraint("workspace", "source", "external_id", name="trace_external_id_once")]
        indexes = [models.Index("workspace", F("created_at").desc(), F("id").desc(), name="trace_newest")]


class Dataset(Owned):
    id_prefix = "ds"
    name = models.CharField(max_length=200)
    method = models.CharField(max_length=40, default="sft")


class DatasetItem(models.Model):
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="items")
    trace = models.ForeignKey(Trace, models.CASCADE)
    split = models.CharField(max_length=40, default="train")
    ordinal = models.IntegerField()

    class Meta:
        constraints = [models.UniqueConstraint("dataset", "ordinal", name="dataset_ordinal_once")]
