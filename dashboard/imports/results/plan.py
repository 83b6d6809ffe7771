"""Plans an import: what of the results is new, unchanged or in conflict with what is stored. Nothing is written here.

A benchmark made here pins no conversations: its judge is whoever measured, its digest stands for what was measured
(tasks, their versions, shots and limit). The identity of a replay is its rule, its checkpoint and its candidate; what
was imported once is never changed, but that a gap is filled when the files now give its number; files that say
something else are reported as conflicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from dashboard.imports.results.types import MAX_NAME, Measure, Result, ResultSet, is_storable
from dashboard.store.digest import digest_json
from dashboard.store.models import Benchmark, BenchmarkRun, Workspace

CREATED_BY = "import"
FIRST_IMPORT_AGE = timedelta(days=1)
"""How long ago the last undated replay of a first import is placed: room for later ones before today's clock."""
_MINUTE = timedelta(minutes=1)


class ImportRefused(Exception):
    """The results do not belong into this benchmark. The message says why and what to do."""


@dataclass(frozen=True)
class PlannedReplay:
    """One replay to be written."""

    result: Result
    rule: str
    created_at: datetime
    invented_time: bool
    decision: str | None
    digest: str


@dataclass(frozen=True)
class Plan:
    """What an import would do. `new` is oldest first."""

    name: str
    measure: Measure
    digest: str
    benchmark: Benchmark | None
    """The benchmark to append to; None when a new one is made."""
    new: tuple[PlannedReplay, ...]
    filled: tuple[tuple[BenchmarkRun, PlannedReplay], ...]
    """Stored gaps with the number that the files give them now."""
    unchanged: int
    conflicts: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass
class _Existing:
    """A rule's replays that were imported before, by (checkpoint, candidate name)."""

    by_identity: dict[tuple[str, str, str], BenchmarkRun] = field(default_factory=dict)
    newest_at: datetime | None = None


def find_benchmark(workspace: Workspace, name: str) -> Benchmark | None:
    """The active benchmark of that name, None when there is none. Raises ImportRefused when it was not imported.

    A retired benchmark keeps its name in its history but takes no more replays: its name is free for a new one.
    """
    if not name.strip() or len(name) > MAX_NAME or not is_storable(name):
        raise ImportRefused(f"a benchmark's name has 1 to {MAX_NAME} characters")
    benchmark = Benchmark.objects.filter(workspace=workspace, name=name, status="active").first()
    if benchmark and benchmark.created_by != CREATED_BY:
        raise ImportRefused(
            f'"{name}" exists and its judge {benchmark.judge_name} scores pinned conversations: '
            "imported numbers would not be comparable with its own. Choose another --benchmark"
        )
    return benchmark


def list_frozen_tasks(benchmark: Benchmark | None) -> list[str]:
    """The tasks that an imported benchmark averages over; empty when it has no dimensions or is yet to be made."""
    return [d["key"] for d in benchmark.judge_dimensions] if benchmark else []


