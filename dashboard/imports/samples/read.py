"""Reads what lm-evaluation-harness logs beside its results: a line a document, with the prompt, the answer, the score.

The harness writes `samples_<task>_<date>.jsonl` next to `results_<date>.json`, one line for each document and filter.
Nothing here knows the database.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dashboard.imports.results.types import FileError, read_number
from dashboard.store.text.strict_json import find_unstorable

MOST_LINE_BYTES = 16 * 1024 * 1024
MOST_DOCUMENTS = 1_000_000
"""Document ids lie below it, so that those of several tasks can be put in one row of numbers."""


@dataclass(frozen=True)
class Sample:
    """One document as one model was asked it. `score` None: the metric has no number for it."""

    doc_hash: str | None
    prompt: list[Any]
    reference: str | None
    completion: str | None
    read_as: str | None
    """What a filter made of the answer before it was scored; None where it is the answer itself."""
    score: float | None


def find_samples(results: Path, task: str) -> Path | None:
    """The samples of a task that were logged with this result file: of its date, else the folder's only ones."""
    _, _, date = results.stem.partition("results_")
    dated = results.with_name(f"samples_{task}_{date}.jsonl")
    if date and dated.is_file():
        return dated
    if len([path for path in results.parent.glob("results*.json") if path != results]):
        return None  # whose they are cannot be told
    found = [path for path in results.parent.glob("samples_*.jsonl") if path.stem.startswith(f"samples_{task}_20")]
    plain = results.with_name(f"samples_{task}.jsonl")
    found += [plain] if plain.is_file() else []
    return found[0] if len(found) == 1 else None


def read_samples(path: Path, metric: str) -> dict[int, Sample]:
    """The documents of the file by id, in its order; `metric` may name its filter ("exact_match,strict-match").

    Raises FileError: a line that is no sample, a document twice, several filters where the metric names none.
    """
    base, _, wanted = metric.partition(",")
    samples: dict[int, Sample] = {}
    filters: set[str] = set()
    for number, line in _read_lines(path):
        doc_id, filter_name = line.get("doc_id"), str(line.get("filter") or "none")
        if type(doc_id) is not int or not 0 <= doc_id < MOST_DOCUMENTS:
            raise FileError(f"line {number} is no sample: its doc_id is no whole number below {MOST_DOCUMENTS}")
        if wanted and filter_name != wanted:
            continue
        filters.add(filter_name)
        if len(filters) > 1:
            raise FileError(f"its samples went through several filters ({', '.join(sorted(filters))}): name one")
        if doc_id in samples:
            raise FileError(f"document {doc_id} stands there twice (line {number})")
        samples[doc_id] = _decode(line, base)
    if not samples:
        raise FileError(f"it holds no sample of the filter {wanted}" if wanted else "it holds no sample")
    return samples


def _read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(MOST_LINE_BYTES + 1):
            number += 1
            if len(raw) > MOST_LINE_BYTES:
                raise FileError(f"line {number} is longer than {MOST_LINE_BYTES // 1024 // 1024} MB")
            if not raw.strip():
                continue
            try:
                line = json.loads(raw.decode("utf-8-sig"))
            except (ValueError, RecursionError) as error:
                raise FileError(f"line {number} is not readable JSON") from error
            if not isinstance(line, dict):
                raise FileError(f"line {number} is no object")
            yield number, line


def _decode(line: dict[str, Any], metric: str) -> Sample:
    requests = _list_requests(line.get("arguments"))
    choices = [str(request[1]) for request in requests if len(request) > 1 and isinstance(request[1], str)]
    answer = _first_text(line.get("resps"))
    if choices:  # the model was not asked to write: each continuation was weighed
        completion, read_as = _choose(choices, line.get("filtered_resps"), metric), None
    else:
        completion, read_as = answer, _first_text(line.get("filtered_resps"))
    value = line.get(metric)
    sample = Sample(
        doc_hash=line["doc_hash"] if isinstance(line.get("doc_hash"), str) else None,
        prompt=_read_prompt(requests[0][0] if requests and requests[0] else None),
        reference=_read_reference(line.get("target"), choices),
        completion=completion,
        read_as=read_as if read_as != completion else None,
        score=float(value) if isinstance(value, bool) else read_number(value),
    )
    texts = [sample.doc_hash, sample.prompt, sample.reference, sample.completion, sample.read_as]
    if find_unstorable(texts) is None:
        return sample
    return Sample(None, [], None, None, "its text holds a character that cannot be stored", sample.score)


def _list_requests(arguments: Any) -> list[list[Any]]:
    """Each request's arguments: {"gen_args_0": {"arg_0": …, "arg_1": …}, …}, or a list of lists in older files."""
    if isinstance(arguments, dict):
        arguments = [list(request.values()) for request in arguments.values() if isinstance(request, dict)]
    return [list(one) for one in arguments if isinstance(one, list)] if isinstance(arguments, list) else []


def _read_prompt(context: Any) -> list[Any]:
    """The context as messages: a chat's own (JSON text, perhaps in a list), or one user turn with the whole text."""
    while isinstance(context, list) and len(context) == 1 and isinstance(context[0], str | list):
        context = context[0]
    messages = context
    if isinstance(context, str) and context.lstrip().startswith("["):
        try:
            messages = json.loads(context)
        except (ValueError, RecursionError):
            messages = None
    if isinstance(messages, list) and messages and all(isinstance(m, dict) and "role" in m for m in messages):
        return messages
    return [{"role": "user", "content": context}] if isinstance(context, str) and context else []


def _first_text(responses: Any) -> str | None:
    while isinstance(responses, list) and responses:
        responses = responses[0]
    return responses if isinstance(responses, str) else None


def _choose(choices: list[str], weighed: Any, metric: str) -> str | None:
    """The continuation that was most likely, by its length where the metric counts so; None where that is not told.

    Of one alone, it is the answer where the model would have written it itself.
    """
    rows = [one if isinstance(one, list) else [one] for one in weighed] if isinstance(weighed, list) else []
    if len(rows) != len(choices):
        return None
    if len(choices) == 1:
        return choices[0].strip() if str(rows[0][-1]) == "True" else None
    try:
        likely = [float(row[0]) for row in rows]
    except (TypeError, ValueError, IndexError):
        return None
    if metric in ("acc_norm", "acc_bytes"):
        texts = [choice.strip() for choice in choices]
        lengths = [len(text.encode("utf-8", "replace")) if metric == "acc_bytes" else len(text) for text in texts]
        likely = [value / max(length, 1) for value, length in zip(likely, lengths, strict=True)]
    return choices[likely.index(max(likely))].strip()


def _read_reference(target: Any, choices: list[str]) -> str | None:
    """The right answer in words: of a choice, the continuation that its number names."""
    if target is None:
        return None
    text = target if isinstance(target, str) else json.dumps(target, ensure_ascii=False)
    if len(choices) > 1 and text.isascii() and text.isdigit() and len(text) < 6 and int(text) < len(choices):
        return choices[int(text)].strip()
    return text.strip()
