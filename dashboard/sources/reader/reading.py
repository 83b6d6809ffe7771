"""Reads for a page: side by side, within its deadline, from the source or, where that fails or is late, from memory."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import FIRST_COMPLETED, wait
from datetime import UTC, datetime
from typing import Any, Generic, ParamSpec, TypeVar, overload

from django.db import models

from dashboard.sources.http.errors import NoAnswer, NotFound, SourceError
from dashboard.sources.reader import flights, memory
from dashboard.sources.reader.asking import Ask
from dashboard.sources.reader.flights import Flight
from dashboard.sources.reader.memory import Asked, Head, Landing
from dashboard.sources.reader.page import begin_anew, find_end
from dashboard.sources.reader.readings import Absent, Known, Late, Reading, Unread

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")
K = TypeVar("K", bound=Hashable)
P = ParamSpec("P")

SHOWS_OLD_S = 1.5
"""Where something is remembered a page waits so long for the source, and then shows that."""
CUT_BEFORE_S = 0.5
"""A list that is not remembered is cut so long before the page has to go."""


class Noun(Generic[P, T]):
    """Something that can be read. Calling it reads it."""

    def __init__(self, build: Callable[P, Ask[T]]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Reading[T]:
        """The reading of this, as `each` makes it."""
        return each({0: self._build(*args, **kwargs)})[0]

    def ask(self, *args: P.args, **kwargs: P.kwargs) -> Ask[T]:
        """To be read with others, by `together` or `each`."""
        return self._build(*args, **kwargs)

    def fresh(self, *args: P.args, **kwargs: P.kwargs) -> Reading[T]:
        """What the source says now, for who is about to change it: nothing that is remembered stands in for it."""
        return each({0: self._build(*args, **kwargs)}, fresh=True)[0]


@overload
def together(one: Ask[T], other: Ask[U], /, *, fresh: bool = ...) -> tuple[Reading[T], Reading[U]]: ...
@overload
def together(
    one: Ask[T], other: Ask[U], third: Ask[V], /, *, fresh: bool = ...
) -> tuple[Reading[T], Reading[U], Reading[V]]: ...
def together(*asks: Ask[Any], fresh: bool = False) -> tuple[Reading[Any], ...]:
    """The readings of several, read at the same time. `fresh`: as of `each`."""
    return tuple(each(dict(enumerate(asks)), fresh=fresh).values())


def each(
    asks: Mapping[K, Ask[T]], *, within_s: float | None = None, beside_s: float | None = None, fresh: bool = False
) -> dict[K, Reading[T]]:
    """The readings of these asks, by the same keys and in their order.

    Remote ones are read at the same time. Of the embedded service, whose database connection we share, each is read in
    this thread, one after the other, and the first in any case. Nobody is waited for beyond the page's deadline, nor
    beyond `within_s`, nor, once any of them gave something, beyond `beside_s`. `fresh`: nothing remembered is shown.
    """
    began = time.monotonic()
    end = find_end(ask.source for ask in asks.values())
    asked = {key: _place(ask) for key, ask in asks.items()}
    remote = {key: one for key, one in asked.items() if not one.ask.connection.embedded}
    heads = memory.look([one.place for one in remote.values() if one.ask.type is not None]) if remote else {}
    found: dict[K, Reading[T]] = {}
    young = {} if fresh else {key: one for key, one in remote.items() if _is_young(one, heads.get(one.place))}
    recalled = memory.recall(young.values())
    found |= {key: Known(*recalled[one.place]) for key, one in young.items() if one.place in recalled}
    aloft: dict[K, tuple[Flight, float]] = {}
    for key, one in remote.items():
        if key not in found:
            remembered = one.place in heads and not fresh
            patience = (within_s, one.ask.within_s, SHOWS_OLD_S if remembered else None)
            limit = min([end, *(began + seconds for seconds in patience if seconds is not None)])
            aloft[key] = flights.board(one, cut_at=math.inf if remembered else end - CUT_BEFORE_S), limit
    here = 0
    for key, one in asked.items():
        if key not in remote:
            in_time = time.monotonic() <= (end if within_s is None else min(end, began + within_s))
            found[key] = _read_here(one.ask) if in_time or not here else Unread(_late())
            here += 1
    _wait(aloft, None if beside_s is None else began + beside_s, any(isinstance(one, Known) for one in found.values()))
    found |= _land({key: flight for key, (flight, _limit) in aloft.items()}, heads, fresh=fresh)
    return {key: found[key] for key in asks}


def changed(*asks: Ask[Any]) -> None:
    """Something was written: what was read of these before is not shown any more, and the page's time begins anew."""
    begin_anew()
    places = [_place(ask).place for ask in asks if not ask.connection.embedded]
    flights.void(lambda asked: asked.place in places)
    if places:
        memory.forget(models.Q(place__in=places))


