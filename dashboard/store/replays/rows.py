"""Rows of a replay: each conversation with both models' answers, what a judge gave them, and which won.

Whoever fills a row (an engine while it runs, an import at once) writes a side as it comes and calls `settle_row`; what
the row then says follows from its two sides alone. A side is an object: `state` (pending, answered, judged, failed, or
absent where that side is not measured at all), and as far as known `completion`, `tool_calls`, `judge` ({overall,
dimensions, reason}), `score`, `passed` (only where whoever scored it says so itself) and `error`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dashboard.contract import (
    DIRECTION_UNKNOWN,
    HIGHER_IS_BETTER,
    LOWER_IS_BETTER,
    PASS_SHARE,
    ROUNDING,
    SCALE_BOUNDS,
    TIE_SHARE,
)
from dashboard.store.models import ReplayRow

SIDES = ("candidate", "incumbent")


class Scale(NamedTuple):
    """A benchmark's scale. `bounds` None: it has none. `direction`: 1 rises, -1 falls, None: nobody knows."""

    bounds: tuple[float, float] | None
    direction: int | None

    @classmethod
    def of(cls, scoring: dict[str, Any]) -> Scale:
        """The scale in a benchmark's `scoring`. One with bounds that says nothing of its direction rises."""
        text = str(scoring.get("scale") or "")
        found = SCALE_BOUNDS.search(text)
        low, high = (float(bound.replace("−", "-")) for bound in found.groups()) if found else (0.0, 0.0)
        bounds = (low, high) if low < high else None
        if DIRECTION_UNKNOWN.search(text):
            return cls(bounds, None)
        if LOWER_IS_BETTER.search(text):
            return cls(bounds, -1)
        return cls(bounds, 1 if bounds or HIGHER_IS_BETTER.search(text) else None)

    def find_winner(self, candidate: float | None, incumbent: float | None) -> str | None:
        """candidate, incumbent or tie; None where a score or the direction is missing."""
        if candidate is None or incumbent is None:
            return None
        ahead = candidate - incumbent
        if ahead == 0 or (self.bounds and abs(ahead) / self._width < TIE_SHARE - ROUNDING):
            return "tie"
        if self.direction is None:
            return None
        return "candidate" if ahead * self.direction > 0 else "incumbent"

    def find_passed(self, side: dict[str, Any]) -> bool | None:
        """Whether a side's answer passed: its own word, else PASS_SHARE of the scale; None where nobody can say."""
        own, score = side.get("passed"), side.get("score")
        if own is not None or score is None or not self.bounds or self.direction is None:
            return own
        climbed = score - self.bounds[0] if self.direction > 0 else self.bounds[1] - score
        return bool(climbed / self._width >= PASS_SHARE - ROUNDING)

    @property
    def _width(self) -> float:
        low, high = self.bounds or (0.0, 0.0)
        return high - low


def settle_row(row: ReplayRow, scale: Scale) -> ReplayRow:
    """Have the row say what its sides do: status, winner, and for a failed one why. Nothing is saved here."""
    sides = {name: side for name in SIDES if (side := getattr(row, name)).get("state") != "absent"}
    states = {side.get("state", "pending") for side in sides.values()}
    row.winner, row.error = None, None
    if "failed" in states:
        row.status = "failed"
        row.error = "; ".join(
            f"{name}: {side.get('error') or 'no reason was given'}"
            for name, side in sides.items()
            if side.get("state") == "failed"
        )
    elif states == {"judged"}:
        row.status = "done"
        row.winner = scale.find_winner(row.candidate.get("score"), row.incumbent.get("score"))
    else:
        row.status = "pending" if states == {"pending"} else "working"
    return row
