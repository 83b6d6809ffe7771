"""How numbers, money and moments are printed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.charts.numbers import choose_decimals
from dashboard.sources.loop.wire import Unreadable
from dashboard.trend import Scale
from dashboard.web.common.numbers import Number, show_cents, show_delta, show_score
from dashboard.web.common.times import Moment, show_moment
from dashboard.web.trend.rows import find_table, render_rows
from tests.trend.points import make_point, trend_of

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("values", "scale", "decimals"),
    [
        ([], None, 2),
        ([None, 0.5], None, 2),
        ([0.5, 0.617], Scale(0, 1), 3),
        ([0.61724123], Scale(0, 1), 4),
        ([3.14159], Scale(1, 5), 3),
        ([71.2345], Scale(0, 100), 2),
    ],
)
def test_numbers_read_together_have_the_decimals_that_tell_them_apart(values, scale, decimals):
    assert choose_decimals(values, scale) == decimals


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.0, 4, "0.00"),
        (-0.0, 2, "0.00"),
        (0.6, 2, "0.60"),
        (0.61724, 4, "0.6172"),
        (-0.25, 3, "−0.250"),
        (0.00001, 4, "1.00e−05"),
        (1e300, 2, "1.00e+300"),
    ],
)
def test_a_score_is_printed_with_a_real_minus_and_never_as_a_zero_that_it_is_not(value, decimals, text):
    assert show_score(value, decimals).text == text


def test_a_machine_reads_the_whole_number():
    assert show_score(0.617241, 2).machine == "0.617241"
    assert show_score(-0.0, 2).machine == "0.0"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0112, Number("+0.0112", "0.0112")),
        (-0.03, Number("−0.0300", "-0.03")),
        (0.0, Number("0.00", "0.0")),
        (-0.0, Number("0.00", "0.0")),
    ],
)
def test_a_delta_has_a_sign_unless_it_is_zero_and_nothing_that_judges_it(value, shown):
    """T12."""
    assert show_delta(value, 4) == shown


@pytest.mark.parametrize(
    ("cents", "text"), [(500, "$5.00"), (123_405, "$1,234.05"), (0, "$0.00"), (-5, "−$0.05"), (None, "—")]
)
def test_money_is_exact(cents, text):
    assert show_cents(cents) == text


def test_a_moment_says_its_zone_and_its_age():
    then = NOW - timedelta(days=9)
    assert show_moment(then, NOW) == Moment("2026-04-25 12:00 UTC", "2026-04-25T12:00:00+00:00", "9 days ago")


def test_no_moment_is_a_dash_and_an_unreadable_one_is_shown_as_it_came():
    assert show_moment(None, NOW) == Moment("—")
    assert show_moment(Unreadable("yesterday"), NOW).text == "unreadable: yesterday"


def test_clocks_may_disagree():
    assert show_moment(NOW + timedelta(seconds=20), NOW).age == "less than a minute ago"
    assert show_moment(NOW + timedelta(hours=2), NOW).age == "in the future"


@pytest.mark.parametrize(
    ("number", "whole"),
    [
        (show_score(0.61728394, 4), "0.61728394"),
        (show_score(0.5, 2), ""),
        (show_delta(-0.012345678, 4), "-0.012345678"),
        (show_delta(0.25, 4), ""),
        (Number("unreadable: x", ""), ""),
    ],
)
def test_a_rounded_number_has_its_whole_beside_it_and_another_does_not(number, whole):
    assert number.whole == whole


def test_a_rounded_number_in_the_table_has_all_its_digits_as_its_title():
    point = make_point(1, candidate_score=0.61728394, incumbent_score=0.5, score_delta=0.11728394)
    trend = trend_of([point])
    html = render_rows(find_table(trend, page=None, wanted=None), trend, wanted=None, now=NOW)
    assert '<data value="0.61728394" title="0.61728394">0.6173</data>' in html
    assert '<data value="0.5">0.5000</data>' in html
    assert '<data value="0.11728394" title="0.11728394">+0.1173</data>' in html
