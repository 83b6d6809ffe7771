"""Axes: where a chart begins and ends, and which ticks it names. Plain arithmetic on floats, no drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from dashboard.charts.unseen import name_unseen, shorten
from dashboard.trend import Scale, Slot

MIN_SHARE_OF_SCALE = 0.05
"""The least part of the judge's scale that the score axis spans, so that noise does not look like movement."""

_SECONDS = (60, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600)
_FIRST, _LAST = -62_135_596_800.0, 253_402_300_799.0
"""The first second of the year 1 and the last of the year 9999."""
_MONDAY = 345_600
"""The first Monday after the beginning of 1970, from which weeks are counted."""
_MONTHS = (1, 2, 3, 6, 12, 24, 60)


class Tick(NamedTuple):
    at: float
    label: str


class Axis(NamedTuple):
    """From `low` to `high`, low first; ticks lie between the two."""

    low: float
    high: float
    ticks: tuple[Tick, ...]


def build_score_axis(values: Sequence[float], scale: Scale | None, count: int) -> Axis:
    """An axis over the scores with a little air, at least a twentieth of the scale wide.

    A score outside a known scale does not stretch it. Without scores it is the scale's, without both it names nothing.
    """
    values = [value for value in values if scale is None or scale.low <= value <= scale.high]
    if not values and scale is None:
        return Axis(0.0, 1.0, ())
    low, high = (_drawable(min(values)), _drawable(max(values))) if values else scale or (0.0, 1.0)
    least = MIN_SHARE_OF_SCALE * (scale.width if scale else 1.0)
    if scale is None:
        least = min(least, max(abs(low), abs(high)) / 2 or least)
    # Numbers so large that a twentieth of the scale is lost in their rounding still need an axis of some width.
    least = max(least, abs(high) * 1e-9, abs(low) * 1e-9)
    middle, half = (low + high) / 2, max(high - low, least) * 0.58
    return _with_ticks(middle - half, middle + half, count)


def build_delta_axis(values: Sequence[float], scale: Scale | None) -> Axis:
    """An axis about zero, as far down as up, at least a fiftieth of the scale each way.

    A delta wider than a known scale does not stretch it. Without deltas it names nothing but zero.
    """
    values = [value for value in values if scale is None or abs(value) <= scale.width]
    if not values:
        return Axis(-1.0, 1.0, (Tick(0.0, "0"),))
    reach = _drawable(max((abs(value) for value in values), default=0.0))
    reach = max(reach * 1.1, 0.02 * (scale.width if scale else 0.0), 1e-9)
    # One round step each way, the largest that fits: bars without a size would say nothing.
    unit = 10.0 ** math.floor(math.log10(reach))
    step = max(unit * factor for factor in (1, 2, 5) if unit * factor <= reach * (1 + 1e-9))
    ticks = _with_ticks(-reach, reach, 3, step).ticks
    return Axis(-reach, reach, tuple(tick for tick in ticks if abs(tick.at) <= step * 1.5))


def build_slot_axis(slots: Sequence[Slot], count: int, letters: int) -> Axis:
    """One place for each slot; at most `count` of them named, by their checkpoint cut in the middle to `letters`."""
    step = max(1, math.ceil(len(slots) / count))
    ticks = tuple(Tick(slot.place, shorten(name_unseen(slot.label), letters)) for slot in slots[::step])
    return Axis(-0.6, max(len(slots), 1) - 0.4, ticks)


def build_time_axis(times: Sequence[float], count: int) -> Axis:
    """An axis over seconds since 1970 with round UTC times as ticks."""
    low, high = (min(times), max(times)) if times else (0.0, 86_400.0)
    air = max((high - low) * 0.015, 1_800.0)
    low, high = max(low - air, _FIRST), min(high + air, _LAST)
    return Axis(low, high, tuple(_name_times(low, high, count)))


def _with_ticks(low: float, high: float, count: int, step: float | None = None) -> Axis:
    if step is None:
        rough = (high - low) / count
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    largest = max(abs(low), abs(high))
    form = f".{decimals}f"
    if largest >= 1e9 or decimals > 9:
        form = f".{math.ceil(math.log10(largest / step)) + 1}g"
    first, last = math.ceil(low / step), math.floor(high / step)
    return Axis(low, high, tuple(Tick(n * step, f"{n * step + 0.0:{form}}") for n in range(first, last + 1)))


def _drawable(value: float) -> float:
    """The value, within what an axis can reckon with: beyond it a score stands at the edge of the chart."""
    return max(-1e300, min(1e300, value))


def _name_times(low: float, high: float, count: int) -> list[Tick]:
    rough = (high - low) / count
    for step in _SECONDS:
        if step >= rough:
            form = "%H:%M" if step < 43_200 and high - low < 86_400 else "%b %-d %H:%M" if step < 86_400 else "%b %-d"
            origin = _MONDAY if step >= 604_800 else 0
            counts = range(math.ceil((low - origin) / step), math.floor((high - origin) / step) + 1)
            stamps = [float(origin + n * step) for n in counts]
            return [Tick(stamp, _at(stamp).strftime(form)) for stamp in stamps]
    months = next((step for step in _MONTHS if step * 2_629_746 >= rough), 120)
    start, end = _at(low), _at(high)
    firsts = [
        datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)
        for month in range(start.year * 12, end.year * 12 + 12)
        if month % months == 0
    ]
    form = "%b %Y" if months < 12 else "%Y"
    return [Tick(first.timestamp(), first.strftime(form)) for first in firsts if start <= first <= end]


def _at(seconds: float) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
