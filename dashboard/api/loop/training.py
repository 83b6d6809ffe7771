"""Training rules and training runs, to read; and the benchmark that a rule replays."""

from __future__ import annotations

from datetime import datetime

import msgspec
from django.db.models import F, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.http.fields import Choice, Flag, Id, Strict, Word
from dashboard.api.http.query import PageQuery
from dashboard.api.http.views import NEWEST_FIRST, LoopView, Write, get_row, list_page
from dashboard.api.loop.benchmarks import select_replays
from dashboard.api.loop.wire import training as wire
from dashboard.api.loop.wire.benchmarks import BenchmarkRun as Replay
from dashboard.contract import FINAL_STATES, MOVING_STATES, VERDICTS, WRITE
from dashboard.store.attach import set_benchmark
from dashboard.store.decide import choose_candidate, expire, filter_state, list_actions
from dashboard.store.models import Rule, RunEvent, TrainingRun

COSTS = ("billed_training_cents", "billed_candidate_cents", "spent_eval_cents", "benchmark_spent_cents")
RECENT_RUNS = 10


class RuleQuery(PageQuery):
    enabled = Flag(required=False, help_text="Only rules that are, or are not, enabled.")


class RunQuery(PageQuery):
    rule_id = Word(help_text="Only runs of this rule.")
    state = Choice(MOVING_STATES + FINAL_STATES, required=False, help_text="Only runs in this state.")
    verdict = Choice(VERDICTS, required=False, help_text="Only runs whose paired comparison came to this.")


class Attachment(Strict):
    """Which benchmark a rule replays."""

    benchmark_id = Id(allow_null=True, help_text="What to replay on every run; null detaches.")


class TrainingRuleList(LoopView):
    query = RuleQuery()
    answer = wire.TrainingRulePage

    def get(self, request: Request) -> Response:
        """Training rules of the workspace, newest first."""
        query = self.read_query()
        rows = Rule.objects.filter(workspace_id=self.workspace_id).order_by(*NEWEST_FIRST)
        if query["enabled"] is not None:
            rows = rows.filter(enabled=query["enabled"])
        limit, offset = query["limit"], query["offset"]
        page, total = list_page(rows, limit, offset)
        rules = [wire.TrainingRule.of(row) for row in page]
        return Response(wire.TrainingRulePage(rules=rules, total=total, limit=limit, offset=offset))


class TrainingRuleDetail(LoopView):
    answer = wire.TrainingRuleAnswer

    def get(self, request: Request, rule_id: str) -> Response:
        """One rule, its newest runs, and what it spent this month."""
        self.read_query()
        rule = get_row(Rule.objects.filter(workspace_id=self.workspace_id), rule_id, "training rule")
        recent, now = select_runs(self.workspace_id).filter(rule_id=rule.pk)[:RECENT_RUNS], timezone.now()
        return Response(
            wire.TrainingRuleAnswer(
                rule=wire.TrainingRule.of(rule),
                recent_runs=[_summarise(run, now) for run in recent],
                month_spent_cents=_sum_month(rule),
            )
        )


class TrainingRuleBenchmark(LoopView):
    writes = {
        "PUT": Write(
            action="attach",
            kind="rule",
            answer=wire.TrainingRuleMutation,
            body=Attachment(),
            refusals={
                409: "BENCHMARK_RETIRED: no rule can replay a retired benchmark. BENCHMARK_WITHOUT_ITEMS: nor one "
                "without conversations, whose scores were imported."
            },
        )
    }

    def put(self, request: Request, rule_id: str) -> Response:
        """Attach a benchmark to the rule, in place of the one it has, or detach it. Consent is not touched."""
        benchmark_id = self.read_body()["benchmark_id"]
        rule = set_benchmark(self.workspace_id, rule_id, benchmark_id, timezone.now())
        said = {"action": "attach" if benchmark_id else "detach", "message": f"replays {benchmark_id or 'nothing'}"}
        self.note(target_name=rule.name, **said)
        return Response(wire.TrainingRuleMutation(wire.TrainingRule.of(rule)))


