"""Forms of several steps: what was typed is kept on the server, under an id in the address, and is sent once."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from django.http import Http404, HttpRequest, QueryDict
from django.utils import timezone

from dashboard.web.models import Draft

if TYPE_CHECKING:
    from django.contrib.auth.models import User

KEPT = timedelta(days=30)
MOST_TYPED = 60_000
"""Characters that are kept of one field; its own limit is lower and says so."""
WAIT_S = 5.0
"""How long a second press waits for what becomes of the first."""
LOOKS_EVERY_S = 0.1


def new_id() -> str:
    return secrets.token_urlsafe(12)


def open_draft(request: HttpRequest, draft_id: str, kind: str) -> Draft:
    """The person's draft, as yet unsaved where nothing was typed. Http404 for another's."""
    found = Draft.objects.filter(pk=draft_id).first()
    if found is None:
        return Draft(id=draft_id[:40], user=cast("User", request.user), kind=kind)
    if found.user_id != request.user.pk or found.kind != kind:
        raise Http404
    return found


def save(draft: Draft, body: dict[str, Any]) -> None:
    """Keep what was typed, unless the draft was sent in between. Drafts that nobody touched for long go."""
    draft.body = body
    if draft._state.adding:
        Draft.objects.filter(updated_at__lt=timezone.now() - KEPT).delete()
        draft.save(force_insert=True)
        return
    Draft.objects.filter(pk=draft.pk, state="open").update(body=body, updated_at=timezone.now())


def read_typed(sent: QueryDict, names: tuple[str, ...]) -> dict[str, str]:
    """What the form sent under these names, as it was typed; a browser's line ends become plain ones."""
    return {name: clean(sent.get(name, "")) for name in names}


def clean(text: str) -> str:
    """What can be kept of a text."""
    return text.replace("\r\n", "\n").replace("\0", "")[:MOST_TYPED]


def claim(draft: Draft) -> bool:
    """True for exactly one of several who want to send this draft. `draft` is then as the database has it."""
    claimed = Draft.objects.filter(pk=draft.pk, state="open").update(state="sending", sent_at=timezone.now()) == 1
    draft.refresh_from_db()
    return claimed


def wait_for_outcome(draft: Draft) -> None:
    """Wait a little for whoever is sending this draft. `draft` is left as it then is, perhaps still being sent."""
    until = time.monotonic() + WAIT_S
    while draft.state == "sending" and time.monotonic() < until:
        time.sleep(LOOKS_EVERY_S)
        draft.refresh_from_db()


@contextmanager
def sending(draft: Draft) -> Iterator[None]:
    """Around the one sending of a claimed draft: what it did not settle is unknown, a broken process included."""
    try:
        yield
    finally:
        if draft.state == "sending":
            settle(draft, "unknown")


def settle(draft: Draft, state: str, made_id: str = "") -> None:
    draft.state, draft.made_id = state, made_id
    draft.save(update_fields=["state", "made_id", "updated_at"])
