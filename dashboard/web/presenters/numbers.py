"""How numbers are printed: scores, deltas and money. Never localised; minus zero is zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dashboard.trend import Scale

MINUS = "−"
NOTHING = "—"


class Number(NamedTuple):
    """A number as it is printed, and as a machine reads it."""

    text: str
    machine: str
    direction: str = ""
    """For a delta: "up" or "down"; empty where it is neutral or where nothing may be concluded from it."""


def choose_decimals(values: Iterable[float | None], scale: Scale | None) -> int:
    """How many decimals numbers that are read together need: at least 2, and no more than the scale makes sense of."""
    most = 4 if scale is None or scale.width <= 1 else 3 if scale.width <= 10 else 2
    needed = (len(f"{value:.{most}f}".rstrip("0").partition(".")[2]) for value in values if value is not None)
    return max([2, *needed])


def show_score(value: float, decimals: int) -> Number:
    """0.6172 or 71.25; zero is 0.00 whatever stands beside it."""
    return Number(_digits(value, decimals).replace("-", MINUS), repr(value + 0.0))


def show_delta(value: float, decimals: int, *, conclusive: bool = True) -> Number:
    """+0.0112, −0.0300, and 0.00 without a sign. It points nowhere unless it is `conclusive`."""
    digits = _digits(value, decimals)
    if value == 0:
        return Number(digits, "0.0")
    text = digits.replace("-", MINUS) if value < 0 else f"+{digits}"
    return Number(text, repr(value), ("up" if value > 0 else "down") if conclusive else "")


def show_cents(cents: int | None) -> str:
    """Whole cents, exactly: $1,234.05. A dash where none are stated."""
    if cents is None:
        return NOTHING
    whole, rest = divmod(abs(cents), 100)
    return f"{MINUS if cents < 0 else ''}${whole:,}.{rest:02d}"


def _digits(value: float, decimals: int) -> str:
    """The digits, with a plain minus sign. A number too small or too large for decimals keeps its first digits."""
    if value == 0:
        return "0.00"
    if abs(value) >= 1e9 or abs(value) < 0.5 * 10**-decimals:
        return f"{value:.2e}"
    return f"{value:.{decimals}f}"
