"""Stores runs that were read from a file beside those that are there, without writing over what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import msgspec
from django.db.models import Max

from dashboard.imports.runloop.file import ENVIRONMENT, Run, ScenarioRun
from dashboard.store.models import RunloopBenchmark, RunloopRun, RunloopScenarioRun, Workspace

LABELS = ("name", "purpose", "metadata", "duration_ms")
"""What is said about a run and is no measurement: it follows the file."""
CHANGING = ("state", "score", *LABELS, *ENVIRONMENT)
UNFINISHED = ("running", "scoring", "scored")
"""States of a scenario run that another one follows, in their order."""


class ImportRefused(Exception):
    """Nothing is imported. The message says why."""


@dataclass
class Outcome:
    """What came of the runs: ids by what was done, and (place, id, why) of each that was left as it was."""

    created: list[str] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    """They had no number, or still ran, and now are what the file says."""
    relabelled: list[str] = field(default_factory=list)
    present: list[str] = field(default_factory=list)
    conflicts: list[tuple[str, str, str]] = field(default_factory=list)
    benchmarks: list[RunloopBenchmark] = field(default_factory=list)
    """Those that the runs belong to; one that was not there is made for a run that is stored in it."""
    made: list[str] = field(default_factory=list)
    """The ids of those of them that were not there."""
    renamed: list[tuple[str, str, str]] = field(default_factory=list)
    """(id, name before, name now) of each of them that got another name."""

    @property
    def wrote(self) -> bool:
        return bool(self.created or self.filled or self.relabelled or self.made or self.renamed)


def store_runs(workspace: Workspace, rows: Sequence[tuple[str, Run]], *, name: str | None, now: datetime) -> Outcome:
    """Store (place, run) in order; each run names its benchmark. Raises ImportRefused. Run it inside a transaction.

    A run that comes twice is judged by the one before it. `name` is for the one benchmark that the runs belong to.
    """
    benchmarks, renamed = _find_benchmarks(workspace, {run.benchmark_id for _, run in rows}, name)
    outcome = Outcome(benchmarks=benchmarks, renamed=renamed)
    stored = RunloopRun.objects.in_bulk({run.id for _, run in rows})
    created: dict[str, RunloopRun] = {}
    changed: dict[str, RunloopRun] = {}
    for place, run in rows:
        row = stored.get(run.id)
        if row is None:
            stored[run.id] = created[run.id] = _build_row(workspace, run, now)
            outcome.created.append(run.id)
            continue
        why = _explain_conflict(row, run, workspace)
        if why:
            outcome.conflicts.append((place, run.id, why))
            continue
        filled, relabelled = _bring_up_to_date(row, run)
        (outcome.filled if filled else outcome.relabelled if relabelled else outcome.present).append(run.id)
        if (filled or relabelled) and run.id not in created:
            changed[run.id] = row
    known = {row.pk for row in benchmarks}
    new = sorted({row.benchmark_id for row in created.values() if row.benchmark_id} - known)
    outcome.benchmarks += RunloopBenchmark.objects.bulk_create(
        RunloopBenchmark(id=pk, workspace=workspace, created_at=now, name=name or pk) for pk in new
    )
    outcome.made += new
    RunloopRun.objects.bulk_create(created.values(), batch_size=500)
    # Each of these is there: a bulk_update of 6,000 takes twenty seconds, this one.
    RunloopRun.objects.bulk_create(
        changed.values(), update_conflicts=True, unique_fields=["id"], update_fields=CHANGING, batch_size=500
    )
    return outcome


def _find_benchmarks(
    workspace: Workspace, ids: Iterable[str | None], name: str | None
) -> tuple[list[RunloopBenchmark], list[tuple[str, str, str]]]:
    """Those of these ids that are there, and what was renamed: (id, before, now). Raises ImportRefused."""
    wanted = sorted(benchmark_id for benchmark_id in set(ids) if benchmark_id)
    if name and len(wanted) > 1:
        raise ImportRefused(f"--name is for one benchmark, and these runs belong to {len(wanted)}: {', '.join(wanted)}")
    stored = RunloopBenchmark.objects.in_bulk(wanted)
    renamed = []
    for row in stored.values():
        if row.workspace_id != workspace.pk:
            raise ImportRefused(f"the benchmark {row.pk} belongs to another workspace")
        if name and row.name != name:
            renamed.append((row.pk, row.name, name))
            row.name = name
            row.save(update_fields=["name"])
    return list(stored.values()), renamed


def _build_row(workspace: Workspace, run: Run, now: datetime) -> RunloopRun:
    return RunloopRun(
        id=run.id,
        workspace=workspace,
        created_at=now,
        benchmark_id=run.benchmark_id,
        name=run.name,
        purpose=run.purpose,
        state=run.state,
        score=run.score,
        start_time_ms=run.start_time_ms,
        duration_ms=run.duration_ms,
        metadata=run.metadata or {},
        environment_variables=run.environment_variables,
        secrets_provided=run.secrets_provided,
    )


def _explain_conflict(row: RunloopRun, run: Run, workspace: Workspace) -> str:
    """Why the stored row cannot be the run; "" where it can."""
    if row.workspace_id != workspace.pk:
        return "another workspace has a run of this id"
    if row.benchmark_id != run.benchmark_id:
        return f"it belongs to {row.benchmark_id or 'no benchmark'} there and to {run.benchmark_id} here"
    if row.start_time_ms != run.start_time_ms:
        return f"it started at {row.start_time_ms} there and at {run.start_time_ms} here"
    same = row.state == run.state and (row.score == run.score or None in (row.score, run.score))
    if same or "running" in (row.state, run.state):
        return ""
    return f"it is {_describe(row.state, row.score)} there and {_describe(run.state, run.score)} here"


def _describe(state: str, score: float | None) -> str:
    return f"{state} without a score" if score is None else f"{state} with {score!r}"


def _bring_up_to_date(row: RunloopRun, run: Run) -> tuple[bool, bool]:
    """(whether the row got another state or a score, whether anything else of it changed).

    An answer from before what is stored (still running, or not yet scored) changes nothing.
    """
    measured = run.state != row.state or run.score != row.score
    if measured and (run.state == "running" or (run.state == row.state and run.score is None)):
        return False, False
    before = [getattr(row, key) for key in CHANGING]
    row.state, row.score, row.metadata = run.state, run.score, run.metadata or {}
    row.name, row.purpose, row.duration_ms = run.name, run.purpose, run.duration_ms
    for key in ENVIRONMENT:
        setattr(row, key, getattr(run, key) or getattr(row, key))
    return measured, before != [getattr(row, key) for key in CHANGING]


def store_scenario_runs(run: RunloopRun, rows: Sequence[tuple[str, ScenarioRun]]) -> Outcome:
    """Store (place, scenario run) of one run after those that it has. Run it inside a transaction."""
    outcome = Outcome()
    stored = RunloopScenarioRun.objects.in_bulk({given.id for _, given in rows})
    ordinal = run.scenario_runs.aggregate(top=Max("ordinal", default=-1))["top"]
    for place, given in rows:
        result = msgspec.to_builtins(given.scoring_contract_result)
        row = stored.get(given.id)
        if given.benchmark_run_id not in (None, run.pk) or (row and row.run_id != run.pk):
            outcome.conflicts.append((place, given.id, "it belongs to another run"))
            continue
        if row is None:
            ordinal += 1
            row = RunloopScenarioRun(id=given.id, run=run, ordinal=ordinal, scenario_id=given.scenario_id)
            stored[given.id] = row
            outcome.created.append(given.id)
        elif _is_earlier(given.state, row.state) or (row.state, row.scoring_contract_result) == (given.state, result):
            outcome.present.append(given.id)
            continue
        elif row.state in UNFINISHED:
            outcome.filled.append(given.id)
        else:
            outcome.conflicts.append((place, given.id, f"it is {row.state} there; here it is not, or scored otherwise"))
            continue
        row.state, row.scoring_contract_result = given.state, result
        row.devbox_id, row.name, row.metadata = given.devbox_id, given.name, given.metadata or {}
        row.start_time_ms, row.duration_ms = given.start_time_ms, given.duration_ms
        row.save()
    return outcome


def _is_earlier(given: str, stored: str) -> bool:
    """True for a state that a scenario run had before the stored one. What is not among `UNFINISHED` is an end."""
    order = {state: number for number, state in enumerate(UNFINISHED)}
    return order.get(given, len(order)) < order.get(stored, len(order))
