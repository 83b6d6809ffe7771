"""Reads from both sources at the same time, so that one slow history, or one source that is away, holds nobody up."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from typing import Any, NamedTuple, TypeVar

from dashboard.sources.connect import get_connection, get_loop, get_runloop, get_runloop_connection
from dashboard.sources.http.errors import SourceError, TimedOut
from dashboard.sources.loop.wire import Benchmark, History
from dashboard.sources.reader import Reading, Source, read, recall
from dashboard.sources.runloop.wire import RunloopBenchmark, RunloopBenchmarks, RunloopRuns
from dashboard.web.common.sources import SOURCES

T = TypeVar("T")
NEWEST = 200
"""How many of a benchmark's replays or runs the overview looks at: one request."""


class Key(NamedTuple):
    """A benchmark of one of the sources, whose ids may be the same."""

    source: Source
    id: str


AnyBenchmark = Benchmark | RunloopBenchmark
Outcome = Reading[History] | Reading[RunloopRuns] | SourceError
Listing = Reading[list[Benchmark]] | Reading[RunloopBenchmarks] | SourceError
LIST_TYPES: dict[Source, Any] = {"loop": list[Benchmark], "runloop": RunloopBenchmarks}


class Late(TimedOut):
    """The source had not answered when the page could wait no longer. It still may, and then that is remembered."""


# A pool for each: calls that wait for one source keep none of the other's from starting.
_pools = {name: ThreadPoolExecutor(max_workers=12, thread_name_prefix=name) for name in SOURCES}


def list_benchmarks(sources: Iterable[Source], *, within_s: float, beside_s: float) -> dict[Source, Listing]:
    """The benchmarks of each of these sources, in its own order, or why there are none to show.

    Once one source has given its list, the other is waited for until `beside_s` from the start, and no longer.
    """
    calls: dict[Source, tuple[Source, Callable[[], Listing]]] = {
        name: (name, partial(_list_of, name)) for name in sources
    }
    found = _ask_all(calls, within_s=within_s, beside_s=beside_s)
    late = Late("The list of its benchmarks did not come in time.")
    return {
        name: found.get(name) or recall("benchmarks", LIST_TYPES[name], late, source=name) or late for name in sources
    }


def read_histories(keys: Iterable[Key], *, within_s: float) -> dict[Key, Outcome]:
    """What came within the time: a benchmark's newest replays or runs, or why there are none. What is late is missing.

    A late answer of a remote source is remembered for whoever asks next.
    """
    return _ask_all({key: (key.source, partial(read_recent, key)) for key in keys}, within_s=within_s)


def read_recent(key: Key) -> Outcome:
    """The newest replays or runs, or why they could not be read."""
    try:
        if key.source == "runloop":
            runloop = get_runloop()
            return read(
                f"recent {key.id}", lambda: runloop.list_recent_runs(key.id, NEWEST), RunloopRuns, source="runloop"
            )
        loop = get_loop()
        return read(f"recent {key.id}", lambda: loop.get_recent_history(key.id, NEWEST), History)
    except SourceError as error:
        return error


def _list_of(name: Source) -> Listing:
    try:
        if name == "runloop":
            return read("benchmarks", get_runloop().list_benchmarks, LIST_TYPES[name], source=name)
        return read("benchmarks", get_loop().list_benchmarks, LIST_TYPES[name])
    except SourceError as error:
        return error


def _ask_all(
    calls: Mapping[Any, tuple[Source, Callable[[], T]]], *, within_s: float, beside_s: float = math.inf
) -> dict[Any, T]:
    """What each call gave within the time; with `beside_s` within that much where any of them gave something good.

    A remote source is asked for all at the same time. The embedded service is asked one after the other in this
    thread, whose database connection it shares, and at least once.
    """
    started = time.monotonic()
    until = started + within_s
    embedded = {"loop": get_connection().embedded, "runloop": get_runloop_connection().embedded}
    futures = {
        # In a copy of this context, which knows the id of the request that we are answering.
        _pools[source].submit(copy_context().run, call): key
        for key, (source, call) in calls.items()
        if not embedded[source]
    }
    found: dict[Any, T] = {}
    for key, (source, call) in calls.items():
        if not embedded[source]:
            continue
        if found and time.monotonic() > until:
            break
        found[key] = call()
    done, late = wait(futures, timeout=max(0.0, started + min(within_s, beside_s) - time.monotonic()))
    while late and time.monotonic() < until and not _any_good([*found.values(), *(one.result() for one in done)]):
        newly, late = wait(late, timeout=until - time.monotonic(), return_when=FIRST_COMPLETED)
        done |= newly
    for future in late:
        future.cancel()
    return found | {futures[future]: future.result() for future in done}


def _any_good(outcomes: Iterable[object]) -> bool:
    return any(not isinstance(outcome, SourceError) for outcome in outcomes)
