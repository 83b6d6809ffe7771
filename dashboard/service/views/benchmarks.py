"""Benchmarks: the list, one, its pinned conversations, its history; and one replay."""

from __future__ import annotations

import msgspec
from django.db.models import F, QuerySet
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.service.errors import not_found
from dashboard.service.history import count_replays, list_points
from dashboard.service.models import Benchmark, BenchmarkItem, BenchmarkRun
from dashboard.service.query import Parameter, page_parameters, read_query
from dashboard.service.views.base import NEWEST_FIRST, LoopView, get_row, list_page
from dashboard.service.wire import benchmarks as wire


class BenchmarkList(LoopView):
    parameters = (Parameter("status", "Only these benchmarks.", ("active", "retired")), *page_parameters())
    answer = wire.BenchmarkPage

    def get(self, request: Request) -> Response:
        """Benchmarks of the workspace, newest first."""
        query = self.read_query()
        rows = Benchmark.objects.filter(workspace_id=self.workspace_id).order_by(*NEWEST_FIRST)
        if query["status"] is not None:
            rows = rows.filter(status=query["status"])
        limit, offset = query["limit"], query["offset"]
        page, total = list_page(rows, limit, offset)
        shapes = [wire.Benchmark.of(row) for row in page]
        return Response(wire.BenchmarkPage(benchmarks=shapes, total=total, limit=limit, offset=offset))


class BenchmarkDetail(LoopView):
    answer = wire.BenchmarkAnswer

    def get(self, request: Request, benchmark_id: str) -> Response:
        """One benchmark: what it is frozen to, and its fingerprint."""
        self.read_query()
        row = get_row(Benchmark.objects.filter(workspace_id=self.workspace_id), benchmark_id, "benchmark")
        return Response(wire.BenchmarkAnswer(wire.Benchmark.of(row)))


class BenchmarkItems(LoopView):
    parameters = page_parameters(100)
    answer = wire.BenchmarkItemPage

    def get(self, request: Request, benchmark_id: str) -> Response:
        """The pinned conversations, in their order."""
        query = self.read_query()
        benchmarks = Benchmark.objects.filter(workspace_id=self.workspace_id).only("id")
        get_row(benchmarks, benchmark_id, "benchmark")
        limit, offset = query["limit"], query["offset"]
        rows = BenchmarkItem.objects.filter(benchmark_id=benchmark_id).order_by("ordinal", "id")
        page, total = list_page(rows, limit, offset)
        return Response(
            wire.BenchmarkItemPage(items=[_item(row) for row in page], total=total, limit=limit, offset=offset)
        )


class BenchmarkHistory(LoopView):
    parameters = page_parameters(200)
    # The dashboard in this process reads whole histories; ten calls for one spare it most of what a call costs.
    parameters_in_process = page_parameters(2_000)
    answer = wire.HistoryPage

    def get(self, request: Request, benchmark_id: str) -> Response:
        """Every replay of the benchmark, newest first; one without a score is a point like any other."""
        query = read_query(request.GET, self.parameters_in_process if self.caller.in_process else self.parameters)
        total = count_replays(self.workspace_id, benchmark_id)
        if total is None:
            raise not_found("benchmark")
        limit, offset = query["limit"], query["offset"]
        points = list_points(benchmark_id, limit, offset) if offset < total else []
        return Response(
            wire.HistoryPage(benchmark_id=benchmark_id, points=points, total=total, limit=limit, offset=offset)
        )


class BenchmarkRunDetail(LoopView):
    answer = wire.BenchmarkRunAnswer

    def get(self, request: Request, benchmark_run_id: str) -> Response:
        """One replay in full."""
        self.read_query()
        rows = select_replays(self.workspace_id)
        return Response(wire.BenchmarkRunAnswer(wire.BenchmarkRun.of(get_row(rows, benchmark_run_id, "replay"))))


def select_replays(workspace_id: str) -> QuerySet[BenchmarkRun]:
    """The workspace's replays with what `wire.BenchmarkRun` takes from the benchmark."""
    return BenchmarkRun.objects.filter(workspace_id=workspace_id).annotate(benchmark_name=F("benchmark__name"))


def _item(row: BenchmarkItem) -> wire.BenchmarkItem:
    item = wire.BenchmarkItem.of(row)
    if item.source_trace_id is None:
        return item
    return msgspec.structs.replace(item, source_trace_url=reverse("loop-trace", args=[item.source_trace_id]))
