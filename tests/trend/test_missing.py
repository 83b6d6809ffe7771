"""Missing replays (T9): a run that was judged, and of which this benchmark has no replay."""

from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest

from dashboard.sources.loop.points import build_points, build_unreplayed
from dashboard.sources.loop.wire import HistoryPoint, TrainingRun
from dashboard.trend import Point, Unreadable, find_missing
from tests.trend.points import START, make_failed, make_point, trend_of

ATTACHED = {"rule-1"}


def make_training_run(day: int, **given: Any) -> TrainingRun:
    """The judged run of one day, a little before its replay would be."""
    at = START + timedelta(days=day, minutes=-5)
    values = {"id": f"run-{day}", "rule_id": "rule-1", "verdict": "not_better", "created_at": at, "seq": day}
    return TrainingRun(**(values | given))


def replay(day: int, **given: Any) -> HistoryPoint:
    return make_point(day, run_id=f"run-{day}", **given)


def missing(replays: list[HistoryPoint], runs: list[TrainingRun], attached: set[str] = frozenset()) -> list[Point]:  # type: ignore[assignment]
    return find_missing(build_points(replays), build_unreplayed(runs), attached)


def test_it_works() -> None:
    """C05: step-200 failed, step-300 was never replayed, and the two are told apart."""
    replays = [replay(1), make_failed(2, run_id="run-2", status_reason="image build failed"), replay(4), replay(5)]
    runs = [make_training_run(day, checkpoint_id=f"step-{day}00") for day in range(1, 6)]
    found = missing(replays, runs)
    assert [point.id for point in found] == ["run-3"]
    trend = trend_of(replays, unreplayed=found)
    assert [(slot.label, slot.gap.label if slot.gap else "") for slot in trend.slots] == [
        ("step-100", ""), ("step-200", "failed"), ("step-300", "missing replay"), ("step-400", ""), ("step-500", ""),
    ]  # fmt: skip
    assert trend.slots[2].gap is not None
    assert trend.slots[2].gap.reason == "the run has a verdict and was never replayed on this benchmark"
    assert [line.segments for line in trend.lines] == [((0,), (3, 4))] * 2
    assert (trend.gap_count, trend.missing_count) == (2, 1)


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ({"checkpoint_id": "ckpt-9", "checkpoint_step": 900}, "ckpt-9"),
        ({"checkpoint_step": 900}, "step 900"),
        ({}, "run 2"),
        ({"seq": None}, "run-2"),
    ],
)
def test_its_label_is_read_from_the_run(given: dict[str, Any], label: str) -> None:
    assert [point.label for point in missing([replay(1), replay(3)], [make_training_run(2, **given)])] == [label]


@pytest.mark.parametrize(
    "run",
    [
        make_training_run(1),
        make_training_run(2, verdict=None, state="reported"),
        make_training_run(2, benchmark_run_id="elsewhere"),
        make_training_run(2, rule_id="rule-2"),
        make_training_run(2, created_at=Unreadable("soon")),
        make_training_run(2, undated=True),
        make_training_run(0),
        make_training_run(4),
    ],
    ids=["replayed", "not judged", "replayed elsewhere", "another rule", "no time", "undated", "before", "after"],
)
def test_what_the_api_does_not_tell_is_not_guessed(run: TrainingRun) -> None:
    assert missing([replay(1), replay(3)], [run]) == []


def test_after_the_last_replay_it_is_missing_while_the_benchmark_is_still_attached() -> None:
    replays = [replay(1), replay(3)]
    assert [point.id for point in missing(replays, [make_training_run(4)], ATTACHED)] == ["run-4"]
    assert missing(replays, [make_training_run(0)], ATTACHED) == []


def test_a_history_whose_times_were_invented_misses_nothing() -> None:
    assert missing([replay(1, undated=True), replay(3, undated=True)], [make_training_run(2)], ATTACHED) == []


def test_where_a_replay_names_no_run_nothing_is_known_to_be_missing() -> None:
    nameless = msgspec.structs.replace(replay(2), run_id="")
    assert missing([replay(1), nameless, replay(3)], [make_training_run(2)], ATTACHED) == []


def test_a_promotion_of_a_run_that_was_never_replayed_begins_an_era() -> None:
    """T7."""
    found = missing([replay(1), replay(3)], [make_training_run(2, decision="promoted")])
    slots = trend_of([replay(1), replay(3)], unreplayed=found).slots
    assert slots[1].decision is not None
    assert slots[2].era_reason == "after run 2, promoted"
    assert isinstance(slots[1].created_at, datetime)
