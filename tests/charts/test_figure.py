"""The plotly figure: valid by plotly's own word, the same lines and marks as the drawing, escaped once."""

import html
import json
from typing import Any

import plotly.graph_objects as go
import pytest

from dashboard.charts import PALETTES, build_figure, draw_trend
from dashboard.charts.palette import STYLES
from dashboard.sources.loop.wire import HistoryPoint, Unreadable
from dashboard.sources.runloop.wire import RunloopRun
from tests.trend.points import ALL_RULES, START, make_benchmark, make_failed, make_point, trend_of
from tests.trend.some_runs import make_run, run_trend_of


def figure_of(points: list[HistoryPoint], *, axis: Any = "slot", rule: str | None = None) -> dict[str, Any]:
    trend = trend_of(points, make_benchmark(), rule=rule)
    figure: dict[str, Any] = json.loads(build_figure(draw_trend(trend, axis=axis), theme="light"))
    go.Figure(data=figure["data"], layout=figure["layout"])  # raises on any property that plotly does not know
    return figure


def run_figure_of(runs: list[RunloopRun], **given: Any) -> dict[str, Any]:
    trend = run_trend_of(runs, **{"group": "model", "label": "checkpoint"} | given)
    figure: dict[str, Any] = json.loads(build_figure(draw_trend(trend), theme="light"), parse_constant=pytest.fail)
    go.Figure(data=figure["data"], layout=figure["layout"])
    return figure


def trace_of(figure: dict[str, Any], name: str) -> dict[str, Any]:
    return next(trace for trace in figure["data"] if trace["name"] == name)


def test_it_works() -> None:
    figure = figure_of([make_point(1), make_point(2, decision="promoted"), make_failed(3), make_point(4)])
    candidate = trace_of(figure, "candidate")
    assert candidate["x"] == [0, 1, None, 3]
    assert candidate["y"] == [0.62, 0.62, None, 0.62]
    assert candidate["mode"] == "lines+markers"
    assert candidate["connectgaps"] is False
    assert figure["layout"]["hovermode"] == "closest"
    assert trace_of(figure, "failed")["x"] == [2]
    assert trace_of(figure, "promoted")["x"] == [1]
    assert trace_of(figure, "delta")["y"][:2] == [0, 0.02]
    assert figure["slots"]["id"] == ["r1", "r2", "r3", "r4"]
    assert figure["slots"]["note"] == ["", "promoted", "failed: worker lost", ""]
    assert figure["slots"]["candidate"] == [0.62, 0.62, None, 0.62]


def test_an_empty_trend_is_a_valid_figure() -> None:
    for axis in ("slot", "time"):
        assert [trace["y"] for trace in figure_of([], axis=axis)["data"]] == [[None]] * 3


def test_every_panel_is_there_whatever_is_drawn_on_it() -> None:
    assert {trace.get("yaxis", "y") for trace in figure_of([make_failed(1)])["data"]} == {"y", "y2", "y3"}


def test_the_incumbent_breaks_where_another_model_came_to_serve() -> None:
    figure = figure_of([make_point(1), make_point(2, decision="promoted"), make_point(3)])
    assert trace_of(figure, "incumbent")["x"] == [0, 1, None, 2]
    assert trace_of(figure, "candidate")["x"] == [0, 1, 2]
    assert trace_of(figure, "era")["x"] == [1.5, 1.5, None]


def test_every_delta_has_the_neutral_colour_whatever_its_sign() -> None:
    """T12."""
    figure = figure_of([make_point(1), make_point(2, score_delta=-0.02), make_point(3, score_delta=0.0)])
    sticks, marks = [trace for trace in figure["data"] if trace["name"] == "delta"]
    assert (sticks["x"], sticks["mode"]) == ([0, 0, None, 1, 1, None], "lines")
    assert (marks["x"], marks["mode"]) == ([2, 2, None], "markers")
    assert sticks["line"]["color"] == marks["marker"]["color"] == PALETTES["light"].text


def test_a_decision_on_a_gap_stands_above_it_on_the_rail() -> None:
    figure = figure_of([make_point(1, decision="promoted"), make_failed(2, decision="promoted")])
    marks = [trace for trace in figure["data"] if trace["name"] == "promoted"]
    assert [(trace["x"], trace["y"], trace.get("yaxis")) for trace in marks] == [
        ([0], [0.62], None),
        ([1], [1.0], "y3"),
    ]


def test_the_hover_prints_scores_as_the_page_does() -> None:
    tiny = make_point(2, candidate_score=0.00001, incumbent_score=0.0, score_delta=-0.00004)
    figure = figure_of([make_point(1), tiny, make_failed(3)])
    assert figure["slots"]["printed"] == ["0.62 0.60 +0.02", "1.00e−05 0.00 −4.00e−05", ""]