class TrainingRunList(LoopView):
    query = RunQuery()
    answer = wire.TrainingRunPage

    def get(self, request: Request) -> Response:
        """Training runs of the workspace, newest first. One whose deadline passed is expired, written or not."""
        query, now = self.read_query(), timezone.now()
        rows = select_runs(self.workspace_id)
        if query["rule_id"] is not None:
            rows = rows.filter(rule_id=query["rule_id"])
        if query["state"] is not None:
            rows = filter_state(rows, query["state"], now)
        if query["verdict"] is not None:
            rows = rows.filter(verdict=query["verdict"])
        limit, offset = query["limit"], query["offset"]
        page, total = list_page(rows, limit, offset)
        runs = [_summarise(row, now) for row in page]
        return Response(wire.TrainingRunPage(runs=runs, total=total, limit=limit, offset=offset))


class TrainingRunDetail(LoopView):
    answer = wire.TrainingRunAnswer

    def get(self, request: Request, run_id: str) -> Response:
        """One run with its timeline, its replay of the benchmark, and links."""
        self.read_query()
        run, now = get_row(select_runs(self.workspace_id), run_id, "training run"), timezone.now()
        timeline = list(RunEvent.objects.filter(run_id=run.pk).order_by("seq"))
        lapsed = expire(run, now)
        if lapsed:
            lapsed.seq = timeline[-1].seq + 1 if timeline else 1
            timeline.append(lapsed)
        shape = describe_run(run)
        replay = select_replays(self.workspace_id).filter(run_id=run.pk).first()
        return Response(
            wire.TrainingRunAnswer(
                run=shape,
                timeline=[wire.TrainingRunEvent.of(event) for event in timeline],
                benchmark=Replay.of(replay) if replay else None,
                links=wire.TrainingRunLinks(
                    evaluation_url=reverse("loop-evaluation", args=[shape.evaluation_id])
                    if shape.evaluation_id
                    else None,
                    benchmark_url=reverse("loop-benchmark", args=[replay.benchmark_id]) if replay else None,
                ),
                available_actions=self._list_actions(shape, run, now),
            )
        )

    def _list_actions(self, shape: wire.TrainingRun, run: TrainingRun, now: datetime) -> wire.TrainingRunActions:
        """What this caller can do: nothing, with a key that may not write."""
        if WRITE not in self.caller.scopes:
            return wire.TrainingRunActions()
        return wire.TrainingRunActions(**list_actions(run, now, has_candidate=shape.candidate_name is not None))


def select_runs(workspace_id: str) -> QuerySet[TrainingRun]:
    """The workspace's runs, newest first, with the ids of what hangs on each and whether its time was invented."""
    rows = TrainingRun.objects.filter(workspace_id=workspace_id).order_by(*NEWEST_FIRST)
    return rows.annotate(
        compared=F("evaluation__body__candidate_ref"),
        replayed=F("replay__candidate_ref"),
        evaluation_id=F("evaluation__id"),
        benchmark_run_id=F("replay__id"),
        updated_at=F("state_entered_at"),
        undated=Coalesce("replay__undated", False),
    )


def describe_run(run: TrainingRun) -> wire.TrainingRun:
    """A run of `select_runs` in full, with the candidate that it would have serve."""
    candidate = choose_candidate(run.compared, run.replayed) or {}  # type: ignore[attr-defined]  # annotated
    names = {f"candidate_{key}": candidate.get(key) for key in ("name", "deployment_id")}
    return msgspec.structs.replace(wire.TrainingRun.of(run), **names)


def _summarise(run: TrainingRun, now: datetime) -> wire.TrainingRunSummary:
    expire(run, now)
    return wire.TrainingRunSummary.of(run)


def _sum_month(rule: Rule) -> int:
    """Whole cents that the rule's runs of this calendar month (UTC) cost, over the four columns."""
    month = timezone.now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    sums = TrainingRun.objects.filter(rule=rule, created_at__gte=month).aggregate(
        **{f"total_{column}": Sum(column, default=0) for column in COSTS}
    )
    return sum(sums.values())
