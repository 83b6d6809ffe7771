"""What people decide about a training run: promote, reject, roll back, cancel."""

from __future__ import annotations

from typing import ClassVar

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.http.fields import Strict, Text, Whole, YesNo
from dashboard.api.http.views import LoopView, Write, get_row
from dashboard.api.loop.training import describe_run, select_runs
from dashboard.api.loop.wire import training as wire
from dashboard.store.decide import decide
from dashboard.store.text.rules import TextRule

REASON = TextRule(most=500, line=False, blank=True)


class Promotion(Strict):
    expected_revision = Whole(required=False, help_text="Refuse unless this is the rule's accepted revision.")
    force = YesNo(
        required=False,
        default=False,
        help_text="Promote although the paired verdict is inconclusive, or there is none.",
    )


class Reasoned(Strict):
    reason = Text(REASON, required=False, default="", help_text="Kept in the run's timeline.")


NOT_AVAILABLE = "ACTION_NOT_AVAILABLE: the run's state, which the message names, does not allow it."
REVISION_OR_VERDICT = (
    f"{NOT_AVAILABLE} REVISION_MISMATCH: the rule's accepted revision is another one. INCONCLUSIVE_REQUIRES_FORCE: the "
    "verdict says neither better nor not_better, and `force` is not true."
)


def _write(action: str, body: Strict, conflict: str = NOT_AVAILABLE) -> dict[str, Write]:
    answer = wire.TrainingRunAction
    return {"POST": Write(action=action, kind="run", answer=answer, body=body, refusals={409: conflict})}


class _Decision(LoopView):
    """The run after the action. Taking it again changes nothing and answers what stands, with who was first."""

    verb: ClassVar[str]

    def post(self, request: Request, run_id: str) -> Response:
        body = self.read_body()
        if "reason" in body:
            body["reason"] = body["reason"].strip()
        serving = decide(self.verb, self.workspace_id, run_id, actor=self.caller.actor, now=timezone.now(), **body)
        run = get_row(select_runs(self.workspace_id), run_id, "training run")
        answer = wire.TrainingRunAction(describe_run(run), wire.Serving.of(serving) if serving else None)
        return Response(answer)


class TrainingRunPromote(_Decision):
    """Have the run's candidate serve in place of what the rule serves. A second call answers what stands."""

    verb = "promote"
    writes = _write(verb, Promotion(), REVISION_OR_VERDICT)


class TrainingRunReject(_Decision):
    """End the review without a change of what serves. A second call answers what stands."""

    verb = "reject"
    writes = _write(verb, Reasoned())


class TrainingRunRollback(_Decision):
    """Have the rule serve again what it served before this run was promoted. A second call answers what stands."""

    verb = "rollback"
    writes = _write(verb, Reasoned())


class TrainingRunCancel(_Decision):
    """End a run that is not over. What it cost so far stays billed. A second call answers what stands."""

    verb = "cancel"
    writes = _write(verb, Reasoned())
