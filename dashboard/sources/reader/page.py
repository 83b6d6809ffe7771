"""One page has one deadline for all that it reads; it begins with the first read, and anew after a write."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dashboard.sources.reader.asking import Source

GRACE_S = 1.0
"""A page waits a little longer than a call may take, to say in the call's own words what became of it."""


@dataclass
class _Page:
    until: float | None = None


_page: ContextVar[_Page | None] = ContextVar("page", default=None)


def one_deadline(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: all reads of a request end together."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        token = _page.set(_Page())
        try:
            return get_response(request)
        finally:
            _page.reset(token)

    return middleware


def find_end(sources: Iterable[Source]) -> float:
    """When whoever asks these sources now stops waiting, on the clock of `time.monotonic`.

    Within a request that is when its first read has to be over; elsewhere each read has its own time.
    """
    timeouts = {"loop": settings.RUNBIOS_TIMEOUT_S, "runloop": settings.RUNLOOP_TIMEOUT_S}
    own = time.monotonic() + max((timeouts[source] for source in sources), default=0.0) + GRACE_S
    page = _page.get()
    if page is None:
        return own
    page.until = own if page.until is None else page.until
    return page.until


def begin_anew() -> None:
    """What is read after a write has a time of its own: a write may have taken all that there was."""
    page = _page.get()
    if page is not None:
        page.until = None
