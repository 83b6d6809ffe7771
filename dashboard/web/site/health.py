"""Is the process up, and can it show pages? Both answer anybody, in one word each, whatever name they are asked by."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import resolve
from django.views.decorators.http import require_safe

from dashboard.sources import reader
from dashboard.sources.reader import Ask, Known

OK, DOWN, MISCONFIGURED = "ok", "down", "misconfigured"
PROBES = ("/healthz", "/readyz")
KEPT_S = 5.0
"""How long one look at the sources answers everybody: strangers can call this, and it must not pass their load on."""
WAITS_S = 2.0
"""How long one look waits for remote sources, all together. What is late is down."""

_lock = threading.Lock()
_last_look: tuple[float, dict[str, str]] | None = None


def answer_probes(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: answer the probes before anything asks by what name, over which scheme or by whom we are called."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path_info not in PROBES:
            return get_response(request)
        answer: HttpResponse = resolve(request.path_info).func(request)
        answer["Cache-Control"] = "no-store"
        return answer

    return middleware


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 where pages can be shown, else 503: the database answers and no source is set up wrong. A word for each.

    A remote source that is away takes nobody from this server: its pages show what was read last, and say so.
    """
    database = _database_answers()
    words = {"database": OK if database else DOWN}
    words |= _look_at_sources() if database else dict.fromkeys(("loop", "runloop"), DOWN)
    return JsonResponse(words, status=200 if database and MISCONFIGURED not in words.values() else 503)


def _database_answers() -> bool:
    """A table of ours can be read: an empty or foreign database has none."""
    try:
        get_user_model().objects.exists()
    except DatabaseError:
        return False
    return True


def _look_at_sources() -> dict[str, str]:
    """A word for each source. Of several probes at once one asks."""
    global _last_look
    with _lock:
        if _last_look is None or time.monotonic() - _last_look[0] > KEPT_S:
            words = _ask_both()
            _last_look = time.monotonic(), words
        return _last_look[1]


def _ask_both() -> dict[str, str]:
    """A word for each, asked at the same time."""
    words: dict[str, str] = {}
    asks: dict[str, Ask[Any]] = {}
    for name, noun in (("loop", reader.loop_answers), ("runloop", reader.runloop_answers)):
        try:
            asks[name] = noun.ask()
        except ImproperlyConfigured:
            words[name] = MISCONFIGURED
    readings = reader.each(asks, within_s=WAITS_S)
    return words | {name: OK if isinstance(readings[name], Known) else DOWN for name in asks}
