"""Writes the audit log: one entry for each write that somebody tried, whatever came of it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, transaction
from django.http import Http404, HttpRequest

from dashboard.request_id import current_request_id
from dashboard.sources.http.errors import NotFound, OutcomeUnknown, Refused, SourceError, Unauthorized
from dashboard.web.common.refusals import Refusal
from dashboard.web.site.access import NotAllowed
from dashboard.web.site.models import AuditEntry

COMMAND_LINE = "command line"
"""Who writes that came from a command on the server are by."""

logger = logging.getLogger(__name__)


@dataclass
class Draft:
    """What the entry will say. Whatever is known only later may be set inside the `with`."""

    action: str
    target_kind: str = ""
    target_id: str = ""
    target_name: str = ""
    outcome: str = "done"
    code: str = ""
    message: str = ""
    """For a done one: what changed, such as "viewer to member"."""


@contextmanager
def record(
    request: HttpRequest | None,
    *,
    action: str,
    target_kind: str = "",
    target_id: str = "",
    target_name: str = "",
    who: str = "",
) -> Iterator[Draft]:
    """Write exactly one entry when the block ends: done, or, by what it raised, refused, failed or unknown.

    What it raised goes on. The entry has a transaction of its own, so the block's may roll back; put `record` around
    `atomic()`, never inside one (RuntimeError). `request` is None for what came over no page, named by `who`.
    """
    draft = Draft(action, target_kind, target_id, target_name)
    try:
        yield draft
    except BaseException as error:
        draft.outcome, draft.code, draft.message = describe(error)
        if isinstance(error, NotAllowed):
            error.recorded = True
        raise
    finally:
        write(request, draft, who)


def record_outside(sender: object, *, who: str = COMMAND_LINE, **told: Any) -> None:
    """Write the entry of what was not done on a page: the receiver of `wrote`."""
    told.pop("signal")
    write(None, Draft(**told), who)


def describe(error: BaseException) -> tuple[str, str, str]:
    """Outcome, code and message of what a write raised. A fault of ours gives only its kind: the log has the rest."""
    kind = type(error).__name__
    match error:
        case Refusal():
            return "refused", error.code, error.message
        case Refused() | NotFound() | Unauthorized():
            return "refused", error.code or kind, error.words or error.message
        case OutcomeUnknown():
            return "unknown", error.code or kind, error.message
        case SourceError():
            return "failed", error.code or kind, error.message
        case NotAllowed():
            return "refused", error.code, str(error)
        case PermissionDenied() | Http404():
            return "refused", kind, str(error)
        case _:
            return "failed", kind, ""


def write(request: HttpRequest | None, draft: Draft, who: str = "") -> None:
    """Write the entry now. One that the database will not take is logged whole instead: what was done stays done."""
    user = request.user if request else None
    entry = AuditEntry(
        who_id=user.pk if user else None,
        who_name=(user.get_username() if user else "") or who or "somebody not signed in",
        request_id=current_request_id()[:64],
    )
    for name, value in vars(draft).items():
        setattr(entry, name, fit(name, value))
    try:
        with transaction.atomic(durable=True):
            entry.save()
    except DatabaseError:
        logger.exception("The audit log could not take: %r", vars(draft) | {"who": entry.who_name})


def fit(name: str, value: str) -> str:
    """The text at the length its column has, without the NUL that databases refuse."""
    length: int = AuditEntry._meta.get_field(name).max_length  # type: ignore[union-attr, assignment]
    return str(value or "").replace("\0", "")[:length]
