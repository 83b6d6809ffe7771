"""Refusals and failures in the contract's shape: `{"error": {"code", "message", …}, "request_id"}`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import OperationalError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from dashboard.request_id import current_request_id

logger = logging.getLogger(__name__)

CODES = {
    400: "BAD_REQUEST",
    401: "UNAUTHENTICATED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    411: "LENGTH_REQUIRED",
    413: "BODY_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    429: "RATE_LIMITED",
}
MESSAGES = {
    404: "There is nothing at this address.",
    411: "Send the body whole, with its Content-Length: a chunked one is not read.",
    500: "The service failed. The log names this request's id.",
    503: "The database is busy or away.",
}


class Refusal(exceptions.APIException):
    """An answer the caller can act on: status, code, one sentence, and details.

    The details are `parameter` (of the query), or `field` and `details` (of the body: see `body`), or `scope`.
    """

    def __init__(self, status: int, code: str, message: str, **details: Any) -> None:
        super().__init__(message, code)
        self.status_code = status
        self.code = code
        self.details = details


def not_found(what: str, **details: Any) -> Refusal:
    """The answer for what does not exist, or belongs to another workspace: the two look the same."""
    return Refusal(404, "NOT_FOUND", f"There is no such {what} in this workspace.", **details)


@dataclass(frozen=True)
class Detail:
    """One fault of a body: the path of the field it concerns, and a sentence. `trace_id`: of the conversation meant."""

    field: str
    code: str
    message: str
    trace_id: str | None = None


def build_refusal(faults: Sequence[Detail], status: int, message: str | None = None) -> Refusal:
    """The refusal of a body for these faults, of which there is at least one. `message` None: the first fault's."""
    details = [{key: value for key, value in asdict(fault).items() if value is not None} for fault in faults]
    first = faults[0]
    return Refusal(status, first.code, message or first.message, field=first.field, details=details)


def build_error(code: str, message: str, **details: Any) -> dict[str, Any]:
    """The body of every answer that is not 2xx."""
    return {"error": {"code": code, "message": message, **details}, "request_id": current_request_id()}


def answer_exception(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler. What nobody foresaw is logged with its trace and answered without."""
    set_rollback()
    if isinstance(error, Refusal):
        headers = {"WWW-Authenticate": "Bearer"} if error.status_code == 401 else {}
        body = build_error(error.code, str(error.detail), **error.details)
        return Response(body, error.status_code, headers=headers)
    if isinstance(error, exceptions.APIException):
        status = error.status_code
        message = MESSAGES.get(status) or str(error.detail)
        return Response(build_error(CODES.get(status, "REFUSED"), message), status)
    if isinstance(error, OperationalError):  # locked for longer than a caller should wait, or away
        logger.error("the database did not answer at %s", context["request"].path, exc_info=error)
        return Response(build_error("DATABASE_BUSY", MESSAGES[503]), 503, headers={"Retry-After": "1"})
    logger.error("unexpected %s at %s", type(error).__name__, context["request"].path, exc_info=error)
    return Response(build_error("INTERNAL", MESSAGES[500]), 500)
