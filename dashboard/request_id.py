"""One id for each request: the caller's or made here, answered in a header and written on every log line."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponseBase

SANE = re.compile(r"[A-Za-z0-9._-]{8,64}", re.ASCII)
_current: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    """The id of the request being answered; "" outside one."""
    return _current.get()


class RequestIdMiddleware:
    """Names the request. A request made while another is answered, in this process, carries that one's id."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = given if SANE.fullmatch(given) else _current.get() or secrets.token_hex(8)
        # Django logs refusals after the middleware has run; its log records carry the request.
        request.META["benchtrend.request_id"] = request_id
        token = _current.set(request_id)
        try:
            response = self.get_response(request)
        finally:
            _current.reset(token)
        response["X-Request-ID"] = request_id
        return response


class RequestIdFilter(logging.Filter):
    """Gives every log record a `request_id`, "-" where there is none."""

    def filter(self, record: logging.LogRecord) -> bool:
        meta = getattr(getattr(record, "request", None), "META", {})
        record.request_id = _current.get() or meta.get("benchtrend.request_id") or "-"
        return True