def test_an_untimed_replay_keeps_its_x_for_the_zoom() -> None:
    figure = figure_of([make_point(1), make_point(2, created_at=None)], axis="time")
    assert figure["slots"]["at"] == [1740906000, None]
    assert figure["slots"]["x"] == [1740906000000, 1740909600000]


def test_times_are_milliseconds_and_points_know_their_place() -> None:
    figure = figure_of([make_point(1), make_failed(2), make_point(3)], axis="time")
    candidate = trace_of(figure, "candidate")
    assert candidate["x"] == [1740906000000, None, 1741078800000]
    assert candidate["customdata"] == [0, None, 2]
    assert figure["layout"]["xaxis"]["type"] == "date"


@pytest.mark.parametrize(
    "name", ["<b>bold", '<a href="https://other.example.test/">model</a>', "a&amp;b", "$x^2$", "</s>"]
)
def test_names_are_escaped_once_in_label_tick_note_and_legend(name: str) -> None:
    figure = figure_of([make_point(1, checkpoint_id=name), make_failed(2, status=name, status_reason=name)])
    assert html.unescape(figure["slots"]["label"][0]) == name
    assert html.unescape(figure["slots"]["note"][1].replace("<br>", " ")) == f"{name}: {name}"
    assert html.unescape(figure["data"][-1]["name"]) == name
    assert "<" not in json.dumps([figure["slots"]["label"], figure["layout"]["xaxis"]["ticktext"]])
    overlaid = figure_of([make_point(1, rule_name=name), make_point(2, rule_id="b")], rule=ALL_RULES)
    assert name in [html.unescape(trace["name"]) for trace in overlaid["data"]]


def test_nothing_that_is_no_number_is_emitted() -> None:
    bad = make_point(1, candidate_score=Unreadable("1e999"), score_delta=Unreadable("NaN"))
    text = build_figure(draw_trend(trend_of([bad, make_point(2)])), theme="dark")
    json.loads(text, parse_constant=pytest.fail)


def test_a_long_reason_is_broken_into_lines_and_cut() -> None:
    figure = figure_of([make_failed(1, status_reason="the sandbox did not start " * 60)])
    assert figure["slots"]["note"][0].count("<br>") == 7
    assert figure["slots"]["note"][0].endswith(" …")


def test_many_points_are_thinned_and_all_of_them_are_there_for_the_zoom() -> None:
    points = [
        make_failed(day) if day % 10 == 0 else make_point(day, decision="rejected" if day % 2 else None)
        for day in range(1, 1_201)
    ]
    figure = figure_of(points)
    assert trace_of(figure, "candidate")["mode"] == "lines"
    assert sum(y is not None for y in trace_of(figure, "candidate")["y"]) == 1_080
    thinned = {figure["data"][int(number)]["name"]: entry for number, entry in figure["thinned"].items()}
    assert thinned["failed"] == {"of": "rail", "places": list(range(9, 1_200, 10))}
    assert thinned["rejected"]["of"] == "candidate"
    assert len(thinned["rejected"]["places"]) == 600
    width = 1024 / 1_200
    cells = {int((58 + (place + 0.6) * width) / 3) for place in thinned["rejected"]["places"]}
    assert len(trace_of(figure, "rejected")["x"]) == pytest.approx(len(cells), abs=2)
    assert thinned["candidate"] == {"of": "candidate", "places": None}
    assert len(thinned["delta"]["places"]) == 1_080


def test_rules_that_are_overlaid_have_their_own_colours_and_no_deltas() -> None:
    points = [make_point(day, rule_id=f"rule-{day % 2}", rule_name=f"team {day % 2}") for day in range(6)]
    figure = figure_of(points, rule=ALL_RULES)
    colours = [trace["line"]["color"] for trace in figure["data"] if "line" in trace]
    assert colours == [PALETTES["light"].rules[1], PALETTES["light"].rules[0]]
    assert len(figure["layout"]["annotations"]) == 1


def test_overlaid_rules_of_many_replays_keep_their_own_points_for_the_zoom() -> None:
    points = [make_point(day, rule_id=f"rule-{day % 2}", rule_name=f"team {day % 2}") for day in range(500)]
    figure = figure_of(points, rule=ALL_RULES)
    assert sorted(entry["places"][0] for entry in figure["thinned"].values()) == [0, 1]


SIDES = ("ours", "theirs")


def test_lines_without_deltas_have_the_room_of_both_panels() -> None:
    figure = run_figure_of([make_run(1, score=0.7), make_run(2, model="theirs"), make_run(3, state="canceled")])
    assert trace_of(figure, "ours")["y"] == [0.7]
    assert trace_of(figure, "theirs")["x"] == [1]
    assert trace_of(figure, "canceled")["x"] == [2]
    assert "yaxis2" not in figure["layout"]
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["score"]
    alone = figure_of([make_point(1, incumbent_score=None, score_delta=None)])
    assert [note["text"] for note in alone["layout"]["annotations"]] == ["score"]
    assert (alone["slots"]["names"], alone["slots"]["printed"]) == (["candidate"], ["0.62"])


