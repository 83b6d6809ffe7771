"""Forms of several steps: what was typed is kept on the server, under an id in the address, and is sent once."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.http import Http404, HttpRequest, QueryDict
from django.utils import timezone

from dashboard.web.site.models import Draft

if TYPE_CHECKING:
    from django.contrib.auth.models import User

KEPT = timedelta(days=30)
WAIT_S = 5.0
"""How long a second press waits for what becomes of the first."""
LOOKS_EVERY_S = 0.1
MARGIN = timedelta(seconds=30)
"""How much longer than the deadline of a call its sending may take: the database, the audit log, a stalled process."""


def new_id() -> str:
    return secrets.token_urlsafe(12)


def open_draft(request: HttpRequest, draft_id: str, kind: str, *, lock: bool = False) -> Draft:
    """The person's draft, as yet unsaved where nothing was typed. Http404 for another's.

    `lock` (inside a transaction only): nobody else changes it before the transaction ends.
    """
    drafts = Draft.objects.select_for_update() if lock else Draft.objects.all()
    found = drafts.filter(pk=draft_id).first()
    if found is None:
        return Draft(id=draft_id, user=cast("User", request.user), kind=kind)
    check_owner(found, request.user.pk, kind)
    return found


def check_owner(draft: Draft, user_id: int | None, kind: str) -> None:
    if draft.user_id != user_id or draft.kind != kind:
        raise Http404


def start(draft: Draft) -> None:
    """Make sure that a row stands for the draft. Drafts that nobody touched for long go."""
    if not draft._state.adding:
        return
    Draft.objects.filter(updated_at__lt=timezone.now() - KEPT).delete()
    # Two presses on a fresh form both find none; the second finds the first's here.
    Draft.objects.get_or_create(pk=draft.pk, defaults={"user": draft.user, "kind": draft.kind})
    user_id, kind = draft.user_id, draft.kind
    draft.refresh_from_db()
    check_owner(draft, user_id, kind)


def change(draft: Draft, build: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Keep what `build` makes of what is kept. Where somebody else changed the draft meanwhile, it is built again from
    theirs, so that neither change is lost. On return `draft` is as it is by now: changed, or sent by somebody else."""
    start(draft)
    while draft.state == "open":
        body, now = build(draft.body), timezone.now()
        unchanged = Draft.objects.filter(pk=draft.pk, state="open", updated_at=draft.updated_at)
        if unchanged.update(body=body, updated_at=now):
            draft.body, draft.updated_at = body, now
            return
        draft.refresh_from_db()


def save(draft: Draft, body: dict[str, Any]) -> None:
    """Keep what was typed instead of what is kept, unless the draft was sent in between."""
    start(draft)
    draft.body, draft.updated_at = body, timezone.now()
    Draft.objects.filter(pk=draft.pk, state="open").update(body=body, updated_at=draft.updated_at)


def read_typed(sent: QueryDict, names: tuple[str, ...]) -> dict[str, str]:
    """What the form sent under these names, as it was typed; a browser's line ends become plain ones."""
    return {name: clean(sent.get(name, "")) for name in names}


def clean(text: str) -> str:
    """A text without the NUL that databases refuse. It is not cut: its field says when it is too long."""
    return text.replace("\r\n", "\n").replace("\0", "")


def claim(draft: Draft, body: dict[str, Any] | None = None) -> bool:
    """True for exactly one of several who want to send this draft, and only while it is as `draft` was read.

    With a `body`, that is what is sent and kept, whatever was kept before. On False `draft` is as it is by now: sent
    by somebody else, or open and changed.
    """
    claimed: dict[str, Any] = {"state": "sending", "sent_at": timezone.now()}
    waiting = Draft.objects.filter(pk=draft.pk, state="open")
    if body is None:
        waiting = waiting.filter(updated_at=draft.updated_at)
    else:
        claimed["body"] = body
    if waiting.update(**claimed) == 0:
        draft.refresh_from_db()
        return False
    for name, value in claimed.items():
        setattr(draft, name, value)
    return True


def wait_for_outcome(draft: Draft) -> None:
    """Wait a little for whoever is sending this draft. `draft` is left as it then is, perhaps still being sent.

    Once no answer can come any more, its sender broke: it is unknown.
    """
    until = time.monotonic() + WAIT_S
    while draft.state == "sending" and not is_over(draft) and time.monotonic() < until:
        time.sleep(LOOKS_EVERY_S)
        draft.refresh_from_db()
    if draft.state == "sending" and is_over(draft):
        Draft.objects.filter(pk=draft.pk, state="sending", sent_at=draft.sent_at).update(state="unknown")
        draft.refresh_from_db()


def is_over(draft: Draft) -> bool:
    """True once the one sending of this draft has ended, answered or not."""
    longest = timedelta(seconds=settings.RUNBIOS_TIMEOUT_S) + MARGIN
    return draft.sent_at is None or timezone.now() - draft.sent_at > longest


def reopen(draft: Draft) -> bool:
    """Open one whose outcome is unknown, so that it can be sent again. False when it is not unknown (any more)."""
    return Draft.objects.filter(pk=draft.pk, state="unknown").update(state="open", updated_at=timezone.now()) == 1


@contextmanager
def sending(draft: Draft) -> Iterator[None]:
    """Around the one sending of a claimed draft: what it did not settle is unknown, a broken process included."""
    try:
        yield
    finally:
        if draft.state == "sending":
            settle(draft, "unknown")


def settle(draft: Draft, state: str, made_id: str = "", body: dict[str, Any] | None = None) -> None:
    """What became of the sending that this claimed. It counts when it was given up for unknown, too, but not once
    somebody opened the draft again. `body`: what is kept instead of what was sent."""
    claimed = Draft.objects.filter(pk=draft.pk, sent_at=draft.sent_at, state__in=("sending", "unknown"))
    draft.body = draft.body if body is None else body
    claimed.update(state=state, made_id=made_id, body=draft.body, updated_at=timezone.now())
    draft.state, draft.made_id = state, made_id
