"""The chart as inline SVG: on screen before any script, on paper, and without JavaScript. Bounded by its pixels.

Colours and strokes come from classes (static/css/components/chart.css), so the theme and the printer decide them.
Every text passes through `html.escape`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from html import escape

from dashboard.charts.axes import Axis
from dashboard.charts.drawing import Box, Drawing, Stroke
from dashboard.charts.glyphs import DECISIONS, GAPS, UNKNOWN_DECISION, UNKNOWN_GAP, Glyph
from dashboard.charts.thin import Point, thin_line, thin_marks
from dashboard.trend import Slot

TITLES_UP_TO = 300
"""With more marks than this they carry no tooltip of their own: the table and plotly's hover have every one."""

_DISC = "a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0"
Scaler = Callable[[float], float]


def render_svg(drawing: Drawing, *, title: str, description: str = "") -> str:
    """The chart as one <svg> element, safe to place in a page: every outside text in it is escaped."""
    frame = drawing.frame
    to_x = _scaler(drawing.x, frame.scores.left, frame.scores.left + frame.scores.width)
    to_y = _scaler(drawing.scores, frame.scores.bottom, frame.scores.top)
    xs = [to_x(x) for x in drawing.xs]
    parts = [
        f'<svg class="chart" viewBox="0 0 {frame.width} {frame.height}" role="img" xmlns="http://www.w3.org/2000/svg">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(description)}</desc>" if description else "",
        *_scales(drawing, to_x, to_y),
        *_eras(drawing, to_x),
        *_deltas(drawing, xs),
        *(part for stroke in reversed(drawing.strokes) for part in _stroke(drawing, stroke, xs, to_y)),
        *_decisions(drawing, xs, to_y),
        *_rail(drawing, xs),
        "</svg>",
    ]
    return "".join(parts)


def render_glyph(glyph: Glyph, css_class: str) -> str:
    """One glyph alone, 14 pixels square, for the key and the table."""
    return (
        '<svg class="glyph" viewBox="-7 -7 14 14" width="14" height="14" aria-hidden="true">'
        f'<path class="{css_class} {_fill(glyph)}" d="{glyph.path(0, 0, 5)}"/></svg>'
    )


