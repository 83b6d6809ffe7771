"""Calls of remote sources that are under way: a bounded pool for each source, and no call twice at the same time.

Whoever asks for what somebody else is asking for already waits for the same answer. Who cannot wait leaves; the call
goes on, and what it brings is remembered for whoever asks next.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import get_args

from django.db import connections

from dashboard.sources.connect import get_loop, get_runloop
from dashboard.sources.http.cursor import CUT_AT
from dashboard.sources.http.errors import SourceError, TimedOut, Unauthorized
from dashboard.sources.reader import memory
from dashboard.sources.reader.asking import Source
from dashboard.sources.reader.memory import Asked, Head, Landing
from dashboard.sources.reader.pauses import call_unless_paused

logger = logging.getLogger(__name__)

WORKERS = 12
BEHIND_S = 5.0
"""A call that waited so long for a free worker, and that nobody waits for any more, is not made."""


@dataclass
class Flight:
    asked: Asked
    cut_at: float
    """When a list that is read page by page is to be cut, on the clock of `time.monotonic`."""
    future: Future[Landing] = field(default_factory=Future)
    boarded_at: float = field(default_factory=time.monotonic)
    waiting: int = 0
    claimed: bool = False
    """True once somebody takes its landing to the memory."""
    void: bool = False
    """True where what it brings is older than what is known by now, and not to be remembered."""


# A pool for each: calls that wait for one source keep none of the other's from starting.
_pools: dict[Source, ThreadPoolExecutor] = {
    source: ThreadPoolExecutor(max_workers=WORKERS, thread_name_prefix=source) for source in get_args(Source)
}
_flights: dict[str, Flight] = {}
_lock = threading.Lock()


def board(asked: Asked, *, cut_at: float) -> Flight:
    """The call that is under way for this, or a new one. Whoever boards has to `leave`."""
    with _lock:
        flight = _flights.get(asked.place)
        if flight is None:
            flight = _flights[asked.place] = Flight(asked, cut_at)
            # In a copy of this context, which knows the id of the request that we are answering.
            _pools[asked.ask.source].submit(copy_context().run, _fly, flight)
        flight.waiting += 1
        return flight


def leave(flight: Flight) -> tuple[Landing | None, bool]:
    """What came, None while nothing did; and whether it is for the caller to `settle` it."""
    with _lock:
        flight.waiting -= 1
        if not flight.future.done():
            return None, False
        mine = not (flight.claimed or flight.void)
        flight.claimed = True
    return flight.future.result(), mine


def settle(landings: Iterable[Landing], heads: Mapping[str, Head] | None = None) -> None:
    """Take these to the memory: store what came, and forget what a refusal empties. `heads`: as far as it is known."""
    landings = list(landings)
    refused = [part for one in landings if (part := memory.find_refused(one))]
    for part in refused:
        void(part.covers)
    if refused:
        memory.forget(*(part.rows for part in refused))
    memory.store(landings, heads)


def void(concerns: Callable[[Asked], bool]) -> None:
    """What is under way and concerns this is not to be remembered, and nobody boards it any more."""
    with _lock:
        for place, flight in list(_flights.items()):
            if concerns(flight.asked):
                flight.void = True
                del _flights[place]


def _fly(flight: Flight) -> None:
    try:
        landing = _call(flight)
    except BaseException as fault:  # noqa: BLE001 - it is raised to who waits
        landing = Landing(flight.asked, failure=TimedOut("Reading broke."), fault=fault)
    with _lock:
        behind = flight.waiting == 0 and not flight.void
        flight.claimed = flight.claimed or behind
        flight.future.set_result(landing)
        if not behind:
            _take_off_the_board(flight)
    if not behind:
        return
    try:
        if landing.fault:
            logger.error("A read that nobody waited for broke", exc_info=landing.fault)
        settle([landing])
    finally:
        connections.close_all()
        with _lock:
            _take_off_the_board(flight)


def _take_off_the_board(flight: Flight) -> None:
    if _flights.get(flight.asked.place) is flight:
        del _flights[flight.asked.place]


def _call(flight: Flight) -> Landing:
    asked = flight.asked
    ask = asked.ask
    if flight.waiting == 0 and time.monotonic() - flight.boarded_at > BEHIND_S:
        return Landing(asked, failure=TimedOut("Too much else was being read."))
    CUT_AT.set(flight.cut_at)
    try:
        source = f"{ask.source} {asked.scope}"
        return Landing(asked, call_unless_paused(source, asked.place, ask.call, fresh_s=ask.fresh_s))
    except SourceError as failure:
        forbidden = isinstance(failure, Unauthorized) and failure.status == 403
        return Landing(asked, failure=failure, locked_out=forbidden and _is_locked_out(ask.source))


def _is_locked_out(source: Source) -> bool:
    """True where the source does not answer whose key it is either."""
    try:
        if source == "runloop":
            get_runloop().ping()
        else:
            get_loop().introspect()
    except SourceError:
        return True
    return False
