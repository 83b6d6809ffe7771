"""How numbers are printed: scores, deltas and money. Never localised; minus zero is zero."""

from __future__ import annotations

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


def show_score(value: float, scale: Scale | None = None) -> Number:
    """0.00, 0.6172, 71.2: at least two decimals, at most as many as tell points on this scale apart."""
    return Number(_digits(value, scale).replace("-", MINUS), repr(value + 0.0))


def show_delta(value: float, scale: Scale | None = None, *, conclusive: bool = True) -> Number:
    """+0.0112, −0.03, and 0.00 without a sign. It points nowhere unless it is `conclusive`."""
    digits = _digits(value, scale)
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


def _digits(value: float, scale: Scale | None) -> str:
    """The digits, with a plain minus sign. A number too small or too large for decimals keeps its first digits."""
    value += 0.0
    decimals = 4 if scale is None or scale.width <= 1 else 3 if scale.width <= 10 else 2
    if value and (abs(value) >= 1e9 or abs(value) < 0.5 * 10**-decimals):
        return f"{value:.2e}"
    whole, _point, fraction = f"{value:.{decimals}f}".partition(".")
    return f"{whole}.{fraction.rstrip('0').ljust(2, '0')}"
