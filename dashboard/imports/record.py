"""Remembers what an import brought, and takes it back as a whole while nothing was decided on it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from dashboard.store.models import (
    Benchmark,
    BenchmarkRun,
    Brought,
    DatasetItem,
    Import,
    Rule,
    RunloopBenchmark,
    RunloopRun,
    Trace,
    TrainingRun,
    Workspace,
    new_id,
)

BY_IMPORT = "import"
BATCH = 500
KEPT = (
    "candidate_ref", "incumbent_ref", "items_digest", "rows_total", "rows_scored", "candidate_score",
    "incumbent_score", "score_delta", "per_dimension", "withheld", "candidate_stderr", "incumbent_stderr",
    "import_key", "status", "status_reason", "undated",
)  # fmt: skip


class CannotUndo(Exception):
    """The import stays. The message says what hangs on it."""


def record_import(
    workspace: Workspace, kind: str, target: str, now: datetime, before: dict[str, Any] | None = None
) -> Import:
    """The record that every row of an import refers to."""
    return Import.objects.create(
        id=new_id("imp"), workspace=workspace, kind=kind, target=target[:200], created_at=now, before=before or {}
    )


def remember(model: type[Brought], ids: Sequence[str], kind: str, target: str, now: datetime) -> Import | None:
    """The record of rows that were just brought; None of none."""
    if not ids:
        return None
    record = record_import(Workspace.default(), kind, target, now)
    for start in range(0, len(ids), BATCH):
        model._default_manager.filter(pk__in=ids[start : start + BATCH]).update(brought_by=record)
    return record


def keep_before(gap: BenchmarkRun) -> dict[str, Any]:
    """What a stored gap says, before an import fills it."""
    return {name: getattr(gap, name) for name in KEPT}


def undo_import(workspace: Workspace, import_id: str, now: datetime) -> tuple[Import, dict[str, int]]:
    """Take an import back, whole or not at all. Answers (the import, what was removed by noun). Raises CannotUndo."""
    with transaction.atomic():
        record = Import.objects.select_for_update().filter(workspace=workspace, pk=import_id).first()
        if record is None:
            raise CannotUndo(f"there is no import {import_id}; without an id, the imports are listed")
        if record.undone_at:
            raise CannotUndo(f"it was taken back on {record.undone_at:%Y-%m-%d %H:%M} UTC")
        if hanging := _find_hanging(record):
            raise CannotUndo(f"{hanging}, so nothing was taken back")
        for replay in BenchmarkRun.objects.filter(pk__in=record.before):
            for name, value in record.before[replay.pk].items():
                setattr(replay, name, value)
            replay.save()
        removed: dict[str, int] = {}
        # Runs before rules before benchmarks: a benchmark that a rule names cannot go.
        for model, noun in (
            (TrainingRun, "replays"), (Rule, "rules"), (Benchmark, "benchmarks"), (Trace, "conversations"),
            (RunloopRun, "agent runs"), (RunloopBenchmark, "agent benchmarks"),
        ):  # fmt: skip
            _, counts = model.objects.filter(brought_by=record).delete()
            removed[noun] = counts.get(f"service.{model.__name__}", 0)
        removed["filled gaps"] = len(record.before)
        record.undone_at = now
        record.save(update_fields=["undone_at"])
    return record, {noun: count for noun, count in removed.items() if count}


def _find_hanging(record: Import) -> str:
    """What came after the import and would go with it, in words; "" for nothing."""
    runs = TrainingRun.objects.filter(Q(brought_by=record) | Q(replay__in=[*record.before]))
    if decided := runs.exclude(decision=None).exclude(decided_by=BY_IMPORT).first():
        return f"{decided.checkpoint_id or decided.pk} was decided by {decided.decided_by}"
    if runs.filter(evaluation__isnull=False).exists():
        return "an evaluation hangs on a run of it"
    others = BenchmarkRun.objects.filter(benchmark__brought_by=record).exclude(run__brought_by=record)
    if other := others.select_related("benchmark").first():
        return f'its benchmark "{other.benchmark.name}" has replays of a later import: take that one back first'
    made = Benchmark.objects.filter(brought_by=record)
    if retired := made.filter(status="retired").first():
        return f'its benchmark "{retired.name}" is retired'
    if rule := Rule.objects.filter(benchmark__in=made).exclude(brought_by=record).first():
        return f'the rule "{rule.name}" is attached to its benchmark'
    mine = Rule.objects.filter(brought_by=record)
    if later := TrainingRun.objects.filter(rule__in=mine).exclude(brought_by=record).first():
        return f'its rule "{later.rule_name}" has runs of a later import: take that one back first'
    if DatasetItem.objects.filter(trace__brought_by=record).exists():
        return "a training set holds conversations of it"
    agents = RunloopRun.objects.filter(benchmark__brought_by=record).exclude(brought_by=record)
    if agents.exists():
        return "its benchmark has runs of a later import: take that one back first"
    return ""
