"""Two groups side by side: one pair a label, every other run in its own place, nothing bridged, nothing made up."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend import Trend, Window
from tests.trend.some_runs import make_run, run_lists, run_trend_of


def compare(runs: list[RunloopRun], candidate: str = "ours", incumbent: str = "theirs", **given: Any) -> Trend:
    return run_trend_of(runs, group="model", label="checkpoint", sides=(candidate, incumbent), **given)


def make_theirs(day: int, **given: Any) -> RunloopRun:
    """Their run of a day, half an hour before ours."""
    at = make_run(day).started_at - timedelta(minutes=30)  # type: ignore[operator]
    return make_run(day, **{"id": f"t{day}", "model": "theirs", "score": 0.4, "started_at": at} | given)


def test_a_pair_is_the_two_runs_of_a_label_and_their_difference() -> None:
    trend = compare([make_run(1, score=0.75), make_theirs(1, score=0.5), make_run(2, model="third")])
    [slot] = trend.slots
    assert (slot.candidate, slot.incumbent, slot.delta, slot.gap) == (0.75, 0.5, 0.25, None)
    assert (slot.id, slot.other and slot.other.id, slot.compared) == ("r1", "t1", True)
    assert [(line.name, line.role, line.segments) for line in trend.lines] == [
        ("ours", "candidate", ((0,),)),
        ("theirs", "incumbent", ((0,),)),
    ]
    assert (trend.paired, trend.overlaid, trend.scored_count, trend.gap_count) == (True, False, 2, 0)
    assert [group.key for group in trend.groups] == ["third", "ours", "theirs"]


def test_for_a_label_stands_the_newest_scored_run_and_the_others_keep_their_places() -> None:
    runs = [
        make_run(1, score=0.3, checkpoint="a"),
        make_run(2, score=0.6, checkpoint="a"),
        make_run(3, state="canceled", checkpoint="a"),
        make_theirs(4, checkpoint="a"),
    ]
    trend = compare(runs)
    assert [(slot.id, slot.compared, slot.candidate, slot.delta) for slot in trend.slots] == [
        ("r1", False, 0.3, None),
        ("r2", True, 0.6, 0.6 - 0.4),
        ("r3", False, None, None),
    ]
    assert trend.slots[2].gap == ("canceled", "canceled", "ours: the run was canceled")
    assert trend.slots[0].flags == (
        ("not_compared", "of the runs of this side and label r2 is compared, the newest of them that has a score"),
    )


def test_where_none_is_scored_the_newest_stands_for_its_label() -> None:
    trend = compare([make_run(1, score=None, checkpoint="a"), make_run(2, state="running", checkpoint="a")])
    assert [(slot.id, slot.compared) for slot in trend.slots] == [("r1", False), ("r2", True)]
    assert trend.slots[0].flags[0].text.endswith("r2 is compared, the newest, for none has a score")


def test_a_missing_side_is_said() -> None:
    trend = compare([make_run(1), make_theirs(2)])
    theirs, ours = trend.slots[1], trend.slots[0]
    assert ours.gap == ("no_baseline", "no baseline", "no run of theirs is labelled step-1")
    assert (ours.candidate, ours.incumbent, ours.delta) == (0.5, None, None)
    assert theirs.gap == ("no_candidate", "no candidate", "no run of ours is labelled step-2")
    assert (theirs.candidate, theirs.incumbent, theirs.group, theirs.other) == (None, 0.4, "theirs", None)
    assert (trend.scored_count, trend.gap_count) == (2, 0)
    assert not trend.meets
    assert compare([make_run(1), make_theirs(1, state="canceled")]).meets


def test_a_side_that_is_a_gap_breaks_its_own_line_alone() -> None:
    runs = [run for day in range(3) for run in (make_run(day), make_theirs(day))]
    runs[3] = make_theirs(1, state="running")
    trend = compare(runs)
    assert trend.slots[1].gap is not None
    assert trend.slots[1].gap.kind == "running"
    assert trend.slots[1].gap.reason == "theirs: still running, started 8 days ago"
    assert trend.slots[1].candidate == 0.5
    assert [line.segments for line in trend.lines] == [((0, 1, 2),), ((0,), (2,))]
    assert [point.id for point in trend.open_points] == ["t1"]
    assert trend.latest is trend.slots[2]


def test_two_sides_without_a_number_are_one_gap_with_both_reasons() -> None:
    trend = compare([make_run(1, state="canceled"), make_theirs(1, score=None)])
    assert trend.slots[0].gap == (
        "canceled",
        "canceled, no score",
        "ours: the run was canceled; theirs: completed without a score",
    )
    alone = compare([make_run(1, state="canceled"), make_theirs(1, state="canceled")])
    assert alone.slots[0].gap is not None
    assert alone.slots[0].gap.label == "canceled"


def test_what_is_of_the_other_side_alone_breaks_no_line() -> None:
    runs = [run for day in (1, 3) for run in (make_run(day), make_theirs(day))]
    trend = compare([*runs, make_theirs(2, checkpoint="step-1", id="again", state="canceled")])
    assert [slot.id for slot in trend.slots] == ["r1", "again", "r3"]
    assert [line.segments for line in trend.lines] == [((0, 2),), ((0,), (2,))]


def test_flags_say_whose_they_are() -> None:
    trend = compare([make_run(1, score=1.5), make_theirs(1)])
    assert [flag.text for flag in trend.slots[0].flags] == ["ours: the score lies outside the scale from 0 to 1"]


def test_a_difference_beyond_all_numbers_is_none() -> None:
    trend = compare([make_run(1, score=1.7e308), make_theirs(1, score=-1.7e308)])
    assert trend.slots[0].delta is None
    assert trend.slots[0].flags[-1].kind == "delta_too_large"


def test_the_window_counts_slots_and_pairs_before_it_cuts() -> None:
    runs = [run for day in range(4) for run in (make_run(day), make_theirs(day))]
    trend = compare(runs, window=Window(last=1))
    assert [(slot.place, slot.id, slot.delta is None) for slot in trend.slots] == [(0, "r3", False)]
    assert trend.total_slots == 4


@given(run_lists(), st.sampled_from(["m1", "gone"]))
def test_every_run_of_both_groups_appears_exactly_once(runs: list[RunloopRun], theirs: str) -> None:
    trend = compare(runs, candidate="m0", incumbent=theirs)
    expected = [run.id for run in runs if run.metadata.get("model") in ("m0", theirs)]
    assert sorted(point.id for slot in trend.slots for point in slot.points) == sorted(expected)
    assert trend.scored_count + trend.gap_count == len(expected)
    compared = [slot.label for slot in trend.slots if slot.compared]
    assert len(compared) == len(set(compared))


@given(run_lists())
def test_no_segment_spans_what_its_side_lacks(runs: list[RunloopRun]) -> None:
    trend = compare(runs, candidate="m0", incumbent="m1")
    for line in trend.lines:
        numbers = [slot.candidate if line.role == "candidate" else slot.incumbent for slot in trend.slots]
        own = [slot.place for slot in trend.slots if slot.compared or slot.group == line.key]
        for segment in line.segments:
            for left, right in pairwise(segment):
                assert not [place for place in own if left < place < right]
        drawn = [place for segment in line.segments for place in segment]
        assert drawn == [place for place, number in enumerate(numbers) if number is not None]


@given(run_lists())
def test_no_number_is_shown_but_those_given_and_their_difference(runs: list[RunloopRun]) -> None:
    scores = {run.id: run.score for run in runs}
    for slot in compare(runs, candidate="m0", incumbent="m1").slots:
        sides = {point.group: scores[point.id] for point in slot.points}
        assert slot.candidate in (None, sides.get("m0"))
        assert slot.incumbent in (None, sides.get("m1"))
        if slot.candidate is not None and slot.incumbent is not None and slot.delta is not None:
            assert slot.delta == slot.candidate - slot.incumbent
            assert slot.gap is None
        else:
            assert slot.delta is None
        if slot.gap:
            assert slot.gap.reason.strip()