def _place(ask: Ask[T]) -> Asked:
    scope = ask.connection.fingerprint
    memory.enter(ask.source, scope)
    return Asked(ask, scope, ask.place_in(scope))


def _is_young(asked: Asked, head: Head | None) -> bool:
    if head is None:
        return False
    return asked.ask.final or (datetime.now(UTC) - head.read_at).total_seconds() < asked.ask.fresh_s


def _read_here(ask: Ask[T]) -> Reading[T]:
    try:
        return Known(ask.call(), datetime.now(UTC))
    except NotFound as failure:
        return Absent(failure)
    except SourceError as failure:
        return Unread(failure)


def _wait(aloft: Mapping[K, tuple[Flight, float]], beside: float | None, any_good: bool) -> None:
    """Until all have landed or may not be waited for any more.

    `beside` ends it earlier, once there is something good.
    """
    soon = math.inf if beside is None else beside
    for flight, limit in sorted(aloft.values(), key=lambda one: one[1]):
        wait([flight.future], timeout=max(0.0, min(limit, soon) - time.monotonic()))
    if beside is None:
        return
    ends = {flight.future: limit for flight, limit in aloft.values()}
    while True:
        any_good = any_good or any(future.done() and future.result().failure is None for future in ends)
        late = {future: limit for future, limit in ends.items() if not future.done() and limit > time.monotonic()}
        if any_good or not late:
            return
        wait(late, timeout=max(0.0, min(late.values()) - time.monotonic()), return_when=FIRST_COMPLETED)


def _land(aloft: Mapping[K, Flight], heads: Mapping[str, Head], *, fresh: bool) -> dict[K, Reading[Any]]:
    """The readings of what came, with what is remembered in the place of what did not; and the memory brought up."""
    found: dict[K, Reading[Any]] = {}
    failed: dict[K, tuple[Asked, SourceError]] = {}
    news: list[Landing] = []
    faults: list[BaseException] = []
    for key, flight in aloft.items():
        landing, mine = flights.leave(flight)
        if landing is not None and mine:
            news.append(landing)
        if landing is not None and landing.fault:
            faults.append(landing.fault)
        if landing is not None and landing.failure is None:
            found[key] = Known(landing.value, datetime.now(UTC))
        else:
            failed[key] = flight.asked, landing.failure if landing and landing.failure else _late()
    for fault in faults:
        raise fault
    flights.settle(news, heads)
    old = [asked for asked, failure in failed.values() if isinstance(failure, NoAnswer) and asked.place in heads]
    recalled = {} if fresh else memory.recall(old)
    for key, (asked, failure) in failed.items():
        if isinstance(failure, NoAnswer) and asked.place in recalled:
            found[key] = Known(*recalled[asked.place], failure)
        else:
            found[key] = Absent(failure) if isinstance(failure, NotFound) else Unread(failure)
    return found


def _late() -> Late:
    return Late("The service has not answered yet.")
