"""Reads measured checkpoints from files, so that each becomes one replay: its two scores, or the reason why not.

Two kinds of input: result files of lm-evaluation-harness, in a folder for each side, and one CSV or JSONL table that
holds both sides. Nothing here knows the database.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from dashboard.imports.results.harness import HarnessFile, Task, find_value, list_metrics, read_folder
from dashboard.imports.results.table import read_table
from dashboard.imports.results.types import DimensionResult, Measure, Result, ResultsError, ResultSet, natural_key

TABLE_SUFFIXES = (".csv", ".jsonl")
# Metrics of the harness that are a share of answers; every other one is printed without bounds.
_SHARES = ("acc", "acc_norm", "acc_bytes", "acc_mutual_info", "exact_match", "mc1", "mc2", "pct_stereotype", "pass@1")
_LOWER_IS_BETTER = ("ppl", "perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "brier_score", "wer")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Side:
    """One model at one checkpoint: its tasks, gathered from every file of that checkpoint."""

    checkpoint: str
    model: str
    revision: str | None
    created_at: datetime | None
    tasks: dict[str, Task]


def read_results(
    candidate: Path,
    incumbent: Path | None,
    *,
    metric: str = "",
    task: str = "",
    frozen_tasks: Sequence[str] = (),
    progress: Progress | None = None,
) -> ResultSet:
    """Read both sides. Raises ResultsError when nothing can be imported.

    `task` is a name or a pattern (`hendrycksTest-*`); `frozen_tasks` are those an existing benchmark averages over, and
    take the place of what the pattern finds. A table ignores metric and task, and holds both sides itself.
    """
    if candidate.suffix.lower() in TABLE_SUFFIXES:
        if incumbent is not None:
            raise ResultsError("a table holds both sides: leave --incumbent out")
        return read_table(candidate)
    if not metric or not task:
        raise ResultsError("result files hold many numbers: say which with --task and --metric")
    files, problems = read_folder(candidate, progress)
    if not files:
        named = "; ".join(f"{p.path}: {p.message}" for p in problems[:5])
        raise ResultsError(f"no candidate file could be read: {named}")
    other_files, other_problems = read_folder(incumbent, progress) if incumbent else ([], [])
    problems += other_problems
    notes: list[str] = []
    tasks = _choose_tasks([*files, *other_files], task, metric, frozen_tasks, notes)
    sides = _gather(files, tasks, "candidate", notes)
    others = _gather(other_files, tasks, "incumbent", notes)
    fixed = _take_fixed_baseline(incumbent, others)
    results = _pair(sides, others, fixed, metric, tasks, has_incumbent=incumbent is not None)
    if others and not any(r.scored for r in results) and not {*sides} & {*others} and not fixed:
        notes.append("no checkpoint is on both sides: one fixed baseline is given as a file, --incumbent FILE")
    return ResultSet(
        measure=_describe(task, metric, tasks, results, [*files, *other_files]),
        results=tuple(results),
        problems=tuple(problems),
        notes=tuple(notes),
        origin=candidate.resolve().name,
    )


def is_pattern(task: str) -> bool:
    return any(c in task for c in "*?[")


def _choose_tasks(
    files: Iterable[HarnessFile], pattern: str, metric: str, frozen: Sequence[str], notes: list[str]
) -> list[str]:
    """The tasks that the score stands for. Raises ResultsError, naming what there is, when no file has a number."""
    files = list(files)
    matching = sorted({t for f in files for t in f.list_matching(pattern)}, key=natural_key)
    if not matching:
        there = sorted({t for f in files for t in f.tasks})
        raise ResultsError(f"no task matches {pattern}; there are: {_nearest(pattern, there)}")
    found = [f.tasks[t] for f in files for t in matching if t in f.tasks]
    if all(find_value(t, metric)[0] is None for t in found):
        reason = find_value(found[0], metric)[1]
        there = sorted({m for t in found for m in list_metrics(t)})
        raise ResultsError(f"{reason}; there are: {_nearest(metric, there)}")
    if not frozen:
        return matching
    extra = [t for t in matching if t not in frozen]
    if extra:
        notes.append(f"tasks left out, because the benchmark was made without them: {_join(extra)}")
    return list(frozen)


def _nearest(wanted: str, there: list[str], most: int = 12) -> str:
    """What there is, the most alike first, at most a dozen."""
    near = difflib.get_close_matches(wanted, there, n=most, cutoff=0.5)
    names = near + [name for name in there if name not in near]
    return (
        ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "") if names else "none"
    )


def _join(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _gather(files: list[HarnessFile], tasks: list[str], side: str, notes: list[str]) -> dict[str, Side]:
    """Checkpoint -> its tasks. Files of one checkpoint are taken together; of a task measured twice, the newest wins.

    Newest by date, undated ones first, then by name as numbers are. Whatever lost is named in the notes.
    """
    newest_last = sorted(files, key=lambda f: (f.created_at is not None, _seconds(f.created_at), natural_key(f.path)))
    sides: dict[str, Side] = {}
    origins: dict[tuple[str, str], HarnessFile] = {}
    lost: dict[tuple[str, str, str], int] = {}
    for file in newest_last:
        wanted = {t: file.tasks[t] for t in tasks if t in file.tasks}
        earlier = sides.get(file.checkpoint)
        if earlier and earlier.model != file.model:
            raise ResultsError(
                f"the {side} folder holds {file.checkpoint} of two models, {earlier.model} and {file.model}: "
                "give the folder of one"
            )
        for name in wanted:
            before = origins.get((file.checkpoint, name))
            if before:
                key = (file.checkpoint, before.path, file.path)
                lost[key] = lost.get(key, 0) + 1
            origins[file.checkpoint, name] = file
        if earlier and not wanted:
            continue
        sides[file.checkpoint] = Side(
            checkpoint=file.checkpoint,
            model=file.model,
            revision=file.revision,
            created_at=file.created_at or (earlier.created_at if earlier else None),
            tasks={**(earlier.tasks if earlier else {}), **wanted},
        )
    for checkpoint, older, newer in lost:
        notes.append(f"two {side} results for {checkpoint}: {newer} is used, not the older {older}")
    return sides


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0


def _take_fixed_baseline(incumbent: Path | None, others: dict[str, Side]) -> Side | None:
    """The one incumbent for every checkpoint, when it was given as a file."""
    return next(iter(others.values()), None) if incumbent and incumbent.is_file() else None


def _pair(
    sides: dict[str, Side],
    others: dict[str, Side],
    fixed: Side | None,
    metric: str,
    tasks: list[str],
    *,
    has_incumbent: bool,
) -> list[Result]:
    names = {*sides} if fixed else {*sides} | {*others}
    # A checkpoint without one side still has its model: all checkpoints of a folder are of one, as a rule.
    any_side, any_other = next(iter(sides.values()), None), next(iter(others.values()), None)
    results = []
    for name in sorted(names, key=natural_key):
        mine, other = sides.get(name), fixed or others.get(name)
        numbers, other_numbers, reasons = _measure(mine, other, metric, tasks, name, has_incumbent=has_incumbent)
        dated = mine or other
        both = mine is not None and other is not None and not reasons
        model, other_model = mine or any_side, other or any_other
        results.append(
            Result(
                checkpoint=name,
                candidate_model=model.model if model else "",
                incumbent_model=other_model.model if other_model else "",
                candidate_version=mine.revision if mine else None,
                created_at=dated.created_at if dated else None,
                status="done" if both else "failed",
                reason="; ".join(reasons) or None,
                candidate=_mean(numbers) if both else None,
                incumbent=_mean(other_numbers) if both else None,
                dimensions=tuple(
                    DimensionResult(t, a, b) for t, a, b in zip(tasks, numbers, other_numbers, strict=True)
                )
                if both and len(tasks) > 1
                else (),
                rows=_count_rows(mine, tasks) if mine else None,
                identity=_identify(mine, metric, tasks) if both and mine else None,
            )
        )
    return results


def _measure(
    mine: Side | None, other: Side | None, metric: str, tasks: list[str], name: str, *, has_incumbent: bool
) -> tuple[list[float], list[float], list[str]]:
    """Both sides' numbers by task, and every reason why they make no score."""
    reasons = []
    if mine is None:
        reasons.append(f"no candidate result for {name}")
    if other is None:
        reasons.append(f"no incumbent result for {name}" + ("" if has_incumbent else " (no --incumbent was given)"))
    numbers = _read_side(mine, "candidate", metric, tasks, reasons) if mine else []
    other_numbers = _read_side(other, "incumbent", metric, tasks, reasons) if other else []
    if mine and other and not reasons and _identify(mine, metric, tasks) != _identify(other, metric, tasks):
        differing = [t for t in tasks if mine.tasks[t].identity != other.tasks[t].identity]
        reasons.append(
            f"candidate and incumbent were not measured alike: version, shots or limit differ for {_join(differing)}"
        )
    return numbers, other_numbers, reasons


