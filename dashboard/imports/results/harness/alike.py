"""What makes two measurements of a task the same: how it was asked, as far as the files say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from dashboard.imports.results.types import join_names

Conditions = Mapping[str, Any]
"""What is known of how a task was asked, by `CONDITIONS`; a key that is absent is unknown, and told apart from none."""
Identity = Mapping[str, Any]
"""{"metric", "tasks": {task: Conditions}}, as JSON: what a score stands for."""

CONDITIONS = (
    "version", "shots", "limit", "chat template", "system prompt", "few-shot form", "generation settings", "task hash",
)  # fmt: skip


def read_conditions(document: Mapping[str, Any], task: str, counts: Mapping[str, Any]) -> dict[str, Any]:
    """The conditions of one task of a result file; `counts` are its numbers of questions."""
    config = _dict(document.get("config"))
    own = _dict(_dict(document.get("configs")).get(task))
    shots = _dict(document.get("n-shot")).get(task, own.get("num_fewshot", config.get("num_fewshot")))
    limit = config.get("limit")
    if limit is not None and counts.get("effective") is not None and counts.get("effective") == counts.get("original"):
        limit = None
    found = {"version": _dict(document.get("versions")).get(task), "shots": shots, "limit": limit}
    for label, key in (("chat template", "chat_template"), ("system prompt", "system_instruction")):
        if key in document or f"{key}_sha" in document:
            found[label] = document.get(f"{key}_sha") or _hash(document.get(key))
    if "fewshot_as_multiturn" in document:
        found["few-shot form"] = bool(document["fewshot_as_multiturn"])
    hashed = _dict(document.get("task_hashes")).get(task)
    if hashed is not None:
        found["task hash"] = hashed
    settings = [value for value in (own.get("generation_kwargs"), config.get("gen_kwargs")) if value]
    if settings:
        found["generation settings"] = settings
    return found


def list_differences(one: Conditions, other: Conditions) -> list[str]:
    """The conditions that both name and name otherwise. A hash of the prompts says nothing more where others differ."""
    differing = [key for key in CONDITIONS if key in one and key in other and one[key] != other[key]]
    return [key for key in differing if key != "task hash"] or differing


def explain_unlike(one: Identity, other: Identity) -> str:
    """Why two scores cannot be compared: the conditions that differ, of which tasks if not of all; "" if they can."""
    tasks, others = one["tasks"], other["tasks"]
    if one.get("metric") != other.get("metric") or tasks.keys() != others.keys():
        return "other tasks or another metric"
    by_task = {task: list_differences(tasks[task], others[task]) for task in tasks}
    differing = [task for task, differences in by_task.items() if differences]
    labels = [label for label in CONDITIONS if any(label in differences for differences in by_task.values())]
    if not labels or len(differing) == len(tasks):
        return ", ".join(labels)
    return f"{', '.join(labels)} of {join_names(differing)}"


def describe(conditions: Conditions) -> str:
    """How a task was asked, in a few words: "limit 10, 0 shots"."""
    limit = conditions.get("limit")
    words = [f"{conditions['shots']} shots"] if conditions.get("shots") is not None else []
    return ", ".join([f"limit {limit}" if limit is not None else "all questions", *words])


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _hash(text: Any) -> str | None:
    return hashlib.sha256(str(text).encode("utf-8", "replace")).hexdigest() if text else None
