"""Runs are drawn by what draws replays: a line a group, or two sides with a difference that is said to be ours."""

import html
import json
from typing import Any
from xml.etree import ElementTree as ET

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.charts import (
    GAPS,
    NARROW,
    PALETTES,
    RUN_GAPS,
    UNKNOWN_GAP,
    WIDE,
    AxisKind,
    build_figure,
    draw_trend,
    render_glyph,
    render_sparkline,
    render_svg,
)
from dashboard.charts.palette import STYLES
from dashboard.sources.loop.wire import Unreadable
from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend import GAP_LABELS, RUN_GAP_LABELS, RunTrend, build_run_trend
from tests.trend.points import NOW, START
from tests.trend.some_runs import make_run, run_lists

SIDES = {"candidate": "ours", "incumbent": "theirs"}


def build(runs: list[RunloopRun], **given: Any) -> RunTrend:
    return build_run_trend(runs, now=NOW, **{"group": "model", "label": "checkpoint"} | given)


def figure_of(trend: RunTrend, axis: AxisKind = "slot") -> dict[str, Any]:
    figure: dict[str, Any] = json.loads(build_figure(draw_trend(trend, axis=axis), theme="light"))
    go.Figure(data=figure["data"], layout=figure["layout"])  # raises on any property that plotly does not know
    return figure


def trace_of(figure: dict[str, Any], name: str) -> dict[str, Any]:
    return next(trace for trace in figure["data"] if trace["name"] == name)


def classes_of(svg: str) -> list[str]:
    found = ET.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', "")).iter("path")
    return [path.get("class", "") for path in found]


def test_it_works() -> None:
    runs = [make_run(1, score=0.7), make_run(2, model="theirs"), make_run(3, state="canceled"), make_run(4)]
    figure = figure_of(build(runs))
    assert trace_of(figure, "ours")["x"] == [0, None, 3]
    assert trace_of(figure, "ours")["y"] == [0.7, None, 0.5]
    assert trace_of(figure, "theirs")["x"] == [1]
    assert trace_of(figure, "canceled")["x"] == [2]
    assert figure["slots"]["id"] == ["r1", "r2", "r3", "r4"]


def test_lines_without_deltas_have_the_room_of_both_panels() -> None:
    drawing = draw_trend(build([make_run(1)]))
    assert drawing.frame.scores.bottom == WIDE.deltas.bottom
    figure = figure_of(build([make_run(1)]))
    assert "yaxis2" not in figure["layout"]
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["score"]


def test_the_hover_of_a_run_says_its_group_state_score_id_and_time() -> None:
    slots = figure_of(build([make_run(1, score=0.7), make_run(2, state="running", id="r<2")]))["slots"]
    assert slots["names"] == ["score"]
    assert slots["printed"] == ["0.70", ""]
    assert slots["note"][0] == "ours<br>completed<br>r1"
    assert slots["note"][1].startswith("ours<br>running: still running, started 7 days ago<br>")
    assert slots["note"][1].endswith("<br>r&lt;2")
    assert slots["at"] == [int(START.timestamp()) + 86_400, int(START.timestamp()) + 2 * 86_400]
    ungrouped = figure_of(build([make_run(1)], group=None))["slots"]
    assert ungrouped["note"] == ["completed<br>r1"]


def test_sides_are_named_after_their_groups_and_the_difference_says_who_computed_it() -> None:
    runs = [make_run(1, score=0.75), make_run(1, id="t1", model="theirs", started_at=None), make_run(2)]
    trend = build(runs, **SIDES)
    figure = figure_of(trend)
    assert trace_of(figure, "ours")["x"] == [0, 1]
    assert trace_of(figure, "theirs")["x"] == [0]
    assert trace_of(figure, "better")["y"][:2] == [0, 0.25]
    assert trace_of(figure, "no_baseline")["x"] == [1]
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["score", "difference, computed here"]
    slots = figure["slots"]
    assert slots["names"] == ["ours", "theirs", "difference, computed here"]
    assert slots["printed"] == ["0.75 0.50 +0.25", "0.50"]
    assert slots["note"][0].endswith("<br>ours: r1, 2025-03-02 09:00 UTC<br>theirs: t1, no readable time")
    assert slots["note"][1] == "ours<br>no baseline: no run of theirs is labelled step-2<br>r2"
    assert slots["at"] == [False, int(START.timestamp()) + 2 * 86_400]
    assert ">difference, computed here<" in render_svg(draw_trend(trend), title="t")


def test_a_number_of_the_incumbent_alone_stands_behind_its_own_name() -> None:
    slots = figure_of(build([make_run(1, model="theirs")], **SIDES))["slots"]
    assert slots["names"][1] == "theirs"
    assert slots["printed"][0].split(" ") == ["", "0.50"]


