"""Writes a planned import, whole or not at all: the benchmark, its rules, and a training run under each replay."""

from __future__ import annotations

import secrets
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from dashboard.imports.results.plan import CREATED_BY, Plan, PlannedReplay, list_dimensions
from dashboard.store.models import Benchmark, BenchmarkRun, Rule, TrainingRun, Workspace


def write_import(workspace: Workspace, plan: Plan, *, now: datetime) -> Benchmark | None:
    """Write the plan, whole or not at all. Answers the benchmark; None when there was nothing to write or to show."""
    if not plan.new and not plan.filled:
        return plan.benchmark
    with transaction.atomic():
        benchmark = plan.benchmark or _make_benchmark(workspace, plan, now)
        rules = {name: _get_rule(workspace, name, benchmark, plan, now) for name in {p.rule for p in plan.new}}
        seq = TrainingRun.objects.filter(workspace=workspace).aggregate(top=Max("seq"))["top"] or 0
        runs, replays = [], []
        for number, planned in enumerate(plan.new, seq + 1):
            # Ids sort as the checkpoints do, so that replays of one moment keep their order.
            suffix = f"{number:08x}{secrets.token_hex(4)}"
            run = _make_run(workspace, f"run_{suffix}", number, rules[planned.rule], planned)
            runs.append(run)
            replays.append(_make_replay(workspace, f"brun_{suffix}", benchmark, run, planned))
        TrainingRun.objects.bulk_create(runs, batch_size=200)
        BenchmarkRun.objects.bulk_create(replays, batch_size=200)
        for gap, planned in plan.filled:
            _make_replay(workspace, gap.pk, benchmark, gap.run, planned).save(force_update=True)
    return benchmark


def _make_benchmark(workspace: Workspace, plan: Plan, now: datetime) -> Benchmark:
    measure = plan.measure
    better = " Lower is better." if measure.lower_is_better else ""
    return Benchmark.objects.create(
        workspace=workspace,
        name=plan.name,
        created_by=CREATED_BY,
        created_at=now,
        judge_name=measure.source,
        judge_model=f"none (metric {measure.metric})",
        judge_instructions=(
            f"No model judged: the numbers were imported from results of {measure.source}. The score is "
            f"{measure.aggregate}, metric {measure.metric}.{better} No conversations are pinned here; "
            "the digest stands for the tasks, their versions, shots and limit."
        ),
        judge_dimensions=[{"key": d, "description": f"metric {measure.metric} of {d}"} for d in measure.dimensions],
        decoding={"temperature": None, "max_tokens": None, "stream": False},
        scoring={
            "metric": measure.metric,
            "scale": measure.scale,
            "aggregate": measure.aggregate,
            "require_all_rows": measure.require_all_rows,
        },
        items_digest=plan.digest,
    )


def _get_rule(workspace: Workspace, name: str, benchmark: Benchmark, plan: Plan, now: datetime) -> Rule:
    """The rule of that name, made when there is none. A rule that exists keeps its attachment and everything else."""
    first = next(p for p in plan.new if p.rule == name)
    rule, _ = Rule.objects.get_or_create(
        workspace=workspace,
        name=name,
        defaults={
            "enabled": False,
            "paused_reason": "imported results: this rule fires no training",
            "serving": {"kind": "deployment", "name": first.result.incumbent_model, "deployment_id": None},
            "model_id": first.result.candidate_model,
            "benchmark": benchmark,
            "created_at": now,
            "updated_at": now,
        },
    )
    return rule


def _make_run(workspace: Workspace, run_id: str, seq: int, rule: Rule, planned: PlannedReplay) -> TrainingRun:
    digits = "".join(c if c.isdecimal() and c.isascii() else " " for c in planned.result.checkpoint).split()
    step = int(digits[-1]) if digits and len(digits[-1]) <= 18 else None
    states = {"auto_promoted": "promoted", "auto_rejected": "rejected"}
    return TrainingRun(
        id=run_id,
        workspace=workspace,
        created_at=planned.created_at,
        rule=rule,
        rule_name=rule.name,
        seq=seq,
        state=states.get(planned.decision, planned.decision) if planned.decision else "reported",
        state_entered_at=planned.created_at,
        checkpoint_id=planned.result.checkpoint,
        checkpoint_step=step,
        verdict="not_evaluated",
        decision=planned.decision,
        decided_by=CREATED_BY if planned.decision else None,
        decided_at=planned.created_at if planned.decision else None,
        finished_at=planned.created_at,
    )


def _make_replay(
    workspace: Workspace, replay_id: str, benchmark: Benchmark, run: TrainingRun, planned: PlannedReplay
) -> BenchmarkRun:
    result = planned.result
    delta = None if result.candidate is None or result.incumbent is None else result.candidate - result.incumbent
    return BenchmarkRun(
        id=replay_id,
        workspace=workspace,
        created_at=planned.created_at,
        benchmark=benchmark,
        run=run,
        candidate_ref=_refer(result.candidate_model, result.candidate_version),
        incumbent_ref=_refer(result.incumbent_model, None),
        items_digest=planned.digest,
        rows_total=result.rows or 0,
        rows_scored=(result.rows or 0) if result.scored else 0,
        candidate_score=result.candidate,
        incumbent_score=result.incumbent,
        score_delta=delta,
        per_dimension=list_dimensions(result),
        status=result.status,
        status_reason=result.reason,
        finished_at=None if result.status == "open" else planned.created_at,
        undated=planned.invented_time,
    )


def _refer(name: str, version: str | None) -> dict[str, str | None]:
    return {"kind": "deployment", "name": name, "deployment_id": None, "model_version": version}
