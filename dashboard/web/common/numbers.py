"""Numbers as pages print them: scores and deltas in the chart's own digits with what a machine reads, and money."""

from __future__ import annotations

from typing import NamedTuple

from dashboard.charts.numbers import MINUS, print_delta, print_score

NOTHING = "—"


class Number(NamedTuple):
    """A number as it is printed, and as a machine reads it."""

    text: str
    machine: str

    @property
    def whole(self) -> str:
        """All its digits, where it is printed with fewer; else empty."""
        return self.machine if self.machine and float(self.text.replace(MINUS, "-")) != float(self.machine) else ""


def show_score(value: float, decimals: int) -> Number:
    return Number(print_score(value, decimals), repr(value + 0.0))


def show_delta(value: float, decimals: int) -> Number:
    """A difference with its sign, and no word or colour that judges it (T12)."""
    return Number(print_delta(value, decimals), repr(value + 0.0))


def show_cents(cents: int | None) -> str:
    """Whole cents, exactly: $1,234.05. A dash where none are stated."""
    if cents is None:
        return NOTHING
    whole, rest = divmod(abs(cents), 100)
    return f"{MINUS if cents < 0 else ''}${whole:,}.{rest:02d}"


def show_count(number: int, what: str) -> str:
    """1 run, 6,000 runs."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
