"""The dot plot of dimensions."""

from __future__ import annotations

from dashboard.charts.dots import MOST, Pair, render_dots
from dashboard.trend import Scale


def test_each_dimension_goes_from_the_incumbent_to_the_candidate():
    svg = render_dots([Pair("helpful", 0.25, 0.75), Pair("brief", None, 0.5), Pair("kind", 0.5, None)], Scale(0, 1))
    assert svg.count('class="move"') == 1
    assert svg.count("<circle") == 2
    assert svg.count('class="from"') == 2


def test_a_name_is_only_ever_text():
    assert "<script" not in render_dots([Pair("<script>", 0.25, 0.75)], None)


def test_a_score_outside_the_scale_stands_at_the_edge():
    svg = render_dots([Pair("odd", 9e124, 0.5)], Scale(0, 1))
    assert "e+" not in svg
    assert "inf" not in svg


def test_without_a_score_nothing_is_drawn():
    assert render_dots([Pair("helpful", None, None)], Scale(0, 1)) == "" == render_dots([], None)


def test_no_more_are_drawn_than_fit():
    assert render_dots([Pair(f"d{n}", 0.25, 0.75) for n in range(99)], None).count("<circle") == MOST