def test_the_hover_of_a_run_says_its_group_state_score_and_id() -> None:
    slots = run_figure_of([make_run(1, score=0.7), make_run(2, state="running", score=None, id="r<2")])["slots"]
    assert slots["names"] == ["score"]
    assert slots["printed"] == ["0.70", ""]
    assert slots["note"] == ["ours<br>r1", "ours<br>running: still running, started 7 days ago<br>r&lt;2"]
    assert run_figure_of([make_run(1)], group="")["slots"]["note"] == ["r1"]


def test_sides_are_named_after_their_groups_and_the_difference_says_who_computed_it() -> None:
    """T6."""
    runs = [make_run(1, score=0.75), make_run(1, id="t1", model="theirs", started_at=None), make_run(2)]
    figure = run_figure_of(runs, sides=SIDES)
    assert trace_of(figure, "ours")["x"] == [0, 1]
    assert trace_of(figure, "theirs")["x"] == [0]
    assert trace_of(figure, "difference, computed here")["y"][:2] == [0, 0.25]
    assert trace_of(figure, "no_baseline")["x"] == [1]
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["score", "difference, computed here"]
    slots = figure["slots"]
    assert slots["names"] == ["ours", "theirs", "difference, computed here"]
    assert slots["printed"] == ["0.75 0.50 +0.25", "0.50"]
    assert slots["note"][0].endswith("<br>ours: r1, 2025-03-02 09:00 UTC<br>theirs: t1, no readable time")
    assert slots["note"][1] == "ours<br>no baseline: no run of theirs is labelled step-2<br>r2"
    assert slots["at"] == [False, int(START.timestamp()) + 2 * 86_400]


def test_a_number_of_the_incumbent_alone_stands_behind_its_own_name() -> None:
    slots = run_figure_of([make_run(1, model="theirs")], sides=SIDES)["slots"]
    assert slots["names"][1] == "theirs"
    assert slots["printed"][0].split(" ") == ["", "0.50"]


@pytest.mark.parametrize("name", ["<b>bold", '<a href="https://other.example.test/">m</a>', "a&amp;b", "$x^2$"])
@pytest.mark.parametrize("sides", [False, True])
def test_names_of_groups_are_text_in_line_hover_and_tick(name: str, sides: bool) -> None:
    runs = [make_run(1, model=name, checkpoint=name, id=name), make_run(1, id="t1", checkpoint=name, model="theirs")]
    figure = run_figure_of(runs, sides=(name, "theirs") if sides else None)
    assert name in [html.unescape(trace["name"]) for trace in figure["data"]]
    shown = json.dumps([figure["slots"][column] for column in ("label", "note", "names")]).replace("<br>", "")
    assert "<" not in shown + json.dumps(figure["layout"]["xaxis"]["ticktext"])
    assert name in html.unescape(figure["slots"]["note"][0])


def test_twelve_lines_differ_and_the_others_are_points_without_a_line() -> None:
    figure = run_figure_of([make_run(day, model=f"m{day % 14:02}") for day in range(42)])
    named = [trace for trace in figure["data"] if trace["name"].startswith("m")]
    assert len({(trace["line"]["color"], trace["line"]["dash"]) for trace in named}) == STYLES == 12
    others = trace_of(figure, "2 other values")
    assert others["marker"]["color"] == PALETTES["light"].text
    assert others["x"] == [0, None, 1, None, 14, None, 15, None, 28, None, 29]


def test_the_hover_of_a_gap_in_a_pair_names_each_group_once() -> None:
    runs = [
        make_run(1, state="canceled", score=None),
        make_run(1, id="t1", model="theirs", score=None),
        make_run(2, state="canceled", score=None, checkpoint="step-1", id="again"),
        make_run(3, state="canceled", score=None),
    ]
    notes = [html.unescape(note).split("<br>") for note in run_figure_of(runs, sides=SIDES)["slots"]["note"]]
    assert notes[1] == [
        "canceled, no score",
        "ours: the run was canceled; again, 2025-03-03 09:00 UTC",
        "theirs: completed without a score; t1, 2025-03-02 09:00 UTC",
    ]
    assert notes[0][0] == "canceled: ours: the run was canceled"
    assert "ours" not in notes[0][1:]


def test_what_a_reader_would_not_see_is_named_in_label_tick_and_hover() -> None:
    """C35."""
    figure = figure_of([make_point(1, checkpoint_id="run-\u202egnol"), make_failed(2, status_reason="\u202eenod")])
    assert figure["slots"]["label"][0] == "run-[U+202E]gnol"
    assert figure["slots"]["note"][1] == "failed: [U+202E]enod"
    assert "\u202e" not in json.dumps(figure["layout"], ensure_ascii=False)
