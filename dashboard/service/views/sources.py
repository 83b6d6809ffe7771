"""What benchmarks are made from, to read: judges, captured conversations, training sets."""

from __future__ import annotations

from django.db.models import Count, F, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.service.models import Dataset, Judge, Trace
from dashboard.service.query import Moment, Parameter, page_parameters
from dashboard.service.views.base import NEWEST_FIRST, LoopView, get_row, list_page
from dashboard.service.wire import sources as wire


class JudgeList(LoopView):
    answer = wire.JudgeList

    def get(self, request: Request) -> Response:
        """Every judge of the workspace, newest first."""
        self.read_query()
        rows = Judge.objects.filter(workspace_id=self.workspace_id).order_by(*NEWEST_FIRST)
        return Response(wire.JudgeList([wire.Judge.of(row) for row in rows]))


class TraceList(LoopView):
    parameters = (
        Parameter("deployment_id", "Only conversations filed under this source."),
        Parameter("model", "Only conversations that this model answered."),
        Moment("from", "Captured at this time or later."),
        Moment("to", "Captured before this time."),
        *page_parameters(),
    )
    answer = wire.TracePage

    def get(self, request: Request) -> Response:
        """Captured conversations, newest first."""
        query = self.read_query()
        limit, offset = query.pop("limit"), query.pop("offset")
        columns = {"deployment_id": "source", "model": "model", "from": "created_at__gte", "to": "created_at__lt"}
        asked = {columns[name]: value for name, value in query.items() if value is not None}
        page, total = list_page(select_traces(self.workspace_id).filter(**asked), limit, offset)
        traces = [wire.Trace.of(row) for row in page]
        return Response(wire.TracePage(traces=traces, total=total, limit=limit, offset=offset))


class TraceDetail(LoopView):
    answer = wire.TraceAnswer

    def get(self, request: Request, trace_id: str) -> Response:
        """One captured conversation."""
        self.read_query()
        row = get_row(select_traces(self.workspace_id), trace_id, "conversation")
        return Response(wire.TraceAnswer(wire.Trace.of(row)))


class DatasetList(LoopView):
    parameters = (
        Parameter("method", "Only training sets for this method.", ("sft", "dpo", "kto")),
        *page_parameters(),
    )
    answer = wire.DatasetPage

    def get(self, request: Request) -> Response:
        """Training sets, newest first."""
        query = self.read_query()
        rows = Dataset.objects.filter(workspace_id=self.workspace_id).order_by(*NEWEST_FIRST)
        if query["method"] is not None:
            rows = rows.filter(method=query["method"])
        limit, offset = query["limit"], query["offset"]
        page, total = list_page(rows.annotate(item_count=Count("items")), limit, offset)
        datasets = [wire.Dataset.of(row) for row in page]
        return Response(wire.DatasetPage(datasets=datasets, total=total, limit=limit, offset=offset))


def select_traces(workspace_id: str) -> QuerySet[Trace]:
    """The workspace's conversations, newest first, under the wire's name for their source."""
    rows = Trace.objects.filter(workspace_id=workspace_id).order_by(*NEWEST_FIRST)
    return rows.annotate(deployment_id=F("source"))
