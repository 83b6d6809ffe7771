"""What rows say from replay to replay: regressions in order, failing since when, flips, and the bounds they leave."""

from __future__ import annotations

import pytest

from dashboard.trend.rows import (
    Mark,
    build_mark,
    count_flips,
    find_bounds,
    find_failing_since,
    is_newly_failing,
    measure_change,
    never_passed,
    regression_key,
)


def mark(passed: bool | None, *, outcome: str = "", candidate: float | None = None, incumbent: float | None = None):
    return Mark(candidate, incumbent, passed, None, outcome)


def build(**fields):
    given = {"candidate": None, "incumbent": None, "candidate_passed": None, "incumbent_passed": None}
    return build_mark(**(given | {"winner": None, "status": "done", "scale": "0-1"} | fields))


PASS, FAIL, UNKNOWN = mark(True), mark(False), mark(None)


def test_it_works():
    assert build(candidate=0.5, incumbent=0.9) == Mark(0.5, 0.9, False, True, "lost")


@pytest.mark.parametrize(
    ("winner", "outcome"), [("serving", "lost"), ("incumbent", "lost"), ("candidate", "won"), ("tie", "tied")]
)
def test_the_services_own_winner_stands_before_what_the_scores_say(winner, outcome):
    assert build(candidate=0.5, incumbent=0.5, winner=winner).outcome == outcome


def test_a_winner_that_nobody_knows_is_no_outcome():
    assert build(candidate=0.5, incumbent=0.9, winner="both").outcome == ""


def test_a_broken_row_neither_passes_nor_fails():
    assert build(candidate=0.1, candidate_passed=False, status="failed") == Mark(0.1, None, None, None, "failed")


def test_where_a_lower_score_is_better_the_higher_one_regressed():
    scale = "0-1, lower is better"
    assert measure_change(build(candidate=0.75, incumbent=0.25, scale=scale), scale) == -0.5


def test_the_worst_regression_comes_first_and_what_nobody_measured_last():
    rows = {
        "broken": build(status="failed"),
        "won": build(candidate=0.9, incumbent=0.1),
        "lost": build(candidate=0.4, incumbent=0.5),
        "worst": build(candidate=0.1, incumbent=0.9),
        "lost without scores": build(winner="incumbent"),
    }
    in_order = sorted(rows, key=lambda name: regression_key(rows[name], "0-1"))
    assert in_order == ["worst", "lost", "won", "lost without scores", "broken"]


@pytest.mark.parametrize(
    ("marks", "newly"),
    [
        ([PASS, FAIL], True),
        ([PASS, None, UNKNOWN, FAIL], True),
        ([FAIL, FAIL], False),
        ([None, FAIL], False),
        ([PASS, FAIL, None], False),
        ([], False),
    ],
)
def test_newly_failing_is_a_failure_right_after_the_last_known_pass(marks, newly):
    assert is_newly_failing(marks) is newly


@pytest.mark.parametrize(
    ("marks", "since"),
    [
        ([PASS, FAIL, FAIL], 1),
        ([PASS, FAIL, UNKNOWN, None, FAIL, None], 1),
        ([FAIL, PASS], None),
        ([UNKNOWN, None], None),
        ([], None),
    ],
)
def test_failing_since_is_the_first_of_the_last_failures(marks, since):
    assert find_failing_since(marks) == since


@pytest.mark.parametrize(("marks", "never"), [([FAIL, None], True), ([FAIL, PASS], False), ([UNKNOWN], False)])
def test_never_passed_needs_a_known_failure(marks, never):
    assert never_passed(marks) is never


@pytest.mark.parametrize(
    ("passes", "serving", "flips"),
    [
        ([True, False, True], "aaa", 2),
        ([True, False], "ab", 0),
        ([True, None, False], "aaa", 1),
        ([True, False], [None, None], 0),
    ],
)
def test_only_a_model_that_did_not_change_flips(passes, serving, flips):
    assert count_flips(passes, serving) == flips


def test_missing_rows_leave_the_mean_between_two_bounds():
    assert find_bounds([0.5, 1.0], 2, "0-1") == (0.375, 0.875)


@pytest.mark.parametrize(("scores", "scale"), [([0.5], "no bounds"), ([7.0], "0-1")])
def test_no_bounds_are_claimed_where_the_scale_has_none_or_a_score_lies_outside(scores, scale):
    assert find_bounds(scores, 1, scale) is None
