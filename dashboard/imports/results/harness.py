"""Reads result files of lm-evaluation-harness, the old format and the current one, one file at a time."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dashboard.imports.results.types import (
    MAX_FILE_BYTES,
    MAX_NAME,
    FileError,
    Problem,
    ResultsError,
    explain_number,
    is_plausible,
    is_storable,
    natural_key,
    quote,
    read_number,
    read_unix_seconds,
)
from dashboard.store.digest import digest_json
from dashboard.store.text.strict_json import find_unstorable

_STEP = re.compile(r"(?i)(?:global[-_]?step|step|checkpoint|ckpt|iter|epoch)[-_=]?\d+")
_NAMED_TIME = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2})[-:](\d{2})[-:](\d{2}(?:\.\d{1,6})?)")
_MODEL_KEYS = (
    "peft",
    "delta",
    "pretrained",
    "model",
    "path",
    "engine",
)  # most telling first, as the harness reads them


@dataclass(frozen=True)
class Task:
    """One task of one file: its raw metrics and what makes two measurements of it the same."""

    name: str
    metrics: Mapping[str, Any]
    version: Any
    few_shot: Any
    limit: Any
    """How many of the task's questions were asked; None for all."""
    rows: int | None

    @property
    def identity(self) -> list[Any]:
        return [self.name, self.version, self.few_shot, self.limit]


@dataclass(frozen=True)
class HarnessFile:
    """One result file. `tasks` holds every task in it, groups of tasks apart."""

    path: str
    checkpoint: str
    model: str
    revision: str | None
    created_at: datetime | None
    tasks: Mapping[str, Task]
    groups: frozenset[str]
    higher_is_better: Mapping[str, Any]

    def list_matching(self, pattern: str) -> list[str]:
        """Task names that the pattern means. A group counts only when it is named exactly: it repeats its members."""
        if pattern in self.tasks:
            return [pattern]
        return sorted(t for t in self.tasks if t not in self.groups and fnmatchcase(t, pattern))


def find_value(task: Task, metric: str) -> tuple[float | None, str]:
    """The metric's number and "", or None and the reason. `acc` finds `acc` and `acc,none`; with several filters
    (`exact_match,strict-match`, …) the metric must name its filter."""
    keys = [metric] if metric in task.metrics else [k for k in task.metrics if k.partition(",")[0] == metric]
    if not keys:
        return None, f"no metric {metric} for task {task.name}"
    if len(keys) > 1:
        return None, f"metric {metric} of task {task.name} has several filters: {', '.join(sorted(keys))}; name one"
    found = task.metrics[keys[0]]
    number = read_number(found)
    if number is None:
        return None, f"metric {keys[0]} of task {task.name} {explain_number(found)}: {quote(found)}"
    return number, ""


def list_metrics(task: Task) -> list[str]:
    """The metrics that a task has, without their standard errors and without text."""
    return sorted(k for k, v in task.metrics.items() if "_stderr" not in k and read_number(v) is not None)


def read_folder(
    root: Path, progress: Callable[[int, int], None] | None = None
) -> tuple[list[HarnessFile], list[Problem]]:
    """Every *.json under a folder (or the one file), each read or named as a problem. Raises ResultsError for nothing.

    Links to folders are followed once each, so a loop of links ends. Order is by path, whatever the disk says.
    """
    if not root.exists():
        raise ResultsError(f"{root} does not exist")
    problems: list[Problem] = []
    found = [root] if root.is_file() else _walk(root, problems)
    paths = sorted(found, key=lambda p: natural_key(str(p.relative_to(root))))
    if not paths:
        raise ResultsError(f"{root} holds no *.json result file (a CSV or JSONL table is given as a file)")
    files: list[HarnessFile] = []
    seen: set[str] = set()
    for number, path in enumerate(paths, 1):
        name = path.name if root.is_file() else str(path.relative_to(root))
        try:
            real = os.path.realpath(path, strict=True)
            if real not in seen:
                seen.add(real)
                files.append(decode_file(load_json(path), name, root.name))
        except (FileError, OSError) as error:
            problems.append(Problem(str(path), str(getattr(error, "strerror", None) or error)))
        if progress:
            progress(number, len(paths))
    return files, problems


def _walk(root: Path, problems: list[Problem]) -> Iterator[Path]:
    seen: set[tuple[int, int]] = set()

    def name_folder(error: OSError) -> None:
        problems.append(Problem(str(error.filename), error.strerror or str(error)))

    for folder, folders, names in os.walk(root, followlinks=True, onerror=name_folder):
        stat = os.stat(folder)
        if (stat.st_dev, stat.st_ino) in seen:
            folders.clear()
            continue
        seen.add((stat.st_dev, stat.st_ino))
        yield from (Path(folder, name) for name in names if name.lower().endswith(".json"))


