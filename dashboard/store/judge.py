"""Writing a judge: what makes an answer good, and what is scored. Benchmarks copy it, so that nothing changes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from dashboard.store.models import Judge, Workspace
from dashboard.store.replays.rows import Scale
from dashboard.store.text.rules import TextReader, TextRule

NAME = MODEL = TextRule()
INSTRUCTIONS = TextRule(most=50_000, line=False)
SYSTEM_PROMPT = TextRule(most=50_000, line=False, blank=True)
KEY = TextRule(most=80)
DESCRIPTION = TextRule(most=2_000, line=False, blank=True)
SCALE = TextRule(most=100)
DEFAULT_SCALE = "0-1"
MOST_DIMENSIONS = 20


@dataclass(frozen=True)
class Draft:
    """What a judge is to be. `dimensions`: (key, description) of each; `model` None: each benchmark names one.

    `scale`: words that name the lowest and the highest score, such as "1-5"; None: 0-1.
    """

    name: str
    instructions: str
    dimensions: Sequence[tuple[str, str]]
    model: str | None = None
    system_prompt: str | None = None
    scale: str | None = None


def create_judge(workspace: Workspace, draft: Draft) -> Judge:
    """Write the judge. Raises DomainError (INVALID) with every fault of the draft."""
    reader = TextReader()
    judge = Judge(
        workspace=workspace,
        name=reader.read("name", draft.name, NAME),
        instructions=reader.read("instructions", draft.instructions, INSTRUCTIONS),
        dimensions=_read_dimensions(reader, draft.dimensions),
        model="" if draft.model is None else reader.read("model", draft.model, MODEL),
        scale=DEFAULT_SCALE if draft.scale is None else _read_scale(reader, draft.scale),
        system_prompt=None
        if draft.system_prompt is None
        else reader.read("system_prompt", draft.system_prompt, SYSTEM_PROMPT),
    )
    reader.finish()
    with transaction.atomic():
        judge.save(force_insert=True)
    return judge


def _read_scale(reader: TextReader, given: str) -> str:
    scale = reader.read("scale", given, SCALE)
    if Scale.of({"scale": scale}).bounds is None:
        reader.blame("scale", 'must name the lowest score and a higher highest one, such as "1-5"')
    return scale


def _read_dimensions(reader: TextReader, given: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    if not 1 <= len(given) <= MOST_DIMENSIONS:
        reader.blame("dimensions", f"must hold 1 to {MOST_DIMENSIONS} entries")
    read: list[dict[str, str]] = []
    for n, (key, description) in enumerate(given):
        entry = {
            "key": reader.read(f"dimensions[{n}].key", key, KEY),
            "description": reader.read(f"dimensions[{n}].description", description, DESCRIPTION),
        }
        if any(entry["key"] == other["key"] for other in read):
            reader.blame(f"dimensions[{n}].key", f"repeats {entry['key']!r}")
        read.append(entry)
    return read
