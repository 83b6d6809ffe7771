"""A captured conversation, the source of a pinned copy, as its page prints it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from dashboard.sources.loop.wire import Trace
from dashboard.web.common.numbers import NOTHING
from dashboard.web.common.texts import count_characters, indent_json, write_json
from dashboard.web.common.times import Moment, show_moment
from dashboard.web.conversations.messages import is_empty, list_entries
from dashboard.web.conversations.present import ALONE, Conversation, build_conversation

MOST_METADATA = 20_000
"""Characters of the metadata that are shown."""


class Source(NamedTuple):
    id: str
    external_id: str
    filed: str
    """The source it was filed under, a dash for none; `model` likewise."""
    model: str
    at: Moment
    conversation: Conversation
    metadata: str
    """JSON laid out over lines, from its beginning; empty where there is none."""
    metadata_size: str
    """How long the whole of the metadata is, in words, where not all of it is here."""


def build_source(trace: Trace, now: datetime) -> Source:
    written = "" if is_empty(trace.metadata) else write_json(trace.metadata)
    shown = indent_json(written, MOST_METADATA)
    return Source(
        trace.id,
        trace.external_id or "",
        trace.deployment_id or NOTHING,
        trace.model or NOTHING,
        show_moment(trace.created_at, now),
        build_conversation(list_turns(trace), trace.tools, ALONE),
        shown.text,
        count_characters(len(written)) if shown.cut else "",
    )


def list_turns(trace: Trace) -> list[Any]:
    """Its messages, and the answer as the last of them where the service keeps it apart."""
    turns, answer = list_entries(trace.messages), trace.completion
    if is_empty(answer):
        return turns
    message = isinstance(answer, dict) and "role" in answer
    return [*turns, answer if message else {"role": "assistant", "content": answer}]
