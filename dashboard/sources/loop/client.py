"""The Loop API, one method a route. Everything comes back as records; every failure is a `SourceError`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from dashboard.sources.http.cursor import CursorPage, follow
from dashboard.sources.http.decoding import Page, decode_entries, decode_one, decode_page, is_usable_id
from dashboard.sources.http.errors import NotFound, OutcomeUnknown, UnreadableAnswer
from dashboard.sources.http.paging import PAGE_SIZE, Gathered, Placed, gather, unite
from dashboard.sources.http.transport import Answer, Transport, outcome_unknown
from dashboard.sources.loop.rows import ReplayRow
from dashboard.sources.loop.runs import Evaluation, EvaluationItem, RuleDetail, RunDetail, RunOutcome
from dashboard.sources.loop.wire import (
    Benchmark,
    BenchmarkItem,
    Dataset,
    History,
    HistoryPoint,
    Judge,
    Replay,
    Rule,
    Trace,
    TrainingRun,
)

Record = TypeVar("Record", bound=msgspec.Struct)

WHOLE_LISTS = 3
"""A list of many pages may take this many times the deadline of one call."""


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
    """The Loop API through one transport. Safe to share between threads.

    A write is sent once. Its refusals are `Refused` (with `.field` and `.details`), `NotFound` and `Unauthorized`; a
    write that may or may not have been done is `OutcomeUnknown`.

    `workers` is how many pages of one list are asked for at a time; 1 keeps every call in the calling thread, which
    the embedded service needs: another thread would open another database connection. `page_size` is how many entries
    of a list are asked for at once.
    """

    def __init__(self, transport: Transport, *, workers: int = 1, page_size: int = PAGE_SIZE, actor: str = "") -> None:
        self._transport = transport
        self._workers = workers
        self._page_size = page_size
        self._actor = actor

    def acting_for(self, actor: str) -> Loop:
        """The same source, writing in this person's name where the service is our own."""
        return Loop(self._transport, workers=self._workers, page_size=self._page_size, actor=actor)

    def list_benchmarks(self, *, status: str | None = None) -> list[Benchmark]:
        """Every benchmark, newest first; with `status` ("active", "retired") only those."""
        params = {"status": status} if status else {}
        return list(self._read_all("/api/loop/benchmarks", "benchmarks", Benchmark, params).entries)

    def get_benchmark(self, benchmark_id: str) -> Benchmark:
        return self._read_one(f"/api/loop/benchmarks/{quote_id(benchmark_id)}", "benchmark", Benchmark)

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
        path = f"/api/loop/benchmarks/{quote_id(benchmark_id)}/items"
        page = self._read_page(path, "items", BenchmarkItem, {"limit": limit, "offset": offset})
        return list(page.entries), page.total

    def get_replay(self, benchmark_run_id: str) -> Replay:
        return self._read_one(f"/api/loop/benchmark-runs/{quote_id(benchmark_run_id)}", "benchmark_run", Replay)

    def list_replay_rows(self, benchmark_run_id: str, *, limit: int, offset: int) -> tuple[list[ReplayRow], int]:
        """One page of a replay's rows and how many there are. `NotFound`, or 405, where none are listed."""
        path = f"/api/loop/benchmark-runs/{quote_id(benchmark_run_id)}/items"
        page = self._read_page(path, "items", ReplayRow, {"limit": limit, "offset": offset})
        return list(page.entries), page.total

    def list_rules(self) -> list[Rule]:
        """Every training rule, in the service's order."""
        return list(self._read_all("/api/loop/training-rules", "rules", Rule, {}).entries)

    def get_rule(self, rule_id: str) -> RuleDetail:
        """The rule with its newest runs, its month and how its judge agreed."""
        answer = self._transport.get(f"/api/loop/training-rules/{quote_id(rule_id)}")
        found = decode_one(answer, "", RuleDetail)
        _check_id(found.rule.id, answer, "rule")
        return found

    def list_runs(
        self, *, rule_id: str = "", state: str = "", limit: int, offset: int = 0
    ) -> tuple[list[TrainingRun], int]:
        """One page of the training runs, newest first, of one rule or in one state if it is named; and how many."""
        params: dict[str, str | int] = {"limit": limit, "offset": offset}
        params |= {name: value for name, value in {"rule_id": rule_id, "state": state}.items() if value}
        page = self._read_page("/api/loop/training-runs", "runs", TrainingRun, params)
        return list(page.entries), page.total

    def get_run(self, run_id: str) -> RunDetail:
        """A training run with its timeline, its replay, and what may be done with it now."""
        answer = self._transport.get(f"/api/loop/training-runs/{quote_id(run_id)}")
        found = decode_one(answer, "", RunDetail)
        _check_id(found.run.id, answer, "run")
        return found

    def get_evaluation(self, evaluation_id: str) -> Evaluation:
        """The paired comparison itself."""
        return self._read_one(f"/api/loop/evaluations/{quote_id(evaluation_id)}", "", Evaluation)

    def list_evaluation_items(
        self, evaluation_id: str, *, winner: str = "", limit: int, offset: int
    ) -> tuple[list[EvaluationItem], int]:
        """One page of the paired conversations, those that `winner` won if it is named, and how many there are."""
        path = f"/api/loop/evaluations/{quote_id(evaluation_id)}/items"
        params: dict[str, str | int] = {"limit": limit, "offset": offset} | ({"winner": winner} if winner else {})
        page = self._read_page(path, "items", EvaluationItem, params)
        return list(page.entries), page.total

    def promote(self, run_id: str, *, expected_revision: int | None, force: bool) -> RunOutcome:
        """Have the candidate serve. Refused where the rule's accepted revision is another than `expected_revision`.

        `force` is what an inconclusive comparison asks for, and is sent only where it is true.
        """
        body: dict[str, Any] = {} if expected_revision is None else {"expected_revision": expected_revision}
        return self._act(run_id, "promote", body | ({"force": True} if force else {}))

    def reject(self, run_id: str, reason: str = "") -> RunOutcome:
        """Close the candidate. What serves does not change."""
        return self._act(run_id, "reject", {"reason": reason} if reason else {})

    def roll_back(self, run_id: str, reason: str = "") -> RunOutcome:
        """Have what served before this promotion serve again."""
        return self._act(run_id, "rollback", {"reason": reason} if reason else {})

    def cancel(self, run_id: str, reason: str = "") -> RunOutcome:
        """Stop a run that is not final."""
        return self._act(run_id, "cancel", {"reason": reason} if reason else {})

    def list_judges(self) -> list[Judge]:
        """Every judge, newest first."""
        return list(decode_entries(self._transport.get("/api/loop/judges"), "judges", Judge))

    def list_traces(
        self,
        *,
        search: str = "",
        source: str = "",
        model: str = "",
        limit: int,
        offset: int,
    ) -> tuple[list[Trace], int]:
        """One page of the conversations, newest first, and how many match. The service may give fewer than `limit`.

        `source` and `model` match exactly. `search` is text in a turn, whatever its case; only our own service has it,
        a remote one may refuse it.
        """
        params: dict[str, str | int] = {"limit": limit, "offset": offset}
        given = {"q": search, "deployment_id": source, "model": model}
        params |= {name: value for name, value in given.items() if value}
        page = self._read_page("/api/loop/traces", "traces", Trace, params)
        return list(page.entries), page.total

    def get_trace(self, trace_id: str) -> Trace:
        return self._read_one(f"/api/loop/traces/{quote_id(trace_id)}", "trace", Trace)

    def list_datasets(self) -> list[Dataset]:
        """Every training set, newest first. Nobody counts them: pages are read until one brings none that is new."""
        asked = 0

        def read_page(_after: str) -> CursorPage[Dataset]:
            nonlocal asked
            answer = self._transport.get("/api/loop/datasets", {"limit": PAGE_SIZE, "offset": asked})
            page = decode_entries(answer, "datasets", Dataset)
            asked += len(page)
            return CursorPage(page)

        return list(follow(read_page, whole=True).entries)

    def create_benchmark(
        self,
        *,
        name: str,
        judge_id: str,
        per_run_ceiling_cents: int,
        trace_ids: Sequence[str] | None = None,
        dataset_id: str | None = None,
        split: str | None = None,
        judge_model: str | None = None,
        max_tokens: int | None = None,
    ) -> Benchmark:
        """Pin the conversations `trace_ids`, or those of a training set (or of one split of it), and freeze the judge.

        `judge_model` None: the judge's own. `max_tokens` None: the service's own.
        """
        if dataset_id is None:
            source: dict[str, Any] = {"kind": "traces", "trace_ids": list(trace_ids or ())}
        else:
            source = {"kind": "dataset", "dataset_id": dataset_id} | ({"split": split} if split is not None else {})
        body = {"name": name, "judge_id": judge_id, "source": source, "per_run_ceiling_cents": per_run_ceiling_cents}
        optional = {"judge_model": judge_model, "max_tokens": max_tokens}
        body |= {key: value for key, value in optional.items() if value is not None}
        return self._write("POST", "/api/loop/benchmarks", body, "benchmark", Benchmark)

    def retire_benchmark(self, benchmark_id: str, reason: str = "") -> Benchmark:
        """Detach the benchmark from every rule and release its name. A retired one comes back as it is."""
        path = f"/api/loop/benchmarks/{quote_id(benchmark_id)}/retire"
        return self._write("POST", path, {"reason": reason} if reason else {}, "benchmark", Benchmark)

    def set_rule_benchmark(self, rule_id: str, benchmark_id: str | None) -> Rule:
        """Have the rule replay this benchmark on every run from now on; None detaches the one it has."""
        path = f"/api/loop/training-rules/{quote_id(rule_id)}/benchmark"
        return self._write("PUT", path, {"benchmark_id": benchmark_id}, "rule", Rule)

    def create_judge(
        self, *, name: str, instructions: str, dimensions: Mapping[str, str], model: str = "", scale: str = ""
    ) -> Judge:
        """Write a rubric. `dimensions`: what each key means, in order. `model` "": each benchmark has to name one.

        `scale` "": the service's own. Only our own service takes another, a remote one may refuse it.
        """
        body: dict[str, Any] = {
            "name": name,
            "instructions": instructions,
            "dimensions": [{"key": key, "description": description} for key, description in dimensions.items()],
        }
        body |= {key: value for key, value in {"model": model, "scale": scale}.items() if value}
        return self._write("POST", "/api/loop/judges", body, "judge", Judge)

    def introspect(self) -> Identity:
        """Whose key this is."""
        return self._read_one("/api/api-keys/introspect", "", Identity)

    def _write(self, method: str, path: str, body: Mapping[str, Any], name: str, record: type[Record]) -> Record:
        answer = self._transport.send(method, path, body, actor=self._actor)
        try:
            return decode_one(answer, name, record)
        except UnreadableAnswer as error:
            raise outcome_unknown(answer.route, error) from error

    def _act(self, run_id: str, action: str, body: Mapping[str, Any]) -> RunOutcome:
        path = f"/api/loop/training-runs/{quote_id(run_id)}/{action}"
        found = self._write("POST", path, body, "", RunOutcome)
        if not found.run.id:
            raise OutcomeUnknown(f"POST {path} was answered without a run, so nothing says whether it was done.")
        return found

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
    return f"/api/loop/benchmarks/{quote_id(benchmark_id)}/history"


def _check_id(given: str, answer: Answer, what: str) -> None:
    if not is_usable_id(given):
        raise UnreadableAnswer(f"{answer.route} was answered with a {what} that has no usable id.")


def quote_id(given: str) -> str:
    """An opaque id as one part of a path. What cannot be one is nobody's id."""
    if not is_usable_id(given):
        raise NotFound("There is nothing with that id.")
    return quote(given, safe="", errors="replace")
