"""Is the process up, and can it show pages? Both answer anybody, in one word each, whatever name they are asked by."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import resolve
from django.views.decorators.http import require_safe

from dashboard.sources.connect import get_loop, get_runloop
from dashboard.sources.http.errors import SourceError

OK, DOWN, MISCONFIGURED = "ok", "down", "misconfigured"
PROBES = ("/healthz", "/readyz")
KEPT_S = 5.0
"""How long one look at the sources answers everybody: strangers can call this, and it must not pass their load on."""
WAITS_S = 2.0
"""How long one look waits for remote sources, all together. What is late is down; its answer counts for the next."""

_pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="ready")
_asking: dict[str, Future[str]] = {}
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
            calls: dict[str, Callable[[], object]] = {
                "loop": lambda: get_loop().introspect(),
                "runloop": lambda: get_runloop().ping(),
            }
            remote = [name for name, url in _find_remote().items() if url]
            words = _ask_remote({name: calls[name] for name in remote})
            # One in this process is asked in this thread, whose database connection it shares.
            words = {name: words[name] if name in remote else _ask(call) for name, call in calls.items()}
            _last_look = time.monotonic(), words
        return _last_look[1]


def _find_remote() -> dict[str, str]:
    return {
        "loop": settings.RUNBIOS_BASE_URL,
        "runloop": settings.RUNLOOP_BASE_URL or settings.RUNLOOP_API_KEY,
    }


def _ask_remote(calls: Mapping[str, Callable[[], object]]) -> dict[str, str]:
    """A word for each, asked at the same time. One that still owes an answer to an earlier look is not asked again."""
    for name, call in calls.items():
        if name not in _asking:
            _asking[name] = _pool.submit(copy_context().run, _ask, call)
    done, _late = wait([_asking[name] for name in calls], timeout=WAITS_S)
    return {name: _asking.pop(name).result() if _asking[name] in done else DOWN for name in calls}


def _ask(call: Callable[[], object]) -> str:
    try:
        call()
    except SourceError:
        return DOWN
    except ImproperlyConfigured:
        return MISCONFIGURED
    return OK
