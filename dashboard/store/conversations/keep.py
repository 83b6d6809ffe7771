"""Keeps conversations: each once under its source and its id, whoever brings it and however often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from dashboard.store.conversations.read import Conversation
from dashboard.store.digest import digest_json
from dashboard.store.errors import not_found
from dashboard.store.models import Trace, new_id

BATCH = 500


@dataclass(frozen=True)
class Stored:
    """What became of the conversations, by their place among those given."""

    created: dict[int, str]
    """The new trace's id, in the order given."""
    present: list[int]
    """Those whose id was there already, with the same messages and tools."""
    conflicts: list[int]
    """Those whose id was there with other messages or tools; what is stored stays as it was."""


def identify(conversation: Conversation) -> str:
    """The id that a conversation is kept under: its own, else one that stands for what it says."""
    return conversation.external_id or f"sha256:{digest_content(conversation)}"


def digest_content(conversation: Conversation) -> str:
    return digest_json({"messages": conversation.messages, "tools": conversation.tools})


def store_conversations(
    workspace_id: str,
    source: str,
    conversations: Sequence[tuple[str, Conversation]],
    now: datetime,
    *,
    model: str = "",
    extra: Mapping[str, Any] | None = None,
) -> Stored:
    """Keep each (id, conversation) that is not there yet, all in one transaction.

    `model` is for those that name none, `extra` is added to the metadata of all. Lists show the newest first, so each
    row is a microsecond older than the one before it and a file keeps its order.
    """
    rows = [
        Trace(
            id=new_id("tr"),
            workspace_id=workspace_id,
            source=source,
            external_id=external_id,
            messages=conversation.messages,
            tools=conversation.tools,
            model=conversation.model or model,
            metadata=conversation.metadata | dict(extra or {}),
            created_at=now - timedelta(microseconds=n),
        )
        for n, (external_id, conversation) in enumerate(conversations)
    ]
    created: dict[int, str] = {}
    present: list[int] = []
    conflicts: list[int] = []
    with transaction.atomic():
        Trace.objects.bulk_create(rows, batch_size=BATCH, ignore_conflicts=True)
        kept = _load_kept(workspace_id, source, [row.external_id or "" for row in rows])
    for n, row in enumerate(rows):
        there = kept[row.external_id or ""]
        if there.pk == row.pk:
            created[n] = row.pk
        elif _says_the_same(there, row):
            present.append(n)
        else:
            conflicts.append(n)
    return Stored(created, present, conflicts)


def delete_trace(workspace_id: str, trace_id: str) -> None:
    """Delete a conversation: pins keep their copy and lose the link, training sets lose the row. Raises DomainError.

    It is locked first, so that a benchmark that is being made either has it or finds it gone.
    """
    with transaction.atomic():
        row = Trace.objects.select_for_update().filter(workspace_id=workspace_id, pk=trace_id).only("pk").first()
        if row is None:
            raise not_found("conversation")
        row.delete()


def _load_kept(workspace_id: str, source: str, external_ids: Sequence[str]) -> dict[str, Trace]:
    kept: dict[str, Trace] = {}
    for start in range(0, len(external_ids), BATCH):
        some = external_ids[start : start + BATCH]
        found: Iterable[Trace] = Trace.objects.filter(
            workspace_id=workspace_id, source=source, external_id__in=some
        ).only("pk", "external_id", "messages", "tools")
        kept |= {row.external_id or "": row for row in found}
    return kept


def _says_the_same(one: Trace, other: Trace) -> bool:
    return bool(one.messages == other.messages and one.tools == other.tools)
