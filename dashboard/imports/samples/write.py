"""Makes the samples of imported results the rows of their replays: both answers to one document side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dashboard.imports.results.harness.file import HarnessFile, find_value
from dashboard.imports.results.harness.folder import read_folder
from dashboard.imports.results.types import FileError
from dashboard.imports.samples.read import MOST_DOCUMENTS, Sample, find_samples, read_samples
from dashboard.store.models import Benchmark, BenchmarkRun, ReplayRow
from dashboard.store.replays.rows import SIDES, Scale, settle_row

Samples = dict[int, Sample]


@dataclass
class SamplesImport:
    """What became of the samples. `problems` are sentences, one for each replay that got no rows."""

    rows: int = 0
    failed: int = 0
    replays: int = 0
    already_there: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Folder:
    """One side's result files, each with the place where it lies."""

    files: Sequence[tuple[Path, HarnessFile]]

    @classmethod
    def read(cls, root: Path | None) -> _Folder:
        files = read_folder(root).files if root else []
        return cls([(root if root and root.is_file() else Path(root or "", file.path), file) for file in files])

    def find(self, checkpoint: str, task: str, metric: str, number: float | None) -> Path | None:
        """The result file that a stored number came from: it says so, for this checkpoint before any other."""
        found = [
            (file.checkpoint != checkpoint, path)
            for path, file in self.files
            if task in file.tasks and number is not None and find_value(file.tasks[task], metric)[0] == number
        ]
        return min(found, default=(False, None), key=lambda one: one[0])[1]


def import_samples(
    benchmark: Benchmark, candidate: Path, incumbent: Path | None, *, metric: str, task: str
) -> SamplesImport:
    """Write the rows of every replay of the benchmark that has a score, no rows yet, and samples beside its results.

    To be called in the transaction that wrote the replays. A replay that has rows is left as it is.
    """
    done, scale = SamplesImport(), Scale.of(benchmark.scoring)
    folders = {"candidate": _Folder.read(candidate), "incumbent": _Folder.read(incumbent)}
    ours = {file.checkpoint for _, file in folders["candidate"].files}
    with_rows = set(ReplayRow.objects.filter(replay__benchmark=benchmark).values_list("replay_id", flat=True))
    replays = benchmark.replays.filter(candidate_score__isnull=False, run__checkpoint_id__in=ours)
    for replay in replays.select_related("run").order_by("created_at", "id"):
        if replay.pk in with_rows:
            done.already_there += 1
            continue
        try:
            rows = [settle_row(row, scale) for row in _build_rows(replay, folders, metric, task)]
        except (FileError, OSError) as error:
            done.problems.append(f"{replay.run.checkpoint_id}: {error}")
            continue
        ReplayRow.objects.bulk_create(rows, batch_size=200)
        done.replays += 1
        done.rows += len(rows)
        done.failed += Counter(row.status for row in rows)["failed"]
    return done


def _build_rows(replay: BenchmarkRun, folders: dict[str, _Folder], metric: str, task: str) -> Iterator[ReplayRow]:
    """One row a document, in the order of tasks and documents. Raises FileError where a side has no samples."""
    tasks = [dimension["dimension"] for dimension in replay.per_dimension] or [task]
    for place, name in enumerate(tasks):
        sides: dict[str, Samples | None] = {}
        for side in SIDES:
            numbers = replay.per_dimension[place] if replay.per_dimension else {side: getattr(replay, f"{side}_score")}
            if side == "incumbent" and replay.incumbent_score is None:
                sides[side] = None
                continue
            results = folders[side].find(replay.run.checkpoint_id or "", name, metric, numbers.get(side))
            path = find_samples(results, name) if results else None
            if path is None:
                raise FileError(f"no samples of {name} lie beside the {side}'s results")
            try:
                sides[side] = read_samples(path, metric)
            except FileError as error:
                raise FileError(f"{path.name}: {error}") from error
        for doc_id in sorted({doc_id for samples in sides.values() for doc_id in samples or ()}):
            yield _build_row(replay, place * MOST_DOCUMENTS + doc_id, doc_id, sides, metric)


def _build_row(
    replay: BenchmarkRun, ordinal: int, doc_id: int, sides: dict[str, Samples | None], metric: str
) -> ReplayRow:
    candidate, incumbent = (samples.get(doc_id) if samples else None for samples in map(sides.get, SIDES))
    shown = candidate or incumbent
    built = {
        side: {"state": "absent"} if sides[side] is None else _build_side(sample, doc_id, metric)
        for side, sample in zip(SIDES, (candidate, incumbent), strict=True)
    }
    hashes = {sample.doc_hash for sample in (candidate, incumbent) if sample and sample.doc_hash}
    if len(hashes) > 1:
        built["candidate"] |= {"state": "failed", "error": f"document {doc_id} is another one than the incumbent's"}
    question = {"prompt": shown.prompt, "tools": None, "reference": shown.reference} if shown else None
    return ReplayRow(replay=replay, ordinal=ordinal, question=question, **built)


def _build_side(sample: Sample | None, doc_id: int, metric: str) -> dict[str, Any]:
    if sample is None:
        return {"state": "failed", "error": f"document {doc_id} is not among its samples"}
    side: dict[str, Any] = {"completion": sample.completion, "tool_calls": None, "judge": None, "score": sample.score}
    if sample.score is None:
        return side | {"state": "failed", "error": f"document {doc_id} has no number of {metric}"}
    if sample.read_as is not None:
        side["judge"] = {"overall": sample.score, "dimensions": {}, "reason": f"read as: {sample.read_as}"}
    return side | {"state": "judged"}
