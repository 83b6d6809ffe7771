"""The Runloop API, one method a route. Everything comes back as records; every failure is a `SourceError`."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

import msgspec

from dashboard.runloop_records import (
    RunEnvironment,
    RunloopBenchmark,
    RunloopBenchmarks,
    RunloopRun,
    RunloopRuns,
    ScenarioRuns,
)
from dashboard.sources.cursor import PAGE_SIZE, CursorPage, Followed, follow
from dashboard.sources.errors import TooLarge
from dashboard.sources.loop import WHOLE_LISTS, quote_id
from dashboard.sources.runloop_bodies import (
    RunBody,
    ScenarioBody,
    build_benchmark,
    build_run,
    build_scenario_run,
    decode_cursor_page,
    decode_environment,
    decode_object,
)
from dashboard.sources.transport import Transport

Body = TypeVar("Body", bound=msgspec.Struct)
Record = TypeVar("Record", bound=msgspec.Struct)

SMALLEST_PAGE = 50
"""Of a list whose pages are too large to read no fewer entries than these are asked for at once."""


class Runloop:
    """The Runloop API through one transport. It only reads. Safe to share between threads.

    What a run was given (environment values, names of secrets) is in no record: `get_environment` alone reads it.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def ping(self) -> None:
        """Asks for as little as can be asked for: that it is answered is all that is looked at."""
        self._transport.get("/v1/benchmarks", {"limit": 1})

    def list_benchmarks(self) -> RunloopBenchmarks:
        """Every benchmark, in the service's order; `.cut` says why where there may be more."""
        found = self._follow("/v1/benchmarks", "benchmarks", RunloopBenchmark, build_benchmark)
        return RunloopBenchmarks(found.entries, found.cut)

    def get_benchmark(self, benchmark_id: str) -> RunloopBenchmark:
        answer = self._transport.get(f"/v1/benchmarks/{quote_id(benchmark_id)}")
        return build_benchmark(decode_object(answer, RunloopBenchmark, "benchmark"))

    def list_runs(self, benchmark_id: str) -> RunloopRuns:
        """Every run of a benchmark, in the service's order; `.cut` says why where there may be more."""
        quote_id(benchmark_id)  # what can be nobody's id would ask for the runs of all
        build = partial(build_run, now=datetime.now(UTC))
        found = self._follow("/v1/benchmark_runs", "runs", RunBody, build, benchmark_id=benchmark_id)
        return RunloopRuns(benchmark_id, found.entries, found.total, found.cut)

    def list_recent_runs(self, benchmark_id: str, limit: int) -> RunloopRuns:
        """The first `limit` runs of a benchmark or fewer, the newest as the service has it, with the true `.total`."""
        quote_id(benchmark_id)
        now = datetime.now(UTC)
        asked: dict[str, str | int] = {"benchmark_id": benchmark_id, "limit": limit}
        page = decode_cursor_page(self._transport.get("/v1/benchmark_runs", asked), "runs", RunBody)
        found = follow(lambda _cursor: CursorPage(page.entries, has_more=False))
        return RunloopRuns(benchmark_id, tuple(build_run(body, now) for body in found.entries), page.total)

    def get_run(self, run_id: str) -> RunloopRun:
        return build_run(decode_object(self._transport.get(_run(run_id)), RunBody, "run"), datetime.now(UTC))

    def list_scenario_runs(self, run_id: str) -> ScenarioRuns:
        """Every scenario run of a run, in the service's order; `.cut` says why where there may be more."""
        build = partial(build_scenario_run, now=datetime.now(UTC))
        found = self._follow(f"{_run(run_id)}/scenario_runs", "runs", ScenarioBody, build)
        return ScenarioRuns(found.entries, found.cut)

    def get_environment(self, run_id: str) -> RunEnvironment:
        """What this one run was given, for the person who asks. Never to be kept, logged or sent on."""
        return decode_environment(self._transport.get(_run(run_id)))

    def _follow(
        self, path: str, name: str, body: type[Body], build: Callable[[Body], Record], **params: str
    ) -> Followed[Record]:
        """Every page as records. Each is built at once: a body can be much larger than what is kept of it."""
        until = time.monotonic() + WHOLE_LISTS * self._transport.deadline_s
        limit = PAGE_SIZE

        def read_page(cursor: str) -> CursorPage[Record]:
            nonlocal limit
            asked: dict[str, str | int] = {**params, "limit": limit}
            if cursor:
                asked["starting_after"] = cursor
            try:
                answer = self._transport.get(path, asked, until=until)
            except TooLarge:
                if limit <= SMALLEST_PAGE:
                    raise
                limit = max(limit // 10, SMALLEST_PAGE)  # for the pages after it, too
                return read_page(cursor)
            page = decode_cursor_page(answer, name, body)
            return CursorPage(tuple(map(build, page.entries)), page.has_more, page.remaining, page.total)

        return follow(read_page)


def _run(run_id: str) -> str:
    return f"/v1/benchmark_runs/{quote_id(run_id)}"
