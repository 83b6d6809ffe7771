"""What stands around the API's views: one shape for every failure, and no more of the website than it needs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import resolve

from dashboard.api.http.errors import CODES, MESSAGES, build_error
from dashboard.contract import API_ROOTS

DRAINED_S = 10
DRAINED_BYTES = 256 * 2**20
DRAINED_AT_ONCE = 64 * 2**10
GetResponse = Callable[[HttpRequest], HttpResponseBase]


class ApiErrorsMiddleware:
    """Puts failures from outside the API's views (a wrong Host, a middleware that broke) into the API's shape."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        status = response.status_code
        if status < 400 or not request.path_info.startswith(API_ROOTS):
            return response
        if response.get("Content-Type", "").startswith("application/json"):
            return response
        code = CODES.get(status, "INTERNAL" if status >= 500 else "REFUSED")
        message = MESSAGES.get(status) or (MESSAGES[500] if status >= 500 else "The request was refused.")
        try:
            request.get_host()
        except DisallowedHost:
            message = "The service does not answer to the name in Host. Whoever runs it: see ALLOWED_HOSTS."
        return HttpResponse(json.dumps(build_error(code, message)), "application/json", status)


class BodyLengthMiddleware:
    """Refuses a body by its length, before any of it is read, and takes in what nobody read before the answer leaves.

    Refused are a body of unsaid length, which Django would take for an empty one, and on pages one that is longer than
    any form of ours; the API's routes have bounds of their own. A server that closes while its client is still sending
    breaks the connection, and the refusal is lost with it.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._refuse(request) or self.get_response(request)
        if "HTTP_TRANSFER_ENCODING" in request.META or request.META.get("CONTENT_LENGTH") not in (None, "", "0"):
            drain(request)
        return response

    def _refuse(self, request: HttpRequest) -> HttpResponse | None:
        length = request.META.get("CONTENT_LENGTH") or ""
        if "HTTP_TRANSFER_ENCODING" in request.META and not length:
            return HttpResponse(MESSAGES[411], "text/plain", 411)
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if length.isdecimal() and int(length[:20]) > most and not request.path_info.startswith(API_ROOTS):
            return HttpResponse(f"A form may have at most {most} bytes.", "text/plain", 413)
        return None


def drain(request: HttpRequest) -> None:
    """Read the rest of the body and drop it, for DRAINED_S seconds and DRAINED_BYTES bytes at most."""
    # The server's own stream ends with a chunked body too; Django's ends with the length that was said.
    stream = request.META["wsgi.input"] if request.META.get("wsgi.input_terminated") else request
    until, left = time.monotonic() + DRAINED_S, DRAINED_BYTES
    with suppress(OSError):  # the client has gone, or fell silent
        while left > 0 and time.monotonic() < until and (data := stream.read(DRAINED_AT_ONCE)):
            left -= len(data)


class ApiShortcutMiddleware:
    """Answers the API here, so that what stands below it (sessions, CSRF, messages, CSP) is for the pages alone.

    No cookie is read or set for the API, and a read in this process costs a fifth less.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(API_ROOTS):
            return self.get_response(request)
        request.resolver_match = match = resolve(request.path_info)
        response: HttpResponse = match.func(request, *match.args, **match.kwargs)
        render = getattr(response, "render", None)
        if callable(render):
            render()
        return response


def answer_unknown_route(request: HttpRequest) -> HttpResponse:
    """Everything under the API's roots that is no route, whatever the method."""
    _, root, rest = request.path_info.split("/", 2)
    message = MESSAGES[404]
    if f"/{rest}".startswith(API_ROOTS):
        message += f" Clients add /{rest.split('/')[0]} themselves: leave /{root} out of the base URL."
    return HttpResponse(json.dumps(build_error("NOT_FOUND", message)), "application/json", 404)
