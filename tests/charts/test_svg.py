"""The inline SVG: well formed, escaped, whole where small and bounded where large."""

import json
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.charts import (
    NARROW,
    SHAPES,
    UNKNOWN_GAP,
    WIDE,
    AxisKind,
    build_figure,
    choose_glyph,
    draw_trend,
    render_glyph,
    render_sparkline,
    render_svg,
)
from dashboard.sources.loop.points import LOOP
from dashboard.sources.loop.wire import HistoryPoint
from dashboard.sources.runloop.points import RUNLOOP
from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend import Window
from tests.trend.points import ALL_RULES, START, histories, make_benchmark, make_failed, make_point, trend_of
from tests.trend.some_runs import make_run, run_lists, run_trend_of

AXES: tuple[AxisKind, ...] = ("slot", "time")

HOSTILE = ["</title><script>", "<img src=x onerror=alert(1)>", "a&amp;b", "p<0.5 & q>0.1", '" onload="x']


def parse(svg: str) -> ET.Element:
    return ET.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def paths(svg: str, css_class: str) -> list[ET.Element]:
    return [path for path in parse(svg).iter("path") if css_class in path.get("class", "").split()]


def test_it_works() -> None:
    points = [make_point(1), make_point(2, decision="promoted"), make_failed(3), make_point(4, score_delta=-0.02)]
    svg = render_svg(draw_trend(trend_of(points, make_benchmark())), title="Support", description="4 replays")
    assert parse(svg).findtext("title") == "Support"
    assert parse(svg).findtext("desc") == "4 replays"
    assert [path.findtext("title") for path in paths(svg, "gap")] == ["step-300: failed, worker lost"]
    assert [path.findtext("title") for path in paths(svg, "decision")] == ["step-200: promoted"]
    assert len(paths(svg, "era")) == 1
    assert [path.get("class") for path in paths(svg, "bar")] == ["bar"], "one colour, whatever the sign (T12)"


def test_every_point_is_drawn_at_its_score() -> None:
    scores = [0.62, 0.41, 0.73]
    points = [make_point(day, candidate_score=score) for day, score in enumerate(scores)]
    drawing = draw_trend(trend_of(points, make_benchmark()))
    drawn = paths(render_svg(drawing, title="t"), "candidate")[0].get("d", "").removeprefix("M").split("L")
    axis, box = drawing.scores, drawing.frame.scores
    for pair, score in zip(drawn, scores, strict=True):
        y = float(pair.split()[1])
        assert axis.low + (box.bottom - y) / box.height * (axis.high - axis.low) == pytest.approx(score, abs=1e-3)


def test_a_decision_on_a_gap_is_drawn_above_it() -> None:
    drawing = draw_trend(trend_of([make_point(1), make_failed(2, decision="promoted")]))
    decisions = paths(render_svg(drawing, title="t"), "decision")
    assert [path.findtext("title") for path in decisions] == ["step-200: promoted"]
    assert decisions[0].get("d", "").startswith(f"M{drawing.pixels[1]:.1f} {drawing.frame.rail.top:.1f}")


def test_an_era_says_why_it_began() -> None:
    points = [make_point(1, decision="promoted"), make_point(2)]
    svg = render_svg(draw_trend(trend_of(points)), title="t")
    assert [path.findtext("title") for path in paths(svg, "era")] == ["after step-100, promoted"]


def test_no_line_is_drawn_across_a_gap() -> None:
    svg = render_svg(draw_trend(trend_of([make_point(1), make_failed(2), make_point(3)])), title="t")
    assert paths(svg, "line") == []
    assert len(paths(svg, "dot")) == 2


def test_a_zero_delta_is_marked() -> None:
    zero = make_point(1, candidate_score=0.6, score_delta=0.0)
    svg = render_svg(draw_trend(trend_of([zero])), title="t")
    assert paths(svg, "bar")[0].get("d", "").endswith("v3")


@pytest.mark.parametrize("name", HOSTILE)
def test_text_from_outside_is_only_ever_text(name: str) -> None:
    points = [make_point(1, checkpoint_id=name), make_failed(2, status=name, status_reason=name)]
    svg = render_svg(draw_trend(trend_of(points)), title=name)
    assert parse(svg).findtext("title") == name
    assert f"step-200: {name}, {name}" in [path.findtext("title") for path in paths(svg, "gap")]
    assert {element.tag for element in parse(svg).iter()} <= {"svg", "title", "path", "text"}


def test_every_gap_has_its_mark_while_there_is_room() -> None:
    points = [make_failed(day, status="failed" if day % 2 else "paused") for day in range(300)]
    svg = render_svg(draw_trend(trend_of(points)), title="t")
    assert len(paths(svg, "gap")) == 300


def test_a_large_history_is_bounded_by_its_pixels_and_keeps_its_extremes() -> None:
    def point(number: int) -> object:
        at = START + timedelta(hours=number)
        if number % 20 == 7:
            return make_failed(number, created_at=at)
        score = {5_001: 0.99, 7_002: 0.01}.get(number, 0.5 + (number % 13) / 100)
        decision = "rejected" if number % 3 else None
        return make_point(number, created_at=at, candidate_score=score, decision=decision)

    drawing = draw_trend(trend_of([point(number) for number in range(10_000)]))  # type: ignore[misc]
    svg = render_svg(drawing, title="t")
    assert len(svg) < 300_000
    line = paths(svg, "candidate")[0].get("d", "")
    assert line.count("M") >= 500, "each of the 500 gaps breaks the line"
    for score in (0.99, 0.01):
        assert f" {drawing.to_y(score):.0f}" in line
    gaps = {int(drawing.to_x(number) / 3) for number in range(10_000) if number % 20 == 7}
    assert paths(svg, "gap")[0].get("d", "").count("M") == len(gaps)
    decided = {
        (int(drawing.to_x(slot.place) / 3), int(drawing.decision_pixel(slot) / 3))
        for slot in drawing.slots
        if slot.decision
    }
    assert paths(svg, "decision")[0].get("d", "").count("M") == len(decided)