def _read_side(side: Side, label: str, metric: str, tasks: list[str], reasons: list[str]) -> list[float]:
    missing = [t for t in tasks if t not in side.tasks]
    if missing:
        reasons.append(f"no {label} result for {'task' if len(missing) == 1 else 'tasks'} {_join(missing)}")
    read = [find_value(side.tasks[t], metric) for t in tasks if t in side.tasks]
    bad = [reason for number, reason in read if number is None]
    if bad:
        reasons.append(f"{label}: {_join(bad, most=3)}")
    return [number for number, _ in read if number is not None]


def _identify(side: Side, metric: str, tasks: list[str]) -> Any:
    """What was measured: two replays with equal identities can be compared."""
    return {"metric": metric, "tasks": [side.tasks[t].identity for t in tasks]}


def _mean(numbers: list[float]) -> float:
    """The unweighted mean; one number is returned as it is."""
    return numbers[0] if len(numbers) == 1 else sum(numbers) / len(numbers)


def _count_rows(side: Side, tasks: list[str]) -> int | None:
    counts = [side.tasks[t].rows if t in side.tasks else None for t in tasks]
    return None if None in counts else sum(c for c in counts if c is not None)


def _describe(
    task: str, metric: str, tasks: list[str], results: Sequence[Result], files: Sequence[HarnessFile]
) -> Measure:
    """How the score came about. Bounds are claimed only for a share whose every value lies between 0 and 1."""
    base = metric.partition(",")[0]
    told = {_told_direction(f, t, base) for f in files for t in tasks} - {None}
    lower = told == {False} if told else base in _LOWER_IS_BETTER
    values = [v for r in results if r.scored for v in (r.candidate, r.incumbent) if v is not None]
    if base in _SHARES and all(0 <= v <= 1 for v in values):
        scale = "0 to 1"
    else:
        scale = "no bounds, lower is better" if lower else "no bounds"
    aggregate = f"unweighted mean of the {len(tasks)} tasks {task}" if is_pattern(task) else f"the value of task {task}"
    dimensions = tuple(tasks) if is_pattern(task) else ()
    return Measure("lm-evaluation-harness", metric, aggregate, scale, dimensions, lower, require_all_rows=True)


def _told_direction(file: HarnessFile, task: str, metric: str) -> Any:
    directions = file.higher_is_better.get(task)
    return directions.get(metric) if isinstance(directions, dict) else None
