"""Making a benchmark: conversations and judge are copied, whole or not at all, and nothing changes them after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from django.conf import settings
from django.db import IntegrityError, transaction

from dashboard.contract import LEAST_ITEMS, MOST_ITEMS
from dashboard.store.digest import digest_items
from dashboard.store.errors import Fault, Kind, refuse
from dashboard.store.models import Benchmark, BenchmarkItem, Dataset, DatasetItem, Judge, Trace

DEFAULT_MAX_TOKENS = 1024
TEMPERATURE = 0.0
ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function"})
ASKING = frozenset({"user", "tool", "function"})
"""The roles of a turn that a model answers."""


@dataclass(frozen=True)
class Draft:
    """What a caller asks for. `judge_model` None: by `name_model`. `trace_ids` or `dataset_id`, never both."""

    name: str
    judge_id: str
    per_run_ceiling_cents: int
    trace_ids: Sequence[str] | None = None
    dataset_id: str | None = None
    split: str | None = None
    judge_model: str | None = None
    max_tokens: int | None = None


def create_benchmark(workspace_id: str, draft: Draft, actor: str, now: datetime) -> Benchmark:
    """Pin the draft's conversations and freeze its judge beside them.

    Raises DomainError: CONFLICT BENCHMARK_NAME_TAKEN; UNUSABLE JUDGE_NOT_FOUND, JUDGE_MODEL_MISSING, DATASET_NOT_FOUND,
    BENCHMARK_SIZE, or BENCHMARK_ROW_UNUSABLE with one detail for each conversation that stands in the way.
    """
    with transaction.atomic():
        judge = Judge.objects.select_for_update().filter(workspace_id=workspace_id, pk=draft.judge_id).first()
        if judge is None:
            _refuse("judge_id", "JUDGE_NOT_FOUND", "There is no such judge in this workspace.")
        judge_model = draft.judge_model or name_model(judge)
        if not judge_model:
            message = "The judge names no model of its own and the workspace has no default, so name one here."
            _refuse("judge_model", "JUDGE_MODEL_MISSING", message)
        traces = _load_traces(workspace_id, draft)
        benchmark = Benchmark(
            workspace_id=workspace_id,
            name=draft.name,
            judge=judge,
            judge_name=judge.name,
            judge_model=judge_model,
            judge_instructions=judge.instructions,
            judge_dimensions=judge.dimensions,
            judge_system_prompt=judge.system_prompt,
            decoding=fix_decoding(draft.max_tokens),
            scoring=fix_scoring(judge),
            per_run_ceiling_cents=draft.per_run_ceiling_cents,
            created_by=actor,
            created_at=now,
        )
        rows = [{"prompt": pin_messages(trace.messages), "tools": trace.tools} for trace in traces]
        benchmark.item_count = len(rows)
        benchmark.items_digest = digest_items(rows)
        try:
            with transaction.atomic():
                benchmark.save(force_insert=True)
        except IntegrityError as error:  # its one constraint that a new id can meet is the name's
            message = f"An active benchmark is named {draft.name!r} already."
            raise refuse(Kind.CONFLICT, [Fault("name", "BENCHMARK_NAME_TAKEN", message)]) from error
        BenchmarkItem.objects.bulk_create(
            BenchmarkItem(benchmark=benchmark, ordinal=n, source_trace=trace, **row)
            for n, (trace, row) in enumerate(zip(traces, rows, strict=True))
        )
    return benchmark


def name_model(judge: Judge) -> str:
    """The model that judges where nobody names one: the judge's own, else the workspace's; "" where there is none."""
    return judge.model or settings.DEFAULT_JUDGE_MODEL


def fix_decoding(max_tokens: int | None = None) -> dict[str, Any]:
    """How answers are drawn. `max_tokens` None: as many as where nobody says."""
    return {"temperature": TEMPERATURE, "max_tokens": max_tokens or DEFAULT_MAX_TOKENS, "stream": False}


def fix_scoring(judge: Judge) -> dict[str, Any]:
    """How rows become a score, on the judge's own scale."""
    return {
        "metric": "judge score",
        "scale": judge.scale,
        "aggregate": "unweighted mean of all conversations",
        "require_all_rows": True,
    }


def pin_messages(messages: list[Any]) -> list[Any]:
    """What is pinned of a conversation: all of it but the answer it ends with, which is what a model is asked for."""
    end = len(messages)
    while end and messages[end - 1].get("role") == "assistant":
        end -= 1
    return messages[:end]


