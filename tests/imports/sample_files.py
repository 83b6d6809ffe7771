"""Small invented sample files as lm-evaluation-harness logs them, beside their result files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.imports.harness_files import write_current

DATE = "2024-05-01T10-20-30.123456"


def build_written(doc_id: int, question: str, answer: str, score: Any, **more: Any) -> dict[str, Any]:
    """A document that the model answers in its own words."""
    return {
        "doc_id": doc_id,
        "doc": {"question": question, "answer": "4"},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": question, "arg_1": {"until": ["\n"], "do_sample": False}}},
        "resps": [[answer]],
        "filtered_resps": [answer],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": f"hash-{doc_id}",
        "prompt_hash": "p",
        "target_hash": "t",
        "exact_match": score,
    } | more


def build_weighed(doc_id: int, choices: Sequence[str], likely: Sequence[float], target: int, **scores: Any) -> Any:
    """A document of which the model weighs the continuations."""
    return {
        "doc_id": doc_id,
        "doc": {"query": "The sky is"},
        "target": str(target),
        "arguments": {
            f"gen_args_{n}": {"arg_0": "The sky is", "arg_1": f" {choice}"} for n, choice in enumerate(choices)
        },
        "resps": [[[str(value), "False"]] for value in likely],
        "filtered_resps": [[str(value), "False"] for value in likely],
        "filter": "none",
        "metrics": list(scores),
        "doc_hash": f"hash-{doc_id}",
        **scores,
    }


def write_samples(folder: Path, task: str, lines: Sequence[Any], *, date: str = DATE) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{date}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def write_side(folder: Path, model: str, step: int, scores: Sequence[float], answers: Sequence[str]) -> None:
    """A result file of the task "sums" at one step with the samples behind it, in a folder of their own."""
    mean = sum(scores) / len(scores)
    model_args = {"pretrained": model, "revision": f"step{step}"}
    there = folder / f"{model.replace('/', '__')}-step{step}"
    write_current(there, model_args, {"sums": {"exact_match,none": mean}}, name=f"results_{DATE}.json")
    lines = [
        build_written(n, f"{n} plus 2 is", answer, score)
        for n, (score, answer) in enumerate(zip(scores, answers, strict=True))
    ]
    write_samples(there, "sums", lines)
