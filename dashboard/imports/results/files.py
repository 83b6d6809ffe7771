"""Reads measured checkpoints from files, so that each becomes one replay: its two scores, or the reason why not.

Two kinds of input: result files of lm-evaluation-harness, in a folder for each side, and one table that holds both
sides. Nothing here knows the database.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dashboard.imports.results.harness.direction import SHARES, find_direction
from dashboard.imports.results.harness.file import HarnessFile, find_value, list_metrics
from dashboard.imports.results.harness.folder import Folder, read_folder
from dashboard.imports.results.harness.naming import AS_THE_FILES_SAY, Naming
from dashboard.imports.results.harness.pair import Incumbents, match_by_checkpoint, pair
from dashboard.imports.results.harness.sides import Evaluation, Key, find_standard, gather, take_last
from dashboard.imports.results.table.rows import TableOptions, read_table
from dashboard.imports.results.table.sheet import is_table
from dashboard.imports.results.types import (
    Measure,
    Result,
    ResultsError,
    ResultSet,
    describe_scale,
    join_names,
    natural_key,
)

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Wanted:
    """What is asked of the files."""

    metric: str = ""
    task: str = ""
    """A name or a pattern (`hendrycksTest-*`)."""
    frozen_tasks: Sequence[str] = ()
    """Those that an existing benchmark averages over; they take the place of what the pattern finds."""
    standard: Any = None
    """The identity that an existing benchmark is frozen to."""
    naming: Naming = AS_THE_FILES_SAY
    incumbent_is: str = ""
    """`serving`, `baseline-run`, or "" to tell it from how the incumbent is given."""
    lower_is_better: bool | None = None
    """The direction of a metric of which the files do not say it."""
    table: TableOptions = field(default_factory=TableOptions)


def read_results(
    candidate: Path, incumbent: Path | None, wanted: Wanted | None = None, progress: Progress | None = None
) -> ResultSet:
    """Read both sides. Raises ResultsError when nothing can be imported."""
    wanted = wanted or Wanted()
    if is_table(candidate):
        return _read_table(candidate, incumbent, wanted)
    metric, task = wanted.metric, wanted.task
    if not metric or not task:
        raise ResultsError("result files hold many numbers: say which with --task and --metric")
    mine = read_folder(candidate, wanted.naming, progress)
    if not mine.files:
        named = (
            "; ".join(f"{p.path}: {p.message}" for p in mine.problems[:5])
            or f"none of {join_names(mine.others)} is one"
        )
        raise ResultsError(f"no candidate file could be read: {named}")
    theirs = read_folder(incumbent, AS_THE_FILES_SAY, progress) if incumbent else Folder()
    notes = [
        f"{len(f.others)} other JSON files passed over: {join_names(f.others)}" for f in (mine, theirs) if f.others
    ]
    files = [*mine.files, *theirs.files]
    tasks = _choose_tasks(files, task, metric, wanted.frozen_tasks, notes)
    standard = find_standard(mine.files, theirs.files, tasks, wanted.standard)
    candidates = gather(mine.files, standard, "candidate", notes)
    _check_checkpoint(candidates, wanted.naming)
    others = take_last(gather(theirs.files, standard, "incumbent", notes), "incumbent", notes)
    incumbents = _find_incumbents(incumbent, candidates, others, wanted.incumbent_is, notes)
    results = pair(candidates, incumbents, metric, tasks)
    _tell_models(candidates, incumbents, notes)
    return ResultSet(
        measure=_describe(wanted, tasks, results, files, {"metric": metric, "tasks": dict(standard)}),
        results=tuple(results),
        problems=(*mine.problems, *theirs.problems),
        notes=tuple(notes),
        incumbent_is="baseline-run" if incumbents.baseline_run else "serving",
        origin=candidate.resolve().name,
    )


def is_pattern(task: str) -> bool:
    return any(c in task for c in "*?[")


def _read_table(path: Path, incumbent: Path | None, wanted: Wanted) -> ResultSet:
    if incumbent is not None:
        raise ResultsError("a table holds both sides: leave --incumbent out")
    if wanted.metric or wanted.task:
        raise ResultsError("a table holds one score a row: leave --metric and --task out")
    if wanted.naming != AS_THE_FILES_SAY:
        raise ResultsError("a table names its checkpoints: leave --checkpoint and --checkpoint-from out")
    return read_table(path, wanted.table, wanted.lower_is_better, wanted.incumbent_is)


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
        notes.append(f"tasks left out, because the benchmark was made without them: {join_names(extra)}")
    return list(frozen)


def _nearest(wanted: str, there: list[str], most: int = 12) -> str:
    """What there is, the most alike first, at most a dozen."""
    near = difflib.get_close_matches(wanted, there, n=most, cutoff=0.5)
    names = near + [name for name in there if name not in near]
    return join_names(names, most) or "none"


def _check_checkpoint(candidates: Mapping[Key, list[Evaluation]], naming: Naming) -> None:
    if naming.checkpoint and len(candidates) > 1:
        raise ResultsError(
            f"--checkpoint names one checkpoint, and the folder holds models {join_names([m for m, _ in candidates])}"
        )


def _find_incumbents(
    incumbent: Path | None,
    candidates: Mapping[Key, list[Evaluation]],
    others: Mapping[Key, Evaluation],
    incumbent_is: str,
    notes: list[str],
) -> Incumbents:
    """One file, or a folder that holds one result, is the fixed baseline; any other folder is matched by checkpoint.

    Raises ResultsError where neither can be meant.
    """
    if incumbent is None:
        return Incumbents(is_given=False, fixed=None, by_checkpoint={}, baseline_run=False)
    checkpoints = {checkpoint for _, checkpoint in candidates}
    by_checkpoint = match_by_checkpoint(others)
    one = next(iter(others.values())) if len(others) == 1 else None
    shared = checkpoints & by_checkpoint.keys()
    fixed = one if one and incumbent.is_file() else None
    if one and incumbent.is_dir() and incumbent_is != "baseline-run":
        if shared and len(checkpoints) > 1 and not incumbent_is:
            raise ResultsError(
                f"the incumbent folder holds one result, {one.path}, and {one.checkpoint} is one of {len(checkpoints)} "
                "candidate checkpoints: --incumbent-is serving sets every candidate against it, "
                "--incumbent-is baseline-run that one checkpoint"
            )
        if not shared or incumbent_is:
            fixed = one
            notes.append(f"the incumbent folder holds one result, {one.path}: it is the baseline of every checkpoint")
    if others and not fixed and not shared and incumbent_is != "baseline-run":
        raise ResultsError(
            f"no checkpoint is on both sides: the candidate has {join_names(sorted(checkpoints, key=natural_key), 3)}, "
            f"the incumbent {join_names(sorted(by_checkpoint, key=natural_key), 3)}. One fixed baseline is given as a "
            "file, --incumbent FILE; --incumbent-is baseline-run imports them as gaps"
        )
    baseline_run = incumbent_is == "baseline-run" or (not incumbent_is and fixed is None)
    return Incumbents(is_given=True, fixed=fixed, by_checkpoint=by_checkpoint, baseline_run=baseline_run)


def _tell_models(candidates: Mapping[Key, list[Evaluation]], incumbents: Incumbents, notes: list[str]) -> None:
    """Say how a folder of several models was split, and which options decide it."""
    models: dict[str, list[str]] = {}
    for model, checkpoint in candidates:
        models.setdefault(model, []).append(checkpoint)
    if len(models) > 1:
        split = "; ".join(f"{m} at {join_names(sorted(c, key=natural_key), 3)}" for m, c in models.items())
        notes.append(
            f"the folder holds what looks like {len(models)} models, a line each: {split}. --rule NAME takes all of "
            "them as one line, --checkpoint-from REGEX says where a checkpoint stands, --checkpoint NAME gives it"
        )
        lone = [name for name in incumbents.by_checkpoint if name not in {c for _, c in candidates}]
        if lone and not incumbents.fixed:
            notes.append(f"the incumbent's {join_names(lone)} has no candidate, and no one line could show that")


def _describe(
    wanted: Wanted, tasks: list[str], results: Sequence[Result], files: Sequence[HarnessFile], standard: Any
) -> Measure:
    """How the score came about. Bounds are claimed only for a share whose every value lies between 0 and 1."""
    base, task = wanted.metric.partition(",")[0], wanted.task
    told = {_told_direction(f, t, base) for f in files for t in tasks} - {None}
    lower = None if len(told) > 1 else not told.pop() if told else None
    if lower is not None and wanted.lower_is_better not in (None, lower):
        raise ResultsError(f"the files say that {'lower' if lower else 'higher'} is better: leave the option out")
    if lower is None:
        lower = wanted.lower_is_better
    if lower is None:
        lower = find_direction(base)
    values = [v for r in results for v in (r.candidate, r.incumbent) if v is not None]
    bounds = "0 to 1" if base in SHARES and all(0 <= v <= 1 for v in values) else "no bounds"
    aggregate = f"unweighted mean of the {len(tasks)} tasks {task}" if is_pattern(task) else f"the value of task {task}"
    dimensions = tuple(tasks) if is_pattern(task) else ()
    scale = describe_scale(bounds, lower)
    return Measure(
        "lm-evaluation-harness",
        wanted.metric,
        aggregate,
        scale,
        dimensions,
        lower,
        standard=standard,
        require_all_rows=True,
    )


def _told_direction(file: HarnessFile, task: str, metric: str) -> Any:
    directions = file.higher_is_better.get(task)
    return directions.get(metric) if isinstance(directions, dict) else None
