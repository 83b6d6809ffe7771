"""The Runloop API, to read: benchmarks, their runs, and the scenario runs of one. Pages follow a cursor."""

from __future__ import annotations

from typing import Any

from django.db.models import F, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.http.errors import Refusal
from dashboard.api.http.fields import Choice, Word
from dashboard.api.http.query import CursorQuery
from dashboard.api.http.views import LoopView, get_row
from dashboard.api.runloop import wire
from dashboard.store.models import RunloopBenchmark, RunloopRun, RunloopScenarioRun

STATES = ("running", "scoring", "scored", "completed", "canceled", "timeout", "failed")
RUN_KEYS = wire.BenchmarkRunView.__struct_fields__
PUBLIC_RUN_KEYS = [key for key in RUN_KEYS if key not in ("environment_variables", "secrets_provided")]


class BenchmarkViewQuery(CursorQuery):
    name = Word(help_text="Only those of this name, to the letter.")


class BenchmarkRunViewQuery(BenchmarkViewQuery):
    benchmark_id = Word(help_text="Only runs of this benchmark.")


class ScenarioRunQuery(CursorQuery):
    state = Choice(STATES, required=False, help_text="Only those in this state.")


class RunloopBenchmarkList(LoopView):
    query = BenchmarkViewQuery()
    answer = wire.BenchmarkViewPage

    def get(self, request: Request) -> Response:
        """Benchmarks of the workspace, the one that was stored last first."""
        query = self.read_query()
        rows = RunloopBenchmark.objects.filter(workspace_id=self.workspace_id)
        page, counts = list_after(rows, query, "-created_at", name=query["name"])
        return Response(wire.BenchmarkViewPage(benchmarks=[wire.BenchmarkView.of(row) for row in page], **counts))


class RunloopBenchmarkDetail(LoopView):
    answer = wire.BenchmarkView

    def get(self, request: Request, runloop_benchmark_id: str) -> Response:
        """One benchmark."""
        self.read_query()
        rows = RunloopBenchmark.objects.filter(workspace_id=self.workspace_id)
        return Response(wire.BenchmarkView.of(get_row(rows, runloop_benchmark_id, "benchmark")))


class RunloopRunList(LoopView):
    query = BenchmarkRunViewQuery()
    answer = wire.BenchmarkRunViewPage

    def get(self, request: Request) -> Response:
        """Runs of the workspace, newest first by when they started, without their environments."""
        query = self.read_query()
        rows = RunloopRun.objects.filter(workspace_id=self.workspace_id).values_list(*PUBLIC_RUN_KEYS)
        page, counts = list_after(rows, query, "-start_time_ms", benchmark_id=query["benchmark_id"], name=query["name"])
        return Response(wire.BenchmarkRunViewPage(runs=[wire.BenchmarkRunView(*row) for row in page], **counts))


class RunloopRunDetail(LoopView):
    answer = wire.BenchmarkRunView

    def get(self, request: Request, runloop_run_id: str) -> Response:
        """One run, with its environment where that was kept."""
        self.read_query()
        rows = RunloopRun.objects.filter(workspace_id=self.workspace_id)
        return Response(wire.BenchmarkRunView.of(get_row(rows, runloop_run_id, "run")))


class ScenarioRunList(LoopView):
    query = ScenarioRunQuery()
    answer = wire.ScenarioRunViewPage

    def get(self, request: Request, runloop_run_id: str) -> Response:
        """The scenario runs of one run, in the run's own order."""
        query = self.read_query()
        get_row(RunloopRun.objects.filter(workspace_id=self.workspace_id).only("id"), runloop_run_id, "run")
        rows = RunloopScenarioRun.objects.filter(run_id=runloop_run_id).annotate(benchmark_run_id=F("run_id"))
        page, counts = list_after(rows, query, "ordinal", state=query["state"])
        return Response(wire.ScenarioRunViewPage(runs=[wire.ScenarioRunView.of(row) for row in page], **counts))


def list_after(
    rows: QuerySet[Any, Any], query: dict[str, Any], order: str, **filters: str | None
) -> tuple[list[Any], dict[str, Any]]:
    """One page of `rows` after the cursor, and the counts that stand beside it as CursorPage has them.

    `order` is a column that never changes, with "-" before it for descending; where it is equal, ids order alike. A
    filter of None lets everything pass. The cursor may be a row that the filters do not let pass: it has its place all
    the same. Raises Refusal (400) for one that is not among `rows`.
    """
    column, descending = order.lstrip("-"), order.startswith("-")
    found = rows.filter(**{name: value for name, value in filters.items() if value is not None})
    total, left, cursor = found.count(), None, query["starting_after"]
    if cursor is not None:
        at = rows.filter(pk=cursor).values_list(column, flat=True).first()
        if at is None:
            message = f"starting_after names nothing in this list: {cursor[:80]!r}."
            raise Refusal(400, "INVALID_PARAMETER", message, parameter="starting_after")
        # The range finds the place in the index; only rows that share the cursor's own place are passed over.
        onward, passed = ("lte", "gte") if descending else ("gte", "lte")
        found = found.filter(**{f"{column}__{onward}": at}).exclude(**{column: at, f"pk__{passed}": cursor})
        left = found.count()
    # One row more than is given: a row that arrived since they were counted would else push another past the end.
    ordered = list(found.order_by(order, "-pk" if descending else "pk")[: query["limit"] + 1])
    page = ordered[: query["limit"]]
    remaining = max(len(ordered) - len(page), (total if left is None else left) - len(page))
    return page, {"has_more": remaining > 0, "remaining_count": remaining, "total_count": total}
