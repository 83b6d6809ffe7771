"""Reads the newest replays of many benchmarks within a time, so that one slow history holds nobody up."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context

from dashboard.records import History
from dashboard.sources.connect import get_connection
from dashboard.sources.errors import SourceError
from dashboard.sources.lastgood import Reading, read

NEWEST = 200
"""How many of a benchmark's replays the overview looks at: one request."""

Outcome = Reading[History] | SourceError

_pool = ThreadPoolExecutor(max_workers=12, thread_name_prefix="history")


def read_histories(benchmark_ids: Iterable[str], *, within_s: float) -> dict[str, Outcome]:
    """What came within the time, by id: a history, or why there is none. The id of one still on its way is missing.

    The embedded service is asked one after the other in this thread, whose database connection it shares, and at least
    once. A remote one is asked for all at the same time; a late answer is remembered for whoever asks next.
    """
    until = time.monotonic() + within_s
    if not get_connection().embedded:
        return _read_together(list(benchmark_ids), until)
    found: dict[str, Outcome] = {}
    for benchmark_id in benchmark_ids:
        if found and time.monotonic() > until:
            break
        found[benchmark_id] = read_recent(benchmark_id)
    return found


def read_recent(benchmark_id: str) -> Outcome:
    """The newest replays, or why they could not be read."""
    loop = get_connection().loop
    try:
        return read(f"recent {benchmark_id}", lambda: loop.get_recent_history(benchmark_id, NEWEST), History)
    except SourceError as error:
        return error


def _read_together(benchmark_ids: list[str], until: float) -> dict[str, Outcome]:
    futures: dict[Future[Outcome], str] = {
        # In a copy of this context, which knows the id of the request that we are answering.
        _pool.submit(copy_context().run, read_recent, one): one
        for one in benchmark_ids
    }
    done, late = wait(futures, timeout=max(0.0, until - time.monotonic()))
    for future in late:
        future.cancel()
    return {futures[future]: future.result() for future in done}
