"""The same drawing for plotly.js: every replay, to hover, zoom and click.

A figure is plotly's documented JSON, written as plain mappings. The plotly package checks every property of it in the
tests; at run time it would cost half a second for 10,000 replays (DECISIONS.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from textwrap import wrap
from typing import Any

import msgspec

from dashboard.charts.axes import Axis, Tick
from dashboard.charts.drawing import Box, Drawing, Stroke, group_by_decision, group_by_gap
from dashboard.charts.glyphs import DECISIONS, GAPS, UNKNOWN_DECISION, UNKNOWN_GAP, Glyph
from dashboard.charts.palette import PALETTES, Palette, Theme
from dashboard.charts.thin import thin_bars, thin_marks
from dashboard.trend import Slot

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
_LETTERS, _LINES = 64, 8
"""How wide and how tall a hover grows: it is no page, and the table has the whole text."""
Trace = dict[str, Any]


def build_figure(drawing: Drawing, *, theme: Theme) -> str:
    """JSON of a figure: {data, layout, slots: {label, hover, id}, full}.

    A trace's `customdata` are the places of its points, and `slots` says of each place what is outside text: the label
    for the axis, the hover, the replay's id. The page joins the two, so that each text travels once. `full` maps the
    number of a trace that was thinned to all its points {x, y, customdata}, for when the reader zooms in.
    """
    palette = PALETTES[theme]
    sheet = _Sheet(drawing, palette)
    data = [
        *_eras(sheet),
        *_deltas(sheet),
        *(_line(sheet, stroke) for stroke in reversed(drawing.strokes)),
        *_decisions(sheet),
        *_gaps(sheet),
    ]
    full = {}
    for number, trace in enumerate(data):
        if "full" in trace:
            full[number] = trace.pop("full")
    slots = {
        "label": [plain(slot.label) for slot in drawing.slots],
        "hover": [_hover(slot) for slot in drawing.slots],
        "id": [slot.id for slot in drawing.slots],
    }
    figure = {"data": data, "layout": _layout(sheet), "slots": slots, "full": full}
    return msgspec.json.encode(figure).decode()


def plain(text: str) -> str:
    """Text from outside, for plotly, which reads a small HTML: the one place where it is escaped."""
    return escape(text, quote=False)


class _Sheet:
    """A drawing with its palette and its xs as plotly takes them: places, or milliseconds since 1970."""

    def __init__(self, drawing: Drawing, palette: Palette) -> None:
        self.drawing = drawing
        self.palette = palette
        self.in_time = drawing.axis == "time"
        self.xs = [self.x(x) for x in drawing.xs]
        self.pixels = [drawing.to_x(x) for x in drawing.xs]

    def x(self, value: float) -> float:
        return round(value * 1000) if self.in_time else value


def _hover(slot: Slot) -> str:
    """What a replay says of itself, as plotly's small HTML."""
    lines = [f"<b>{_wrapped(slot.label)}</b>"]
    if slot.gap:
        lines.append(_wrapped(f"{slot.gap.label}: {slot.gap.reason}"))
    else:
        lines += [
            f"candidate {_number(slot.candidate)}",
            f"incumbent {_number(slot.incumbent)}",
            f"delta {_number(slot.delta, sign='+')}",
        ]
    if slot.decision:
        lines.append(_wrapped(slot.decision.label))
    lines += [_wrapped(flag.text) for flag in slot.flags]
    lines.append(f"{slot.created_at:%Y-%m-%d %H:%M} UTC" if slot.created_at else "no readable time")
    return "<br>".join(lines)


def _number(score: float | None, sign: str = "") -> str:
    """To four decimals, with a true minus sign."""
    return f"{score or 0.0:{sign if score else ''}.4f}".replace("-", "−")


def _wrapped(text: str) -> str:
    if len(text) <= _LETTERS:
        return plain(text)
    lines = wrap(text, _LETTERS, break_long_words=True)
    return "<br>".join(plain(line) for line in lines[:_LINES]) + (" …" if len(lines) > _LINES else "")