def load_json(path: Path) -> Any:
    """The file as JSON. Raises FileError for anything that is not, and for a file over the size cap."""
    if not path.is_file():
        raise FileError("not a regular file")
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise FileError(f"larger than {MAX_FILE_BYTES // 1024 // 1024} MB ({size // 1024 // 1024} MB)")
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FileError("not UTF-8 text") from error
    except json.JSONDecodeError as error:
        raise FileError(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; endless nesting
        raise FileError("not readable JSON: a number or a nesting beyond all bounds") from error


def decode_file(document: Any, name: str, root_name: str) -> HarnessFile:
    """A loaded document as a result file; `name` is its path inside the folder given. Raises FileError."""
    results = document.get("results") if isinstance(document, dict) else None
    if not isinstance(results, dict) or not results:
        raise FileError('not a result file: it has no "results" by task')
    config = _dict(document.get("config"))
    args = _read_args(config.get("model_args"))
    path = next((args[k] for k in _MODEL_KEYS if args.get(k)), "") or str(document.get("model_name") or "")
    revision = args.get("revision") if args.get("revision") not in (None, "", "main", "None") else None
    checkpoint = _find_checkpoint(revision, path, name)
    model = _strip_checkpoint(path, checkpoint) or str(config.get("model") or "") or root_name
    if max(len(checkpoint), len(model)) > MAX_NAME:
        raise FileError(f"its checkpoint or model name is longer than {MAX_NAME} characters")
    if not is_storable("".join([checkpoint, model, revision or "", *results])):
        raise FileError("a name in it holds a null character or half a character")
    versions, shots = _dict(document.get("versions")), _dict(document.get("n-shot"))
    counts = _dict(document.get("n-samples"))
    tasks = {
        task: Task(
            task,
            metrics,
            versions.get(task),
            shots.get(task, config.get("num_fewshot")),
            config.get("limit"),
            _read_count(counts.get(task)),
        )
        for task, metrics in results.items()
        if isinstance(metrics, dict)
    }
    directions = _dict(document.get("higher_is_better"))
    _refuse_odd(tasks.values(), directions)
    members = _dict(document.get("group_subtasks"))
    groups = {g for g, subtasks in members.items() if subtasks} | set(_dict(document.get("groups")))
    return HarnessFile(
        path=name,
        checkpoint=checkpoint,
        model=model,
        revision=revision,
        created_at=read_unix_seconds(document.get("date")) or _read_time_in_name(name),
        tasks=tasks,
        groups=frozenset(groups),
        higher_is_better=directions,
    )


def _refuse_odd(tasks: Collection[Task], directions: Mapping[str, Any]) -> None:
    """Raises FileError for what would be kept or compared and cannot be: its numbers are judged later, one by one."""
    try:
        digest_json([task.identity for task in tasks])
    except (ValueError, RecursionError) as error:  # NaN and Infinity; endless nesting
        raise FileError("a task's version, shots or limit in it is no value that can be compared") from error
    if any(find_unstorable([*task.metrics, *task.identity]) is not None for task in tasks):
        raise FileError("a metric's name or a task's version in it holds a null character or half a character")
    told = [value for by_metric in directions.values() for value in _dict(by_metric).values()]
    if any(value is not None and not isinstance(value, bool) for value in told):
        raise FileError('its "higher_is_better" says something other than true or false')


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _read_args(value: Any) -> dict[str, str]:
    """`model_args` as a dict: the old format has "key=value,key=value", the current one either."""
    if isinstance(value, str):
        return {k.strip(): v.strip() for k, equals, v in (part.partition("=") for part in value.split(",")) if equals}
    return {k: str(v) for k, v in _dict(value).items() if v is not None}


def _read_count(value: Any) -> int | None:
    count = _dict(value).get("effective")
    return count if type(count) is int and 0 <= count < 2**31 else None


def _read_time_in_name(name: str) -> datetime | None:
    """The time that the harness writes into `results_<time>.json`, taken as UTC; used when the file has no date."""
    found = _NAMED_TIME.search(name.replace("\\", "/").rpartition("/")[2])
    if not found:
        return None
    try:
        moment = datetime.fromisoformat(":".join(found.groups())).replace(tzinfo=UTC)
    except ValueError:
        return None
    return moment if is_plausible(moment) else None


def _find_checkpoint(revision: str | None, path: str, name: str) -> str:
    """The revision; else a step named in the model's path, the file's name or its folders; else the model's name."""
    if revision:
        return revision
    file_name, folders = name.rpartition("/")[2], name.rpartition("/")[0]
    for text in (path, file_name, folders):
        found = _STEP.findall(text)
        if found:
            return str(found[-1])
    return path.rstrip("/").rpartition("/")[2] or Path(file_name).stem


def _strip_checkpoint(path: str, checkpoint: str) -> str:
    """A model without its step: `out/checkpoint-1000` is `out`, `pythia-step512` is `pythia`, `step5` is ""."""
    path = path.rstrip("/")
    if not _STEP.fullmatch(checkpoint) or not path.endswith(checkpoint):
        return path
    return path[: -len(checkpoint)].rstrip("/-_.@=")