def test_overlaid_rules_have_a_class_each_and_no_deltas() -> None:
    points = [make_point(day, rule_id=f"rule-{day % 2}") for day in range(6)]
    svg = render_svg(draw_trend(trend_of(points, rule=ALL_RULES)), title="t")
    assert {path.get("class") for path in paths(svg, "line")} == {"line rule-1", "line rule-2"}
    assert paths(svg, "bar") == []


def test_the_sparkline_shows_both_lines_and_every_gap_and_says_so_in_words() -> None:
    points = [make_point(1), make_point(2), make_failed(3), make_point(4)]
    svg = render_sparkline(trend_of(points))
    assert parse(svg).get("aria-label") == "3 replays with a score, 1 without"
    assert [path.get("class") for path in paths(svg, "line")] == [
        "line incumbent",
        "line point incumbent",
        "line candidate",
        "line point candidate",
    ]
    assert paths(svg, "gap")[0].get("d", "").count("M") == 1


def test_a_rising_sparkline_rises() -> None:
    points = [make_point(day, candidate_score=0.6 + day / 10) for day in range(3)]
    path = paths(render_sparkline(trend_of(points, make_benchmark())), "candidate")[0]
    ys = [float(pair.split()[1]) for pair in path.get("d", "").removeprefix("M").split("L")]
    assert ys == sorted(ys, reverse=True)
    assert len(set(ys)) == 3


@given(histories, st.sampled_from([None, 0, 3]), st.sampled_from(["slot", "time"]))
def test_any_history_can_be_drawn(points: list[HistoryPoint], last: int | None, axis: AxisKind) -> None:
    trend = trend_of(points, make_benchmark(), rule=ALL_RULES, window=Window(last=last))
    for shown in (trend, trend_of(points, make_benchmark(), window=Window(last=last))):
        parse(render_svg(draw_trend(shown, axis=axis), title="t"))
        parse(render_sparkline(shown))
        json.loads(build_figure(draw_trend(shown, axis=axis), theme="dark"), parse_constant=pytest.fail)


@pytest.mark.parametrize(
    "scores", [(1e15, 1e15), (1e300, -1e300), (1.7e308, -1.7e308), (5e-324, 5e-324), (1e15, 1e15 + 1)]
)
@pytest.mark.parametrize("year", [1, 1970, 9999])
def test_no_number_and_no_time_is_too_far_to_draw(scores: tuple[float, float], year: int) -> None:
    at = datetime(year, 1, 1, tzinfo=UTC)
    one = make_point(1, candidate_score=scores[0], incumbent_score=scores[1], score_delta=0.0, created_at=at)
    trend = trend_of([one, make_point(2)])
    for axis in AXES:
        parse(render_svg(draw_trend(trend, axis=axis), title="t"))
        json.loads(build_figure(draw_trend(trend, axis=axis), theme="dark"), parse_constant=pytest.fail)
    parse(render_sparkline(trend))
    parse(render_sparkline(trend_of([one])))


def test_an_empty_sparkline_is_still_one() -> None:
    assert parse(render_sparkline(trend_of([]))).get("aria-label") == "0 replays with a score, 0 without"


def test_each_shape_is_its_own_and_each_kind_of_gap_has_one_of_its_own() -> None:
    """T5."""
    drawn = {render_glyph(glyph, "gap") for glyph in [*SHAPES.values(), UNKNOWN_GAP]}
    assert len(drawn) == len(SHAPES) + 1
    assert all(parse(svg).find("path") is not None for svg in drawn)
    for words in (LOOP, RUNLOOP):
        shapes = [kind.shape for kind in words.gaps.values()]
        assert len(set(shapes)) == len(shapes)
        assert set(shapes) <= set(SHAPES)
    assert choose_glyph(RUNLOOP, "budget_stopped") == UNKNOWN_GAP, "each source has its own kinds of gap"


def test_a_sparkline_counts_what_it_is_of() -> None:
    svg = render_sparkline(run_trend_of([make_run(1), make_run(2, state="canceled"), make_run(3)]))
    assert parse(svg).get("aria-label") == "2 runs with a score, 1 without"


def test_groups_without_a_line_are_dots_of_their_own_class() -> None:
    svg = render_svg(
        draw_trend(run_trend_of([make_run(n, model=f"m{n}") for n in range(14)], group="model")), title="t"
    )
    assert [path.get("class") for path in paths(svg, "others")] == ["dot others"]


@given(run_lists(models=15), st.sampled_from([None, ("m0", "m1")]), st.sampled_from(["slot", "time"]))
def test_any_runs_can_be_drawn(runs: list[RunloopRun], sides: tuple[str, str] | None, axis: AxisKind) -> None:
    trend = run_trend_of(runs, group="model", label="checkpoint", sides=sides)
    for frame in (WIDE, NARROW):
        parse(render_svg(draw_trend(trend, axis=axis, frame=frame), title="t"))
    parse(render_sparkline(trend))
    json.loads(build_figure(draw_trend(trend, axis=axis), theme="dark"), parse_constant=pytest.fail)
