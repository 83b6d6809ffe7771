"""Flags: what a reader should know of a point beside its number. A flagged value is shown as given, never repaired."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from dashboard.trend.points import Point, Unreadable
from dashboard.trend.scale import Scale
from dashboard.trend.vocabulary import Vocabulary

TOLERANCE = 0.002
"""How far a delta may lie from the difference of its two scores, as a share of the scale's width (of 1 where the scale
is unknown): three values rounded to three decimals each differ by up to 0.0015."""
ROUNDING = 1e-9
"""A difference of two scores smaller than this share of the width has no sign that says anything."""


class Flag(NamedTuple):
    kind: str
    text: str


Scores = tuple[float | None, float | None, float | None]
"""Candidate, incumbent and delta of a slot; all None of a gap."""


def find_flags(point: Point, scores: Scores, words: Vocabulary) -> tuple[Flag, ...]:
    """The flags of one point. They hold no number that the API did not give."""
    flags: list[Flag] = []
    if type(point.at) is not datetime:
        said = f"{words.bad_time} ({point.at.raw})" if isinstance(point.at, Unreadable) else "is not given"
        flags.append(Flag("untimed", f"its {words.time} {said}, so it stands after all {words.things} that have one"))
    candidate, incumbent, delta = scores
    if candidate is None:
        if point.status != words.scored and not (point.candidate is None and point.delta is None):
            said = point.status.strip() or f"it gives no {words.status}"
            verb = "scores are" if len(words.numbers) > 1 else "score is"
            flags.append(Flag("scores_unused", f"its {verb} not used: it is not {words.scored} ({said})"))
        return tuple(flags)

    if point.rows_total is not None and point.rows_scored is not None and point.rows_scored < point.rows_total:
        flags.append(Flag("partial", f"scored {point.rows_scored} of {point.rows_total}"))
    scale = words.scale
    if incumbent is not None and delta is not None and _contradicts(candidate - incumbent, delta, scale):
        flags.append(Flag("delta_contradicts", f"the delta given, {delta}, is not candidate minus incumbent"))
    if scale:
        low, high = scale
        if not low <= candidate <= high:
            flags.append(_outside(words, 0))
        if incumbent is not None and not low <= incumbent <= high:
            flags.append(_outside(words, 1))
    return tuple(flags)


def _outside(words: Vocabulary, side: int) -> Flag:
    bounds = f" from {words.scale.low:g} to {words.scale.high:g}" if words.scale else ""
    return Flag("outside_scale", f"the {words.score_names[side]} lies outside the scale{bounds}")


def _contradicts(difference: float, delta: float, scale: Scale | None) -> bool:
    """T6: beyond rounding, or of the other sign, which no rounding gives."""
    width = scale.width if scale else 1.0
    if abs(difference - delta) > TOLERANCE * width:
        return True
    return difference * delta < 0 and min(abs(difference), abs(delta)) > ROUNDING * width
