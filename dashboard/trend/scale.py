"""The judge's scale: its bounds, read from the words in which the API gives it."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = r"[-−]?\d+(?:\.\d+)?"
_BOUNDS = re.compile(rf"(?<![\w.])({_NUMBER})\s*(?:-|–|—|to|through|\.\.\.?|,)\s*({_NUMBER})(?![\w]|\.\d)")


class Scale(NamedTuple):
    """The lowest and the highest score that the judge can give."""

    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


def read_scale(text: str) -> Scale | None:
    """The bounds in "0-1", "1 to 5", "[0, 10]" or "0..100 points"; None where the text names no two rising bounds."""
    found = _BOUNDS.search(text)
    if not found:
        return None
    low, high = (float(bound.replace("−", "-")) for bound in found.groups())
    return Scale(low, high) if low < high else None
