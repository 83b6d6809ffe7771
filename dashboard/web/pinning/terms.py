"""What a benchmark of a judge will be frozen to, in figures; and where the judge contradicts itself."""

from __future__ import annotations

from typing import NamedTuple

from dashboard.sources.loop.wire import Judge
from dashboard.trend.scale import Scale, list_scales, read_scale
from dashboard.web.common.numbers import NOTHING

UNKNOWN = "unknown: the service says it only once the benchmark is pinned"


class Terms(NamedTuple):
    """Each as a page prints it."""

    judge_model: str
    scale: str
    aggregate: str
    temperature: str
    max_tokens: str


def build_terms(judge: Judge, *, judge_model: str, max_tokens: int | None) -> Terms:
    """`judge_model` "" and `max_tokens` None: the form names none. What only a silent service knows is unknown."""
    if judge.freezes is None:
        limit = f"{max_tokens} tokens" if max_tokens else UNKNOWN
        return Terms(judge_model or judge.model or UNKNOWN, judge.scale or UNKNOWN, UNKNOWN, UNKNOWN, limit)
    decoding, scoring = judge.freezes.decoding, judge.freezes.scoring
    limit_tokens = max_tokens or decoding.max_tokens
    must = "; every conversation must be scored" if scoring.require_all_rows else ""
    return Terms(
        judge_model or judge.freezes.judge_model or NOTHING,
        scoring.scale or UNKNOWN,
        f"{scoring.aggregate}{must}" if scoring.aggregate else UNKNOWN,
        UNKNOWN if decoding.temperature is None else f"{decoding.temperature:g}",
        f"{limit_tokens} tokens" if limit_tokens else UNKNOWN,
    )


def list_doubts(judge: Judge) -> list[str]:
    """Where the instructions name another scale than the one that is frozen. Nothing is refused for it."""
    own = read_scale(judge.freezes.scoring.scale if judge.freezes else judge.scale)
    texts = {"instructions": judge.instructions, "system prompt": judge.system_prompt or ""}
    texts |= {f"dimension “{one.key}”": one.description for one in judge.dimensions}
    return [
        f"The judge's {where} name{'' if where == 'instructions' else 's'} the scale {_show(named)}"
        + (
            f", and {_show(own)} is what is frozen: its scores would be read on the wrong scale."
            if own
            else "; the service does not say which one it freezes."
        )
        for where, text in texts.items()
        for named in list_scales(text)
        if named != own
    ]


def _show(scale: Scale) -> str:
    return f"{scale.low:g} to {scale.high:g}"
