"""The pages for what went wrong. They need no database and say nothing about the inside."""

from __future__ import annotations

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string


class Wrong(NamedTuple):
    status: int
    title: str
    text: str


BAD_REQUEST = Wrong(400, "That request makes no sense", "The address or the form could not be read.")
FORBIDDEN = Wrong(403, "Not allowed", "Your account may not do this. Ask an administrator of this dashboard.")
STALE_FORM = Wrong(
    403,
    "This form is too old",
    "It was opened before the last sign-in, or cookies are off. Go back, load the page again and send it once more.",
)
NOT_FOUND = Wrong(404, "Nothing here", "There is no page, and no benchmark, at this address.")
FAULT = Wrong(500, "Something broke here", "The fault is ours and is in the server's log. Try again in a moment.")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, BAD_REQUEST)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, FORBIDDEN)


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF_FAILURE_VIEW."""
    return _answer(request, STALE_FORM)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, NOT_FOUND)


def fault(request: HttpRequest) -> HttpResponse:
    return _answer(request, FAULT)


def _answer(request: HttpRequest, wrong: Wrong) -> HttpResponse:
    # Rendered without the request: its context processors would ask the database who is signed in.
    return HttpResponse(render_to_string("web/error.html", {"wrong": wrong}), status=wrong.status)
