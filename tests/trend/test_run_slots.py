"""One run: is it a number or a gap, why, and what is to be known of it."""

from datetime import timedelta

import pytest

from dashboard.sources.loop.wire import Unreadable
from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend import RunSlot, build_run_trend
from tests.trend.points import NOW
from tests.trend.some_runs import make_run


def slot_of(run: RunloopRun, label: str | None = "checkpoint") -> RunSlot:
    return build_run_trend([run], now=NOW, label=label).slots[0]


def gap_of(run: RunloopRun) -> tuple[str, str, str]:
    gap = slot_of(run).gap
    assert gap is not None
    return gap


def test_a_completed_run_with_a_score_is_a_point() -> None:
    slot = slot_of(make_run(1, score=0.71))
    assert (slot.candidate, slot.incumbent, slot.delta, slot.gap, slot.flags) == (0.71, None, None, None, ())
    assert (slot.id, slot.label, slot.created_at) == ("r1", "step-1", make_run(1).started_at)
    assert slot.scored


def test_zero_is_a_score_and_minus_zero_is_zero() -> None:
    assert str(slot_of(make_run(1, score=-0.0)).candidate) == "0.0"


def test_a_running_run_says_since_when_by_the_clock_it_is_given() -> None:
    gap = gap_of(make_run(1, state="running", score=None, started_at=NOW - timedelta(days=9)))
    assert gap == ("running", "running", "still running, started 9 days ago")
    assert gap_of(make_run(1, state="running", started_at=None))[2] == "still running"


def test_a_canceled_run_is_a_gap_although_a_score_came_with_it() -> None:
    slot = slot_of(make_run(1, state="canceled", score=0.2))
    assert slot.gap == ("canceled", "canceled", "the run was canceled")
    assert slot.candidate is None
    assert [flag.kind for flag in slot.flags] == ["scores_unused"]


def test_a_completed_run_without_a_score_is_a_gap_and_no_zero() -> None:
    assert gap_of(make_run(1, score=None)) == ("unscored", "no score", "completed without a score")


def test_an_unreadable_score_is_a_gap_that_shows_what_stood_there() -> None:
    gap = gap_of(make_run(1, score=Unreadable("NaN")))
    assert gap == ("unreadable", "unreadable score", "the score is not a number: NaN")


@pytest.mark.parametrize("state", ["timeout", "<b>", "Completed"])
def test_an_unknown_state_is_shown_as_given(state: str) -> None:
    assert gap_of(make_run(1, state=state)) == (state, state, f"the service gives its state as {state}")


@pytest.mark.parametrize("state", ["", "  "])
def test_a_run_without_a_state_says_so(state: str) -> None:
    assert gap_of(make_run(1, state=state)) == ("unknown", "no state", "the service gave no state")
    assert [flag.text for flag in slot_of(make_run(1, state=state)).flags] == [
        "its score is not used: it is not completed (it gives no state)"
    ]


@pytest.mark.parametrize("score", [1.2, -0.1])
def test_a_score_outside_the_scale_is_flagged_and_stays(score: float) -> None:
    slot = slot_of(make_run(1, score=score))
    assert slot.candidate == score
    assert [flag.text for flag in slot.flags] == ["the score lies outside the scale from 0 to 1"]


@pytest.mark.parametrize(
    ("started_at", "said"),
    [
        (Unreadable("1740816000"), "its start time is no plausible time in milliseconds (1740816000)"),
        (None, "its start time is not given"),
    ],
)
def test_a_run_without_a_plausible_time_stands_last_and_is_flagged(started_at: object, said: str) -> None:
    trend = build_run_trend([make_run(1, started_at=started_at), make_run(2)], now=NOW)
    assert [slot.id for slot in trend.slots] == ["r2", "r1"]
    assert trend.slots[1].created_at is None
    assert [flag.text for flag in trend.slots[1].flags] == [f"{said}, so it stands after all runs that have one"]


def test_the_label_is_the_metadata_key_else_the_name_else_the_id() -> None:
    assert slot_of(make_run(1, name="nightly")).label == "step-1"
    assert slot_of(make_run(1, name="nightly"), label="commit").label == "nightly"
    assert slot_of(make_run(1, name="nightly"), label=None).label == "nightly"
    assert slot_of(make_run(1, checkpoint="", name="")).label == "r1"
