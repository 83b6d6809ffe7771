"""The paired comparison of a training run, and the conversations behind it."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.http.query import ShortPageQuery
from dashboard.api.http.views import LoopView, get_row, list_page
from dashboard.api.loop.rows import Winner, name_winner
from dashboard.api.loop.wire import evaluations as wire
from dashboard.store.models import Evaluation, EvaluationItem


class EvaluationItemQuery(ShortPageQuery):
    winner = Winner()


class EvaluationDetail(LoopView):
    answer = wire.Evaluation

    def get(self, request: Request, evaluation_id: str) -> Response:
        """The comparison itself, not wrapped."""
        self.read_query()
        row = get_row(Evaluation.objects.filter(workspace_id=self.workspace_id), evaluation_id, "evaluation")
        own = {
            "id": row.pk,
            "run_id": row.run_id,
            "workspace_id": row.workspace_id,
            "status": row.status,
            "created_at": row.created_at,
        }
        return Response(wire.Evaluation.of(row.body | own))


class EvaluationItems(LoopView):
    query = EvaluationItemQuery()
    answer = wire.EvaluationItemPage

    def get(self, request: Request, evaluation_id: str) -> Response:
        """The paired conversations, in their order."""
        query = self.read_query()
        evaluations = Evaluation.objects.filter(workspace_id=self.workspace_id).only("id")
        get_row(evaluations, evaluation_id, "evaluation")
        rows = EvaluationItem.objects.filter(evaluation_id=evaluation_id).order_by("ordinal", "id")
        if query["winner"] is not None:
            rows = rows.filter(winner=name_winner(query["winner"]))
        limit, offset = query["limit"], query["offset"]
        page, total = list_page(rows, limit, offset)
        items = [wire.EvaluationItem.of(row.body | {"id": row.pk, "winner": row.winner}) for row in page]
        return Response(wire.EvaluationItemPage(items=items, total=total, limit=limit, offset=offset))
