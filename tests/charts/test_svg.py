"""The inline SVG: well formed, escaped, whole where small and bounded where large."""

from datetime import timedelta
from xml.etree import ElementTree as ET

import pytest

from dashboard.charts import GAPS, UNKNOWN_GAP, draw_trend, render_glyph, render_sparkline, render_svg
from dashboard.trend import ALL_RULES, build_trend
from tests.trend.points import NOW, START, make_benchmark, make_failed, make_point

HOSTILE = ["</title><script>", "<img src=x onerror=alert(1)>", "a&amp;b", "p<0.5 & q>0.1", '" onload="x']


def parse(svg: str) -> ET.Element:
    return ET.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def paths(svg: str, css_class: str) -> list[ET.Element]:
    return [path for path in parse(svg).iter("path") if css_class in path.get("class", "").split()]


def test_it_works() -> None:
    points = [make_point(1), make_point(2, decision="promoted"), make_failed(3), make_point(4, score_delta=-0.02)]
    svg = render_svg(
        draw_trend(build_trend(points, make_benchmark(), now=NOW)), title="Support", description="4 replays"
    )
    assert parse(svg).findtext("title") == "Support"
    assert parse(svg).findtext("desc") == "4 replays"
    assert [path.findtext("title") for path in paths(svg, "gap")] == ["step-300: failed, worker lost"]
    assert [path.findtext("title") for path in paths(svg, "decision")] == ["step-200: promoted"]
    assert len(paths(svg, "era")) == 1
    assert {path.get("class") for path in paths(svg, "bar")} == {"bar up", "bar down"}


def test_no_line_is_drawn_across_a_gap() -> None:
    svg = render_svg(draw_trend(build_trend([make_point(1), make_failed(2), make_point(3)], None, now=NOW)), title="t")
    assert paths(svg, "line") == []
    assert len(paths(svg, "dot")) == 2


def test_a_zero_delta_is_marked_and_is_neither_gain_nor_loss() -> None:
    zero = make_point(1, candidate_score=0.6, score_delta=0.0)
    svg = render_svg(draw_trend(build_trend([zero], None, now=NOW)), title="t")
    assert [path.get("class") for path in paths(svg, "bar")] == ["bar even"]


@pytest.mark.parametrize("name", HOSTILE)
def test_text_from_outside_is_only_ever_text(name: str) -> None:
    points = [make_point(1, checkpoint_id=name), make_failed(2, status=name, status_reason=name)]
    svg = render_svg(draw_trend(build_trend(points, None, now=NOW)), title=name)
    assert parse(svg).findtext("title") == name
    assert f"step-200: {name}, {name}" in [path.findtext("title") for path in paths(svg, "gap")]
    assert {element.tag for element in parse(svg).iter()} <= {"svg", "title", "path", "text"}


def test_every_gap_has_its_mark_while_there_is_room() -> None:
    points = [make_failed(day, status="failed" if day % 2 else "paused") for day in range(300)]
    svg = render_svg(draw_trend(build_trend(points, None, now=NOW)), title="t")
    assert len(paths(svg, "gap")) == 300


def test_a_large_history_is_bounded_by_its_pixels_and_keeps_its_extremes() -> None:
    def point(number: int) -> object:
        at = START + timedelta(hours=number)
        if number % 20 == 7:
            return make_failed(number, created_at=at)
        score = {5_001: 0.99, 7_002: 0.01}.get(number, 0.5 + (number % 13) / 100)
        decision = "rejected" if number % 3 else None
        return make_point(number, created_at=at, candidate_score=score, decision=decision)

    drawing = draw_trend(build_trend([point(number) for number in range(10_000)], None, now=NOW))  # type: ignore[misc]
    svg = render_svg(drawing, title="t")
    assert len(svg) < 250_000
    line = paths(svg, "candidate")[0].get("d", "")
    assert line.count("M") >= 500, "each of the 500 gaps breaks the line"
    for score in (0.99, 0.01):
        assert f" {drawing.to_y(score):.0f}" in line
    columns = {round(drawing.to_x(number) / 2) for number in range(10_000) if number % 20 == 7}
    assert paths(svg, "gap")[0].get("d", "").count("M") >= len(columns) * 0.9


def test_overlaid_rules_have_a_class_each_and_no_deltas() -> None:
    points = [make_point(day, rule_id=f"rule-{day % 2}") for day in range(6)]
    svg = render_svg(draw_trend(build_trend(points, None, now=NOW, rule=ALL_RULES)), title="t")
    assert {path.get("class") for path in paths(svg, "line")} == {"line rule-1", "line rule-2"}
    assert paths(svg, "bar") == []


def test_the_sparkline_shows_both_lines_and_every_gap_and_says_so_in_words() -> None:
    points = [make_point(1), make_point(2), make_failed(3), make_point(4)]
    svg = render_sparkline(build_trend(points, None, now=NOW))
    assert parse(svg).get("aria-label") == "3 replays with a score, 1 without"
    assert [path.get("class") for path in paths(svg, "line")] == [
        "line incumbent",
        "line point incumbent",
        "line candidate",
        "line point candidate",
    ]
    assert paths(svg, "gap")[0].get("d", "").count("M") == 1


def test_an_empty_sparkline_is_still_one() -> None:
    assert (
        parse(render_sparkline(build_trend([], None, now=NOW))).get("aria-label") == "0 replays with a score, 0 without"
    )


def test_each_kind_of_gap_has_a_glyph_of_its_own() -> None:
    drawn = {render_glyph(glyph, "gap") for glyph in [*GAPS.values(), UNKNOWN_GAP]}
    assert len(drawn) == len(GAPS) + 1
    assert all(parse(svg).find("path") is not None for svg in drawn)
