"""The chart as inline SVG: on screen before any script, on paper, and without JavaScript. Bounded by its pixels.

Colours and strokes come from classes (static/css/components/chart.css), so the theme and the printer decide them.
Every text passes through `html.escape`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from dashboard.charts.axes import Axis
from dashboard.charts.drawing import Box, Drawing, Scaler, Stroke, group_by_decision, group_by_gap, hold, scale_to
from dashboard.charts.glyphs import DECISIONS, OFF_SCALE, UNKNOWN_DECISION, Glyph, choose_glyph
from dashboard.charts.palette import STYLES
from dashboard.charts.thin import MARK_GRID, Point, thin_bars, thin_line, thin_marks
from dashboard.charts.unseen import name_unseen

_DISC = "a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0"


def render_svg(drawing: Drawing, *, title: str, description: str = "") -> str:
    """The chart as one <svg> element, safe to place in a page: every outside text in it is escaped."""
    frame = drawing.frame
    parts = [
        f'<svg class="chart" viewBox="0 0 {frame.width} {frame.height}" role="img" xmlns="http://www.w3.org/2000/svg">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(description)}</desc>" if description else "",
        *_scales(drawing),
        *_eras(drawing),
        *_deltas(drawing),
        *(part for stroke in reversed(drawing.strokes) for part in _stroke(drawing, stroke)),
        *_off_scale(drawing),
        *_decisions(drawing),
        *_rail(drawing),
        "</svg>",
    ]
    return "".join(parts)


def render_glyph(glyph: Glyph, css_class: str) -> str:
    """One glyph alone, 14 pixels square, for the key and the table."""
    return (
        '<svg class="glyph" viewBox="-7 -7 14 14" width="14" height="14" aria-hidden="true">'
        f'<path class="{css_class} {_fill(glyph)}" d="M0 0{glyph.outline()}"/></svg>'
    )


def line_path(points: Sequence[Point]) -> str:
    """SVG path data through the points, to a tenth of a pixel, or to a pixel where they are closer than that."""
    if len(points) > 2 and (points[-1][0] - points[0][0]) / len(points) < 1:
        return "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in points)
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _fill(glyph: Glyph) -> str:
    return "filled" if glyph.filled else "hollow"


def _scales(drawing: Drawing) -> Iterable[str]:
    """Grid lines and tick labels of the three panels."""
    frame = drawing.frame
    right = frame.scores.left + frame.scores.width
    yield _grid(drawing.scores, drawing.to_y, frame.scores)
    if drawing.trend.with_deltas:
        to_delta = scale_to(drawing.deltas, frame.deltas.bottom, frame.deltas.top)
        yield _grid(drawing.deltas, to_delta, frame.deltas)
        yield f'<path class="zero" d="M{frame.deltas.left} {to_delta(0):.1f}H{right}"/>'
        yield _note(frame.deltas, drawing.trend.words.delta)
    yield _note(frame.scores, "score")
    middle = frame.rail.top + frame.rail.height / 2
    yield f'<path class="rail" d="M{frame.rail.left} {middle}H{right}"/>'
    yield f'<text class="tick end" x="{frame.rail.left - 8}" y="{middle + 4}">gaps</text>'
    below = frame.rail.bottom + 20
    for tick in drawing.x.ticks:
        yield f'<text class="tick middle" x="{drawing.to_x(tick.at):.1f}" y="{below}">{escape(tick.label)}</text>'


def _grid(axis: Axis, to_y: Scaler, box: Box) -> str:
    lines = "".join(f"M{box.left} {to_y(tick.at):.1f}h{box.width}" for tick in axis.ticks)
    labels = "".join(
        f'<text class="tick end" x="{box.left - 8}" y="{to_y(tick.at) + 4:.1f}">{tick.label.replace("-", "−")}</text>'
        for tick in axis.ticks
    )
    return f'<path class="grid" d="{lines}"/>{labels}'


def _note(box: Box, text: str) -> str:
    return f'<text class="note" x="{box.left + 4}" y="{box.top - 5}">{text}</text>'


def _eras(drawing: Drawing) -> Iterable[str]:
    box = drawing.frame.scores
    if drawing.eras and not drawing.dense:
        for era in drawing.eras:
            title = f"<title>{escape(era.reason)}</title>"
            yield f'<path class="era" d="M{drawing.to_x(era.at):.1f} {box.top}v{box.height}">{title}</path>'
    elif drawing.eras:
        columns = sorted({round(drawing.to_x(era.at)) for era in drawing.eras})
        # Without dashes: a browser takes its time over many of them.
        yield f'<path class="era many" d="{"".join(f"M{x} {box.top}v{box.height}" for x in columns)}"/>'


def _class_of(drawing: Drawing, stroke: Stroke) -> str:
    """The class with the line's colour and dash."""
    if not drawing.trend.overlaid:
        return stroke.line.role
    return "others" if stroke.line.number is None else f"rule-{stroke.line.number % STYLES + 1}"


