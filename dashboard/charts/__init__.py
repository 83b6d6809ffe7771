"""Trend to picture: one drawing model, drawn as inline SVG, as a sparkline and as a plotly figure."""

from dashboard.charts.drawing import NARROW, WIDE, AxisKind, Drawing, Frame, draw_trend
from dashboard.charts.figure import build_figure
from dashboard.charts.glyphs import DECISIONS, SHAPES, UNKNOWN_DECISION, UNKNOWN_GAP, Glyph, choose_glyph
from dashboard.charts.palette import PALETTES, Theme
from dashboard.charts.sparkline import render_sparkline
from dashboard.charts.svg import render_glyph, render_svg

__all__ = [
    "DECISIONS",
    "NARROW",
    "PALETTES",
    "SHAPES",
    "UNKNOWN_DECISION",
    "UNKNOWN_GAP",
    "WIDE",
    "AxisKind",
    "Drawing",
    "Frame",
    "Glyph",
    "Theme",
    "build_figure",
    "choose_glyph",
    "draw_trend",
    "render_glyph",
    "render_sparkline",
    "render_svg",
]
