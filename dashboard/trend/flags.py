"""Flags: what a reader should know of a replay beside its number. A flagged value is shown as given, never repaired."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from dashboard.sources.loop.wire import HistoryPoint
from dashboard.trend.scale import Scale

TOLERANCE = 0.002
"""How far a delta may lie from the difference of its two scores, as a share of the scale's width (of 1 where the scale
is unknown): three values rounded to three decimals each differ by up to 0.0015."""


class Flag(NamedTuple):
    kind: str
    text: str


Scores = tuple[float, float, float] | tuple[None, None, None]
"""Candidate, incumbent and delta of a scored slot, or nothing of a gap."""


def find_flags(point: HistoryPoint, scores: Scores, scale: Scale | None) -> tuple[Flag, ...]:
    """The flags of one replay. They hold no number that the API did not give."""
    flags = []
    if not isinstance(point.created_at, datetime):
        flags.append(Flag("untimed", "its time could not be read, so it stands after all replays that have one"))
    candidate, incumbent, delta = scores
    if candidate is None or incumbent is None or delta is None:
        if point.status != "done" and not (point.candidate_score is None and point.score_delta is None):
            said = point.status.strip() or "it gives no status"
            flags.append(Flag("scores_unused", f"its scores are not used: it is not done ({said})"))
        return tuple(flags)

    if point.rows_total is not None and point.rows_scored is not None and point.rows_scored < point.rows_total:
        flags.append(Flag("partial", f"scored {point.rows_scored} of {point.rows_total}"))
    if abs(candidate - incumbent - delta) > TOLERANCE * (scale.width if scale else 1):
        flags.append(Flag("delta_contradicts", f"the delta given, {delta}, is not candidate minus incumbent"))
    if scale:
        low, high = scale
        if not low <= candidate <= high:
            flags.append(Flag("outside_scale", "the candidate score lies outside the scale"))
        if not low <= incumbent <= high:
            flags.append(Flag("outside_scale", "the incumbent score lies outside the scale"))
    return tuple(flags)
