"""Request bodies, read strictly: one JSON object whose every key is known, typed and storable, or a refusal by name.

Every fault of a body comes back at once, so that a form can place them all:
`{"error": {"code", "message", "field", "details": [{"field", "code", "message"}, …]}}`, where `field` is that of the
first fault, a path such as `name`, `source.trace_ids` or `dimensions[2].key`. Of very many, the first hundred are told.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.http.request import UnreadablePostError
from rest_framework.exceptions import ValidationError

from dashboard.api.http.errors import Refusal
from dashboard.api.http.fields import Strict, list_faults
from dashboard.store.errors import Fault, Kind, refuse
from dashboard.store.text.strict_json import NotJson, parse_json

MOST_TOLD = 100
CODES = {"required": "MISSING_FIELD", "unknown": "UNKNOWN_FIELD"}


def read_body(request: HttpRequest, body: Strict, most_bytes: int) -> dict[str, Any]:
    """The value of every field by name. An empty body is an empty object. Raises Refusal (413, 415) or DomainError."""
    raw = _read_bytes(request, most_bytes)
    media_type = request.META.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if raw and media_type != "application/json":
        raise Refusal(415, "UNSUPPORTED_MEDIA_TYPE", "Send the body as application/json.")
    given = parse_body(raw) if raw else {}
    try:
        values: dict[str, Any] = body.run_validation(given)
    except ValidationError as error:
        found = list_faults(error.detail)
        faults = [Fault(at, CODES.get(code, "INVALID_FIELD"), f"{at} {words}.") for at, code, words in found]
        more = f" And {len(faults) - MOST_TOLD} more faults than are told." if len(faults) > MOST_TOLD else ""
        raise refuse(Kind.INVALID, faults[:MOST_TOLD], faults[0].message + more) from error
    return values


def parse_body(raw: bytes) -> dict[str, Any]:
    """The body's object. Raises Refusal (400) for what is not JSON to the letter, or no object."""
    try:
        body = parse_json(raw)
    except NotJson as error:
        raise Refusal(400, "INVALID_JSON", f"The body cannot be taken: {error}.") from error
    if not isinstance(body, dict):
        raise Refusal(400, "INVALID_BODY", "The body must be a JSON object.")
    return body


def _read_bytes(request: HttpRequest, most: int) -> bytes:
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdigit() and int(length[:20]) > most:
        raise Refusal(413, "BODY_TOO_LARGE", f"The body may have at most {most} bytes.")
    try:
        return request.read()
    except UnreadablePostError as error:
        raise Refusal(400, "BODY_CUT_OFF", "The body did not arrive whole.") from error
