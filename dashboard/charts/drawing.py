"""The drawing model: what is drawn where, once, for the SVG, for plotly and for the sparkline. No colour, no markup."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from dashboard.charts.axes import Axis, build_delta_axis, build_score_axis, build_slot_axis, build_time_axis
from dashboard.trend import Decision, Gap, Line, Slot, Trend

AxisKind = Literal["slot", "time"]
MARKERS_UP_TO = 250
"""With more slots than this a line carries no marker at each point; lone points and decisions always have theirs."""
HALF_A_LABEL = 44
"""The room that half of a tick's label takes, in pixels."""
DENSE_FROM = 400
"""With more slots than this, marks and bars that would cover each other are drawn once."""


class Box(NamedTuple):
    left: float
    top: float
    width: float
    height: float

    @property
    def bottom(self) -> float:
        return self.top + self.height


class Frame(NamedTuple):
    """The sheet in CSS pixels at scale 1, and on it, under one another: scores, deltas and the gap rail."""

    width: int
    height: int
    scores: Box
    deltas: Box
    rail: Box

    def without_deltas(self) -> Frame:
        """The same sheet with the room of the deltas given to the scores."""
        return self._replace(scores=self.scores._replace(height=self.deltas.bottom - self.scores.top))


WIDE = Frame(1100, 470, Box(58, 18, 1024, 274), Box(58, 312, 1024, 78), Box(58, 404, 1024, 22))
NARROW = Frame(380, 470, Box(46, 18, 324, 274), Box(46, 312, 324, 78), Box(46, 404, 324, 22))


Scaler = Callable[[float], float]


def scale_to(axis: Axis, start: float, end: float) -> Scaler:
    """The straight map that takes the axis's low to `start` and its high to `end`."""
    factor = (end - start) / (axis.high - axis.low)
    low = axis.low
    return lambda value: start + (value - low) * factor


def hold(value: float, axis: Axis) -> float:
    """The value, or the end of the axis beyond which it lies."""
    return axis.low if value < axis.low else axis.high if value > axis.high else value


class Stroke(NamedTuple):
    """One line, and in `ys` where each of its places stands: at its score, or at the edge where it is off the scale."""

    line: Line
    ys: dict[int, float]


class OffScale(NamedTuple):
    """A score outside the stated scale, drawn at the edge of the chart."""

    place: int
    y: float
    score: float


class Era(NamedTuple):
    """Where another model began to serve: between two slots, in the units of the x axis."""

    at: float
    reason: str


@dataclass(frozen=True, slots=True)
class Drawing:
    frame: Frame
    axis: AxisKind
    x: Axis
    scores: Axis
    deltas: Axis
    trend: Trend
    xs: tuple[float, ...]
    """The x of each slot: its place, or on the time axis its seconds since 1970."""
    strokes: tuple[Stroke, ...]
    eras: tuple[Era, ...]
    off_scale: tuple[OffScale, ...]
    to_x: Scaler
    """From the units of the x axis to pixels of the frame."""
    to_y: Scaler
    """From scores to pixels of the frame."""
    pixels: tuple[float, ...]
    """The x of each slot in pixels of the frame."""

    @property
    def slots(self) -> tuple[Slot, ...]:
        return self.trend.slots

    def decision_pixel(self, slot: Slot) -> float:
        """How far down a decision is drawn: on the candidate's point, or at the head of the rail, above its gap."""
        return self.frame.rail.top if slot.candidate is None else self.to_y(hold(slot.candidate, self.scores))

    @property
    def dense(self) -> bool:
        return len(self.slots) > DENSE_FROM

    @property
    def bar_width(self) -> float:
        """In pixels."""
        return max(1.0, min(10.0, self.frame.deltas.width / max(1, len(self.slots)) * 0.7))

    @property
    def with_markers(self) -> bool:
        return len(self.slots) <= MARKERS_UP_TO


def group_by_decision(slots: Sequence[Slot]) -> dict[Decision, list[Slot]]:
    """The slots on which somebody decided, by what they decided."""
    groups: dict[Decision, list[Slot]] = defaultdict(list)
    for slot in slots:
        if slot.decision:
            groups[slot.decision].append(slot)
    return groups


def group_by_gap(slots: Sequence[Slot]) -> dict[str, list[tuple[Slot, Gap]]]:
    """The gaps by kind: drawn on the rail."""
    groups: dict[str, list[tuple[Slot, Gap]]] = defaultdict(list)
    for slot in slots:
        if slot.gap:
            groups[slot.gap.kind].append((slot, slot.gap))
    return groups


def draw_trend(trend: Trend, *, axis: AxisKind = "slot", frame: Frame = WIDE) -> Drawing:
    """Lays the trend out on a frame. Where it has no deltas the scores take their room."""
    if not trend.with_deltas:
        frame = frame.without_deltas()
    named = max(2, int(frame.scores.width // 104))
    xs = _place_in_time(trend.slots) if axis == "time" else tuple(float(slot.place) for slot in trend.slots)
    x = build_time_axis(xs, named) if axis == "time" else build_slot_axis(trend.slots, named, letters=12)
    given = [_scores(trend.slots, line) for line in trend.lines]
    deltas = [slot.delta for slot in trend.slots if slot.delta is not None] if trend.with_deltas else []
    to_x = scale_to(x, frame.scores.left, frame.scores.left + frame.scores.width)
    # A label is written about its tick: near the edge there is no room for one.
    x = x._replace(ticks=tuple(tick for tick in x.ticks if 0 <= to_x(tick.at) <= frame.width - HALF_A_LABEL))
    scores = build_score_axis([score for ys in given for score in ys.values()], trend.scale, count=6)
    strokes, off_scale = [], []
    for line, ys in zip(trend.lines, given, strict=True):
        held = not ys or (scores.low <= min(ys.values()) and max(ys.values()) <= scores.high)
        beyond = {} if held else {n: score for n, score in ys.items() if not scores.low <= score <= scores.high}
        edges = {place: hold(score, scores) for place, score in beyond.items()}
        off_scale += [OffScale(place, edges[place], score) for place, score in beyond.items()]
        strokes.append(Stroke(line, ys | edges))
    return Drawing(
        frame=frame,
        axis=axis,
        x=x,
        scores=scores,
        deltas=build_delta_axis(deltas, trend.scale),
        trend=trend,
        xs=xs,
        strokes=tuple(strokes),
        off_scale=tuple(off_scale),
        eras=tuple(_eras(trend.slots, xs)) if trend.with_deltas else (),
        to_x=to_x,
        to_y=scale_to(scores, frame.scores.bottom, frame.scores.top),
        pixels=tuple(to_x(x) for x in xs),
    )


def _scores(slots: Sequence[Slot], line: Line) -> dict[int, float]:
    ys = {}
    for segment in line.segments:
        for place in segment:
            slot = slots[place]
            score = slot.candidate if line.role == "candidate" else slot.incumbent
            if score is not None:
                ys[place] = score
    return ys


def _place_in_time(slots: Sequence[Slot]) -> tuple[float, ...]:
    """Seconds since 1970. What has no time stands after everything that has, an hour apart."""
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    xs: list[float] = []
    for slot in slots:
        at = slot.created_at
        xs.append((at - epoch).total_seconds() if at else (xs[-1] if xs else 0.0) + 3_600.0)
    return tuple(xs)


def _eras(slots: Sequence[Slot], xs: Sequence[float]) -> list[Era]:
    return [
        Era((xs[slot.place] + xs[slot.place - 1]) / 2, slot.era_reason)
        for slot in slots
        if slot.era_reason and slot.place > 0
    ]
