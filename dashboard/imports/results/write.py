"""Writes a planned import, whole or not at all: the benchmark, its rules, and a training run under each replay."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from dashboard.imports.record import keep_before, record_import
from dashboard.imports.results.harness.naming import read_step
from dashboard.imports.results.plan import CREATED_BY, Plan, list_dimensions
from dashboard.imports.results.stored import PlannedReplay
from dashboard.imports.results.types import Result
from dashboard.store.models import Benchmark, BenchmarkRun, Import, Rule, TrainingRun, Workspace
from dashboard.store.seq import take_seqs


@dataclass(frozen=True)
class Written:
    """What an import wrote: None where there was nothing to write."""

    benchmark: Benchmark | None
    record: Import | None = None


def write_import(workspace: Workspace, plan: Plan, *, now: datetime) -> Written:
    """Write the plan, whole or not at all."""
    if not plan.writes:
        return Written(plan.benchmark)
    with transaction.atomic():
        seq = take_seqs(workspace)
        before = {gap.pk: keep_before(gap) for gap, _ in plan.filled}
        record = record_import(workspace, "results", plan.name, now, before)
        benchmark = plan.benchmark or _make_benchmark(workspace, plan, now, record)
        rules = {name: _get_rule(workspace, name, benchmark, plan, now, record) for name in {p.rule for p in plan.new}}
        runs, replays = [], []
        for number, planned in enumerate(plan.new, seq + 1):
            # Ids sort as the checkpoints do, so that replays of one moment keep their order.
            suffix = f"{number:08x}{secrets.token_hex(4)}"
            run = _make_run(workspace, f"run_{suffix}", number, rules[planned.rule], planned, record)
            runs.append(run)
            replays.append(_make_replay(workspace, f"brun_{suffix}", benchmark, run, planned, plan.incumbent_is))
        TrainingRun.objects.bulk_create(runs, batch_size=200)
        BenchmarkRun.objects.bulk_create(replays, batch_size=200)
        for gap, planned in plan.filled:
            _make_replay(workspace, gap.pk, benchmark, gap.run, planned, plan.incumbent_is).save(force_update=True)
    return Written(benchmark, record)


def _make_benchmark(workspace: Workspace, plan: Plan, now: datetime, record: Import) -> Benchmark:
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
            "the digest stands for the tasks and how they were asked."
        ),
        judge_dimensions=[{"key": d, "description": f"metric {measure.metric} of {d}"} for d in measure.dimensions],
        decoding={"temperature": None, "max_tokens": None, "stream": False},
        brought_by=record,
        scoring={
            "metric": measure.metric,
            "scale": measure.scale,
            "aggregate": measure.aggregate,
            "require_all_rows": measure.require_all_rows,
            "standard": measure.standard,
        },
        items_digest=plan.digest,
    )


def _get_rule(workspace: Workspace, name: str, benchmark: Benchmark, plan: Plan, now: datetime, record: Import) -> Rule:
    """The rule of that name, made when there is none. A rule that exists keeps its attachment and everything else."""
    first = next(p for p in plan.new if p.rule == name)
    rule, _ = Rule.objects.get_or_create(
        workspace=workspace,
        name=name,
        defaults={
            "enabled": False,
            "serving": {"kind": "deployment", "name": first.result.incumbent_model, "deployment_id": None},
            "model_id": first.result.candidate_model,
            "benchmark": benchmark,
            "brought_by": record,
            "created_at": now,
            "updated_at": now,
        },
    )
    return rule


def _make_run(
    workspace: Workspace, run_id: str, seq: int, rule: Rule, planned: PlannedReplay, record: Import
) -> TrainingRun:
    states = {"auto_promoted": "promoted", "auto_rejected": "rejected"}
    return TrainingRun(
        id=run_id,
        workspace=workspace,
        created_at=planned.created_at,
        brought_by=record,
        rule=rule,
        rule_name=rule.name,
        seq=seq,
        state=states.get(planned.decision, planned.decision) if planned.decision else "reported",
        state_entered_at=planned.created_at,
        checkpoint_id=planned.result.checkpoint,
        checkpoint_step=read_step(planned.result.checkpoint),
        verdict="not_evaluated",
        decision=planned.decision,
        decided_by=CREATED_BY if planned.decision else None,
        decided_at=planned.created_at if planned.decision else None,
        finished_at=planned.created_at,
    )


def _make_replay(
    workspace: Workspace,
    replay_id: str,
    benchmark: Benchmark,
    run: TrainingRun,
    planned: PlannedReplay,
    incumbent_is: str,
) -> BenchmarkRun:
    result = planned.result
    delta = None if result.candidate is None or result.incumbent is None else result.candidate - result.incumbent
    dimensions = list_dimensions(result)
    held = {"candidate_score": result.found[0], "incumbent_score": result.found[1], "per_dimension": dimensions}
    return BenchmarkRun(
        id=replay_id,
        workspace=workspace,
        created_at=planned.created_at,
        benchmark=benchmark,
        run=run,
        candidate_ref=_refer(result.candidate_model, result.candidate_version),
        incumbent_ref=_refer_incumbent(result, incumbent_is),
        items_digest=planned.digest,
        rows_total=result.rows or 0,
        rows_scored=(result.rows or 0) if result.scored else 0,
        candidate_score=result.candidate,
        incumbent_score=result.incumbent,
        score_delta=delta,
        per_dimension=dimensions if result.scored and delta is not None else [],
        withheld=None if result.scored or result.found == (None, None) else held,
        candidate_stderr=result.stderr[0],
        incumbent_stderr=result.stderr[1],
        import_key=planned.import_key,
        status=result.status,
        status_reason=result.reason,
        finished_at=None if result.status == "open" else planned.created_at,
        undated=planned.invented_time,
    )


def _refer_incumbent(result: Result, incumbent_is: str) -> dict[str, Any]:
    """Empty where nothing was measured against. A baseline run is one model, whatever its checkpoint."""
    if not result.incumbent_model:
        return {"kind": "", "name": "", "deployment_id": None, "model_version": None}
    baseline_run = incumbent_is == "baseline-run"
    ref: dict[str, Any] = {**_refer(result.incumbent_model, None if baseline_run else result.incumbent_version)}
    return ref | {"baseline_run": True} if baseline_run else ref


def _refer(name: str, version: str | None) -> dict[str, str | None]:
    return {"kind": "deployment", "name": name, "deployment_id": None, "model_version": version}