def line_path(points: Iterable[Point]) -> str:
    """SVG path data through the points, to one decimal of a pixel."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _scaler(axis: Axis, start: float, end: float) -> Scaler:
    factor = (end - start) / (axis.high - axis.low)
    return lambda value: start + (value - axis.low) * factor


def _fill(glyph: Glyph) -> str:
    return "filled" if glyph.filled else "hollow"


def _scales(drawing: Drawing, to_x: Scaler, to_y: Scaler) -> Iterable[str]:
    """Grid lines and tick labels of the three panels."""
    frame = drawing.frame
    right = frame.scores.left + frame.scores.width
    yield _grid(drawing.scores, to_y, frame.scores)
    if not drawing.overlaid:
        to_delta = _scaler(drawing.deltas, frame.deltas.bottom, frame.deltas.top)
        yield _grid(drawing.deltas, to_delta, frame.deltas)
        yield f'<path class="zero" d="M{frame.deltas.left} {to_delta(0):.1f}H{right}"/>'
        yield _note(frame.deltas, "delta")
    yield _note(frame.scores, "score")
    middle = frame.rail.top + frame.rail.height / 2
    yield f'<path class="rail" d="M{frame.rail.left} {middle}H{right}"/>'
    yield f'<text class="tick end" x="{frame.rail.left - 8}" y="{middle + 4}">gaps</text>'
    below = frame.rail.bottom + 20
    for tick in drawing.x.ticks:
        yield f'<text class="tick middle" x="{to_x(tick.at):.1f}" y="{below}">{escape(tick.label)}</text>'


def _grid(axis: Axis, to_y: Scaler, box: Box) -> str:
    lines = "".join(f"M{box.left} {to_y(tick.at):.1f}h{box.width}" for tick in axis.ticks)
    labels = "".join(
        f'<text class="tick end" x="{box.left - 8}" y="{to_y(tick.at) + 4:.1f}">{tick.label.replace("-", "−")}</text>'
        for tick in axis.ticks
    )
    return f'<path class="grid" d="{lines}"/>{labels}'


def _note(box: Box, text: str) -> str:
    return f'<text class="note" x="{box.left + 4}" y="{box.top - 5}">{text}</text>'


def _eras(drawing: Drawing, to_x: Scaler) -> Iterable[str]:
    box = drawing.frame.scores
    if drawing.eras:
        columns = sorted({round(to_x(era.at)) for era in drawing.eras})
        yield f'<path class="era" d="{"".join(f"M{x} {box.top}v{box.height}" for x in columns)}"/>'


def _stroke(drawing: Drawing, stroke: Stroke, xs: list[float], to_y: Scaler) -> Iterable[str]:
    role = f"rule-{stroke.rule_number % 6 + 1}" if drawing.overlaid else stroke.line.role
    lines, points = [], []
    for segment in stroke.line.segments:
        drawn = [(xs[place], to_y(stroke.ys[place])) for place in segment]
        if len(drawn) > 1:
            lines.append(line_path(thin_line(drawn)))
        if drawing.with_markers or len(drawn) == 1:
            points += drawn
    if lines:
        yield f'<path class="line {role}" d="{"".join(lines)}"/>'
    if points:
        radius = 2.6
        dots = "".join(
            f"M{x - radius:.1f} {y:.1f}a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0" for x, y in thin_marks(points, 1)
        )
        yield f'<path class="dot {role}" d="{dots}"/>'


def _deltas(drawing: Drawing, xs: list[float]) -> Iterable[str]:
    """Bars from zero; where several share a pixel column, the highest and the lowest of them."""
    if drawing.overlaid:
        return
    box = drawing.frame.deltas
    to_y = _scaler(drawing.deltas, box.bottom, box.top)
    zero = to_y(0)
    width = max(1.0, min(10.0, box.width / max(1, len(drawing.slots)) * 0.7))
    tallest: dict[tuple[str, int], tuple[float, float]] = {}
    for slot in drawing.slots:
        if slot.delta is None:
            continue
        sign = "up" if slot.delta > 0 else "down" if slot.delta < 0 else "even"
        key = (sign, int(xs[slot.place]))
        if key not in tallest or abs(slot.delta) > abs(tallest[key][1]):
            tallest[key] = (xs[slot.place], slot.delta)
    paths: dict[str, list[str]] = defaultdict(list)
    for (sign, _), (x, delta) in tallest.items():
        height = to_y(delta) - zero if delta else -1.5
        paths[sign].append(f"M{x - width / 2:.1f} {zero:.1f}h{width:.1f}v{height:.1f}h-{width:.1f}Z")
    for sign, bars in sorted(paths.items()):
        yield f'<path class="bar {sign}" d="{"".join(bars)}"/>'


def _decisions(drawing: Drawing, xs: list[float], to_y: Scaler) -> Iterable[str]:
    """The decision's shape on the candidate's point."""
    by_kind: dict[str, list[Slot]] = defaultdict(list)
    for slot in drawing.decided:
        by_kind[slot.decision.key if slot.decision else ""].append(slot)
    with_titles = len(drawing.decided) <= TITLES_UP_TO
    grid = 1.0 if with_titles else 3.0
    for kind, slots in by_kind.items():
        glyph = DECISIONS.get(kind, UNKNOWN_DECISION)
        css_class = f"decision {kind if kind in DECISIONS else 'other'} {_fill(glyph)}"
        places = [(slot, xs[slot.place], to_y(slot.candidate or 0.0)) for slot in slots]
        titles = (f"{slot.label}: {slot.decision.label if slot.decision else ''}" for slot in slots)
        yield from _marks(glyph, css_class, 5, places, titles if with_titles else None, grid)


def _rail(drawing: Drawing, xs: list[float]) -> Iterable[str]:
    """Every gap at its own place under the plot."""
    gaps = drawing.gaps
    with_titles = len(gaps) <= TITLES_UP_TO
    y = drawing.frame.rail.top + drawing.frame.rail.height / 2
    by_kind: dict[str, list[Slot]] = defaultdict(list)
    for slot in gaps:
        by_kind[slot.gap.kind if slot.gap else ""].append(slot)
    for kind, slots in by_kind.items():
        glyph = GAPS.get(kind, UNKNOWN_GAP)
        titles = (f"{slot.label}: {slot.gap.label}, {slot.gap.reason}" if slot.gap else "" for slot in slots)
        places = [(slot, xs[slot.place], y) for slot in slots]
        yield from _marks(glyph, f"gap {_fill(glyph)}", 5, places, titles if with_titles else None, 1.0)


def _marks(
    glyph: Glyph,
    css_class: str,
    radius: float,
    places: list[tuple[Slot, float, float]],
    titles: Iterable[str] | None,
    grid: float,
) -> Iterable[str]:
    """Marks of one kind: each an element with its tooltip, or, where they are many, all in one path."""
    if titles is None:
        points = thin_marks(((x, y) for _, x, y in places), grid)
        yield f'<path class="{css_class}" d="{"".join(glyph.path(x, y, radius) for x, y in points)}"/>'
        return
    for (slot, x, y), title in zip(places, titles, strict=True):
        yield (
            f'<path class="{css_class}" data-place="{slot.place}" d="{glyph.path(x, y, radius)}">'
            f"<title>{escape(title)}</title></path>"
        )
