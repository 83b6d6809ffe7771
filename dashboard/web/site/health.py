"""Is the process up, and can it do its work? Both answer anybody, in one word each."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from dashboard.sources import reader
from dashboard.sources.reader import Ask, Known

OK, DOWN = "ok", "down"
KEPT_S = 5.0
"""How long one look at the sources answers everybody: strangers can call this, and it must not pass their load on."""
WAITS_S = 2.0
"""How long one look waits for remote sources, all together. What is late is down."""

_lock = threading.Lock()
_last_look: tuple[float, dict[str, str], bool] | None = None


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when the database answers and a source that is set up does, else 503; and which of them do not.

    One of two remote sources is enough: what the other is away with, the pages say.
    """
    database = _database_answers()
    sources, enough = _look_at_sources() if database else (dict.fromkeys(("loop", "runloop"), DOWN), False)
    words = {"database": OK if database else DOWN} | sources
    return JsonResponse(words, status=200 if database and enough else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _look_at_sources() -> tuple[dict[str, str], bool]:
    """A word for each source, and whether those that answer are enough. Of several probes at once one asks."""
    global _last_look
    with _lock:
        if _last_look is None or time.monotonic() - _last_look[0] > KEPT_S:
            words = _ask_both()
            remote = [name for name, url in _find_remote().items() if url]
            # It answers as long as the database does: it stands in for no remote one.
            _last_look = time.monotonic(), words, OK in [words[name] for name in remote or words]
        return _last_look[1], _last_look[2]


def _ask_both() -> dict[str, str]:
    """A word for each, asked at the same time. What is set up wrong is down."""
    asks: dict[str, Ask[Any]] = {}
    for name, noun in (("loop", reader.loop_answers), ("runloop", reader.runloop_answers)):
        with suppress(ImproperlyConfigured):
            asks[name] = noun.ask()
    readings = reader.each(asks, within_s=WAITS_S)
    return {name: OK if isinstance(readings.get(name), Known) else DOWN for name in ("loop", "runloop")}


def _find_remote() -> dict[str, str]:
    return {
        "loop": settings.RUNBIOS_BASE_URL,
        "runloop": settings.RUNLOOP_BASE_URL or settings.RUNLOOP_API_KEY,
    }
