"""Glyphs: one shape for each kind of gap and each decision, the same in SVG, in plotly and in the key."""

from __future__ import annotations

from typing import NamedTuple

Outline = tuple[tuple[float, float], ...]
_RING: Outline = ((-0.41, -1), (0.41, -1), (1, -0.41), (1, 0.41), (0.41, 1), (-0.41, 1), (-1, 0.41), (-1, -0.41))
_SQUARE: Outline = ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85))
_CROSS: tuple[Outline, ...] = (((-0.9, -0.9), (0.9, 0.9)), ((-0.9, 0.9), (0.9, -0.9)))
_STAR: tuple[Outline, ...] = (((0, -1), (0, 1)), ((-0.9, -0.5), (0.9, 0.5)), ((-0.9, 0.5), (0.9, -0.5)))
_PENTAGON: Outline = ((0, -1), (0.95, -0.31), (0.59, 0.81), (-0.59, 0.81), (-0.95, -0.31))
_TRIANGLE: Outline = ((0, -1), (1, 0.8), (-1, 0.8))


class Glyph(NamedTuple):
    """A shape in the square from -1 to 1. `symbol` is plotly's name of it. An open one is drawn as strokes."""

    symbol: str
    outlines: tuple[Outline, ...]
    filled: bool
    closed: bool = True

    def path(self, x: float, y: float, radius: float) -> str:
        """The SVG path data of the glyph about (x, y), to one decimal of a pixel."""
        drawn = []
        for outline in self.outlines:
            points = [f"{x + radius * dx:.1f} {y + radius * dy:.1f}" for dx, dy in outline]
            drawn.append("M" + "L".join(points) + ("Z" if self.closed else ""))
        return "".join(drawn)


GAPS = {
    "open": Glyph("circle-open", (_RING,), filled=False),
    "failed": Glyph("x-thin-open", _CROSS, filled=False, closed=False),
    "budget_stopped": Glyph("square", (_SQUARE,), filled=True),
    "abandoned": Glyph("diamond-open", (((0, -1), (1, 0), (0, 1), (-1, 0)),), filled=False),
    "unreadable": Glyph("triangle-down", (((-1, -0.8), (1, -0.8), (0, 1)),), filled=True),
    "unscored": Glyph("line-ew-open", (((-1, 0), (1, 0)),), filled=False, closed=False),
    "not_comparable": Glyph("hourglass", (((-1, -1), (1, -1), (-1, 1), (1, 1)),), filled=True),
}
UNKNOWN_GAP = Glyph(
    "asterisk-open", (((0, -1), (0, 1)), ((-0.9, -0.5), (0.9, 0.5)), ((-0.9, 0.5), (0.9, -0.5))), False, False
)

DECISIONS = {
    "promoted": Glyph("triangle-up", (_TRIANGLE,), filled=True),
    "auto_promoted": Glyph("triangle-up-open", (_TRIANGLE,), filled=False),
    "rejected": Glyph("square", (_SQUARE,), filled=True),
    "auto_rejected": Glyph("square-open", (_SQUARE,), filled=False),
    "rolled_back": Glyph("triangle-left", (((-1, 0), (0.8, -1), (0.8, 1)),), filled=True),
}
UNKNOWN_DECISION = Glyph("pentagon-open", (_PENTAGON,), filled=False)
