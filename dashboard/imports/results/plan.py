"""Plans an import: what of the results is new, unchanged or in conflict with what is stored. Nothing is written here.

A benchmark made here pins no conversations: its judge is whoever measured, its digest stands for what most files
measured (tasks, and how they were asked). What was imported once is never changed, but that a gap is filled when the
files now give its number; files that say something
else of a candidate are reported as conflicts. Another incumbent pairs nothing anew that is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from dashboard.imports.results.harness.alike import explain_unlike
from dashboard.imports.results.promote import promote_each_best
from dashboard.imports.results.stored import (
    Existing,
    PlannedReplay,
    is_scored,
    list_differences,
    match,
    read_existing,
    read_numbers,
)
from dashboard.imports.results.times import describe_times, place_in_time
from dashboard.imports.results.types import (
    MAX_NAME,
    Measure,
    Result,
    ResultSet,
    fold_name,
    is_storable,
    join_names,
)
from dashboard.store.digest import digest_json
from dashboard.store.models import Benchmark, BenchmarkRun, Workspace

CREATED_BY = "import"


class ImportRefused(Exception):
    """The results do not belong into this benchmark. The message says why and what to do."""


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
    """Stored replays, unchanged but for the mark they lack that their time was invented."""
    unchanged: int
    conflicts: tuple[str, ...]
    notes: tuple[str, ...]
    incumbent_is: str = "serving"

    @property
    def writes(self) -> bool:
        return bool(self.new or self.filled)


def find_benchmark(workspace: Workspace, name: str) -> Benchmark | None:
    """The active benchmark of that name, None when there is none. Raises ImportRefused when it was not imported.

    A retired benchmark keeps its name in its history but takes no more replays: its name is free for a new one.
    """
    if not name.strip() or len(name) > MAX_NAME or not is_storable(name):
        raise ImportRefused(f"a benchmark's name has 1 to {MAX_NAME} characters")
    benchmark = Benchmark.objects.filter(workspace=workspace, name=name.strip(), status="active").first()
    if benchmark and benchmark.created_by != CREATED_BY:
        raise ImportRefused(
            f'"{name}" exists and its judge {benchmark.judge_name} scores pinned conversations: '
            "imported numbers would not be comparable with its own. Choose another --benchmark"
        )
    return benchmark


def list_frozen_tasks(benchmark: Benchmark | None) -> list[str]:
    """The tasks that an imported benchmark averages over; empty when it has no dimensions or is yet to be made."""
    return [d["key"] for d in benchmark.judge_dimensions] if benchmark else []


def get_standard(benchmark: Benchmark | None) -> Any:
    """The identity that an imported benchmark is frozen to; None where there is none yet, or it was made without."""
    return benchmark.scoring.get("standard") if benchmark else None


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
    name, rule = name.strip(), rule.strip()
    if len(rule) > MAX_NAME or not is_storable(rule):
        raise ImportRefused(f"a rule's name has at most {MAX_NAME} characters")
    benchmark = find_benchmark(workspace, name)
    notes = list(results.notes)
    if benchmark:
        _check_same_measure(benchmark, results.measure)
    else:
        notes += _check_new(workspace, name, results)
    standard = get_standard(benchmark) or (None if benchmark else _choose_standard(results))
    digest = benchmark.items_digest if benchmark else _freeze_digest(name, results, standard)
    existing = read_existing(benchmark)
    has_incumbent = existing.has_incumbent or any(r.incumbent_model for r in results.results)
    planned = [
        _plan_replay(result, n, results, name, rule, now, order, standard, digest, has_incumbent)
        for n, result in enumerate(results.results)
    ]
    _check_lines(planned, rule)
    new, filled, unchanged, kept, conflicts = [], [], 0, 0, []
    for one, stored in zip(planned, match(planned, existing), strict=True):
        if stored is None:
            new.append(one)
        elif not is_scored(stored) and one.result.scored:
            one = replace(one, created_at=stored.created_at, invented_time=stored.undated)
            filled.append((stored, replace(one, decision=stored.run.decision)))
        elif differences := list_differences(stored, one, both_sides=results.measure.source == "table"):
            conflicts.append(f"{one.result.checkpoint}: {'; '.join(differences)}")
        else:
            unchanged += 1
            kept += _has_other_incumbent(stored, one)
    new = place_in_time(new, existing.newest_at, now)
    if promote_best:
        new = _promote(new, existing, benchmark, results.measure, has_incumbent=has_incumbent)
        if unchanged or conflicts:
            notes.append("replays that were imported before keep the decision they have, or that they have none")
    notes += describe_times(new, existing)
    notes += _describe_lines(new, existing)
    if kept:
        notes.append(f"{kept} of the checkpoints imported before keep the incumbent that they were set against")
    if others := [p.result.checkpoint for p in new if p.digest != digest]:
        notes.append(f"not comparable, measured otherwise than the benchmark is frozen to: {join_names(others)}")
    return Plan(
        name=name,
        measure=replace(results.measure, standard=standard),
        digest=digest,
        benchmark=benchmark,
        new=tuple(new),
        filled=tuple(filled),
        unchanged=unchanged,
        conflicts=tuple(conflicts),
        notes=tuple(notes),
        incumbent_is=results.incumbent_is,
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
    frozen = _read_direction(stored.get("scale", ""))
    if None not in (frozen, measure.lower_is_better) and frozen != measure.lower_is_better:
        raise ImportRefused(
            f'"{benchmark.name}" is frozen to {"lower" if frozen else "higher"} is better. Choose another --benchmark'
        )


def _read_direction(scale: str) -> bool | None:
    return True if "lower is better" in scale else None if "direction unknown" in scale else False


def _check_new(workspace: Workspace, name: str, results: ResultSet) -> list[str]:
    """Notes on the name of a benchmark that is to be made. Raises ImportRefused where it would have no number."""
    if not any(r.scored for r in results.results):
        reasons = list(dict.fromkeys(r.reason or r.status for r in results.results))
        raise ImportRefused(f"nothing in it makes a score, so no benchmark is made: {'; '.join(reasons[:3])}")
    taken = Benchmark.objects.filter(workspace=workspace).values_list("name", flat=True)
    notes = []
    if name in taken:
        notes.append(f'the retired benchmark "{name}" keeps its trend; a new one of that name is made')
    return notes + _tell_alike("benchmark", [name], taken)


def _tell_alike(what: str, names: Iterable[str], there: Iterable[str]) -> list[str]:
    """A note for each name that looks like another one and is not."""
    seen: dict[str, str] = {}
    for name in there:
        seen.setdefault(fold_name(name), name)
    firsts = [(seen.setdefault(fold_name(name), name), name) for name in dict.fromkeys(names)]
    return [
        f'the {what} "{name}" is another than "{first}", which looks the same'
        for first, name in firsts
        if first != name
    ]


def _choose_standard(results: ResultSet) -> Any:
    if results.measure.standard:
        return results.measure.standard
    return next((r.identity for r in results.results if r.scored and r.identity is not None), None)


def _freeze_digest(name: str, results: ResultSet, standard: Any) -> str:
    """The digest of what most files measured; of a table, which says nothing, of its name alone."""
    return digest_json(standard if standard is not None else {"benchmark": name, "source": results.measure.source})


def _plan_replay(
    result: Result,
    rank: int,
    results: ResultSet,
    name: str,
    rule: str,
    now: datetime,
    order: str,
    standard: Any,
    digest: str,
    has_incumbent: bool,
) -> PlannedReplay:
    model = result.candidate_model or results.origin[:MAX_NAME] or "candidate"
    own, legacy = digest, ""
    if result.identity is not None:
        legacy = digest_json(result.legacy) if result.legacy is not None else ""
        unlike = explain_unlike(standard, result.identity) if standard is not None else ""
        if standard is None and legacy != digest:
            unlike = "task versions, shots or limit"
        if unlike:
            own = digest_json(result.identity)
            result = _withhold(result, f"not measured as the benchmark is frozen to: {unlike}", "done")
    if has_incumbent and result.scored and result.incumbent is None:
        why = f"no incumbent result for {result.checkpoint} (no --incumbent was given)"
        result = _withhold(result, why, "failed")
    return PlannedReplay(
        result=replace(result, candidate_model=model),
        rule=(result.rule or rule or _name_rule(model, name)),
        created_at=now,
        invented_time=result.created_at is None or order == "checkpoint",
        decision=result.decision,
        digest=own,
        rank=rank,
        legacy_digest=legacy,
    )


def _withhold(result: Result, reason: str, status: str) -> Result:
    """The result without a score to publish; one that has none anyway keeps its reason."""
    if not result.scored:
        return result
    return replace(
        result, status=status, reason=reason, found=result.numbers, candidate=None, incumbent=None, stderr=(None, None)
    )


def _name_rule(model: str, benchmark: str) -> str:
    """One rule a model and benchmark, as a rule is attached to one benchmark at a time."""
    return f"import: {model} ({benchmark})"[:MAX_NAME].strip()


def _check_lines(planned: Sequence[PlannedReplay], rule: str) -> None:
    """Raises ImportRefused where one line would hold one checkpoint of two models."""
    models: dict[tuple[str, str], str] = {}
    for one in planned:
        first = models.setdefault((one.rule, one.result.checkpoint), one.result.candidate_model)
        if rule and first != one.result.candidate_model:
            raise ImportRefused(
                f"{one.result.checkpoint} is there of two models, {first} and {one.result.candidate_model}, and --rule "
                f'"{rule}" would make one line of them: leave it out, or give the folder of one'
            )


def _has_other_incumbent(stored: BenchmarkRun, planned: PlannedReplay) -> bool:
    result = planned.result
    if not result.incumbent_model or not is_scored(stored):
        return False
    return result.numbers[1] is not None and read_numbers(stored)[1] != result.numbers[1]


def _promote(
    new: Sequence[PlannedReplay],
    existing: Existing,
    benchmark: Benchmark | None,
    measure: Measure,
    *,
    has_incumbent: bool,
) -> list[PlannedReplay]:
    """Raises ImportRefused where nobody says which of two numbers is the better one, or there is nothing to beat."""
    lower = _read_direction(benchmark.scoring.get("scale", "")) if benchmark else measure.lower_is_better
    if lower is None:
        raise ImportRefused(
            f"--promote best needs to know which number of {measure.metric} is the better one: "
            "--lower-is-better or --higher-is-better"
        )
    if not has_incumbent:
        raise ImportRefused("--promote best compares with an incumbent, and there is none")
    return promote_each_best(new, existing, lower_is_better=lower)


def _describe_lines(new: Sequence[PlannedReplay], existing: Existing) -> list[str]:
    """Which lines are begun beside others, how to continue those, and names that look the same."""
    rules = list(dict.fromkeys(p.rule for p in new))
    before = existing.rules
    notes = [
        f'this begins another line, "{rule}", beside "{before[-1]}"; to continue that one, take this import back and '
        f'import with --rule "{before[-1]}"'
        for rule in rules
        if before and rule not in before
    ]
    notes += _tell_alike("line", rules, before)
    notes += _tell_alike("checkpoint", [p.result.checkpoint for p in new], [base[1] for base in existing.by_base])
    return notes + _tell_alike("model", [p.result.candidate_model for p in new], [base[2] for base in existing.by_base])


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
