"""Glyphs: one shape for each kind of gap and each decision, the same in SVG, in plotly and in the key."""

from __future__ import annotations

from typing import NamedTuple

from dashboard.trend import Vocabulary

Outline = tuple[tuple[float, float], ...]
_RING: Outline = ((-0.41, -1), (0.41, -1), (1, -0.41), (1, 0.41), (0.41, 1), (-0.41, 1), (-1, 0.41), (-1, -0.41))
_SQUARE: Outline = ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85))
_CROSS: tuple[Outline, ...] = (((-0.9, -0.9), (0.9, 0.9)), ((-0.9, 0.9), (0.9, -0.9)))
_STAR: tuple[Outline, ...] = (((0, -1), (0, 1)), ((-0.9, -0.5), (0.9, 0.5)), ((-0.9, 0.5), (0.9, -0.5)))
_PENTAGON: Outline = ((0, -1), (0.95, -0.31), (0.59, 0.81), (-0.59, 0.81), (-0.95, -0.31))
_DIAMOND: Outline = ((0, -1), (1, 0), (0, 1), (-1, 0))
_TRIANGLE: Outline = ((0, -1), (1, 0.8), (-1, 0.8))


class Glyph(NamedTuple):
    """A shape in the square from -1 to 1. `symbol` is plotly's name of it. An open one is drawn as strokes."""

    symbol: str
    outlines: tuple[Outline, ...]
    filled: bool
    closed: bool = True
    radius: float = 5.0
    """Half its width in pixels."""

    def outline(self) -> str:
        """The shape as SVG path data relative to its centre: put "M{x} {y}" before it."""
        drawn, here = [], (0.0, 0.0)
        for points in self.outlines:
            for number, (x, y) in enumerate(points):
                step = (x - here[0]) * self.radius, (y - here[1]) * self.radius
                drawn.append(f"{'l' if number else 'm'}{step[0]:.1f} {step[1]:.1f}")
                here = (x, y)
            if self.closed:
                drawn.append("z")
                here = points[0]
        return "".join(drawn)


SHAPES = {
    "ring": Glyph("circle-open", (_RING,), filled=False),
    "cross": Glyph("x-thin-open", _CROSS, filled=False, closed=False),
    "square": Glyph("square", (_SQUARE,), filled=True),
    "open square": Glyph("square-open", (_SQUARE,), filled=False),
    "open diamond": Glyph("diamond-open", (_DIAMOND,), filled=False),
    "diamond": Glyph("diamond", (_DIAMOND,), filled=True),
    "triangle down": Glyph("triangle-down", (((-1, -0.8), (1, -0.8), (0, 1)),), filled=True),
    "open triangle": Glyph("triangle-up-open", (_TRIANGLE,), filled=False),
    "open triangle down": Glyph("triangle-down-open", (tuple((x, -y) for x, y in _TRIANGLE),), filled=False),
    "dash": Glyph("line-ew-open", (((-1, 0), (1, 0)),), filled=False, closed=False),
    "hourglass": Glyph("hourglass", (((-1, -1), (1, -1), (-1, 1), (1, 1)),), filled=True),
}
"""The shapes that a vocabulary gives its kinds of gap, by name."""
OFF_SCALE = Glyph("bowtie", (((-1, -1), (1, 1), (1, -1), (-1, 1)),), filled=True)
UNKNOWN_GAP = Glyph("asterisk-open", _STAR, filled=False, closed=False)

DECISIONS = {
    "promoted": Glyph("triangle-up", (_TRIANGLE,), filled=True),
    "auto_promoted": Glyph("triangle-up-open", (_TRIANGLE,), filled=False),
    "rejected": Glyph("square", (_SQUARE,), filled=True, radius=3.0),
    "auto_rejected": Glyph("square-open", (_SQUARE,), filled=False, radius=3.0),
    "rolled_back": Glyph("triangle-left", (((-1, 0), (0.8, -1), (0.8, 1)),), filled=True),
}
UNKNOWN_DECISION = Glyph("pentagon-open", (_PENTAGON,), filled=False)


def choose_glyph(words: Vocabulary, kind: str) -> Glyph:
    """The shape of a kind of gap, of those that this vocabulary knows."""
    return SHAPES[words.gaps[kind].shape] if kind in words.gaps else UNKNOWN_GAP
