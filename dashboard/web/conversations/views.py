"""A captured conversation: what a pinned copy was taken from, and what can be picked for a benchmark."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.sources import reader
from dashboard.sources.reader import Absent, Unread, describe_old
from dashboard.web.conversations.forms import TurnForm
from dashboard.web.conversations.present import build_turn
from dashboard.web.conversations.source import build_source, list_turns
from dashboard.web.site import access
from dashboard.web.site.away import answer_away
from dashboard.web.site.errors import Wrong

DELETED = Wrong(
    404,
    "Source deleted, the pinned copy stays",
    "This workspace has no conversation with this id, or has it no more. A benchmark that pinned it keeps a copy of "
    "its own, on its page of conversations.",
)


@require_safe
def show_conversation(request: HttpRequest, trace_id: str) -> HttpResponse:
    """One conversation, or with `turn` one turn of it whole; a script gets the turn without the page."""
    access.check(request.user, "read")
    reading = reader.trace(trace_id)
    match reading:
        case Absent():
            return render(request, "web/site/error.html", {"wrong": DELETED}, status=DELETED.status)
        case Unread(failure):
            return answer_away(request, failure)
    form = TurnForm(request.GET)
    form.is_valid()
    place = form.cleaned_data.get("turn")
    turn = None if place is None else build_turn(list_turns(reading.value), place)
    if place is not None and turn is None:
        raise Http404
    if turn and request.htmx:  # type: ignore[attr-defined]
        return render(request, "web/conversations/_turn.html", {"turn": turn})
    now = datetime.now(UTC)
    here = reverse("conversation", args=[trace_id])
    context = {
        "form": form,
        "source": build_source(reading.value, now),
        "turn": turn,
        "number": None if place is None else place + 1,
        "here": here,
        "whole_url": f"{here}?",
        "old": describe_old(reading, now=now),
    }
    return render(request, "web/conversations/conversation.html", context, status=400 if form.errors else 200)
