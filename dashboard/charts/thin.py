"""Thinning: no more points than pixels can show, and every extreme stays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

Point = tuple[float, float]
MARK_GRID = 3.0
"""Marks of one kind are some eight pixels wide: two in a cell of this many cover each other but for an edge."""


def thin_line(points: Sequence[Point]) -> Sequence[Point]:
    """Of the points in each pixel column the first, lowest, highest and last, in their order.

    This is the M4 aggregation (Jugel, Jerzak, Hackenbroich and Markl, 2014): drawn at this width, the polyline covers
    the same pixels. `points` run from left to right, in pixels.
    """
    thinned: list[Point] = []
    for _, column in groupby(points, key=lambda point: int(point[0])):
        inside = list(column)
        if len(inside) <= 4:
            thinned += inside
            continue
        ys = [y for _, y in inside]
        kept = sorted({0, ys.index(min(ys)), ys.index(max(ys)), len(inside) - 1})
        thinned += [inside[position] for position in kept]
    return thinned


def thin_marks(points: Sequence[Point], grid: float) -> list[int]:
    """Which points to draw: the first in each cell of a grid of pixels, since marks of one kind there cover each other.

    Answers indices into `points`, rising.
    """
    cells: dict[tuple[int, int], int] = {}
    for index, (x, y) in enumerate(points):
        cells.setdefault((int(x / grid), int(y / grid)), index)
    return list(cells.values())


def thin_bars(points: Sequence[Point]) -> list[int]:
    """Which bars to draw: in each pixel column the one that reaches furthest up and the one furthest down.

    `points` are (x in pixels, signed length). Answers indices into `points`, in no order.
    """
    furthest: dict[tuple[int, bool], int] = {}
    for index, (x, length) in enumerate(points):
        cell = (int(x), length < 0)
        if cell not in furthest or abs(length) > abs(points[furthest[cell]][1]):
            furthest[cell] = index
    return list(furthest.values())
