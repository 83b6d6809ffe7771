"""The judge's scale: its bounds, read from the words in which the API gives it."""

from __future__ import annotations

import re
from typing import NamedTuple

from dashboard.contract import DIRECTION_UNKNOWN, HIGHER_IS_BETTER, LOWER_IS_BETTER, SCALE_BOUNDS

_CUE = re.compile(r"\b(?:(?:scor|rat|grad)(?:e|es|ed|ing)|scale|marks?|points?)\b", re.IGNORECASE)
_REACH = 60
"""Characters around a word such as "score" in which two bounds are those of a scale, and not of sentences or days."""


class Scale(NamedTuple):
    """The lowest and the highest score that the judge can give."""

    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


def read_scale(text: str) -> Scale | None:
    """The bounds in "0-1", "1 to 5", "[0, 10]" or "0..100 points"; None where the text names no two rising bounds."""
    found = SCALE_BOUNDS.search(text)
    if not found:
        return None
    low, high = (float(bound.replace("−", "-")) for bound in found.groups())
    return Scale(low, high) if low < high else None


def list_scales(text: str) -> list[Scale]:
    """The scales that instructions name: two rising bounds in one sentence with a word such as "score", near it."""
    found = []
    for bounds in SCALE_BOUNDS.finditer(text):
        before = re.split(r"[.;!?\n]\s", text[max(0, bounds.start() - _REACH) : bounds.start()])[-1]
        after = re.split(r"[.;!?\n]", text[bounds.end() : bounds.end() + _REACH], maxsplit=1)[0]
        scale = read_scale(bounds.group())
        listed = "," in bounds.group() and not before.endswith(("[", "("))
        if scale and not listed and (_CUE.search(before) or _CUE.search(after)):
            found.append(scale)
    return list(dict.fromkeys(found))


def is_lower_better(text: str) -> bool:
    """True where the words say so ("no bounds, lower is better"). A judge's scale that says nothing rises."""
    return bool(LOWER_IS_BETTER.search(text))


def read_direction(text: str) -> int | None:
    """1 where a higher score is better, -1 where a lower one is; None where nobody knows.

    A bounded scale that says nothing rises; one without bounds has the direction that it says.
    """
    if DIRECTION_UNKNOWN.search(text):
        return None
    if is_lower_better(text):
        return -1
    return 1 if HIGHER_IS_BETTER.search(text) or read_scale(text) else None