def can_ask(messages: Any) -> bool:
    """Whether there is something to ask a model, and nothing in it that may be the answer.

    Messages whose roles are all known, among them a user turn with content, and last, once the answer is cut off, a
    turn that waits for one.
    """
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        return False
    roles = [message.get("role") for message in messages]
    if any(not isinstance(role, str) or role not in ROLES for role in roles):
        return False
    pinned = pin_messages(messages)
    if not pinned or pinned[-1]["role"] not in ASKING:
        return False
    return any(message["role"] == "user" and _has_content(message.get("content")) for message in pinned)


def _has_content(content: Any) -> bool:
    """Text that is not blank, or a list with a part that is: a part without text (a picture) counts."""
    if isinstance(content, str):
        return bool(content.strip())
    if not isinstance(content, list):
        return False
    return any(
        (isinstance(part, str) and part.strip()) or (isinstance(part, dict) and part and _has_text(part))
        for part in content
    )


def _has_text(part: dict[str, Any]) -> bool:
    text = part.get("text")
    return bool(text.strip()) if isinstance(text, str) else text is None and part.get("type", "text") != "text"


def _load_traces(workspace_id: str, draft: Draft) -> list[Trace]:
    """The conversations in the draft's order, locked so that none can go before the pin is written."""
    if draft.dataset_id is None:
        ids, field = list(draft.trace_ids or ()), "source.trace_ids"
        _check_size(len(set(ids)), field, "conversations are named")
    else:
        ids, field = _list_dataset(workspace_id, draft.dataset_id, draft.split), "source.dataset_id"
    # In order of their ids, so that two creates over the same conversations cannot lock each other out.
    rows = Trace.objects.select_for_update().filter(workspace_id=workspace_id, pk__in=set(ids)).order_by("pk")
    found = {trace.pk: trace for trace in rows}
    faults = list(_find_unusable(ids, found))
    if faults:
        named = "; ".join(f"{trace_id}: {why}" for trace_id, why in faults[:3])
        more = f"; and {len(faults) - 3} more" if len(faults) > 3 else ""
        raise refuse(
            Kind.UNUSABLE,
            [Fault(field, "BENCHMARK_ROW_UNUSABLE", f"{trace_id}: {why}.", trace_id) for trace_id, why in faults],
            f"{len(faults)} of the conversations cannot be pinned, so none was. {named}{more}.",
        )
    return [found[trace_id] for trace_id in ids]


def _find_unusable(ids: Sequence[str], found: dict[str, Trace]) -> Iterable[tuple[str, str]]:
    for trace_id, times in Counter(ids).items():
        if trace_id not in found:
            yield trace_id, "there is no such conversation in this workspace"
        elif not can_ask(found[trace_id].messages):
            yield trace_id, _explain_unusable(found[trace_id].messages)
        elif times > 1:
            yield trace_id, f"it is named {times} times"


def _explain_unusable(messages: list[Any]) -> str:
    if any(message.get("role") == "user" and _has_content(message.get("content")) for message in messages):
        return "it has a turn of an unknown role, or ends with one that nobody answers"
    return "it has no user turn with content"


def _list_dataset(workspace_id: str, dataset_id: str, split: str | None) -> list[str]:
    """The ids of a training set's conversations, in its order; with `split` only those of that split."""
    dataset = Dataset.objects.filter(workspace_id=workspace_id, pk=dataset_id).first()
    if dataset is None:
        _refuse("source.dataset_id", "DATASET_NOT_FOUND", "There is no such training set in this workspace.")
    items = DatasetItem.objects.filter(dataset=dataset).order_by("ordinal")
    if split is not None:
        items = items.filter(split=split)
    field = "source.dataset_id" if split is None else "source.split"
    _check_size(items.count(), field, "conversations are in it")
    return list(items.values_list("trace_id", flat=True))


def _check_size(count: int, field: str, where: str) -> None:
    if not LEAST_ITEMS <= count <= MOST_ITEMS:
        message = f"A benchmark pins {LEAST_ITEMS} to {MOST_ITEMS} conversations; {count} {where}."
        _refuse(field, "BENCHMARK_SIZE", message)


def _refuse(field: str, code: str, message: str) -> NoReturn:
    raise refuse(Kind.UNUSABLE, [Fault(field, code, message)])
