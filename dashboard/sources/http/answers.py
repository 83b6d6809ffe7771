"""What an answer that is not 2xx means: the service's error shapes, read into our tree."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any, NoReturn

import httpx
import msgspec

from dashboard.sources.http.errors import (
    FieldFault,
    NotFound,
    RateLimited,
    Refused,
    ServerFault,
    Unauthorized,
    UnreadableAnswer,
)

MAX_WORDS = 300
"""How much of the service's own sentence is kept."""
MAX_FAULTS = 1000
HIDDEN = "[key]"
"""What stands where the service repeated our key."""


def read_error_body(body: bytes, secret: str = "") -> tuple[str | None, str | None, str | None]:
    """(code, message, request id) from any of the error shapes; each None where the body does not say.

    The shapes: {"error": {"code", "message" | "detail"}, "request_id"}, {"error": "text", "code"?}, {"detail": "text"},
    {"message": "text"}, and anything that is not JSON, such as a proxy's page, of which nothing is repeated.
    `secret` is our own key: a service may repeat it, and we never do.
    """
    outer = _read_object(body)
    error = outer.get("error")
    inner = error if isinstance(error, dict) else outer
    words = error if isinstance(error, str) else inner.get("message") or inner.get("detail")
    text = partial(_text, secret=secret)
    return text(inner.get("code"), 80), text(words, MAX_WORDS), text(outer.get("request_id"), 80)


def read_faults(body: bytes, secret: str = "") -> tuple[str | None, tuple[FieldFault, ...]]:
    """(field, details) of {"error": {"field", "details": [{"field", "code", "message", "trace_id"?}, …]}}.

    `secret` is left out, as in `read_error_body`.
    """
    text = partial(_text, secret=secret)
    error = _read_object(body).get("error")
    if not isinstance(error, dict):
        return None, ()
    details = error.get("details")
    faults = []
    for fault in details[:MAX_FAULTS] if isinstance(details, list) else []:
        if not isinstance(fault, dict):
            continue
        field, message = text(fault.get("field"), MAX_WORDS), text(fault.get("message"), MAX_WORDS)
        if field and message:
            code = text(fault.get("code"), 80) or ""
            faults.append(FieldFault(field, code, message, text(fault.get("trace_id"), MAX_WORDS)))
    return text(error.get("field"), MAX_WORDS), tuple(faults)


def _read_object(body: bytes) -> dict[str, Any]:
    """The JSON object, empty for anything else."""
    try:
        found = msgspec.json.decode(body)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(value: object, length: int, *, secret: str) -> str | None:
    """A short single line without the secret, None for anything that is no text."""
    if not isinstance(value, str):
        return None
    if secret:  # before the text is cut: a part of a key is a secret too
        value = value.replace(secret, HIDDEN)
    return " ".join(value[: 2 * length].split())[:length] or None


def raise_for_status(
    route: str, response: httpx.Response, body: bytes, *, retry_at: datetime | None, secret: str = ""
) -> NoReturn:
    """Raise what a status outside 2xx stands for. `secret`, our own key, stands in nothing that is raised."""
    status = response.status_code
    code, words, request_id = read_error_body(body, secret)
    field, details = read_faults(body, secret)
    request_id = request_id or _text(response.headers.get("X-Request-ID"), 80, secret=secret)
    if status in (401, 403):
        said = "needs a valid key" if status == 401 else "is not allowed with this key"
        raise Unauthorized(f"{route} {said}.", status=status, code=code, request_id=request_id, words=words)
    if status == 404:
        message = f"{route} was answered: not found."
        raise NotFound(message, status=status, code=code, request_id=request_id, field=field, words=words)
    if status == 429:
        message = f"{route} was refused for now: too many calls."
        raise RateLimited(message, status=status, code=code, request_id=request_id, retry_at=retry_at)
    if status >= 500:
        message = f"{route} failed in the service (status {status})."
        raise ServerFault(message, status=status, code=code, request_id=request_id, retry_at=retry_at)
    if status >= 400:
        message = words or f"{route} was refused (status {status})."
        raise Refused(
            message,
            status=status,
            code=code,
            request_id=request_id,
            retry_at=retry_at,
            field=field,
            details=details,
            words=words,
        )
    raise UnreadableAnswer(f"{route} was answered with the unexpected status {status}.", status=status)
