"""The two sources as people read them, and their benchmarks, whose ids may be the same."""

from __future__ import annotations

from typing import NamedTuple

from dashboard.sources.loop.wire import Benchmark
from dashboard.sources.reader import Source
from dashboard.sources.runloop.wire import RunloopBenchmark

SOURCES: dict[Source, str] = {"loop": "Loop", "runloop": "Runloop"}
"""In the order in which their benchmarks stand."""
KEY_SETTINGS: dict[Source, str] = {"loop": "RUNBIOS_API_KEY", "runloop": "RUNLOOP_API_KEY"}

AnyBenchmark = Benchmark | RunloopBenchmark


class Key(NamedTuple):
    """A benchmark of one of the sources."""

    source: Source
    id: str
