"""The same drawing for plotly.js: every replay, to hover, zoom and click.

A figure is plotly's documented JSON, written as plain mappings. The plotly package checks every property of it in the
tests; at run time it would cost half a second for 10,000 replays (DECISIONS.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from dashboard.charts.axes import Axis, Tick
from dashboard.charts.drawing import Box, Drawing, Stroke, group_by_decision, group_by_gap, hold
from dashboard.charts.glyphs import DECISIONS, OFF_SCALE, UNKNOWN_DECISION, Glyph, choose_glyph
from dashboard.charts.hovers import build_columns, plain
from dashboard.charts.palette import DASHES, PALETTES, STYLES, Palette, Theme
from dashboard.charts.thin import MARK_GRID, thin_bars, thin_marks

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
_ON_RAIL = {"yaxis": "y3", "cliponaxis": False}
Trace = dict[str, Any]


def build_figure(drawing: Drawing, *, theme: Theme) -> str:
    """JSON of a figure: {data, layout, slots, thinned}. static/js/figure.js puts hover and zoom to it in the page.

    Each thing travels once. `slots` holds columns with a value for each place: label and note (outside text, escaped
    for plotly), id, at (seconds since 1970, UTC; null where nobody knows, false where the note tells), x (on the time
    axis), candidate, incumbent and delta (null where there is none), and `printed`, these three as the page prints
    them, with spaces between; `names`, escaped too, has the words that stand before the three. A point of a trace is at
    the place in its `customdata`, or, on the slot axis, at the place that is its x. `thinned` maps the number of a
    trace that does not show all its points at this width to {of, places}: the column of its y ("rail" for 0 and "above"
    for 1 of the rail's own axis) and all its places (null for every one that the column has), for when the reader zooms
    in.
    """
    sheet = _Sheet(drawing, PALETTES[theme])
    data = [
        *_panels(drawing),
        *_eras(sheet),
        *_deltas(sheet),
        *(trace for stroke in reversed(drawing.strokes) for trace in _line(sheet, stroke)),
        *_off_scale(sheet),
        *_decisions(sheet),
        *_gaps(sheet),
    ]
    thinned = {number: trace.pop("thinned") for number, trace in enumerate(data) if "thinned" in trace}
    figure = {"data": data, "layout": _layout(sheet), "slots": _columns(sheet), "thinned": thinned}
    return msgspec.json.encode(figure).decode()


class _Sheet:
    """A drawing with its palette and its xs as plotly takes them: places, or milliseconds since 1970."""

    def __init__(self, drawing: Drawing, palette: Palette) -> None:
        self.drawing = drawing
        self.palette = palette
        self.in_time = drawing.axis == "time"
        self.xs = [self.x(x) for x in drawing.xs]

    def x(self, value: float) -> float:
        return round(value * 1000) if self.in_time else value


def _columns(sheet: _Sheet) -> dict[str, list[Any]]:
    columns = build_columns(sheet.drawing)
    return columns | {"x": sheet.xs} if sheet.in_time else columns


def _trace(sheet: _Sheet, name: str, places: Sequence[int | None], ys: Sequence[float | None]) -> Trace:
    """A point for each place, None where a line breaks; each shows the hover of its place."""
    trace: Trace = {
        "type": "scatter",
        "name": plain(name),
        "x": [None if place is None else sheet.xs[place] for place in places],
        "y": ys,
        "hovertemplate": "%{text}<extra></extra>",
    }
    return trace | {"customdata": places} if sheet.in_time else trace


def _line(sheet: _Sheet, stroke: Stroke) -> Iterable[Trace]:
    """One line with a null between its segments, so that nothing joins them; and where points are too many for a
    marker each (a browser draws a path at once, markers one by one), the lone ones in a trace of their own."""
    drawing, palette = sheet.drawing, sheet.palette
    places: list[int | None] = []
    for segment in stroke.line.segments:
        places += [None, *segment] if places else segment
    candidate = stroke.line.role == "candidate"
    colour, dash = (palette.candidate, "solid") if candidate else (palette.incumbent, "5px,4px")
    number = stroke.line.number
    if drawing.trend.overlaid:
        colour = palette.text if number is None else palette.rules[number % len(palette.rules)]
        dash = DASHES[(number or 0) % STYLES]
    marker = {"size": 5, "color": colour}
    ys = [None if place is None else stroke.ys[place] for place in places]
    yield {
        **_trace(sheet, stroke.line.name, places, ys),
        "mode": "lines+markers" if drawing.with_markers else "lines",
        "connectgaps": False,
        "line": {"color": colour, "width": 1.8, "dash": dash},
        "marker": marker,
    }
    if not drawing.with_markers:
        lone = [segment[0] for segment in stroke.line.segments if len(segment) == 1]
        if drawing.dense:
            pixels = [(sheet.drawing.pixels[place], drawing.to_y(stroke.ys[place])) for place in lone]
            lone = [lone[index] for index in thin_marks(pixels, MARK_GRID)]
        yield {
            **_trace(sheet, stroke.line.name, lone, [stroke.ys[place] for place in lone]),
            "mode": "markers",
            "marker": marker,
            "thinned": {"of": stroke.line.role, "places": sorted(stroke.ys) if drawing.trend.overlaid else None},
        }


def _deltas(sheet: _Sheet) -> Iterable[Trace]:
    """Sticks from zero, one trace: a path, which a browser draws faster than as many bars. All of one colour (T12).

    A stick of no length is not drawn: where nothing changed there is a mark, in a trace of its own.
    """
    drawing, colour = sheet.drawing, sheet.palette.text
    if not drawing.trend.with_deltas:
        return
    deltas = [(slot.place, hold(slot.delta, drawing.deltas)) for slot in drawing.slots if slot.delta is not None]
    for mode, bars in (
        ("lines", [bar for bar in deltas if bar[1]]),
        ("markers", [bar for bar in deltas if not bar[1]]),
    ):
        if not bars:
            continue
        thinned = {}
        if drawing.dense:
            thinned = {"thinned": {"of": "delta", "places": [place for place, _ in bars]}}
            bars = [bars[index] for index in sorted(thin_bars([(sheet.drawing.pixels[place], y) for place, y in bars]))]
        places = [end for place, _ in bars for end in (place, place, None)]
        yield {
            **_trace(sheet, drawing.trend.words.delta, places, [y for _, delta in bars for y in (0.0, delta, None)]),
            "mode": mode,
            "marker": {"symbol": "line-ns-open", "size": 4, "color": colour},
            "yaxis": "y2",
            "line": {"color": colour, "width": drawing.bar_width, "simplify": False},
            **thinned,
        }


def _off_scale(sheet: _Sheet) -> Iterable[Trace]:
    """Scores outside the scale, at the edge of the chart; their hover has the number."""
    marks = [(one.place, one.y) for one in sheet.drawing.off_scale]
    if marks:
        every = range(len(marks))
        yield _marks(sheet, "outside the scale", OFF_SCALE, sheet.palette.gap, marks, every, "candidate")


def _decisions(sheet: _Sheet) -> Iterable[Trace]:
    """A trace for each decision on the candidate's points, and one on the rail for those above gaps."""
    drawing = sheet.drawing
    for decision, slots in group_by_decision(drawing.slots).items():
        glyph = DECISIONS.get(decision.key, UNKNOWN_DECISION)
        scored = [(slot.place, hold(slot.candidate, drawing.scores)) for slot in slots if slot.candidate is not None]
        above = [(slot.place, 1.0) for slot in slots if slot.candidate is None]
        for marks, of, axis in ((scored, "candidate", {}), (above, "above", _ON_RAIL)):
            if marks:
                pixels = [(drawing.pixels[place], drawing.to_y(y) if of == "candidate" else 0.0) for place, y in marks]
                kept = thin_marks(pixels, MARK_GRID)
                yield _marks(sheet, decision.label, glyph, sheet.palette.accent, marks, kept, of) | axis


def _gaps(sheet: _Sheet) -> Iterable[Trace]:
    """The rail: a trace for each kind of gap."""
    for kind, gaps in group_by_gap(sheet.drawing.slots).items():
        marks = [(slot.place, 0.0) for slot, _ in gaps]
        kept = thin_marks([(sheet.drawing.pixels[place], 0.0) for place, _ in marks], MARK_GRID)
        trace = _marks(
            sheet, kind, choose_glyph(sheet.drawing.trend.words, kind), sheet.palette.gap, marks, kept, "rail"
        )
        yield trace | _ON_RAIL


def _marks(
    sheet: _Sheet,
    name: str,
    glyph: Glyph,
    colour: str,
    marks: Sequence[tuple[int, float]],
    kept: Sequence[int],
    of: str,
) -> Trace:
    """Marks of one kind at (place, y): all of them, or where the drawing is dense those that others do not cover."""
    thinned = {}
    if sheet.drawing.dense:
        thinned = {"thinned": {"of": of, "places": [place for place, _ in marks]}}
        marks = [marks[index] for index in kept]
    return {
        **_trace(sheet, name, [place for place, _ in marks], [y for _, y in marks]),
        "mode": "markers",
        "marker": {
            "symbol": glyph.symbol,
            "size": glyph.radius * 2,
            "color": colour,
            "line": {"color": colour, "width": 1.6},
        },
        **thinned,
    }


def _panels(drawing: Drawing) -> Iterable[Trace]:
    """A trace without a point on each panel: plotly leaves out an axis that no trace is on."""
    for panel in ("y", "y2", "y3") if drawing.trend.with_deltas else ("y", "y3"):
        yield {"type": "scatter", "name": panel, "x": [None], "y": [None], "yaxis": panel, "hoverinfo": "skip"}


def _eras(sheet: _Sheet) -> Iterable[Trace]:
    """One upright line before each era, all in one trace."""
    eras, axis, dense = sheet.drawing.eras, sheet.drawing.scores, sheet.drawing.dense
    if eras:
        yield {
            "type": "scatter",
            "mode": "lines",
            "name": "era",
            "x": [x for era in eras for x in (sheet.x(era.at), sheet.x(era.at), None)],
            "y": [y for _ in eras for y in (axis.low, axis.high, None)],
            "line": {"color": sheet.palette.accent, "width": 1, "dash": "solid" if dense else "1px,3px"},
            "opacity": 0.35 if dense else 1,
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

    deltas = {}
    notes = [(frame.scores, "score")]
    if drawing.trend.with_deltas:
        zero = {"zeroline": True, "zerolinecolor": palette.text, "zerolinewidth": 1}
        deltas = {"yaxis2": y_axis(drawing.deltas, frame.deltas) | zero}
        notes.append((frame.deltas, drawing.trend.words.delta))
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
        **deltas,
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
