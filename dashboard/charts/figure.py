"""The same drawing for plotly.js: every replay, to hover, zoom and click.

A figure is plotly's documented JSON, written as plain mappings. The plotly package checks every property of it in the
tests; at run time it would cost half a second for 10,000 replays (DECISIONS.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from html import escape
from textwrap import wrap
from typing import Any

import msgspec

from dashboard.charts.axes import Axis
from dashboard.charts.drawing import Box, Drawing, Stroke
from dashboard.charts.glyphs import DECISIONS, GAPS, UNKNOWN_DECISION, UNKNOWN_GAP, Glyph
from dashboard.charts.palette import PALETTES, Palette, Theme
from dashboard.trend import Slot

BARS_UP_TO = 400
"""With more slots than this the deltas are one path of sticks: a browser draws one path faster than as many bars."""
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
_HOVER = (
    "<b>%{customdata[0]}</b><br>candidate %{customdata[2]:.5~f}<br>incumbent %{customdata[3]:.5~f}"
    "<br>delta %{customdata[4]:+.5~f}<br>%{customdata[5]}%{customdata[1]}<extra></extra>"
)
_GAP_HOVER = "<b>%{customdata[0]}</b><br>%{customdata[2]}<br>%{customdata[1]}<extra></extra>"
Trace = dict[str, Any]


def build_figure(drawing: Drawing, *, theme: Theme) -> str:
    """JSON of {data, layout, labels}. `labels` are all the slots' labels, from which a zoomed axis takes its ticks.

    A trace's `customdata` row begins with the label and the time and ends with the replay's id.
    """
    palette = PALETTES[theme]
    to_x: Callable[[float], float] = (lambda x: round(x * 1000)) if drawing.axis == "time" else (lambda x: x)
    xs = [to_x(x) for x in drawing.xs]
    data = [
        *_eras(drawing, palette, to_x),
        *(_deltas(drawing, xs, palette)),
        *(_line(drawing, stroke, xs, palette) for stroke in reversed(drawing.strokes)),
        *(_decisions(drawing, xs, palette)),
        *(_gaps(drawing, xs, palette)),
    ]
    labels = [plain(slot.label) for slot in drawing.slots] if drawing.axis == "slot" else []
    figure = {"data": data, "layout": _layout(drawing, palette, to_x), "labels": labels}
    return msgspec.json.encode(figure).decode()


def plain(text: str) -> str:
    """Text from outside, for plotly, which reads a small HTML: the one place where it is escaped."""
    return escape(text, quote=False)


def _row(slot: Slot) -> list[object]:
    """What the hover of a scored slot says."""
    notes = [slot.decision.label] if slot.decision else []
    notes += [flag.text for flag in slot.flags]
    said = "".join(f"{_wrapped(note)}<br>" for note in notes)
    return [_wrapped(slot.label), _time(slot), slot.candidate, slot.incumbent, slot.delta, said, slot.id]


def _time(slot: Slot) -> str:
    return f"{slot.created_at:%Y-%m-%d %H:%M} UTC" if slot.created_at else "no readable time"


def _wrapped(text: str) -> str:
    """The text in lines of at most 64 letters, at most 8 of them: a hover is no page, the table has the whole."""
    lines = wrap(text, 64, break_long_words=True) or [""]
    return "<br>".join(plain(line) for line in lines[:8]) + (" …" if len(lines) > 8 else "")


def _line(drawing: Drawing, stroke: Stroke, xs: list[float], palette: Palette) -> Trace:
    """One line with a null between its segments, so that nothing joins them."""
    x: list[float | None] = []
    y: list[float | None] = []
    rows: list[list[object] | None] = []
    sizes: list[int] = []
    for segment in stroke.line.segments:
        if x:
            x.append(None)
            y.append(None)
            rows.append(None)
            sizes.append(0)
        for place in segment:
            x.append(xs[place])
            y.append(stroke.ys[place])
            rows.append(_row(drawing.slots[place]))
            sizes.append(5 if drawing.with_markers or len(segment) == 1 else 0)
    candidate = stroke.line.role == "candidate"
    colour = palette.candidate if candidate else palette.incumbent
    if drawing.overlaid:
        colour = palette.rules[stroke.rule_number % len(palette.rules)]
    trace: Trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": plain(stroke.name),
        "x": x,
        "y": y,
        "customdata": rows,
        "hovertemplate": _HOVER,
        "connectgaps": False,
        "line": {"color": colour, "width": 1.8, "dash": "solid" if candidate else "5px,4px"},
        "marker": {"size": sizes, "color": colour},
    }
    if any(sizes):
        return trace
    return trace | {"mode": "lines", "marker": {"color": colour}}


def _deltas(drawing: Drawing, xs: list[float], palette: Palette) -> Iterable[Trace]:
    """Bars from zero, one trace for each sign; nothing where rules are overlaid."""
    if drawing.overlaid:
        return
    width = max(1.0, min(10.0, drawing.frame.deltas.width / max(1, len(drawing.slots)) * 0.7))
    for name, colour, sign in (("gain", palette.up, 1), ("loss", palette.down, -1)):
        slots = [slot for slot in drawing.slots if slot.delta is not None and slot.delta * sign > 0]
        if not slots:
            continue
        if len(drawing.slots) <= BARS_UP_TO:
            yield {
                "type": "bar",
                "name": name,
                "yaxis": "y2",
                "x": [xs[slot.place] for slot in slots],
                "y": [slot.delta for slot in slots],
                "width": [_bar_width(drawing, width)] * len(slots),
                "marker": {"color": colour, "line": {"width": 0}},
                "customdata": [_row(slot) for slot in slots],
                "hovertemplate": _HOVER,
            }
            continue
        yield {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "yaxis": "y2",
            "x": [x for slot in slots for x in (xs[slot.place], xs[slot.place], None)],
            "y": [y for slot in slots for y in (0, slot.delta, None)],
            "line": {"color": colour, "width": width, "simplify": False},
            "hoverinfo": "skip",
        }


def _bar_width(drawing: Drawing, pixels: float) -> float:
    """A bar's width in the units of the x axis."""
    units = (drawing.x.high - drawing.x.low) * pixels / drawing.frame.deltas.width
    return units * 1000 if drawing.axis == "time" else units


