"""Small invented result files of lm-evaluation-harness, in both formats, for the import tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MAY_1 = 1714558830.5  # 2024-05-01T10:20:30.500Z


def write_old(folder: Path, step: int, tasks: dict[str, dict[str, Any]], *, model: str = "lab/tiny") -> Path:
    """The old format: no date, `model_args` as text, the revision in it."""
    document = {
        "results": tasks,
        "versions": dict.fromkeys(tasks, 0),
        "config": {
            "model": "hf-causal",
            "model_args": f"use_accelerate=True,pretrained={model},revision=step{step}",
            "num_fewshot": 0,
            "limit": None,
        },
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"tiny_step{step}.json"
    path.write_text(json.dumps(document))
    return path


def write_current(
    folder: Path,
    model_args: Any,
    tasks: dict[str, dict[str, Any]],
    *,
    date: Any = MAY_1,
    name: str = "results_2024-05-01T10-20-30.123456.json",
    **more: Any,
) -> Path:
    """The current format: metric keys with their filter, an alias, a date, the questions counted."""
    document = {
        "results": {task: {"alias": f" - {task}", **metrics} for task, metrics in tasks.items()},
        "group_subtasks": {task: [] for task in tasks},
        "configs": {task: {"task": task, "num_fewshot": 5} for task in tasks},
        "versions": dict.fromkeys(tasks, 1.0),
        "n-shot": dict.fromkeys(tasks, 5),
        "higher_is_better": {task: {"acc": True} for task in tasks},
        "n-samples": {task: {"original": 200, "effective": 100} for task in tasks},
        "config": {"model": "hf", "model_args": model_args, "limit": None},
        "date": date,
        **more,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(document))
    return path
