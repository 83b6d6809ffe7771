"""One point of either API: is it a number or a gap, why, and what is to be known of it."""

from datetime import timedelta
from typing import Any

import pytest

from dashboard.sources.loop.wire import HistoryPoint, Scoring
from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend import Gap, Slot, Unreadable, describe_age, read_scale
from dashboard.trend.scale import list_scales
from tests.trend.points import NOW, make_benchmark, make_failed, make_point, trend_of
from tests.trend.some_runs import make_run, run_trend_of


def slot_of(given: HistoryPoint | RunloopRun, **benchmark: Any) -> Slot:
    """The slot of a replay beside another one, which has an incumbent, or of a run alone."""
    if isinstance(given, RunloopRun):
        return run_trend_of([given], label="checkpoint").slots[0]
    [slot] = [slot for slot in trend_of([given, make_point(9)], make_benchmark(**benchmark)).slots if slot.id != "r9"]
    return slot


def gap_of(given: HistoryPoint | RunloopRun, **benchmark: Any) -> Gap:
    gap = slot_of(given, **benchmark).gap
    assert gap is not None
    return gap


def flags_of(given: HistoryPoint | RunloopRun, **benchmark: Any) -> list[str]:
    return [flag.text for flag in slot_of(given, **benchmark).flags]


def test_zero_is_a_score_and_minus_zero_is_zero() -> None:
    """T6."""
    slot = slot_of(make_point(1, candidate_score=-0.0, incumbent_score=0.0, score_delta=-0.0))
    assert slot.scored
    assert str((slot.candidate, slot.incumbent, slot.delta)) == "(0.0, 0.0, 0.0)"
    assert str(slot_of(make_run(1, score=-0.0)).candidate) == "0.0"


def test_a_run_has_one_score() -> None:
    slot = slot_of(make_run(1, score=0.71))
    assert (slot.candidate, slot.incumbent, slot.delta, slot.gap, slot.flags) == (0.71, None, None, None, ())
    assert (slot.id, slot.label, slot.created_at) == ("r1", "step-1", make_run(1).started_at)


LONG_AGO = NOW - timedelta(days=9)
ANOTHER_SET = "replayed over another set of conversations than the benchmark's"
NO_STATUS = make_failed(1, status=" ", status_reason=None)
CAPPED = make_point(1, status="budget_stopped", status_reason="spend cap reached", candidate_score=0.91)


@pytest.mark.parametrize(
    ("given", "gap"),
    [
        (make_failed(1), ("failed", "failed", "worker lost")),
        (make_failed(1, status_reason="  "), ("failed", "failed", "the service gave no reason")),
        (CAPPED, ("budget_stopped", "budget stopped", "spend cap reached")),
        (make_failed(1, status="<paused>"), ("<paused>", "<paused>", "worker lost")),
        (NO_STATUS, ("unknown", "no status", "the service gave no status")),
        (
            make_failed(1, status="open", status_reason=None, created_at=LONG_AGO),
            ("open", "open", "still running, started 9 days ago"),
        ),
        (
            make_failed(1, status="open", status_reason="12 of 40 rows", created_at=None),
            ("open", "open", "still running: 12 of 40 rows"),
        ),
        (
            make_point(1, candidate_score=Unreadable("1e999")),
            ("unreadable", "unreadable score", "the candidate score is not a number: 1e999"),
        ),
        (
            make_point(1, incumbent_score=None, score_delta=None),
            ("unscored", "no score", "no baseline: the incumbent has no score"),
        ),
        (
            make_failed(1, status="done", status_reason="2 rows failed"),
            ("unscored", "no score", "finished without a score: 2 rows failed"),
        ),
        (
            make_point(1, candidate_score=None, score_delta=None),
            ("unscored", "no score", "no candidate score and no score delta"),
        ),
        (make_point(1, score_delta=None), ("unscored", "no score", "no score delta")),
        (
            make_run(1, state="running", score=None, started_at=LONG_AGO),
            ("running", "running", "still running, started 9 days ago"),
        ),
        (make_run(1, state="running", started_at=None), ("running", "running", "still running")),
        (make_run(1, state="canceled", score=0.2), ("canceled", "canceled", "the run was canceled")),
        (make_run(1, score=None), ("unscored", "no score", "completed without a score")),
        (
            make_run(1, score=Unreadable("NaN")),
            ("unreadable", "unreadable score", "the score is not a number: NaN"),
        ),
        (make_run(1, state="Completed"), ("Completed", "Completed", "the service gives its state as Completed")),
        (make_run(1, state=" "), ("unknown", "no state", "the service gave no state")),
    ],
)
def test_status_comes_before_scores_and_every_gap_has_its_reason(given: Any, gap: tuple[str, str, str]) -> None:
    """T4, T11."""
    assert gap_of(given) == gap
    assert slot_of(given).candidate is None


