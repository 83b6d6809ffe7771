"""The sparkline of a benchmark on the overview: its lines and every gap, in the space of a word."""

from __future__ import annotations

from html import escape

from dashboard.charts.axes import Axis
from dashboard.charts.drawing import draw_trend
from dashboard.charts.svg import line_path
from dashboard.charts.thin import thin_line
from dashboard.trend import Trend

WIDTH, HEIGHT, GAP_HEIGHT = 150, 34, 5


def render_sparkline(trend: Trend) -> str:
    """One small <svg>, safe to place in a page; its label says in words how many replays or runs have a score."""
    drawing = draw_trend(trend)
    axis: Axis = drawing.scores
    step = (WIDTH - 6) / max(1, len(trend.slots) - 1)
    to_y = (HEIGHT - GAP_HEIGHT - 5) / (axis.high - axis.low)
    parts = []
    for stroke in reversed(drawing.strokes):
        lines, dots = [], []
        for segment in stroke.line.segments:
            points = [(3 + place * step, 2 + (axis.high - stroke.ys[place]) * to_y) for place in segment]
            if len(points) > 1:
                lines.append(line_path(thin_line(points)))
            else:
                dots += points
        role = stroke.line.role
        if lines:
            parts.append(f'<path class="line {role}" d="{"".join(lines)}"/>')
        if dots:
            shapes = "".join(f"M{x - 1.2:.1f} {y:.1f}h2.4" for x, y in dots)
            parts.append(f'<path class="line point {role}" d="{shapes}"/>')
    columns = sorted({round(3 + slot.place * step) for slot in trend.slots if slot.gap})
    if columns:
        ticks = "".join(f"M{x} {HEIGHT - GAP_HEIGHT}v{GAP_HEIGHT}" for x in columns)
        parts.append(f'<path class="gap hollow" d="{ticks}"/>')
    label = f"{trend.scored_count} {trend.words.things} with a score, {trend.gap_count} without"
    return (
        f'<svg class="sparkline" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )
