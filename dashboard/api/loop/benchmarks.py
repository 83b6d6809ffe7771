"""Benchmarks: made, listed, read, retired; their pinned conversations, their history; and one replay."""

from __future__ import annotations

import msgspec
from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.http.body import Choice, Id, Listed, Nested, Text, Whole
from dashboard.api.http.errors import Detail, build_refusal, not_found
from dashboard.api.http.query import Parameter, page_parameters, read_query
from dashboard.api.http.views import NEWEST_FIRST, LoopView, Write, get_row, list_page
from dashboard.api.loop.wire import benchmarks as wire
from dashboard.store.attach import retire_benchmark
from dashboard.store.history import count_replays, list_points
from dashboard.store.models import Benchmark, BenchmarkItem, BenchmarkRun
from dashboard.store.pin import Draft, create_benchmark

SOURCE = Nested(
    name="source",
    description="Where the conversations are copied from: `trace_ids`, or `dataset_id` and perhaps one `split` of it.",
    fields=(
        Choice(name="kind", values=("traces", "dataset")),
        Listed(name="trace_ids", description="In the order to pin them in.", item=Id(name=""), required=False),
        Id(name="dataset_id", required=False),
        Text(name="split", required=False, most=40),
    ),
)
CREATE = Write(
    answer=wire.BenchmarkAnswer,
    status=201,
    fields=(
        Text(name="name", description="Unique among the workspace's active benchmarks; white space around it is cut."),
        Id(name="judge_id", description="The judge to copy."),
        SOURCE,
        Whole(name="per_run_ceiling_cents", description="What one replay may cost at most, inside the rule's own cap."),
        Text(name="judge_model", description="The model that judges; the judge's own when absent.", required=False),
        Whole(name="max_tokens", description="The longest answer; 1024 when absent.", required=False, most=1_000_000),
    ),
    refusals={
        409: "BENCHMARK_NAME_TAKEN: an active benchmark has this name.",
        422: "JUDGE_NOT_FOUND, JUDGE_MODEL_MISSING, DATASET_NOT_FOUND, BENCHMARK_SIZE (10 to 200 conversations), or "
        "BENCHMARK_ROW_UNUSABLE, with one detail (`trace_id`, `message`) for each conversation in the way.",
    },
)
RETIRE = Write(
    answer=wire.BenchmarkAnswer,
    fields=(Text(name="reason", required=False, least=0, most=2000, line=False),),
)


class BenchmarkList(LoopView):
    parameters = (Parameter("status", "Only these benchmarks.", ("active", "retired")), *page_parameters())
    answer = wire.BenchmarkPage
    writes = {"POST": CREATE}

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

    def post(self, request: Request) -> Response:
        """Pin conversations and freeze a judge beside them: all of it, or nothing."""
        body = self.read_body()
        source = body.pop("source")
        for name in ("trace_ids", "dataset_id"):
            wanted = name == ("trace_ids" if source["kind"] == "traces" else "dataset_id")
            if wanted != (source[name] is not None):
                said = "is required" if wanted else "does not go"
                message = f"source.{name} {said} with the kind {source['kind']!r}."
                raise build_refusal([Detail(f"source.{name}", "INVALID_FIELD", message)], 400)
        if source["split"] is not None and source["kind"] == "traces":
            message = "source.split does not go with the kind 'traces'."
            raise build_refusal([Detail("source.split", "INVALID_FIELD", message)], 400)
        del source["kind"]
        row = create_benchmark(self.workspace_id, Draft(**body, **source), self.caller.actor, timezone.now())
        return Response(wire.BenchmarkAnswer(wire.Benchmark.of(row)), 201)


class BenchmarkDetail(LoopView):
    answer = wire.BenchmarkAnswer

    def get(self, request: Request, benchmark_id: str) -> Response:
        """One benchmark: what it is frozen to, and its fingerprint."""
        self.read_query()
        row = get_row(Benchmark.objects.filter(workspace_id=self.workspace_id), benchmark_id, "benchmark")
        return Response(wire.BenchmarkAnswer(wire.Benchmark.of(row)))


class BenchmarkRetire(LoopView):
    writes = {"POST": RETIRE}

    def post(self, request: Request, benchmark_id: str) -> Response:
        """Detach the benchmark from every rule and release its name. A second call answers the same."""
        reason = (self.read_body()["reason"] or "").strip() or None
        row = retire_benchmark(self.workspace_id, benchmark_id, reason, self.caller.actor, timezone.now())
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