@pytest.mark.parametrize("name", ["<b>bold", '<a href="https://other.example.test/">m</a>', "a&amp;b", "$x^2$"])
def test_names_from_outside_are_text_in_line_hover_and_tick(name: str) -> None:
    runs = [make_run(1, model=name, checkpoint=name, id=name), make_run(1, id="t1", checkpoint=name, model="theirs")]
    for sides in ({}, {"candidate": name, "incumbent": "theirs"}):
        figure = figure_of(build(runs, **sides))
        assert name in [html.unescape(trace["name"]) for trace in figure["data"]]
        shown = json.dumps([figure["slots"][column] for column in ("label", "note", "names")]).replace("<br>", "")
        assert "<" not in shown + json.dumps(figure["layout"]["xaxis"]["ticktext"])
        assert html.unescape(figure["slots"]["label"][0]) == name
        assert name in html.unescape(figure["slots"]["note"][0])
        svg = render_svg(draw_trend(build(runs, **sides)), title=name)
        assert "<b>" not in svg
        assert "<a" not in svg


def test_twelve_lines_differ_and_the_others_are_points_without_a_line() -> None:
    trend = build([make_run(day, model=f"m{day % 14:02}") for day in range(42)])
    styles = {
        (trace["line"]["color"], trace["line"]["dash"])
        for trace in figure_of(trend)["data"]
        if trace["name"].startswith("m")
    }
    assert len(styles) == STYLES == 12
    others = trace_of(figure_of(trend), "2 other values")
    assert others["marker"]["color"] == PALETTES["light"].text
    assert others["x"] == [0, None, 1, None, 14, None, 15, None, 28, None, 29]
    classes = classes_of(render_svg(draw_trend(trend), title="t"))
    assert {f"line rule-{number}" for number in range(1, 13)} <= set(classes)
    assert "dot others" in classes
    assert "line others" not in classes


def test_each_source_has_its_own_kinds_of_gap() -> None:
    assert set(RUN_GAPS) == set(RUN_GAP_LABELS)
    assert set(GAPS) == set(GAP_LABELS)
    drawn = {render_glyph(glyph, "gap") for glyph in [*RUN_GAPS.values(), UNKNOWN_GAP]}
    assert len(drawn) == len(RUN_GAPS) + 1
    drawing = draw_trend(build([make_run(1, state="budget_stopped")]))
    assert drawing.gap_glyph("budget_stopped") == UNKNOWN_GAP
    assert drawing.gap_glyph("canceled") == RUN_GAPS["canceled"]


def test_the_sparkline_counts_runs() -> None:
    svg = render_sparkline(build([make_run(1), make_run(2, state="canceled"), make_run(3)], group=None))
    assert 'aria-label="2 runs with a score, 1 without"' in svg


def test_nothing_that_is_no_number_is_emitted() -> None:
    runs = [
        make_run(1, score=Unreadable("NaN")),
        make_run(2, score=1.7e308),
        make_run(2, model="theirs", score=-1.7e308),
    ]
    for sides in ({}, SIDES):
        text = build_figure(draw_trend(build(runs, **sides)), theme="dark")
        json.loads(text, parse_constant=pytest.fail)


def test_many_runs_are_thinned_and_each_line_keeps_its_own_points_for_the_zoom() -> None:
    figure = figure_of(build([make_run(day, model=f"m{day % 2}") for day in range(600)]))
    thinned = {figure["data"][int(number)]["name"]: entry for number, entry in figure["thinned"].items()}
    assert thinned["m1"] == {"of": "candidate", "places": list(range(1, 600, 2))}


@given(
    run_lists(models=15),
    st.sampled_from([{}, {"candidate": "m0", "incumbent": "m1"}]),
    st.sampled_from(["slot", "time"]),
)
def test_any_runs_can_be_drawn(runs: list[RunloopRun], sides: dict[str, str], axis: AxisKind) -> None:
    trend = build(runs, **sides)
    for frame in (WIDE, NARROW):
        ET.fromstring(render_svg(draw_trend(trend, axis=axis, frame=frame), title="t"))
    ET.fromstring(render_sparkline(trend))
    json.loads(build_figure(draw_trend(trend, axis=axis), theme="dark"), parse_constant=pytest.fail)


def test_the_hover_of_a_gap_in_a_pair_names_each_group_once() -> None:
    runs = [
        make_run(1, state="canceled", score=None),
        make_run(1, id="t1", model="theirs", score=None),
        make_run(2, state="canceled", score=None, checkpoint="step-1", id="again"),
        make_run(3, state="canceled", score=None),
    ]
    notes = [html.unescape(note).split("<br>") for note in figure_of(build(runs, **SIDES))["slots"]["note"]]
    assert notes[1] == [
        "canceled, no score",
        "ours: the run was canceled; again, 2025-03-03 09:00 UTC",
        "theirs: completed without a score; t1, 2025-03-02 09:00 UTC",
    ]
    assert notes[0][0] == "canceled: ours: the run was canceled"
    assert "ours" not in notes[0][1:]
