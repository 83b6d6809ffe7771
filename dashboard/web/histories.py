"""Reads from both sources at the same time, so that one slow history, or one source that is away, holds nobody up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar

from dashboard.records import Benchmark, History
from dashboard.runloop_records import RunloopBenchmark, RunloopBenchmarks, RunloopRuns
from dashboard.sources.connect import get_connection, get_loop, get_runloop, get_runloop_connection
from dashboard.sources.errors import SourceError, TimedOut
from dashboard.sources.lastgood import Reading, read

T = TypeVar("T")
SourceName = Literal["loop", "runloop"]
SOURCES: dict[SourceName, str] = {"loop": "Loop", "runloop": "Runloop"}
"""The sources as people read them, in the order in which their benchmarks stand."""
KEY_SETTINGS: dict[SourceName, str] = {"loop": "RUNBIOS_API_KEY", "runloop": "RUNLOOP_API_KEY"}
NEWEST = 200
"""How many of a benchmark's replays or runs the overview looks at: one request."""


class Key(NamedTuple):
    """A benchmark of one of the sources, whose ids may be the same."""

    source: SourceName
    id: str


AnyBenchmark = Benchmark | RunloopBenchmark
Outcome = Reading[History] | Reading[RunloopRuns] | SourceError
Listing = Reading[list[Benchmark]] | Reading[RunloopBenchmarks] | SourceError

# A pool for each: calls that wait for one source keep none of the other's from starting.
_pools = {name: ThreadPoolExecutor(max_workers=12, thread_name_prefix=name) for name in SOURCES}


def list_benchmarks(sources: Iterable[SourceName], *, within_s: float) -> dict[SourceName, Listing]:
    """The benchmarks of each of these sources, in its own order, or why there are none to show."""
    found = _ask_all({name: (name, partial(_list_of, name)) for name in sources}, within_s=within_s)
    return {name: found.get(name) or TimedOut("The list of its benchmarks did not come in time.") for name in sources}


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


def _list_of(name: SourceName) -> Listing:
    try:
        if name == "runloop":
            return read("benchmarks", get_runloop().list_benchmarks, RunloopBenchmarks, source="runloop")
        return read("benchmarks", get_loop().list_benchmarks, list[Benchmark])
    except SourceError as error:
        return error


def _ask_all(calls: Mapping[Any, tuple[SourceName, Callable[[], T]]], *, within_s: float) -> dict[Any, T]:
    """What each call gave within the time.

    A remote source is asked for all at the same time. The embedded service is asked one after the other in this
    thread, whose database connection it shares, and at least once.
    """
    until = time.monotonic() + within_s
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
    done, late = wait(futures, timeout=max(0.0, until - time.monotonic()))
    for future in late:
        future.cancel()
    return found | {futures[future]: future.result() for future in done}