def _trace(name: str) -> Trace:
    """What every trace of replays has: each point shows the hover of its place."""
    return {"type": "scatter", "name": plain(name), "hovertemplate": "%{text}<extra></extra>"}


def _line(sheet: _Sheet, stroke: Stroke) -> Trace:
    """One line with a null between its segments, so that nothing joins them."""
    drawing, palette = sheet.drawing, sheet.palette
    places: list[int | None] = []
    sizes: list[int] = []
    for segment in stroke.line.segments:
        if places:
            places.append(None)
            sizes.append(0)
        places += segment
        sizes += [5 if drawing.with_markers or len(segment) == 1 else 0] * len(segment)
    candidate = stroke.line.role == "candidate"
    colour = palette.candidate if candidate else palette.incumbent
    if drawing.overlaid:
        colour = palette.rules[stroke.rule_number % len(palette.rules)]
    xs = [None if place is None else sheet.xs[place] for place in places]
    ys = [None if place is None else stroke.ys[place] for place in places]
    return _trace(stroke.name) | {
        "x": xs,
        "y": ys,
        "customdata": places,
        "mode": "lines+markers" if any(sizes) else "lines",
        "connectgaps": False,
        "line": {"color": colour, "width": 1.8, "dash": "solid" if candidate else "5px,4px"},
        "marker": {"size": sizes if any(sizes) else 5, "color": colour},
    }


def _deltas(sheet: _Sheet) -> Iterable[Trace]:
    """Sticks from zero, one trace for each sign: one path each, which a browser draws faster than as many bars."""
    drawing = sheet.drawing
    if drawing.overlaid:
        return
    for name, colour, sign in (("gain", sheet.palette.up, 1), ("loss", sheet.palette.down, -1)):
        bars = [(slot.place, slot.delta) for slot in drawing.slots if slot.delta is not None and slot.delta * sign > 0]
        if not bars:
            continue
        trace = _sticks(sheet, bars)
        if drawing.dense:
            kept = sorted(thin_bars([(sheet.pixels[place], delta) for place, delta in bars]))
            trace = _sticks(sheet, [bars[index] for index in kept]) | {"full": trace}
        yield (
            _trace(name)
            | trace
            | {
                "mode": "lines",
                "yaxis": "y2",
                "line": {"color": colour, "width": drawing.bar_width, "simplify": False},
            }
        )


def _sticks(sheet: _Sheet, bars: Sequence[tuple[int, float]]) -> Trace:
    return {
        "x": [x for place, _ in bars for x in (sheet.xs[place], sheet.xs[place], None)],
        "y": [y for _, delta in bars for y in (0, delta, None)],
        "customdata": [number for place, _ in bars for number in (place, place, None)],
    }


def _decisions(sheet: _Sheet) -> Iterable[Trace]:
    to_y = sheet.drawing.to_y
    for decision, slots in group_by_decision(sheet.drawing.slots).items():
        glyph = DECISIONS.get(decision.key, UNKNOWN_DECISION)
        points = [(slot.place, slot.candidate or 0.0) for slot in slots]
        kept = [(sheet.pixels[place], to_y(score)) for place, score in points]
        yield _marks(sheet, decision.label, glyph, sheet.palette.accent, points, kept, 2 * glyph.radius)


def _gaps(sheet: _Sheet) -> Iterable[Trace]:
    """The rail: a trace for each kind of gap."""
    for kind, gaps in group_by_gap(sheet.drawing.slots).items():
        points = [(slot.place, 0.0) for slot, _ in gaps]
        pixels = [(sheet.pixels[place], 0.0) for place, _ in points]
        glyph = GAPS.get(kind, UNKNOWN_GAP)
        yield _marks(sheet, kind, glyph, sheet.palette.gap, points, pixels, 2) | {"yaxis": "y3", "cliponaxis": False}


