"""What people decide about a training run: promote, reject, roll back, cancel."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.http.body import Fault, Field, Text, Whole
from dashboard.api.http.views import LoopView, Write, get_row
from dashboard.api.loop.training import describe_run, select_runs
from dashboard.api.loop.wire import training as wire
from dashboard.store.decide import decide


class YesNo(Field, frozen=True, kw_only=True):
    """true or false; nothing else is one."""

    def read(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise Fault("must be true or false")
        return value

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


NOT_AVAILABLE = "ACTION_NOT_AVAILABLE: the run's state, which the message names, does not allow it."
PROMOTE = Write(
    answer=wire.TrainingRunAction,
    fields=(
        Whole(
            name="expected_revision", description="Refuse unless this is the rule's accepted revision.", required=False
        ),
        YesNo(
            name="force",
            description="Promote although the paired verdict is inconclusive, or there is none.",
            required=False,
            default=False,
        ),
    ),
    refusals={
        409: f"{NOT_AVAILABLE} REVISION_MISMATCH: the rule's accepted revision is another one. "
        "INCONCLUSIVE_REQUIRES_FORCE: the verdict says neither better nor not_better, and `force` is not true."
    },
)
WITH_REASON = Write(
    answer=wire.TrainingRunAction,
    fields=(
        Text(
            name="reason",
            description="Kept in the run's timeline.",
            required=False,
            default="",
            least=0,
            most=500,
            line=False,
        ),
    ),
    refusals={409: NOT_AVAILABLE},
)


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
    writes = {"POST": PROMOTE}


class TrainingRunReject(_Decision):
    """End the review without a change of what serves. A second call answers what stands."""

    verb = "reject"
    writes = {"POST": WITH_REASON}


class TrainingRunRollback(_Decision):
    """Have the rule serve again what it served before this run was promoted. A second call answers what stands."""

    verb = "rollback"
    writes = {"POST": WITH_REASON}


class TrainingRunCancel(_Decision):
    """End a run that is not over. What it cost so far stays billed. A second call answers what stands."""

    verb = "cancel"
    writes = {"POST": WITH_REASON}
