"""Refusals and failures in the contract's shape: `{"error": {"code", "message", …}, "request_id"}`."""

from __future__ import annotations

import logging
from typing import Any

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
    415: "UNSUPPORTED_MEDIA_TYPE",
    429: "RATE_LIMITED",
}
MESSAGES = {404: "There is nothing at this address.", 500: "The service failed. The log names this request's id."}


class Refusal(exceptions.APIException):
    """An answer the caller can act on: status, code, one sentence, and details such as `parameter`."""

    def __init__(self, status: int, code: str, message: str, **details: Any) -> None:
        super().__init__(message, code)
        self.status_code = status
        self.code = code
        self.details = details


def not_found(what: str) -> Refusal:
    """The answer for what does not exist, or belongs to another workspace: the two look the same."""
    return Refusal(404, "NOT_FOUND", f"There is no such {what} in this workspace.")


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
    logger.error("unexpected %s at %s", type(error).__name__, context["request"].path, exc_info=error)
    return Response(build_error("INTERNAL", MESSAGES[500]), 500)