def plan_import(
    workspace: Workspace,
    name: str,
    results: ResultSet,
    *,
    now: datetime,
    rule: str = "",
    promote_best: bool = False,
    order: str = "date",
) -> Plan:
    """Compare the results with what is stored. Raises ImportRefused when the benchmark measures something else.

    `rule`: the rule's name for results that name none; "" makes one from the candidate and the benchmark.
    `order`: "date" takes times from the files, "checkpoint" ignores them and places checkpoints a minute apart.
    `promote_best`: decide each new scored replay as a team would that promotes every new best candidate.
    """
    if len(rule) > MAX_NAME or not is_storable(rule):
        raise ImportRefused(f"a rule's name has at most {MAX_NAME} characters")
    benchmark = find_benchmark(workspace, name)
    notes = list(results.notes)
    if benchmark is None and Benchmark.objects.filter(workspace=workspace, name=name).exists():
        notes.append(f'the retired benchmark "{name}" keeps its trend; a new one of that name is made')
    if benchmark:
        _check_same_measure(benchmark, results.measure)
    digest = benchmark.items_digest if benchmark else _freeze_digest(name, results)
    existing = _read_existing(benchmark)
    new, filled, unchanged, conflicts = [], [], 0, []
    for result in results.results:
        named = _name_models(result, results.origin)
        planned = PlannedReplay(
            result=named,
            rule=result.rule or rule or _name_rule(named.candidate_model, name),
            created_at=now,
            invented_time=result.created_at is None or order == "checkpoint",
            decision=result.decision,
            digest=digest if result.identity is None else digest_json(result.identity),
        )
        stored = existing.by_identity.get(_identify(planned))
        if stored is None:
            new.append(planned)
            continue
        if stored.candidate_score is None and named.scored:
            at, decision = stored.created_at, stored.run.decision
            kept = replace(planned, created_at=at, invented_time=stored.undated, decision=decision)
            filled.append((stored, kept))
            continue
        differences = _list_differences(stored, planned)
        unchanged += not differences
        if differences:
            conflicts.append(f"{result.checkpoint}: {'; '.join(differences)}")
    new = _place_in_time(new, existing.newest_at, now)
    if promote_best:
        new = _promote_each_best(new, existing, lower_is_better=results.measure.lower_is_better)
        if unchanged or conflicts:
            notes.append("replays that were imported before keep the decision they have, or that they have none")
    notes += _describe_times(new, existing, results)
    if digest and any(p.digest != digest for p in new):
        others = [p.result.checkpoint for p in new if p.digest != digest]
        notes.append(f"not comparable, other task versions, shots or limit than the benchmark's: {', '.join(others)}")
    return Plan(
        name=name,
        measure=results.measure,
        digest=digest,
        benchmark=benchmark,
        new=tuple(new),
        filled=tuple(filled),
        unchanged=unchanged,
        conflicts=tuple(conflicts),
        notes=tuple(notes),
    )


def _check_same_measure(benchmark: Benchmark, measure: Measure) -> None:
    stored = benchmark.scoring
    if (benchmark.judge_name, stored.get("metric"), stored.get("aggregate")) != (
        measure.source,
        measure.metric,
        measure.aggregate,
    ):
        raise ImportRefused(
            f'"{benchmark.name}" is frozen to {benchmark.judge_name}, metric {stored.get("metric")}, '
            f"{stored.get('aggregate')}; these results are {measure.source}, metric {measure.metric}, "
            f"{measure.aggregate}. Choose another --benchmark"
        )


def _freeze_digest(name: str, results: ResultSet) -> str:
    """The digest of what the first scored checkpoint measured; of a table, which says nothing, of its name alone."""
    identity = next((r.identity for r in results.results if r.scored and r.identity is not None), None)
    return digest_json(identity if identity is not None else {"benchmark": name, "source": results.measure.source})


def _name_models(result: Result, origin: str) -> Result:
    return replace(
        result,
        candidate_model=result.candidate_model or origin[:MAX_NAME] or "candidate",
        incumbent_model=result.incumbent_model or "none",
    )


def _name_rule(model: str, benchmark: str) -> str:
    """One rule a model and benchmark, as a rule is attached to one benchmark at a time."""
    return f"import: {model} ({benchmark})"[:MAX_NAME]


def list_dimensions(result: Result) -> list[dict[str, Any]]:
    """A replay's `per_dimension`, as stored and sent. A side that was not measured is null, and so is its delta."""
    return [
        {
            "dimension": d.key,
            "incumbent": d.incumbent,
            "candidate": d.candidate,
            "delta": None if d.candidate is None or d.incumbent is None else d.candidate - d.incumbent,
        }
        for d in result.dimensions
    ]


def _identify(planned: PlannedReplay) -> tuple[str, str, str]:
    return planned.rule, planned.result.checkpoint, planned.result.candidate_model


def _read_existing(benchmark: Benchmark | None) -> _Existing:
    existing = _Existing()
    if benchmark:
        for replay in benchmark.replays.select_related("run").order_by("created_at", "id"):
            key = (replay.run.rule_name or "", replay.run.checkpoint_id or "", replay.candidate_ref.get("name", ""))
            existing.by_identity[key] = replay
            existing.newest_at = replay.created_at
    return existing


