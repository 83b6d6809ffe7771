"""Reads one result file of lm-evaluation-harness, in the old format or the current one."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dashboard.imports.results.harness.alike import Conditions, read_conditions
from dashboard.imports.results.harness.naming import AS_THE_FILES_SAY, Naming, find_place, read_args
from dashboard.imports.results.types import (
    MAX_FILE_BYTES,
    MAX_NAME,
    FileError,
    OtherFile,
    explain_number,
    is_plausible,
    is_storable,
    quote,
    read_number,
    read_unix_seconds,
)
from dashboard.store.digest import digest_json
from dashboard.store.text.strict_json import find_unstorable

_NAMED_TIME = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2})[-:](\d{2})[-:](\d{2}(?:\.\d{1,6})?)")
_AVERAGES = frozenset({"all", "average", "avg", "mean", "overall"})
"""Tasks that some tools add and that are means of the others: they are never averaged again."""


@dataclass(frozen=True)
class Task:
    """One task of one file: its raw metrics and what makes two measurements of it the same."""

    name: str
    metrics: Mapping[str, Any]
    conditions: Conditions
    rows: int | None
    """How many questions were scored; None where the file does not say."""
    legacy: tuple[Any, ...] = ()
    """What stood for its conditions in the digest of an older import: name, version, shots, limit."""


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
        members = [t for t in self.tasks if t not in self.groups and t.casefold() not in _AVERAGES]
        return sorted(t for t in members if fnmatchcase(t, pattern))

    def digest(self, tasks: Collection[str]) -> str:
        """Stands for what it says of these tasks."""
        said = {t: dict(self.tasks[t].metrics) for t in tasks if t in self.tasks}
        text = json.dumps(said, sort_keys=True, default=str)
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def find_value(task: Task, metric: str) -> tuple[float | None, str]:
    """The metric's number and "", or None and the reason. `acc` finds `acc` and `acc,none`; with several filters
    (`exact_match,strict-match`, …) the metric must name its filter."""
    keys = _find_keys(task, metric)
    if not keys:
        return None, f"no metric {metric} for task {task.name}"
    if len(keys) > 1:
        return None, f"metric {metric} of task {task.name} has several filters: {', '.join(sorted(keys))}; name one"
    found = task.metrics[keys[0]]
    number = read_number(found)
    if number is None:
        return None, f"metric {keys[0]} of task {task.name} {explain_number(found)}: {quote(found)}"
    return number, ""


def find_stderr(task: Task, metric: str) -> float | None:
    """The standard error that the file gives for the metric; None where it gives none."""
    keys = _find_keys(task, metric)
    name, comma, condition = keys[0].partition(",") if len(keys) == 1 else ("", "", "")
    number = read_number(task.metrics.get(f"{name}_stderr{comma}{condition}"))
    return number if number is not None and number >= 0 else None


def _find_keys(task: Task, metric: str) -> list[str]:
    return [metric] if metric in task.metrics else [k for k in task.metrics if k.partition(",")[0] == metric]


def list_metrics(task: Task) -> list[str]:
    """The metrics that a task has, without their standard errors and without text."""
    return sorted(k for k, v in task.metrics.items() if "_stderr" not in k and read_number(v) is not None)


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


def decode_file(document: Any, name: str, root_name: str, naming: Naming = AS_THE_FILES_SAY) -> HarnessFile:
    """A loaded document as a result file; `name` is its path inside the folder given.

    Raises OtherFile for one that claims to be no result, FileError for one that cannot be read or is another tool's.
    """
    if tool := _name_tool(document):
        raise FileError(
            f"it is a file of {tool}; import_results reads lm-evaluation-harness, or a table of its numbers"
        )
    if not isinstance(document, dict) or "results" not in document:
        raise OtherFile('not a result file: it has no "results" by task')
    results = document["results"]
    if not isinstance(results, dict) or not results:
        raise FileError('not a result file: it has no "results" by task')
    config = _dict(document.get("config"))
    fallback = str(config.get("model") or "") or root_name
    named = str(document.get("model_name") or "")
    place = find_place(read_args(config.get("model_args")), named, fallback, name, naming)
    model, checkpoint, revision = place.model, place.checkpoint, place.revision
    if not checkpoint:
        raise FileError("--checkpoint-from finds no checkpoint in its model's path or in its own")
    if max(len(checkpoint), len(model)) > MAX_NAME:
        raise FileError(f"its checkpoint or model name is longer than {MAX_NAME} characters")
    if not is_storable("".join([checkpoint, model, revision or "", *results])):
        raise FileError("a name in it holds a null character or half a character")
    versions, shots = _dict(document.get("versions")), _dict(document.get("n-shot"))
    counts = {task: _dict(_dict(document.get("n-samples")).get(task)) for task in results}
    tasks = {
        task: Task(
            task,
            metrics,
            read_conditions(document, task, counts[task]),
            _read_count(counts[task].get("effective")),
            (task, versions.get(task), shots.get(task, config.get("num_fewshot")), config.get("limit")),
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


def _name_tool(document: Any) -> str:
    """The tool that wrote a file of evaluations of its own form; "" for any other file."""
    if isinstance(document, list):
        rows = [row for row in document if isinstance(row, dict)]
        if rows and {"doc_id", "resps"} <= {*rows[0]}:
            return "lm-evaluation-harness with one row a question (samples)"
        return "HELM" if rows and isinstance(rows[0].get("name"), dict) else ""
    if not isinstance(document, dict):
        return ""
    keys, results = {*document}, document.get("results")
    if {"config_general", "summary_general"} & keys:
        return "lighteval"
    if "eval" in keys and {"plan", "stats"} & keys:
        return "Inspect"
    if "evalId" in keys or (isinstance(results, dict) and isinstance(results.get("results"), list)):
        return "promptfoo"
    if {"mteb_version", "mteb_dataset_name"} & keys:
        return "MTEB"
    return "HELM" if {"adapter_spec", "run_spec"} & keys else ""


def _refuse_odd(tasks: Collection[Task], directions: Mapping[str, Any]) -> None:
    """Raises FileError for what would be kept or compared and cannot be: its numbers are judged later, one by one."""
    try:
        digest_json([[dict(task.conditions), list(task.legacy)] for task in tasks])
    except (ValueError, RecursionError) as error:  # NaN and Infinity; endless nesting
        raise FileError("a task's version, shots or limit in it is no value that can be compared") from error
    if any(find_unstorable([*task.metrics, dict(task.conditions)]) is not None for task in tasks):
        raise FileError("a metric's name or a task's version in it holds a null character or half a character")
    told = [value for by_metric in directions.values() for value in _dict(by_metric).values()]
    if any(value is not None and not isinstance(value, bool) for value in told):
        raise FileError('its "higher_is_better" says something other than true or false')


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _read_count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 2**31 else None


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
