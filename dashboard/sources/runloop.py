"""The Runloop API, one method a route. Everything comes back as records; every failure is a `SourceError`."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from dashboard.runloop_records import RunEnvironment, RunloopBenchmark, RunloopRun, RunloopRuns, ScenarioRun
from dashboard.sources.cursor import PAGE_SIZE, CursorPage, Followed, follow
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

Record = TypeVar("Record", bound=msgspec.Struct)
logger = logging.getLogger(__name__)


class Runloop:
    """The Runloop API through one transport. It only reads. Safe to share between threads.

    What a run was given (environment values, names of secrets) is in no record: `get_environment` alone reads it.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def ping(self) -> None:
        """Asks for as little as can be asked for: that it is answered is all that is looked at."""
        self._transport.get("/v1/benchmarks", {"limit": 1})

    def list_benchmarks(self) -> list[RunloopBenchmark]:
        """Every benchmark, in the service's order."""
        return [build_benchmark(body) for body in self._list_whole("/v1/benchmarks", "benchmarks", RunloopBenchmark)]

    def get_benchmark(self, benchmark_id: str) -> RunloopBenchmark:
        answer = self._transport.get(f"/v1/benchmarks/{quote_id(benchmark_id)}")
        return build_benchmark(decode_object(answer, RunloopBenchmark, "benchmark"))

    def list_runs(self, benchmark_id: str) -> RunloopRuns:
        """Every run of a benchmark, in the service's order; `.cut` says why where there may be more."""
        quote_id(benchmark_id)  # what can be nobody's id would ask for the runs of all
        now = datetime.now(UTC)
        found = self._follow("/v1/benchmark_runs", "runs", RunBody, {"benchmark_id": benchmark_id})
        return RunloopRuns(benchmark_id, tuple(build_run(body, now) for body in found.entries), found.total, found.cut)

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

    def list_scenario_runs(self, run_id: str) -> list[ScenarioRun]:
        """Every scenario run of a run, in the service's order."""
        now = datetime.now(UTC)
        bodies = self._list_whole(f"{_run(run_id)}/scenario_runs", "runs", ScenarioBody)
        return [build_scenario_run(body, now) for body in bodies]

    def get_environment(self, run_id: str) -> RunEnvironment:
        """What this one run was given, for the person who asks. Never to be kept, logged or sent on."""
        return decode_environment(self._transport.get(_run(run_id)))

    def _list_whole(self, path: str, name: str, record: type[Record]) -> list[Record]:
        found = self._follow(path, name, record, {})
        if found.cut:
            logger.warning("GET %s was not read to its end: %s", path, found.cut)
        return list(found.entries)

    def _follow(self, path: str, name: str, record: type[Record], params: dict[str, str]) -> Followed[Record]:
        until = time.monotonic() + WHOLE_LISTS * self._transport.deadline_s

        def read_page(cursor: str) -> CursorPage[Record]:
            asked: dict[str, str | int] = {**params, "limit": PAGE_SIZE}
            if cursor:
                asked["starting_after"] = cursor
            return decode_cursor_page(self._transport.get(path, asked, until=until), name, record)

        return follow(read_page)


def _run(run_id: str) -> str:
    return f"/v1/benchmark_runs/{quote_id(run_id)}"
