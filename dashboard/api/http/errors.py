"""Refusals and failures in the contract's shape: `{"error": {"code", "message", …}, "request_id"}`."""

from __future__ import annotations

import logging
from dataclasses import asdict
from typing import Any

from django.db import OperationalError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from dashboard.request_id import current_request_id
from dashboard.store.errors import DomainError, Fault, Kind

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
STATUSES = {Kind.INVALID: 400, Kind.MISSING: 404, Kind.CONFLICT: 409, Kind.UNUSABLE: 422}


class Refusal(exceptions.APIException):
    """A refusal of the call itself, as HTTP has it: status, code, one sentence, and `parameter` or `scope`."""

    def __init__(self, status: int, code: str, message: str, **details: Any) -> None:
        super().__init__(message, code)
        self.status_code = status
        self.code = code
        self.details = details


def build_error(code: str, message: str, **details: Any) -> dict[str, Any]:
    """The body of every answer that is not 2xx."""
    return {"error": {"code": code, "message": message, **details}, "request_id": current_request_id()}


def answer_exception(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler. What nobody foresaw is logged with its trace and answered without."""
    set_rollback()
    if isinstance(error, DomainError):
        return Response(build_error(error.code, error.message, **_tell_faults(error)), STATUSES[error.kind])
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


def _tell_faults(error: DomainError) -> dict[str, Any]:
    told: dict[str, Any] = {"field": error.field} if error.field else {}
    return told | ({"details": [_tell(fault) for fault in error.faults]} if error.faults else {})


def _tell(fault: Fault) -> dict[str, str]:
    return {key: value for key, value in asdict(fault).items() if value is not None}
