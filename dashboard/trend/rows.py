"""Rows of a replay: which side won a conversation, and whether an answer passed."""

from __future__ import annotations

from dashboard.contract import PASS_SHARE, ROUNDING, TIE_SHARE
from dashboard.trend.scale import read_direction, read_scale


def find_winner(candidate: float | None, incumbent: float | None, scale: str) -> str | None:
    """candidate, incumbent or tie: less than TIE_SHARE of the scale apart, and equal where it has no bounds.

    None where a score is missing or nobody knows in which direction the scale rises. `scale` is in the API's words.
    """
    if candidate is None or incumbent is None:
        return None
    bounds, direction = read_scale(scale), read_direction(scale)
    apart = abs(candidate - incumbent)
    if apart == 0 or (bounds and apart / bounds.width < TIE_SHARE - ROUNDING):
        return "tie"
    if direction is None:
        return None
    return "candidate" if (candidate - incumbent) * direction > 0 else "incumbent"


def find_passed(own: bool | None, score: float | None, scale: str) -> bool | None:
    """The row's own `passed`, else whether the score lies PASS_SHARE up the scale; None where nobody can say.

    A scale without bounds, or whose direction nobody knows, passes and fails nothing.
    """
    bounds, direction = read_scale(scale), read_direction(scale)
    if own is not None or score is None or bounds is None or direction is None:
        return own
    climbed = score - bounds.low if direction > 0 else bounds.high - score
    return climbed / bounds.width >= PASS_SHARE - ROUNDING
