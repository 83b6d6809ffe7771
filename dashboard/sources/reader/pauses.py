"""Who waits for a source that is away: the first caller, and not those after it."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from dashboard.sources.http.errors import RateLimited, SourceError, TimedOut, Unreachable
from dashboard.sources.runloop.wire import Listed

T = TypeVar("T")

PAUSE_S = 10.0
"""After a call that waited in vain, others do not wait too: for this long they are told at once."""
LONGEST_PAUSE_S = 60.0
"""A service that asks for hours of silence is asked again sooner; it can repeat itself."""


@dataclass
class _Pause:
    failure: SourceError
    until: float


_pauses: dict[str, _Pause] = {}
_lock = threading.Lock()


def call_unless_paused(source: str, read: str, call: Callable[[], T], *, fresh_s: float = 0.0) -> T:
    """`call`, or the failure of the call before it, at once, while there is no hope.

    A service that cannot be reached, or asks for fewer calls, pauses every read of the scope `source`; a read that
    timed out pauses the scope `read` alone. When the pause is over one caller tries; the others go on being told until
    it is known how it went. `fresh_s`: so long any failure of this read stands.
    """
    now = time.monotonic()
    with _lock:
        for scope in (source, read):
            pause = _pauses.get(scope)
            if pause is None:
                continue
            if now < pause.until:
                raise copy.copy(pause.failure) from pause.failure
            pause.until = now + PAUSE_S
    pauses: dict[str, _Pause] = {}
    try:
        value = call()
        if isinstance(value, Listed) and value.late:
            retry_at = datetime.now(UTC) + timedelta(seconds=PAUSE_S)
            late = TimedOut("A moment ago this list could not be read to its end in time.", retry_at=retry_at)
            pauses[read] = _Pause(late, time.monotonic() + PAUSE_S)
        return value
    except (Unreachable, RateLimited, TimedOut) as failure:
        failure.retry_at = failure.retry_at or datetime.now(UTC) + timedelta(seconds=PAUSE_S)
        seconds = min((failure.retry_at - datetime.now(UTC)).total_seconds(), LONGEST_PAUSE_S)
        scope = read if isinstance(failure, TimedOut) else source
        pauses[scope] = _Pause(failure, time.monotonic() + seconds)
        raise
    except SourceError as failure:
        if fresh_s:
            pauses[read] = _Pause(failure, time.monotonic() + fresh_s)
        raise
    finally:
        with _lock:
            for scope in [scope for scope, pause in _pauses.items() if pause.until < now - LONGEST_PAUSE_S]:
                del _pauses[scope]  # of a read that nobody asked for again
            for scope in (source, read):
                _pauses.pop(scope, None)
            _pauses.update(pauses)
