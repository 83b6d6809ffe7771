"""One replay: is it a number or a gap, why, and what is to be known of it."""

from datetime import timedelta
from typing import Any

import pytest

from dashboard.sources.loop.wire import HistoryPoint, Scoring, Unreadable
from dashboard.trend import Slot, describe_age, read_scale
from tests.trend.points import NOW, make_benchmark, make_failed, make_point, trend_of


def slot_of(point: HistoryPoint, **benchmark: Any) -> Slot:
    return trend_of([point], make_benchmark(**benchmark)).slots[0]


def gap_of(point: HistoryPoint, **benchmark: Any) -> tuple[str, str, str]:
    gap = slot_of(point, **benchmark).gap
    assert gap is not None
    return gap


def test_zero_is_a_score_and_minus_zero_is_zero() -> None:
    slot = slot_of(make_point(1, candidate_score=-0.0, incumbent_score=0.0, score_delta=-0.0))
    assert slot.scored
    assert str((slot.candidate, slot.incumbent, slot.delta)) == "(0.0, 0.0, 0.0)"


@pytest.mark.parametrize("raw", ["1e999", "true", '"0.71"', '{"value": 0.6}'])
def test_an_unreadable_score_is_a_gap_that_shows_what_stood_there(raw: str) -> None:
    point = make_point(1, candidate_score=Unreadable(raw))
    assert gap_of(point) == ("unreadable", "unreadable score", f"the candidate score is not a number: {raw}")


def test_a_finished_replay_without_a_baseline_says_so() -> None:
    assert gap_of(make_point(1, incumbent_score=None, score_delta=None)) == (
        "unscored",
        "no score",
        "no baseline: the incumbent has no score",
    )


def test_a_finished_replay_without_scores_says_so_in_the_words_of_the_service() -> None:
    point = make_failed(1, status="done", status_reason="2 rows failed")
    assert gap_of(point)[2] == "finished without a score: 2 rows failed"


def test_a_missing_candidate_or_delta_is_named() -> None:
    assert gap_of(make_point(1, candidate_score=None, score_delta=None))[2] == "no candidate score and no score delta"
    assert gap_of(make_point(1, score_delta=None))[2] == "no score delta"


def test_a_capped_replay_is_a_gap_although_scores_came_with_it() -> None:
    slot = slot_of(make_point(1, status="budget_stopped", status_reason="spend cap reached", candidate_score=0.91))
    assert slot.gap == ("budget_stopped", "budget stopped", "spend cap reached")
    assert slot.candidate is None
    assert [flag.kind for flag in slot.flags] == ["scores_unused"]


def test_an_open_replay_says_since_when_by_the_clock_it_is_given() -> None:
    gap = gap_of(make_failed(0, status="open", status_reason=None, created_at=NOW - timedelta(days=9)))
    assert gap == ("open", "open", "still running, started 9 days ago")
    assert gap_of(make_failed(0, status="open", status_reason="12 of 40 rows", created_at=None))[2] == (
        "still running: 12 of 40 rows"
    )


@pytest.mark.parametrize("reason", [None, "", "  "])
def test_a_gap_without_a_reason_says_that_none_was_given(reason: str | None) -> None:
    assert gap_of(make_failed(1, status_reason=reason))[2] == "the service gave no reason"


def test_an_unknown_status_is_shown_as_given() -> None:
    assert gap_of(make_failed(1, status="<paused>"))[:2] == ("<paused>", "<paused>")
    assert gap_of(make_failed(1, status=" ", status_reason=None)) == (
        "unknown",
        "no status",
        "the service gave no status",
    )


def test_a_replay_over_another_set_is_not_comparable() -> None:
    assert gap_of(make_point(1, items_digest="d1"), items_digest="d2")[0] == "not_comparable"
    assert slot_of(make_point(1, items_digest="d2"), items_digest="d2").scored
    assert slot_of(make_point(1), items_digest="d2").scored
    assert gap_of(make_failed(1, items_digest="d1"), items_digest="d2")[0] == "failed"


def test_a_replay_without_a_checkpoint_is_labelled_by_its_id() -> None:
    assert slot_of(make_point(1, checkpoint_id=None)).label == "r1"


def test_decisions_are_named_and_an_unknown_one_is_shown_as_given() -> None:
    assert slot_of(make_point(1, decision="auto_promoted")).decision == ("auto_promoted", "auto-promoted")
    assert slot_of(make_point(1, decision="postponed")).decision == ("postponed", "postponed")
    assert slot_of(make_point(1)).decision is None


def test_a_short_replay_keeps_its_score_and_is_flagged() -> None:
    slot = slot_of(make_point(1, rows_total=2, rows_scored=1))
    assert slot.candidate == 0.62
    assert [flag.text for flag in slot.flags] == ["scored 1 of 2"]
    assert slot.partial
    assert not slot_of(make_point(1, rows_total=2, rows_scored=2)).partial


def test_a_delta_that_contradicts_its_scores_is_flagged_and_not_repaired() -> None:
    slot = slot_of(make_point(1, score_delta=0.4))
    assert slot.delta == 0.4
    assert [flag.text for flag in slot.flags] == ["the delta given, 0.4, is not candidate minus incumbent"]


def test_a_delta_within_rounding_is_not_flagged() -> None:
    assert slot_of(make_point(1, candidate_score=0.6204, incumbent_score=0.6, score_delta=0.0189)).flags == ()
    wide = Scoring(scale="0-100")
    assert slot_of(make_point(1, candidate_score=62.5, incumbent_score=60.0, score_delta=2.4), scoring=wide).flags == ()


def test_scores_outside_the_stated_scale_are_flagged() -> None:
    slot = slot_of(make_point(1, candidate_score=1.4, incumbent_score=-0.2, score_delta=1.6))
    assert slot.scored
    assert [flag.text for flag in slot.flags] == [
        "the candidate score lies outside the scale",
        "the incumbent score lies outside the scale",
    ]


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("0-1", (0, 1)),
        ("1 to 5", (1, 5)),
        ("0–100 points", (0, 100)),
        ("[0, 10]", (0, 10)),
        ("from 0.5 through 2.5", (0.5, 2.5)),
        ("-1..1", (-1, 1)),
        ("0.0 to 1.0", (0, 1)),
        ("5 to 1", None),
        ("pass or fail", None),
        ("", None),
        ("perplexity, lower is better", None),
    ],
)
def test_the_scale_is_read_from_its_words(text: str, bounds: tuple[float, float] | None) -> None:
    assert read_scale(text) == bounds


@pytest.mark.parametrize(
    ("text", "lower"),
    [
        ("no bounds, lower is better", True),
        ("Smaller values are better", True),
        ("0-1", False),
        ("higher is better", False),
        ("", False),
    ],
)
def test_the_direction_is_read_from_the_words_of_the_scale(text: str, lower: bool) -> None:
    assert trend_of([], make_benchmark(scoring=Scoring(scale=text))).lower_is_better == lower


def test_scores_of_a_replay_that_gives_no_status_are_said_to_be_unused() -> None:
    slot = slot_of(make_point(1, status=""))
    assert [flag.text for flag in slot.flags] == ["its scores are not used: it is not done (it gives no status)"]


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(days=9, hours=3), "9 days"),
        (timedelta(hours=1, minutes=59), "1 hour"),
        (timedelta(minutes=2), "2 minutes"),
        (timedelta(seconds=59), "less than a minute"),
        (timedelta(seconds=-5), "less than a minute"),
    ],
)
def test_an_age_is_told_in_its_largest_whole_unit(age: timedelta, words: str) -> None:
    assert describe_age(age) == words
