"""The conversations behind a replay's number, with both answers."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.http.fields import Choice
from dashboard.api.http.query import Limit, ShortPageQuery, read_query
from dashboard.api.http.views import LoopView, get_row, list_page
from dashboard.api.loop.wire import rows as wire
from dashboard.contract import ROW_STATUSES
from dashboard.store.models import BenchmarkRun, ReplayRow
from dashboard.store.replays.rows import Scale


class Winner(Choice):
    """Whose conversations are wanted."""

    def __init__(self) -> None:
        told = "Only conversations that this side won; `serving` is another word for `incumbent`."
        super().__init__(("candidate", "incumbent", "serving", "tie"), required=False, help_text=told)


class RowQuery(ShortPageQuery):
    winner = Winner()
    status = Choice(ROW_STATUSES, required=False, help_text="Only rows that stand there.")


class RowQueryInProcess(RowQuery):
    """The dashboard in this process reads a replay whole: a benchmark pins 200 at most, an import may bring more."""

    limit = Limit(1_000)


def name_winner(word: str) -> str:
    """The stored word for one of WINNER's."""
    return "incumbent" if word == "serving" else word


class BenchmarkRunItems(LoopView):
    query = RowQuery()
    query_in_process = RowQueryInProcess()
    answer = wire.ReplayRowPage

    def get(self, request: Request, benchmark_run_id: str) -> Response:
        """The replay's conversations, in their order. Not every replay has them: an import may bring scores alone."""
        query = read_query(request.GET, self.query_in_process if self.caller.in_process else self.query)
        replays = BenchmarkRun.objects.filter(workspace_id=self.workspace_id).select_related("benchmark")
        replay = get_row(replays.only("id", "benchmark__scoring"), benchmark_run_id, "replay")
        rows = ReplayRow.objects.filter(replay_id=replay.pk).order_by("ordinal").select_related("item")
        if query["winner"] is not None:
            rows = rows.filter(winner=name_winner(query["winner"]))
        if query["status"] is not None:
            rows = rows.filter(status=query["status"])
        limit, offset = query["limit"], query["offset"]
        page, total = list_page(rows, limit, offset)
        scale = Scale.of(replay.benchmark.scoring)
        items = [_show_row(row, scale) for row in page]
        return Response(wire.ReplayRowPage(items=items, total=total, limit=limit, offset=offset))


def _show_row(row: ReplayRow, scale: Scale) -> wire.ReplayRow:
    item, question = row.item, row.question or {}
    trace_id = item.source_trace_id if item else None
    return wire.ReplayRow(
        id=row.pk,
        benchmark_item_id=row.item_id,
        ordinal=row.ordinal,
        source_trace_id=trace_id,
        source_trace_url=reverse("loop-trace", args=[trace_id]) if trace_id else None,
        prompt=item.prompt if item else question.get("prompt", []),
        tools=item.tools if item else question.get("tools"),
        reference=question.get("reference"),
        incumbent=_show_side(row.incumbent, scale),
        candidate=_show_side(row.candidate, scale),
        winner=row.winner,
        status=row.status,
        error=row.error,
    )


def _show_side(side: dict[str, Any], scale: Scale) -> wire.ReplayRowSide:
    return wire.ReplayRowSide.of(side | {"passed": scale.find_passed(side)})
