"""Is the process up, and can it do its work? Both answer anybody, in one word each."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from dashboard.sources.connect import get_loop, get_runloop
from dashboard.sources.errors import SourceError

OK, DOWN = "ok", "down"
KEPT_S = 5.0
"""How long one look at the sources answers everybody: strangers can call this, and it must not pass their load on."""

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
    """A word for each source, and whether those that answer are enough."""
    global _last_look
    now = time.monotonic()
    if _last_look is None or now - _last_look[0] > KEPT_S:
        words = {
            "loop": _ask(lambda: get_loop().introspect()),
            "runloop": _ask(lambda: get_runloop().ping()),
        }
        # The one in this process answers as long as the database does: it stands in for no remote one.
        remote = [name for name, url in _find_remote().items() if url]
        _last_look = now, words, OK in [words[name] for name in remote or words]
    return _last_look[1], _last_look[2]


def _find_remote() -> dict[str, str]:
    return {
        "loop": settings.RUNBIOS_BASE_URL,
        "runloop": settings.RUNLOOP_BASE_URL or settings.RUNLOOP_API_KEY,
    }


def _ask(call: Callable[[], object]) -> str:
    try:
        call()
    except (SourceError, ImproperlyConfigured):
        return DOWN
    return OK
