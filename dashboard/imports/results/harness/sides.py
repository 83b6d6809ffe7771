"""One side of an import: the results of each checkpoint, and of several unlike ones the one that counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from dashboard.imports.results.harness.alike import Conditions, describe, list_differences
from dashboard.imports.results.harness.file import HarnessFile, Task
from dashboard.imports.results.types import ResultsError, natural_key
from dashboard.store.digest import digest_json

Key = tuple[str, str]
"""(model, checkpoint)"""


@dataclass(frozen=True)
class Evaluation:
    """One model measured once at one checkpoint: its tasks, perhaps from several files."""

    model: str
    checkpoint: str
    revision: str | None
    tasks: Mapping[str, Task]
    files: tuple[HarnessFile, ...]

    @property
    def created_at(self) -> datetime | None:
        """When the last of its files was written; None where one does not say."""
        times = [file.created_at for file in self.files]
        return None if not times or None in times else max(time for time in times if time)

    @property
    def path(self) -> str:
        return ", ".join(file.path for file in self.files)

    @cached_property
    def content(self) -> str:
        return digest_json(sorted(file.digest(self.tasks) for file in self.files))


def find_standard(
    files: Sequence[HarnessFile], others: Sequence[HarnessFile], tasks: Iterable[str], frozen: Any
) -> dict[str, Conditions]:
    """How each task was asked in the measurement that counts: the benchmark's own, else that of most files.

    A full one goes before a part (else that of most questions), then one that both sides have, then the most frequent.
    """
    standard: dict[str, Conditions] = {}
    for task in tasks:
        if isinstance(frozen, Mapping) and task in frozen.get("tasks", {}):
            standard[task] = frozen["tasks"][task]
            continue
        sides = [[f.tasks[task] for f in side if task in f.tasks] for side in (files, others)]
        counts = Counter(digest_json(dict(t.conditions)) for t in [*sides[0], *sides[1]])
        shared = set.intersection(*({digest_json(dict(t.conditions)) for t in side} for side in sides))

        def rank(found: Task, counts: Counter[str] = counts, shared: set[str] = shared) -> tuple[Any, ...]:
            digest = digest_json(dict(found.conditions))
            return (*_fullness(found), digest in shared, counts[digest])

        every = [*sides[0], *sides[1]]
        if every:
            standard[task] = max(every, key=rank).conditions
    return standard


def _fullness(task: Task) -> tuple[bool, float]:
    limit = task.conditions.get("limit")
    number = limit if isinstance(limit, int | float) else 0
    return limit is None, 0 if limit is None else task.rows or number


def gather(
    files: Sequence[HarnessFile], standard: Mapping[str, Conditions], side: str, notes: list[str]
) -> dict[Key, list[Evaluation]]:
    """(model, checkpoint) -> its evaluations, oldest first, all measured alike. What does not count is named in notes.

    Raises ResultsError, naming both, for two alike that no date tells apart.
    """
    grouped: dict[Key, list[HarnessFile]] = {}
    for file in files:
        group = grouped.setdefault((file.model, file.checkpoint), [])
        if any(task in file.tasks for task in standard):
            group.append(file)
    return {
        key: _assemble(key, found, standard, side, notes) if found else [Evaluation(*key, None, {}, ())]
        for key, found in grouped.items()
    }


def _assemble(
    key: Key, files: list[HarnessFile], standard: Mapping[str, Conditions], side: str, notes: list[str]
) -> list[Evaluation]:
    """The evaluations in the files of one checkpoint. A file that repeats a task begins another one."""
    counting: dict[str, dict[str, Task]] = {file.path: {} for file in files}
    for task in standard:
        measured = [file for file in files if task in file.tasks]
        if not measured:
            continue
        best = max(
            measured,
            key=lambda f: (not list_differences(standard[task], f.tasks[task].conditions), *_fullness(f.tasks[task])),
        )
        for file in measured:
            if differences := list_differences(best.tasks[task].conditions, file.tasks[task].conditions):
                counts, not_ = describe(best.tasks[task].conditions), describe(file.tasks[task].conditions)
                note = (
                    f"two {side} results for {key[1]}: {best.path} counts ({counts}), "
                    f"and {file.path} does not ({not_}; other {', '.join(differences)})"
                )
                if note not in notes:
                    notes.append(note)
            else:
                counting[file.path][task] = file.tasks[task]
    made: list[Evaluation] = []
    seen: set[str] = set()
    for file in sorted(files, key=_place):
        tasks = counting[file.path]
        content = file.digest(tasks) + str(file.created_at)
        if not tasks or content in seen:
            continue
        seen.add(content)
        if made and not {*made[-1].tasks} & {*tasks}:
            last = made.pop()
            made.append(Evaluation(*key, last.revision, {**last.tasks, **tasks}, (*last.files, file)))
        else:
            made.append(Evaluation(*key, file.revision, tasks, (file,)))
    return _tell_apart(_drop_partial(made, notes), side)


def _place(file: HarnessFile) -> tuple[Any, ...]:
    return (file.created_at.timestamp() if file.created_at else 0.0, natural_key(file.path))


def _drop_partial(made: list[Evaluation], notes: list[str]) -> list[Evaluation]:
    """Without an evaluation that lacks tasks which another one of the checkpoint has."""
    kept = []
    for one in made:
        whole = next((other for other in made if {*one.tasks} < {*other.tasks}), None)
        if whole:
            notes.append(f"{one.path} does not count: {whole.path} has more of the tasks")
        else:
            kept.append(one)
    return kept


def _tell_apart(made: list[Evaluation], side: str) -> list[Evaluation]:
    times = Counter(one.created_at for one in made)
    for one in made:
        other = next((e for e in made if e is not one), None)
        if other and (one.created_at is None or times[one.created_at] > 1):
            raise ResultsError(
                f"the {side}'s {one.path} and {other.path} both are {one.checkpoint} of {one.model}, and no date tells "
                "which came first: leave one out, or name checkpoints apart with --checkpoint-from REGEX"
            )
    return made


def take_last(sides: Mapping[Key, list[Evaluation]], side: str, notes: list[str]) -> dict[Key, Evaluation]:
    """The newest evaluation of each; the earlier ones are named."""
    for (_, checkpoint), made in sides.items():
        if len(made) > 1:
            notes.append(
                f"{len(made)} {side} results for {checkpoint}: {made[-1].path} is used, the newest; "
                f"not {'; '.join(one.path for one in made[:-1])}"
            )
    return {key: made[-1] for key, made in sides.items()}
