"""How scores are printed, in the chart and beside it: the same digits everywhere, never localised."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.trend import Scale

MINUS = "−"


def choose_decimals(values: Iterable[float | None], scale: Scale | None) -> int:
    """How many decimals numbers that are read together need: at least 2, and no more than the scale makes sense of."""
    most = 4 if scale is None or scale.width <= 1 else 3 if scale.width <= 10 else 2
    decimals = 2
    for value in values:
        if value is not None and value != round(value, decimals):
            decimals = max(decimals, len(f"{value:.{most}f}".rstrip("0").partition(".")[2]))
            if decimals == most:
                break
    return decimals


def print_score(value: float, decimals: int) -> str:
    """0.6172 or 71.25, with a true minus sign; zero and minus zero are 0.00 whatever stands beside them."""
    return _digits(value, decimals).replace("-", MINUS)


def print_delta(value: float, decimals: int) -> str:
    """+0.0112, −0.0300, and 0.00 without a sign."""
    return f"+{_digits(value, decimals)}" if value > 0 else print_score(value, decimals)


def _digits(value: float, decimals: int) -> str:
    """The digits, with a plain minus sign. A number too small or too large for decimals keeps its first digits."""
    if value == 0:
        return "0.00"
    if abs(value) >= 1e9 or abs(value) < 0.5 * 10**-decimals:
        return f"{value:.2e}"
    return f"{value:.{decimals}f}"
