"""Benchmarks: made, listed, read, retired; their pinned conversations, their history; and one replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils import timezone
from msgspec import UNSET
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.http.fields import Choice, Id, Listed, Strict, Text, Whole
from dashboard.api.http.query import Limit, PageQuery, ShortPageQuery, read_query
from dashboard.api.http.shapes import ModelRef
from dashboard.api.http.views import NEWEST_FIRST, LoopView, Write, get_row, list_page
from dashboard.api.loop.wire import benchmarks as wire
from dashboard.contract import BENCHMARK_STATUSES
from dashboard.store.attach import retire_benchmark
from dashboard.store.errors import not_found
from dashboard.store.models import Benchmark, BenchmarkItem, BenchmarkRun
from dashboard.store.pin import Draft, create_benchmark
from dashboard.store.replays.history import count_replays, list_replays
from dashboard.store.text.rules import TextRule

REF = 16
"""Where the incumbent stands in a row of `list_replays`."""


class BenchmarkSource(Strict):
    """Where the conversations are copied from: `trace_ids`, or `dataset_id` and perhaps one `split` of it."""

    kind = Choice(("traces", "dataset"))
    trace_ids = Listed(Id(), 1000, required=False, help_text="In the order to pin them in.")
    dataset_id = Id(required=False)
    split = Text(TextRule(most=40), required=False)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        own = "trace_ids" if given["kind"] == "traces" else "dataset_id"
        faults = {} if given[own] is not None else {own: f"is required with the kind {given['kind']!r}"}
        for name in ("trace_ids", "dataset_id", "split"):
            if name != own and given[name] is not None and (name != "split" or own == "trace_ids"):
                faults[name] = f"does not go with the kind {given['kind']!r}"
        if faults:
            raise ValidationError(faults)
        return given


class NewBenchmark(Strict):
    """What to pin, who judges it, and what one replay may cost."""

    name = Text(help_text="Unique among the workspace's active benchmarks; white space around it is cut.")
    judge_id = Id(help_text="The judge to copy.")
    source = BenchmarkSource()  # type: ignore[assignment]  # a key's name
    per_run_ceiling_cents = Whole(help_text="What one replay may cost at most, inside the rule's own cap.")
    judge_model = Text(required=False, help_text="The model that judges; the judge's own when absent.")
    max_tokens = Whole(most=1_000_000, required=False, help_text="The longest answer; 1024 when absent.")


class Retirement(Strict):
    """Why the benchmark is retired."""

    reason = Text(TextRule(most=2000, line=False, blank=True), required=False)


class BenchmarkQuery(PageQuery):
    status = Choice(BENCHMARK_STATUSES, required=False, help_text="Only these benchmarks.")


class HistoryQueryInProcess(PageQuery):
    limit = Limit(2_000)


CREATE = Write(
    action="create",
    kind="benchmark",
    answer=wire.BenchmarkAnswer,
    status=201,
    body=NewBenchmark(),
    refusals={
        409: "BENCHMARK_NAME_TAKEN: an active benchmark has this name.",
        422: "JUDGE_NOT_FOUND, JUDGE_MODEL_MISSING, DATASET_NOT_FOUND, BENCHMARK_SIZE (10 to 200 conversations), or "
        "BENCHMARK_ROW_UNUSABLE, with one detail (`trace_id`, `message`) for each conversation in the way.",
    },
)


class BenchmarkList(LoopView):
    query = BenchmarkQuery()
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
        del source["kind"]
        row = create_benchmark(self.workspace_id, Draft(**body, **source), self.caller.actor, timezone.now())
        said = f"{row.item_count} conversations, judge {row.judge_name}"
        self.note(target_id=row.pk, target_name=row.name, message=said)
        return Response(wire.BenchmarkAnswer(wire.Benchmark.of(row)), 201)


class BenchmarkDetail(LoopView):
    answer = wire.BenchmarkAnswer

    def get(self, request: Request, benchmark_id: str) -> Response:
        """One benchmark: what it is frozen to, and its fingerprint."""
        self.read_query()
        row = get_row(Benchmark.objects.filter(workspace_id=self.workspace_id), benchmark_id, "benchmark")
        return Response(wire.BenchmarkAnswer(wire.Benchmark.of(row)))


class BenchmarkRetire(LoopView):
    writes = {"POST": Write(action="retire", kind="benchmark", answer=wire.BenchmarkAnswer, body=Retirement())}

    def post(self, request: Request, benchmark_id: str) -> Response:
        """Detach the benchmark from every rule and release its name. A second call answers the same."""
        reason = (self.read_body()["reason"] or "").strip() or None
        row = retire_benchmark(self.workspace_id, benchmark_id, reason, self.caller.actor, timezone.now())
        self.note(target_name=row.name)
        return Response(wire.BenchmarkAnswer(wire.Benchmark.of(row)))


class BenchmarkItems(LoopView):
    query = ShortPageQuery()
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
    query = PageQuery()
    # The dashboard in this process reads whole histories; ten calls for one spare it most of what a call costs.
    query_in_process = HistoryQueryInProcess()
    answer = wire.HistoryPage

    def get(self, request: Request, benchmark_id: str) -> Response:
        """Every replay of the benchmark, newest first; one without a score is a point like any other."""
        query = read_query(request.GET, self.query_in_process if self.caller.in_process else self.query)
        total = count_replays(self.workspace_id, benchmark_id)
        if total is None:
            raise not_found("benchmark")
        limit, offset = query["limit"], query["offset"]
        rows = list_replays(benchmark_id, limit, offset) if offset < total else []
        return Response(
            wire.HistoryPage(benchmark_id=benchmark_id, points=_points(rows), total=total, limit=limit, offset=offset)
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


def _points(rows: Sequence[tuple[Any, ...]]) -> list[wire.HistoryPoint]:
    # A history names few incumbents: each is decoded once a page.
    refs = {text: msgspec.json.decode(text, type=ModelRef) for text in {row[REF] for row in rows}}
    # What is not known of the errors, and of the number of questions, is left out on the wire.
    values: Iterator[tuple[Any, ...]] = (
        (
            *row[:REF],
            refs[row[REF]],
            bool(row[REF + 1]),
            UNSET if row[REF + 2] is None else row[REF + 2],
            UNSET if row[REF + 3] is None else row[REF + 3],
            row[REF - 1] or UNSET,
        )
        for row in rows
    )
    return [wire.HistoryPoint(*one) for one in values]


def _item(row: BenchmarkItem) -> wire.BenchmarkItem:
    item = wire.BenchmarkItem.of(row)
    if item.source_trace_id is None:
        return item
    return msgspec.structs.replace(item, source_trace_url=reverse("loop-trace", args=[item.source_trace_id]))
