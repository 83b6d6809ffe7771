"""The Runloop API, one method a route. Everything comes back as records; every failure is a `SourceError`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

import msgspec

from dashboard.sources.http.cursor import CUT_AT, PAGE_SIZE, CursorPage, Followed, follow
from dashboard.sources.http.errors import TimedOut, TooLarge, Unreachable
from dashboard.sources.http.transport import Transport
from dashboard.sources.loop.client import WHOLE_LISTS, quote_id
from dashboard.sources.runloop.bodies import (
    RunBody,
    ScenarioBody,
    build_benchmark,
    build_run,
    build_scenario_run,
    decode_cursor_page,
    decode_environment,
    decode_object,
)
from dashboard.sources.runloop.wire import (
    RunEnvironment,
    RunloopBenchmark,
    RunloopBenchmarks,
    RunloopRun,
    RunloopRuns,
    ScenarioRuns,
)

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
        notes = _describe(found, "benchmark")
        return RunloopBenchmarks(found.entries, cut=found.cut, late=found.late, notes=notes)

    def get_benchmark(self, benchmark_id: str) -> RunloopBenchmark:
        """One benchmark. `UnreadableAnswer` where the answer is another one."""
        answer = self._transport.get(f"/v1/benchmarks/{quote_id(benchmark_id)}")
        return build_benchmark(decode_object(answer, RunloopBenchmark, "benchmark", benchmark_id))

    def list_runs(self, benchmark_id: str) -> RunloopRuns:
        """Every run of a benchmark, in the service's order; `.cut` says why where there may be more.

        Runs of another benchmark are left out and counted in `.notes`; one that names none is taken for what was asked.
        """
        quote_id(benchmark_id)  # what can be nobody's id would ask for the runs of all
        build = partial(build_run, now=datetime.now(UTC))
        found = self._follow("/v1/benchmark_runs", "runs", RunBody, build, benchmark_id=benchmark_id)
        return _build_runs(benchmark_id, found)

    def list_recent_runs(self, benchmark_id: str, limit: int) -> RunloopRuns:
        """The first `limit` runs of a benchmark or fewer, the newest as the service has it, with the true `.total`."""
        quote_id(benchmark_id)
        now = datetime.now(UTC)
        asked: dict[str, str | int] = {"benchmark_id": benchmark_id, "limit": limit}
        page = decode_cursor_page(self._transport.get("/v1/benchmark_runs", asked), "runs", RunBody)
        runs = tuple(build_run(body, now) for body in page.entries)
        found = follow(lambda _cursor: CursorPage(runs, has_more=False))
        return _build_runs(benchmark_id, replace(found, total=page.total))

    def get_run(self, run_id: str) -> RunloopRun:
        """One run. `UnreadableAnswer` where the answer is another one."""
        body = decode_object(self._transport.get(_run(run_id)), RunBody, "run", run_id)
        return build_run(body, datetime.now(UTC))

    def list_scenario_runs(self, run_id: str) -> ScenarioRuns:
        """Every scenario run of a run, in the service's order; `.cut` says why where there may be more."""
        build = partial(build_scenario_run, now=datetime.now(UTC))
        found = self._follow(f"{_run(run_id)}/scenario_runs", "runs", ScenarioBody, build)
        scenarios = tuple(one for one in found.entries if (one.benchmark_run_id or run_id) == run_id)
        notes = _describe(found, "scenario run", len(found.entries) - len(scenarios), "run")
        return ScenarioRuns(scenarios, cut=found.cut, late=found.late, notes=notes)

    def get_environment(self, run_id: str) -> RunEnvironment:
        """What this one run was given, for the person who asks. Never to be kept, logged or sent on.

        `UnreadableAnswer` where the answer is another run's.
        """
        return decode_environment(self._transport.get(_run(run_id)), run_id)

    def _follow(
        self, path: str, name: str, body: type[Body], build: Callable[[Body], Record], **params: str
    ) -> Followed[Record]:
        """Every page as records. Each is built at once: a body can be much larger than what is kept of it."""
        until = min(time.monotonic() + WHOLE_LISTS * self._transport.deadline_s, CUT_AT.get())
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
            except Unreachable as error:
                if time.monotonic() < until:
                    raise
                # Nobody can connect in no time: that says nothing of the service.
                raise TimedOut(f"GET {path} was not answered in time.") from error
            page = decode_cursor_page(answer, name, body)
            return CursorPage(tuple(map(build, page.entries)), page.has_more, page.remaining, page.total)

        return follow(read_page)


def _build_runs(benchmark_id: str, found: Followed[RunloopRun]) -> RunloopRuns:
    runs = tuple(run for run in found.entries if (run.benchmark_id or benchmark_id) == benchmark_id)
    others = len(found.entries) - len(runs)
    total = None if found.total is None else max(found.total - others, len(runs))
    notes = _describe(found, "run", others, "benchmark")
    return RunloopRuns(benchmark_id, runs, total, cut=found.cut, late=found.late, notes=notes)


def _describe(found: Followed[Record], what: str, others: int = 0, owner: str = "") -> tuple[str, ...]:
    """What is to be said of a list besides its end: `others` of its entries are another owner's."""
    notes = []
    if others:
        one = f"1 {what} of another {owner} was left out."
        notes.append(one if others == 1 else f"{others:,} {what}s of other {owner}s were left out.")
    if found.twice:
        named = f"1 {what}" if found.twice == 1 else f"{found.twice:,} {what}s"
        notes.append(f"{named} came twice with different content: what came first is shown.")
    return tuple(notes)


def _run(run_id: str) -> str:
    return f"/v1/benchmark_runs/{quote_id(run_id)}"