def _stroke(drawing: Drawing, stroke: Stroke) -> Iterable[str]:
    role = _class_of(drawing, stroke)
    to_y = drawing.to_y
    lines, dots = [], []
    for segment in stroke.line.segments:
        points = [(drawing.pixels[place], to_y(stroke.ys[place])) for place in segment]
        if len(points) > 1:
            lines.append(line_path(thin_line(points)))
        if drawing.with_markers or len(points) == 1:
            dots += points
    if lines:
        yield f'<path class="line {role}" d="{"".join(lines)}"/>'
    if dots:
        kept = [dots[index] for index in thin_marks(dots, MARK_GRID if drawing.dense else 1)]
        yield f'<path class="dot {role}" d="{"".join(f"M{x - 2.6:.1f} {y:.1f}{_DISC}" for x, y in kept)}"/>'


def _deltas(drawing: Drawing) -> Iterable[str]:
    """Bars from zero, as strokes, all of one colour: nothing here says how large the noise is (T12)."""
    if not drawing.trend.with_deltas:
        return
    box = drawing.frame.deltas
    to_y = scale_to(drawing.deltas, box.bottom, box.top)
    zero = to_y(0)
    deltas = [(slot.place, slot.delta) for slot in drawing.slots if slot.delta is not None]
    bars = [(drawing.pixels[place], hold(delta, drawing.deltas)) for place, delta in deltas]
    if drawing.dense:
        bars = [bars[index] for index in thin_bars(bars)]
    drawn = "".join(
        f"M{x:.1f} {zero:.1f}v{to_y(delta) - zero:.1f}" if delta else f"M{x:.1f} {zero - 1.5:.1f}v3"
        for x, delta in bars
    )
    if drawn:
        yield f'<path class="bar" stroke-width="{drawing.bar_width:.1f}" d="{drawn}"/>'


def _off_scale(drawing: Drawing) -> Iterable[str]:
    """A score outside the scale as a mark at the edge, with its number."""
    marks = [(drawing.pixels[one.place], drawing.to_y(one.y)) for one in drawing.off_scale]
    titles = (f"{drawing.slots[one.place].label}: {one.score:g}, outside the scale" for one in drawing.off_scale)
    yield from _marks(OFF_SCALE, "off-scale filled", marks, titles, MARK_GRID if drawing.dense else 0)


def _decisions(drawing: Drawing) -> Iterable[str]:
    """The decision's shape on the candidate's point, or above its gap."""
    for decision, slots in group_by_decision(drawing.slots).items():
        glyph = DECISIONS.get(decision.key, UNKNOWN_DECISION)
        points = [(drawing.pixels[slot.place], drawing.decision_pixel(slot)) for slot in slots]
        titles = (f"{slot.label}: {decision.label}" for slot in slots)
        yield from _marks(glyph, f"decision {_fill(glyph)}", points, titles, MARK_GRID if drawing.dense else 0)


def _rail(drawing: Drawing) -> Iterable[str]:
    """Every gap at its own place under the plot."""
    y = drawing.frame.rail.top + drawing.frame.rail.height / 2
    for kind, gaps in group_by_gap(drawing.slots).items():
        glyph = choose_glyph(drawing.trend.words, kind)
        points = [(drawing.pixels[slot.place], y) for slot, _ in gaps]
        titles = (f"{slot.label}: {gap.label}, {gap.reason}" for slot, gap in gaps)
        yield from _marks(glyph, f"gap {_fill(glyph)}", points, titles, MARK_GRID if drawing.dense else 0)


def _marks(glyph: Glyph, css_class: str, points: list[Point], titles: Iterable[str], grid: float) -> Iterable[str]:
    """Marks of one kind: each an element with its tooltip, or, with a grid, one for each of its cells in one path.

    `titles` are made only where they are shown.
    """
    outline = glyph.outline()
    if grid:
        kept = (points[index] for index in thin_marks(points, grid))
        yield f'<path class="{css_class}" d="{"".join(f"M{x:.0f} {y:.0f}{outline}" for x, y in kept)}"/>'
        return
    for (x, y), title in zip(points, titles, strict=True):
        named = escape(name_unseen(title))
        yield f'<path class="{css_class}" d="M{x:.1f} {y:.1f}{outline}"><title>{named}</title></path>'