def test_a_replay_over_another_set_is_not_comparable() -> None:
    """T8."""
    assert gap_of(make_point(1, items_digest="d1"), items_digest="d2") == (
        "not_comparable",
        "not comparable",
        ANOTHER_SET,
    )
    assert slot_of(make_point(1, items_digest="d2"), items_digest="d2").scored
    assert slot_of(make_point(1), items_digest="d2").scored
    assert gap_of(make_failed(1, items_digest="d1"), items_digest="d2").kind == "failed"


def test_where_there_never_was_an_incumbent_a_candidate_is_a_scored_slot() -> None:
    """T4."""
    alone = {"incumbent_score": None, "score_delta": None}
    trend = trend_of([make_point(1, **alone), make_point(2, candidate_score=Unreadable("x"), **alone), make_failed(3)])
    assert [(slot.candidate, slot.incumbent, slot.delta) for slot in trend.slots] == [
        (0.62, None, None), (None, None, None), (None, None, None),
    ]  # fmt: skip
    assert (trend.alone, trend.with_deltas, trend.numbers) == (True, False, ("candidate",))
    assert [(line.role, line.segments) for line in trend.lines] == [("candidate", ((0,),))]
    assert not trend_of([make_failed(1)]).alone, "nothing is known of a history without any score"


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        (make_point(1, rows_total=2, rows_scored=1), ["scored 1 of 2"]),
        (make_point(1, rows_total=2, rows_scored=2), []),
        (make_point(1, score_delta=0.4), ["the delta given, 0.4, is not candidate minus incumbent"]),
        (make_point(1, candidate_score=0.6204, incumbent_score=0.6, score_delta=0.0189), []),
        (
            make_point(1, candidate_score=0.601, incumbent_score=0.6, score_delta=-0.0005),
            ["the delta given, -0.0005, is not candidate minus incumbent"],
        ),
        (make_point(1, candidate_score=0.1 + 0.2, incumbent_score=0.3, score_delta=-0.0001), []),
        (
            make_point(1, candidate_score=1.4, incumbent_score=-0.2, score_delta=1.6),
            [
                "the candidate score lies outside the scale from 0 to 1",
                "the incumbent score lies outside the scale from 0 to 1",
            ],
        ),
        (CAPPED, ["its scores are not used: it is not done (budget_stopped)"]),
        (make_point(1, status=""), ["its scores are not used: it is not done (it gives no status)"]),
        (make_point(1, created_at=None), ["its time is not given, so it stands after all replays that have one"]),
        (make_run(1, score=1.2), ["the score lies outside the scale from 0 to 1"]),
        (make_run(1, state=""), ["its score is not used: it is not completed (it gives no state)"]),
        (
            make_run(1, started_at=Unreadable("1740816000")),
            [
                "its start time is no plausible time in milliseconds (1740816000), so it stands after all runs that "
                "have one"
            ],
        ),
    ],
)
def test_what_is_odd_is_flagged_and_not_repaired(given: Any, flags: list[str]) -> None:
    """T6."""
    assert flags_of(given) == flags
    if isinstance(given, HistoryPoint) and slot_of(given).scored:
        assert slot_of(given).delta == given.score_delta


def test_rounding_is_measured_by_the_width_of_the_scale() -> None:
    wide = Scoring(scale="0-100")
    assert flags_of(make_point(1, candidate_score=62.5, incumbent_score=60.0, score_delta=2.4), scoring=wide) == []


def test_decisions_are_named_and_an_unknown_one_is_shown_as_given() -> None:
    """T7, T11."""
    assert slot_of(make_point(1, decision="auto_promoted")).decision == ("auto_promoted", "auto-promoted")
    assert slot_of(make_point(1, decision="postponed")).decision == ("postponed", "postponed")
    assert slot_of(make_point(1)).decision is None


def test_the_label_is_the_checkpoint_else_what_tells_it_apart() -> None:
    """T2."""
    assert slot_of(make_point(1, checkpoint_id=None)).label == "r1"
    assert slot_of(make_run(1, name="nightly")).label == "step-1"
    for label in ("", "commit"):
        assert run_trend_of([make_run(1, name="nightly")], label=label).slots[0].label == "nightly"
    assert slot_of(make_run(1, checkpoint="", name="")).label == "r1"


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


def test_what_could_not_be_read_is_kept_short() -> None:
    with pytest.raises(ValueError, match="at most 80"):
        Unreadable("x" * 81)


@pytest.mark.parametrize(
    ("text", "scales"),
    [
        ("Score the answer from 1 to 5.", [(1, 5)]),
        ("On a scale of 0-10, how kind is it?", [(0, 10)]),
        ("Give 0–100 points.", [(0, 100)]),
        ("Rate it in [0, 10].", [(0, 10)]),
        ("Score 1 to 5. Graded 1 to 5 again.", [(1, 5)]),
        ("Write 2 to 3 sentences. Then score it.", []),
        ("Score it, and answer within 3-5 days.", [(3, 5)]),  # what nobody can tell is pointed out, not missed
        ("Score 3, 5 and 7 apart.", []),
        ("Score from 5 to 1.", []),
        ("", []),
    ],
)
def test_instructions_name_a_scale_where_bounds_stand_near_a_word_for_scoring(text, scales):
    assert list_scales(text) == scales