def _list_differences(stored: BenchmarkRun, planned: PlannedReplay) -> list[str]:
    result = planned.result
    pairs: list[tuple[str, Any, Any]] = [
        ("status", stored.status, result.status),
        ("candidate", stored.candidate_score, result.candidate),
        ("incumbent", stored.incumbent_score, result.incumbent),
        ("incumbent model", stored.incumbent_ref.get("name"), result.incumbent_model),
        ("reason", stored.status_reason, result.reason),
    ]
    if planned.decision:
        pairs.append(("decision", stored.run.decision, planned.decision))
    differences = [f"{what} was {old}, the files say {new}" for what, old, new in pairs if old != new]
    if stored.per_dimension != list_dimensions(result):
        differences.append("its dimensions differ")
    if stored.items_digest != planned.digest:
        differences.append("its task versions, shots or limit differ")
    return differences


def _place_in_time(new: Sequence[PlannedReplay], newest_at: datetime | None, now: datetime) -> list[PlannedReplay]:
    """Give undated replays their times, in the order they come: a minute after the one before.

    With nothing before, they count back from the first dated one, else from a day ago; never before what is stored.
    """
    times = [None if p.invented_time else p.result.created_at for p in new]
    dated = [(index, time) for index, time in enumerate(times) if time]
    if newest_at:
        before = newest_at
    elif dated:
        before = dated[0][1] - (dated[0][0] + 1) * _MINUTE
    else:
        before = now.replace(second=0, microsecond=0) - FIRST_IMPORT_AGE - len(new) * _MINUTE
    placed = []
    for planned, time in zip(new, times, strict=True):
        created_at = time or before + _MINUTE
        before = created_at if newest_at is None else max(created_at, newest_at)
        placed.append(replace(planned, created_at=created_at))
    return sorted(placed, key=lambda p: p.created_at)


def _promote_each_best(
    new: Iterable[PlannedReplay], existing: _Existing, *, lower_is_better: bool
) -> list[PlannedReplay]:
    """Walk each rule in time: a candidate better than every one before it and than its incumbent is promoted.

    Every other scored replay is rejected; one without a score stays undecided. What was imported before is walked
    over and keeps the decision it has, and so does a decision that the files name.
    """
    sign = -1.0 if lower_is_better else 1.0
    walk: list[tuple[datetime, str, float | None, float | None, PlannedReplay | None]] = [
        (replay.created_at, rule, replay.candidate_score, replay.incumbent_score, None)
        for (rule, _, _), replay in existing.by_identity.items()
    ]
    walk += [(p.created_at, p.rule, p.result.candidate, p.result.incumbent, p) for p in new]
    best: dict[str, float] = {}
    decided = []
    for _, rule, candidate, incumbent, planned in sorted(walk, key=lambda step: step[0]):
        decision = None
        if candidate is not None and incumbent is not None:
            beaten = sign * candidate > max(best.get(rule, float("-inf")), sign * incumbent)
            decision = "promoted" if beaten else "rejected"
            best[rule] = max(best.get(rule, float("-inf")), sign * candidate)
        if planned:
            decided.append(replace(planned, decision=planned.decision or decision))
    return decided


def _describe_times(new: Sequence[PlannedReplay], existing: _Existing, results: ResultSet) -> list[str]:
    notes = []
    invented = sum(p.invented_time for p in new)
    if invented:
        notes.append(
            f"{invented} of {len(new)} checkpoints have no date: they were given times one minute apart, in checkpoint "
            "order" + (", after everything imported before" if existing.newest_at else "")
        )
    rank = {(r.rule, r.checkpoint): i for i, r in enumerate(results.results)}
    ranks = [rank[p.result.rule, p.result.checkpoint] for p in new]
    if ranks != sorted(ranks):
        notes.append(
            "the dates order the checkpoints otherwise than their numbers do, and the trend follows the dates; "
            "--order checkpoint follows the numbers"
        )
    return notes
