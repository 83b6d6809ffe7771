"""The last good value of every read, for when the API is slow, wrong or away.

A remote read that succeeds is remembered; one that fails without an answer gives what is remembered, with its age and
the failure beside it. A refusal (401, 403, 404, 4xx) is an answer: then nothing old is shown. The embedded service is
asked directly and nothing is remembered: its failures are our own.

A list that was cut is shown as it came, but does not take the place of a whole one that is remembered. Where it was cut
for want of time, it is not asked for again at once either.
"""

from __future__ import annotations

import copy
import hashlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, Literal, TypeVar

import msgspec
from django.core.cache import cache

from dashboard.sources.connect import get_connection, get_runloop_connection
from dashboard.sources.http.errors import NoAnswer, RateLimited, SourceError, TimedOut, Unreachable
from dashboard.sources.runloop.wire import Listed

T = TypeVar("T")
Source = Literal["loop", "runloop"]
logger = logging.getLogger(__name__)

PAUSE_S = 10.0
"""After a call that waited in vain, others do not wait too: for this long they are told at once."""
LONGEST_PAUSE_S = 60.0
"""A service that asks for hours of silence is asked again sooner; it can repeat itself."""
FORMAT = 2
"""Raised when a record changes its meaning, so that nothing older is read as something else."""


@dataclass(frozen=True)
class Reading(Generic[T]):
    """A value and when it was read (UTC). With a `failure` it is the last good one, not today's."""

    value: T
    read_at: datetime
    failure: SourceError | None = None


@dataclass
class _Pause:
    failure: NoAnswer
    until: float


_pauses: dict[str, _Pause] = {}
_lock = threading.Lock()


def read(
    key: str,
    call: Callable[[], T],
    type: Any,  # noqa: A002 - as msgspec names it
    *,
    source: Source = "loop",
    keep: Callable[[T], T] | None = None,
) -> Reading[T]:
    """The value of `call`, else the last good one under `key`, which names the read and its arguments.

    `type` is what `call` gives, for storing it. `source` is the one that `call` asks: each has a memory and pauses of
    its own. `keep` gives what of the value may be remembered; without it all may be. Raises the `SourceError` when
    there is nothing good to show.
    """
    connection = get_runloop_connection() if source == "runloop" else get_connection()
    if connection.embedded:
        return Reading(call(), datetime.now(UTC))
    scope = f"{source}-{FORMAT}-{connection.fingerprint}"
    place = _place_of(key, source, connection.fingerprint)
    try:
        value = _call_unless_paused((scope, place), call)
    except NoAnswer as failure:
        remembered = _recall(place, type)
        if remembered is None:
            raise
        return Reading(remembered[1], remembered[0], failure)
    now = datetime.now(UTC)
    if not (_is_cut(value) and _is_whole(_recall(place, type))):
        _remember(place, (now, keep(value) if keep else value))
    return Reading(value, now)


def recall(
    key: str,
    type: Any,  # noqa: A002 - as in `read`
    failure: SourceError,
    *,
    source: Source = "loop",
) -> Reading[Any] | None:
    """What `read` remembers under `key`, for who cannot wait for it, with why; None where that is nothing."""
    connection = get_runloop_connection() if source == "runloop" else get_connection()
    remembered = _recall(_place_of(key, source, connection.fingerprint), type)
    return remembered and Reading(remembered[1], remembered[0], failure)


def _place_of(key: str, source: Source, fingerprint: str) -> str:
    return f"{source}-{FORMAT}-" + hashlib.sha256(f"{fingerprint}\n{key}".encode()).hexdigest()


def _is_cut(value: object) -> bool:
    return isinstance(value, Listed) and bool(value.cut)


def _is_whole(remembered: tuple[datetime, Any] | None) -> bool:
    return remembered is not None and not _is_cut(remembered[1])


def _call_unless_paused(scopes: tuple[str, str], call: Callable[[], T]) -> T:
    """`call`, or the failure of the call before it, at once, while there is no hope.

    A service that cannot be reached, or asks for fewer calls, pauses every read of it; one read that timed out pauses
    itself alone. When the pause is over one caller tries; the others go on being told until it is known how it went.
    """
    source, this_read = scopes
    now = time.monotonic()
    with _lock:
        for scope in scopes:
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
            pauses[this_read] = _Pause(late, time.monotonic() + PAUSE_S)
        return value
    except (Unreachable, RateLimited, TimedOut) as failure:
        failure.retry_at = failure.retry_at or datetime.now(UTC) + timedelta(seconds=PAUSE_S)
        seconds = min((failure.retry_at - datetime.now(UTC)).total_seconds(), LONGEST_PAUSE_S)
        scope = this_read if isinstance(failure, TimedOut) else source
        pauses[scope] = _Pause(failure, time.monotonic() + seconds)
        raise
    finally:
        with _lock:
            for scope in [scope for scope, pause in _pauses.items() if pause.until < now - LONGEST_PAUSE_S]:
                del _pauses[scope]  # of a read that nobody asked for again
            for scope in scopes:
                _pauses.pop(scope, None)
            _pauses.update(pauses)


def _remember(place: str, stored: tuple[datetime, Any]) -> None:
    try:
        packed = msgspec.msgpack.encode(stored)
    except (OverflowError, ValueError, TypeError):  # such as a whole number beyond 64 bits, which JSON has
        logger.warning("An answer holds what cannot be kept", exc_info=True)
        return
    try:
        cache.set(place, packed)
    except OSError:
        logger.warning("The last good answer could not be kept", exc_info=True)


def _recall(place: str, type_: Any) -> tuple[datetime, Any] | None:
    try:
        stored = cache.get(place)
        return stored and msgspec.msgpack.decode(stored, type=tuple[datetime, type_])
    except (OSError, msgspec.MsgspecError):
        return None
