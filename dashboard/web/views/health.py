"""Is the process up, and can it do its work? Both answer anybody, in one word each."""

from __future__ import annotations

import time

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from dashboard.sources.connect import get_loop
from dashboard.sources.errors import SourceError

KEPT_S = 5.0
"""How long one look at the source answers everybody: strangers can call this, and it must not pass their load on."""

_last_look: tuple[float, bool] | None = None


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when database and source answer, else 503 with which of the two does not."""
    database = _database_answers()
    source = database and _source_answers()
    words = {"database": "ok" if database else "down", "source": "ok" if source else "down"}
    return JsonResponse(words, status=200 if database and source else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _source_answers() -> bool:
    global _last_look
    now = time.monotonic()
    if _last_look is None or now - _last_look[0] > KEPT_S:
        try:
            get_loop().introspect()
        except (SourceError, ImproperlyConfigured):
            _last_look = (now, False)
        else:
            _last_look = (now, True)
    return _last_look[1]
