"""Sets candidate beside incumbent: each evaluation of a candidate becomes one replay, scored or with its reason."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.imports.results.harness.alike import explain_unlike
from dashboard.imports.results.harness.file import find_stderr, find_value
from dashboard.imports.results.harness.sides import Evaluation, Key
from dashboard.imports.results.types import DimensionResult, Result, ResultsError, join_names, natural_key


@dataclass
class Reading:
    """What one side says of the tasks: a number for each, or every reason why not."""

    numbers: list[float] = field(default_factory=list)
    stderr: float | None = None
    reasons: list[str] = field(default_factory=list)

    @property
    def mean(self) -> float | None:
        """The unweighted mean; one number is returned as it is."""
        if self.reasons or not self.numbers:
            return None
        return self.numbers[0] if len(self.numbers) == 1 else sum(self.numbers) / len(self.numbers)


@dataclass(frozen=True)
class Incumbents:
    """What the candidates are set against: `fixed`, one for all, else by checkpoint."""

    is_given: bool
    fixed: Evaluation | None
    by_checkpoint: Mapping[str, Evaluation]
    baseline_run: bool
    """Matched checkpoint by checkpoint, so that no revision of it is another model that serves."""

    def find(self, checkpoint: str) -> Evaluation | None:
        return self.fixed or self.by_checkpoint.get(checkpoint)

    @property
    def any(self) -> Evaluation | None:
        return self.fixed or next(iter(self.by_checkpoint.values()), None)


def pair(
    candidates: Mapping[Key, list[Evaluation]], incumbents: Incumbents, metric: str, tasks: Sequence[str]
) -> list[Result]:
    """Every evaluation of a candidate in checkpoint order, and a gap where an incumbent's checkpoint has none."""
    results = [
        _build_result(one.model, one.checkpoint, one, incumbents, metric, tasks)
        for made in candidates.values()
        for one in made
    ]
    models = sorted({model for model, _ in candidates})
    there = {checkpoint for _, checkpoint in candidates}
    if len(models) == 1:  # of several models nobody can say whose checkpoint is missing
        results += [
            _build_result(models[0], name, None, incumbents, metric, tasks)
            for name in incumbents.by_checkpoint
            if name not in there and not incumbents.fixed
        ]
    return sorted(results, key=lambda r: natural_key(r.checkpoint))


def match_by_checkpoint(others: Mapping[Key, Evaluation]) -> dict[str, Evaluation]:
    """Checkpoint -> its incumbent. Raises ResultsError where two models claim one."""
    matched: dict[str, Evaluation] = {}
    for (model, checkpoint), one in others.items():
        if checkpoint in matched:
            raise ResultsError(
                f"the incumbent folder holds {checkpoint} of two models, {matched[checkpoint].model} and {model}: "
                "give the folder of one"
            )
        matched[checkpoint] = one
    return matched


def _build_result(
    model: str, name: str, mine: Evaluation | None, incumbents: Incumbents, metric: str, tasks: Sequence[str]
) -> Result:
    other = incumbents.find(name)
    read, other_read = _read(mine, "candidate", metric, tasks), _read(other, "incumbent", metric, tasks)
    reasons = [] if mine else [f"no candidate result for {name}"]
    if other is None and incumbents.is_given:
        reasons.append(f"no incumbent result for {name}")
    reasons += [*read.reasons, *other_read.reasons]
    status = "failed" if reasons else "done"
    if mine and other and not reasons:
        unlike = explain_unlike(identify(mine, metric, tasks), identify(other, metric, tasks))
        reasons += [f"not measured alike: {unlike}"] if unlike else []
    scored, named = not reasons, other or incumbents.any
    numbers = (read.mean, other_read.mean)
    whole = mine is not None and not read.reasons
    return Result(
        checkpoint=name,
        candidate_model=model,
        incumbent_model=named.model if named else "",
        incumbent_version=None if incumbents.baseline_run or named is None else _name_version(named),
        candidate_version=mine.revision if mine else None,
        created_at=mine.created_at if mine else None,
        content=mine.content if mine else "",
        status=status,
        reason="; ".join(reasons) or None,
        candidate=numbers[0] if scored else None,
        incumbent=numbers[1] if scored else None,
        found=(None, None) if scored else numbers,
        stderr=(read.stderr, other_read.stderr) if scored else (None, None),
        dimensions=tuple(
            DimensionResult(t, a, b) for t, a, b in zip(tasks, read.numbers, other_read.numbers, strict=True)
        )
        if scored and other and len(tasks) > 1
        else (),
        rows=_count_rows(mine, tasks) if mine else None,
        identity=identify(mine, metric, tasks) if mine and whole else None,
        legacy={"metric": metric, "tasks": [list(mine.tasks[t].legacy) for t in tasks]} if mine and whole else None,
    )


def _name_version(one: Evaluation) -> str | None:
    """Which of a model serves: its revision, else the step that was told from its path."""
    return one.revision or (one.checkpoint if not one.model.endswith(one.checkpoint) else None)


def identify(one: Evaluation, metric: str, tasks: Sequence[str]) -> dict[str, Any]:
    """What was measured: two scores whose identities say nothing different can be compared."""
    return {"metric": metric, "tasks": {t: dict(one.tasks[t].conditions) for t in tasks}}


def _read(side: Evaluation | None, label: str, metric: str, tasks: Sequence[str]) -> Reading:
    reading = Reading()
    if side is None:
        return reading
    missing = [t for t in tasks if t not in side.tasks]
    if missing:
        reading.reasons.append(
            f"no {label} result for {'task' if len(missing) == 1 else 'tasks'} {join_names(missing)}"
        )
    read = [find_value(side.tasks[t], metric) for t in tasks if t in side.tasks]
    bad = [reason for number, reason in read if number is None]
    if bad:
        reading.reasons.append(f"{label}: {join_names(bad, most=3)}")
    reading.numbers = [number for number, _ in read if number is not None]
    if not reading.reasons:
        reading.stderr = _combine([find_stderr(side.tasks[t], metric) for t in tasks])
    return reading


def _combine(errors: Sequence[float | None]) -> float | None:
    """The standard error of an unweighted mean of independent numbers: the root of the sum of squares, over k."""
    known = [error for error in errors if error is not None]
    if not known or len(known) < len(errors):
        return None
    return known[0] if len(known) == 1 else math.sqrt(sum(error * error for error in known)) / len(known)


def _count_rows(side: Evaluation, tasks: Sequence[str]) -> int | None:
    counts = [side.tasks[t].rows if t in side.tasks else None for t in tasks]
    return None if None in counts else sum(c for c in counts if c is not None)
