"""Thinning: no more points than pixels can show, and every extreme stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

Point = tuple[float, float]


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


def thin_marks(points: Iterable[Point], grid: float) -> list[Point]:
    """One point for each cell of a grid of pixels, the first that came: marks of one kind there cover each other."""
    cells: dict[tuple[int, int], Point] = {}
    for x, y in points:
        cells.setdefault((int(x / grid), int(y / grid)), (x, y))
    return list(cells.values())
