"""The Loop API, one method a route. Everything comes back as records; every failure is a `SourceError`."""

from __future__ import annotations

import time
from typing import TypeVar
from urllib.parse import quote

import msgspec

from dashboard.records import Benchmark, BenchmarkItem, History, HistoryPoint, Replay, Rule
from dashboard.sources.decoding import Page, decode_one, decode_page
from dashboard.sources.errors import NotFound
from dashboard.sources.paging import PAGE_SIZE, Gathered, Placed, gather, unite
from dashboard.sources.transport import Transport

Record = TypeVar("Record", bound=msgspec.Struct)

WHOLE_LISTS = 3
"""A list of many pages may take this many times the deadline of one call."""
MAX_ID_LENGTH = 512


class Named(msgspec.Struct, frozen=True):
    """An organisation or a workspace, as introspection gives it."""

    id: str = ""
    name: str = ""


class Identity(msgspec.Struct, frozen=True):
    """Whose data the key opens and what it may do. Any part may be missing."""

    key_name: str | None = None
    org: Named = Named()
    workspace: Named = Named()
    scopes: tuple[str, ...] = ()


class Loop:
    """Reads the Loop API through one transport. Safe to share between threads.

    `workers` is how many pages of one list are asked for at a time; 1 keeps every call in the calling thread, which
    the embedded service needs: another thread would open another database connection. `page_size` is how many entries
    of a list are asked for at once.
    """

    def __init__(self, transport: Transport, *, workers: int = 1, page_size: int = PAGE_SIZE) -> None:
        self._transport = transport
        self._workers = workers
        self._page_size = page_size

    def list_benchmarks(self, *, status: str | None = None) -> list[Benchmark]:
        """Every benchmark, newest first; with `status` ("active", "retired") only those."""
        params = {"status": status} if status else {}
        return list(self._read_all("/api/loop/benchmarks", "benchmarks", Benchmark, params).entries)

    def get_benchmark(self, benchmark_id: str) -> Benchmark:
        return self._read_one(f"/api/loop/benchmarks/{_segment(benchmark_id)}", "benchmark", Benchmark)

    def get_history(self, benchmark_id: str) -> History:
        """Every replay of a benchmark, newest first. `.moved` when replays kept arriving while it was read."""
        found = self._read_all(_history(benchmark_id), "points", HistoryPoint, {}, id_field="benchmark_run_id")
        return History(benchmark_id, found.entries, found.total, found.moved)

    def get_recent_history(self, benchmark_id: str, limit: int = PAGE_SIZE) -> History:
        """The newest replays, in one request: `limit` of them or fewer, with the true `.total`."""
        params: dict[str, str | int] = {"limit": min(limit, PAGE_SIZE), "offset": 0}
        page = self._read_page(_history(benchmark_id), "points", HistoryPoint, params)
        return History(benchmark_id, unite([Placed(0, page)], "benchmark_run_id")[0], page.total)

    def list_items(self, benchmark_id: str, *, limit: int, offset: int) -> tuple[list[BenchmarkItem], int]:
        """One page of the pinned conversations and how many there are. The service may give fewer than `limit`."""
        path = f"/api/loop/benchmarks/{_segment(benchmark_id)}/items"
        page = self._read_page(path, "items", BenchmarkItem, {"limit": limit, "offset": offset})
        return list(page.entries), page.total

    def get_replay(self, benchmark_run_id: str) -> Replay:
        return self._read_one(f"/api/loop/benchmark-runs/{_segment(benchmark_run_id)}", "benchmark_run", Replay)

    def list_rules(self) -> list[Rule]:
        """Every training rule, in the service's order."""
        return list(self._read_all("/api/loop/training-rules", "rules", Rule, {}).entries)

    def get_rule(self, rule_id: str) -> Rule:
        return self._read_one(f"/api/loop/training-rules/{_segment(rule_id)}", "rule", Rule)

    def introspect(self) -> Identity:
        """Whose key this is."""
        return self._read_one("/api/api-keys/introspect", "", Identity)

    def _read_one(self, path: str, name: str, record: type[Record]) -> Record:
        return decode_one(self._transport.get(path), name, record)

    def _read_page(
        self, path: str, name: str, record: type[Record], params: dict[str, str | int], until: float | None = None
    ) -> Page[Record]:
        return decode_page(self._transport.get(path, params, until=until), name, record)

    def _read_all(
        self, path: str, name: str, record: type[Record], params: dict[str, str], *, id_field: str = "id"
    ) -> Gathered[Record]:
        until = time.monotonic() + WHOLE_LISTS * self._transport.deadline_s

        def read_page(limit: int, offset: int) -> Page[Record]:
            return self._read_page(path, name, record, {**params, "limit": limit, "offset": offset}, until)

        return gather(read_page, id_field=id_field, workers=self._workers, page_size=self._page_size)


def _history(benchmark_id: str) -> str:
    return f"/api/loop/benchmarks/{_segment(benchmark_id)}/history"


def _segment(given: str) -> str:
    """An opaque id as one part of a path. What cannot be one is nobody's id."""
    # "." and ".." survive quoting, and would then be taken for a step to another route.
    if given in ("", ".", "..") or len(given) > MAX_ID_LENGTH:
        raise NotFound("There is nothing with that id.")
    return quote(given, safe="", errors="replace")