def _decisions(drawing: Drawing, xs: list[float], palette: Palette) -> Iterable[Trace]:
    by_kind: dict[str, list[Slot]] = defaultdict(list)
    for slot in drawing.decided:
        by_kind[slot.decision.key if slot.decision else ""].append(slot)
    for kind, slots in by_kind.items():
        yield _marks(
            DECISIONS.get(kind, UNKNOWN_DECISION),
            name=plain(slots[0].decision.label if slots[0].decision else kind),
            colour=palette.accent,
            x=[xs[slot.place] for slot in slots],
            y=[slot.candidate for slot in slots],
            rows=[_row(slot) for slot in slots],
            hover=_HOVER,
        )


def _gaps(drawing: Drawing, xs: list[float], palette: Palette) -> Iterable[Trace]:
    """The rail: a trace for each kind of gap."""
    by_kind: dict[str, list[tuple[Slot, list[object]]]] = defaultdict(list)
    for slot in drawing.slots:
        if slot.gap:
            said = _wrapped(f"{slot.gap.label}: {slot.gap.reason}")
            said += "".join(f"<br>{_wrapped(flag.text)}" for flag in slot.flags)
            by_kind[slot.gap.kind].append((slot, [_wrapped(slot.label), _time(slot), said, slot.id]))
    for kind, gaps in by_kind.items():
        yield _marks(
            GAPS.get(kind, UNKNOWN_GAP),
            name=plain(kind),
            colour=palette.gap,
            x=[xs[slot.place] for slot, _ in gaps],
            y=[0] * len(gaps),
            rows=[row for _, row in gaps],
            hover=_GAP_HOVER,
        ) | {"yaxis": "y3", "cliponaxis": False}


def _marks(
    glyph: Glyph, *, name: str, colour: str, x: list[float], y: list[Any], rows: list[list[object]], hover: str
) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": x,
        "y": y,
        "customdata": rows,
        "hovertemplate": hover,
        "marker": {"symbol": glyph.symbol, "size": 10, "color": colour, "line": {"color": colour, "width": 1.6}},
    }


def _eras(drawing: Drawing, palette: Palette, to_x: Callable[[float], float]) -> Iterable[Trace]:
    """One upright line before each era, all in one trace."""
    if drawing.eras:
        low, high = drawing.scores.low, drawing.scores.high
        yield {
            "type": "scatter",
            "mode": "lines",
            "name": "era",
            "x": [x for era in drawing.eras for x in (to_x(era.at), to_x(era.at), None)],
            "y": [y for _ in drawing.eras for y in (low, high, None)],
            "line": {"color": palette.accent, "width": 1, "dash": "1px,3px"},
            "hoverinfo": "skip",
        }


def _layout(drawing: Drawing, palette: Palette, to_x: Callable[[float], float]) -> dict[str, Any]:
    frame = drawing.frame
    top, bottom = frame.scores.top, frame.rail.bottom

    def panel(box: Box) -> list[float]:
        return [round((bottom - edge) / (bottom - top), 6) for edge in (box.bottom, box.top)]

    def y_axis(axis: Axis, box: Box) -> dict[str, Any]:
        return {
            "domain": panel(box),
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
        "barmode": "overlay",
        "xaxis": {
            "type": "date" if drawing.axis == "time" else "linear",
            "range": [to_x(drawing.x.low), to_x(drawing.x.high)],
            "tickvals": [to_x(tick.at) for tick in drawing.x.ticks],
            "ticktext": [plain(tick.label) for tick in drawing.x.ticks],
            "anchor": "y3",
            "showgrid": False,
            "zeroline": False,
            "tickangle": 0,
        },
        "yaxis": y_axis(drawing.scores, frame.scores),
        "yaxis2": deltas | {"zeroline": not drawing.overlaid, "zerolinecolor": palette.text, "zerolinewidth": 1},
        "yaxis3": {
            "domain": panel(frame.rail),
            "range": [-1, 1],
            "tickvals": [0],
            "ticktext": ["gaps"],
            "gridcolor": palette.grid,
            "zeroline": False,
            "fixedrange": True,
        },
    }
