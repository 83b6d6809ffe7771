"""The dot plot of dimensions: for each a line from what the incumbent scored to what the candidate scored, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from dashboard.charts.axes import build_score_axis
from dashboard.charts.unseen import name_unseen, shorten
from dashboard.trend import Scale

WIDTH, LEFT, RIGHT, TOP, STEP = 640, 170, 16, 10, 26
LETTERS = 24
MOST = 40
"""Dimensions that are drawn; the table beside has them all."""


class Pair(NamedTuple):
    """A dimension's two scores; None where one is missing or no number."""

    name: str
    incumbent: float | None
    candidate: float | None


def render_dots(pairs: Sequence[Pair], scale: Scale | None) -> str:
    """One <svg>, every text in it escaped: a hollow square is the incumbent, a disc the candidate. Empty of no score.

    A score outside the scale stands at the edge.
    """
    pairs = pairs[:MOST]
    axis = build_score_axis([one for pair in pairs for one in pair[1:] if one is not None], scale, 5)
    if not any(one is not None for pair in pairs for one in pair[1:]):
        return ""
    bottom = TOP + STEP * len(pairs)

    def to_x(score: float) -> float:
        share = (min(max(score, axis.low), axis.high) - axis.low) / (axis.high - axis.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    grid = "".join(f"M{to_x(tick.at):.1f} {TOP}V{bottom}" for tick in axis.ticks)
    parts = [
        f'<svg class="chart dots" viewBox="0 0 {WIDTH} {bottom + 26}" role="img" xmlns="http://www.w3.org/2000/svg">',
        "<title>Score by dimension, from incumbent to candidate</title>",
        f'<path class="grid" d="{grid}"/>',
    ]
    for tick in axis.ticks:
        label = tick.label.replace("-", "−")
        parts.append(f'<text class="tick middle" x="{to_x(tick.at):.1f}" y="{bottom + 18}">{label}</text>')
    for place, pair in enumerate(pairs):
        y = TOP + STEP * (place + 0.5)
        name = escape(shorten(name_unseen(pair.name), LETTERS))
        parts.append(f'<text class="tick end" x="{LEFT - 10}" y="{y + 4}">{name}</text>')
        if pair.incumbent is not None and pair.candidate is not None:
            parts.append(f'<path class="move" d="M{to_x(pair.incumbent):.1f} {y}H{to_x(pair.candidate):.1f}"/>')
        if pair.incumbent is not None:
            parts.append(f'<path class="from" d="M{to_x(pair.incumbent) - 4.5:.1f} {y - 4.5}h9v9h-9z"/>')
        if pair.candidate is not None:
            parts.append(f'<circle class="dot candidate" cx="{to_x(pair.candidate):.1f}" cy="{y}" r="4"/>')
    return "".join([*parts, "</svg>"])
