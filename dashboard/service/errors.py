"""Refusals and failures in the contract's shape: `{"error": {"code", "message", …}, "request_id"}`."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
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
    return {"error": {"code": code, "message": message, **details}, "request_id": current_request_id()}


def answer_exception(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler. What nobody foresaw is logged with its trace and answered without."""
    set_rollback()
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
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


@csrf_exempt
@login_not_required
def answer_unknown_route(request: HttpRequest) -> HttpResponse:
    """Everything under /api/ that is no route, whatever the method."""
    return HttpResponse(json.dumps(build_error("NOT_FOUND", MESSAGES[404])), "application/json", 404)


class ApiErrorsMiddleware:
    """Puts failures from outside the API's views (a wrong Host, a middleware that broke) into the same shape."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        status = response.status_code
        if status < 400 or not request.path_info.startswith("/api/"):
            return response
        if response.get("Content-Type", "").startswith("application/json"):
            return response
        code = CODES.get(status, "INTERNAL" if status >= 500 else "REFUSED")
        message = MESSAGES.get(status) or (MESSAGES[500] if status >= 500 else "The request was refused.")
        return HttpResponse(json.dumps(build_error(code, message)), "application/json", status)
