"""Rows of a replay: which side won a conversation, whether an answer passed, and what changed from replay to replay."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from dashboard.contract import PASS_SHARE, ROUNDING, TIE_SHARE
from dashboard.trend.points import Score
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


class Mark(NamedTuple):
    """One conversation in one replay: what it came to, as far as anybody knows."""

    candidate: float | None
    incumbent: float | None
    passed: bool | None
    """Whether the candidate's answer passed."""
    incumbent_passed: bool | None
    outcome: str
    """What the candidate did: lost, won, tied; failed where the row broke; "" where nobody can say."""


LOST, WON, TIED, FAILED = "lost", "won", "tied", "failed"
_OUTCOMES = {"incumbent": LOST, "serving": LOST, "candidate": WON, "tie": TIED}


def build_mark(
    *,
    candidate: Score,
    incumbent: Score,
    candidate_passed: bool | None,
    incumbent_passed: bool | None,
    winner: str | None,
    status: str,
    scale: str,
) -> Mark:
    """A row read with its benchmark's scale. The service's own winner and passes stand before what scores say."""
    ours, theirs = (one if isinstance(one, float) else None for one in (candidate, incumbent))
    outcome = FAILED if status == "failed" else _OUTCOMES.get(winner or find_winner(ours, theirs, scale) or "", "")
    if outcome == FAILED:
        return Mark(ours, theirs, None, None, outcome)
    passed, incumbent_passed = find_passed(candidate_passed, ours, scale), find_passed(incumbent_passed, theirs, scale)
    return Mark(ours, theirs, passed, incumbent_passed, outcome)


def measure_change(mark: Mark, scale: str) -> float | None:
    """By how much the candidate stands above the incumbent in the scale's direction; None where nobody can say."""
    direction = read_direction(scale)
    if mark.outcome == FAILED or mark.candidate is None or mark.incumbent is None or direction is None:
        return None
    return (mark.candidate - mark.incumbent) * direction


def regression_key(mark: Mark, scale: str) -> tuple[int, float]:
    """Where a row stands: the worst regression first, what nobody measured after all that is measured."""
    change = measure_change(mark, scale)
    return (0, change) if change is not None else (1 if mark.outcome == LOST else 2, 0.0)


def is_newly_failing(marks: Sequence[Mark | None]) -> bool:
    """True where the last of these, oldest first, did not pass and the one known before it did."""
    if not marks or marks[-1] is None or marks[-1].passed is not False:
        return False
    before = [mark.passed for mark in marks[:-1] if mark and mark.passed is not None]
    return bool(before) and before[-1]


def find_failing_since(marks: Sequence[Mark | None]) -> int | None:
    """The place of the first of the failures that the known ones end with; None where they end with a pass or are none.

    What is not known (a broken row, a replay without rows) neither ends nor begins a stretch.
    """
    since = None
    for place in range(len(marks) - 1, -1, -1):
        mark = marks[place]
        if mark is None or mark.passed is None:
            continue
        if mark.passed:
            break
        since = place
    return since


def never_passed(marks: Sequence[Mark | None]) -> bool:
    """True where it is known to have failed, and nowhere to have passed."""
    known = [mark.passed for mark in marks if mark and mark.passed is not None]
    return bool(known) and not any(known)


def count_flips(passes: Sequence[bool | None], serving: Sequence[object]) -> int:
    """How often a known pass is followed by a known failure or the other way, while the same model served.

    `serving`: which model it was at each place; None where nobody says, and there nothing is counted.
    """
    flips, last = 0, None
    for passed, model in zip(passes, serving, strict=True):
        if passed is None or model is None:
            continue
        if last is not None and last[1] == model and last[0] != passed:
            flips += 1
        last = passed, model
    return flips


def find_bounds(scores: Sequence[float], missing: int, scale: str) -> tuple[float, float] | None:
    """Between which means these scores and so many unknown ones leave the whole; None for a scale without bounds."""
    bounds, count = read_scale(scale), len(scores) + missing
    if bounds is None or not count or not all(bounds.low <= one <= bounds.high for one in scores):
        return None
    return (fsum([*scores, missing * bounds.low]) / count, fsum([*scores, missing * bounds.high]) / count)