def _marks(
    sheet: _Sheet,
    name: str,
    glyph: Glyph,
    colour: str,
    points: Sequence[tuple[int, float]],
    pixels: Sequence[tuple[float, float]],
    grid: float,
) -> Trace:
    """Marks of one kind at (place, y); where the drawing is dense, one for each cell of the grid, and `full` beside."""
    trace = _points(sheet, points)
    if sheet.drawing.dense:
        trace = _points(sheet, [points[index] for index in thin_marks(pixels, grid)]) | {"full": trace}
    size = glyph.radius * 2
    return (
        _trace(name)
        | trace
        | {
            "mode": "markers",
            "marker": {"symbol": glyph.symbol, "size": size, "color": colour, "line": {"color": colour, "width": 1.6}},
        }
    )


def _points(sheet: _Sheet, points: Sequence[tuple[int, float]]) -> Trace:
    return {
        "x": [sheet.xs[place] for place, _ in points],
        "y": [y for _, y in points],
        "customdata": [place for place, _ in points],
    }


def _eras(sheet: _Sheet) -> Iterable[Trace]:
    """One upright line before each era, all in one trace."""
    eras, axis = sheet.drawing.eras, sheet.drawing.scores
    if eras:
        yield {
            "type": "scatter",
            "mode": "lines",
            "name": "era",
            "x": [x for era in eras for x in (sheet.x(era.at), sheet.x(era.at), None)],
            "y": [y for _ in eras for y in (axis.low, axis.high, None)],
            "line": {"color": sheet.palette.accent, "width": 1, "dash": "1px,3px"},
            "hoverinfo": "skip",
        }


def _layout(sheet: _Sheet) -> dict[str, Any]:
    drawing, palette = sheet.drawing, sheet.palette
    frame = drawing.frame
    top, bottom = frame.scores.top, frame.rail.bottom

    def y_axis(axis: Axis, box: Box) -> dict[str, Any]:
        return {
            "domain": [round((bottom - edge) / (bottom - top), 6) for edge in (box.bottom, box.top)],
            "range": [axis.low, axis.high],
            "tickvals": [tick.at for tick in axis.ticks],
            "ticktext": [tick.label.replace("-", "−") for tick in axis.ticks],
            "gridcolor": palette.grid,
            "zeroline": False,
            "fixedrange": True,
        }

    deltas = y_axis(drawing.deltas, frame.deltas)
    if drawing.overlaid:
        deltas |= {"tickvals": [], "ticktext": []}
    else:
        deltas |= {"zeroline": True, "zerolinecolor": palette.text, "zerolinewidth": 1}
    notes = [(frame.scores, "score")] + ([] if drawing.overlaid else [(frame.deltas, "delta")])
    return {
        "width": frame.width,
        "height": frame.height,
        "margin": {
            "l": frame.scores.left,
            "r": frame.width - frame.scores.left - frame.scores.width,
            "t": top,
            "b": frame.height - bottom,
            "pad": 0,
        },
        "font": {"family": _FONT, "size": 12, "color": palette.text},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": palette.surface, "font": {"color": palette.text, "size": 12}, "align": "left"},
        "dragmode": "zoom",
        "xaxis": {
            "type": "date" if sheet.in_time else "linear",
            "range": [sheet.x(drawing.x.low), sheet.x(drawing.x.high)],
            "tickvals": [sheet.x(tick.at) for tick in drawing.x.ticks],
            "ticktext": [plain(tick.label) for tick in drawing.x.ticks],
            "anchor": "y3",
            "showgrid": False,
            "zeroline": False,
            "tickangle": 0,
        },
        "yaxis": y_axis(drawing.scores, frame.scores),
        "yaxis2": deltas,
        "yaxis3": y_axis(Axis(-1, 1, (Tick(0, "gaps"),)), frame.rail),
        "annotations": [
            {
                "text": text,
                "showarrow": False,
                "xref": "paper",
                "x": 0,
                "xanchor": "left",
                "yref": "paper",
                "y": (bottom - box.top) / (bottom - top),
                "yanchor": "bottom",
                "font": {"size": 11},
            }
            for box, text in notes
        ],
    }
