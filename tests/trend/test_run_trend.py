"""The trend of runs as a whole: a line a group, every run once, joined only to its own."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend import MOST_LINES, RunTrend, Window, build_run_trend
from tests.trend.points import NOW, START
from tests.trend.some_runs import make_run, run_lists


def build(runs: list[RunloopRun], **given: Any) -> RunTrend:
    return build_run_trend(runs, now=NOW, **{"group": "model", "label": "checkpoint"} | given)


def test_it_works() -> None:
    trend = build([make_run(2, score=0.7), make_run(1, model="theirs"), make_run(3, state="canceled"), make_run(4)])
    assert [slot.label for slot in trend.slots] == ["step-1", "step-2", "step-3", "step-4"]
    assert [(line.name, line.segments) for line in trend.lines] == [("ours", ((1,), (3,))), ("theirs", ((0,),))]
    assert (trend.overlaid, trend.paired, trend.scale, trend.lower_is_better) == (True, False, (0, 1), False)
    assert (trend.scored_count, trend.gap_count, trend.total_slots) == (3, 1, 4)
    assert trend.latest is trend.slots[3]


def test_without_runs_there_is_an_empty_trend() -> None:
    trend = build([])
    assert (trend.slots, trend.lines, trend.groups, trend.keys, trend.latest) == ((), (), (), (), None)
    paired = build([], candidate="a", incumbent="b")
    assert [line.segments for line in paired.lines] == [(), ()]


@pytest.mark.parametrize("group", [None, ""])
def test_without_a_group_all_runs_are_one_line(group: str | None) -> None:
    trend = build([make_run(1), make_run(2, model="theirs")], group=group)
    assert [(line.name, line.segments) for line in trend.lines] == [("all runs", ((0, 1),))]
    assert trend.slots[0].group_name == ""


def test_runs_without_the_key_are_a_group_of_their_own() -> None:
    trend = build([make_run(1), make_run(2, model=""), make_run(3, metadata={})])
    assert [(group.key, group.name, group.runs) for group in trend.groups] == [("", "no model", 2), ("ours", "ours", 1)]
    assert [slot.group_name for slot in trend.slots] == ["ours", "no model", "no model"]


def test_the_group_with_the_newest_run_comes_first_and_a_run_without_a_time_is_not_new() -> None:
    trend = build([make_run(1, model="a"), make_run(2, model="b"), make_run(3, model="a", started_at=None)])
    assert [(group.key, group.runs) for group in trend.groups] == [("b", 1), ("a", 2)]


def test_the_keys_seen_are_offered_most_used_first() -> None:
    trend = build([make_run(1), make_run(2), make_run(3, metadata={"branch": "main", "empty": ""})])
    assert trend.keys == (("checkpoint", 2, 2), ("model", 2, 1), ("branch", 1, 1))


def test_a_running_run_is_open() -> None:
    trend = build([make_run(1), make_run(2, state="running")])
    assert [run.id for run in trend.open_runs] == ["r2"]


def test_of_many_groups_the_newest_have_lines_and_all_others_are_points() -> None:
    runs = [make_run(day, model=f"m{day % 14:02}") for day in range(28)]
    trend = build(runs)
    assert [line.name for line in trend.lines] == [f"m{number:02}" for number in range(2, 14)] + ["2 other values"]
    assert trend.lines[-1].segments == ((0,), (1,), (14,), (15,))
    assert trend.lines[-1].number is None
    assert len(trend.slots) == 28
    assert [group.key for group in trend.groups][-2:] == ["m01", "m00"]


def test_a_new_run_changes_the_number_of_no_line() -> None:
    runs = [make_run(1, model="b"), make_run(2, model="a")]
    numbers = [
        {line.name: line.number for line in build(found).lines} for found in (runs, [*runs, make_run(3, model="b")])
    ]
    assert numbers == [{"a": 0, "b": 1}] * 2


def test_other_values_are_not_taken_for_a_group_of_that_name() -> None:
    runs = [make_run(day, model=f"m{day}") for day in range(12)] + [make_run(20, model="other values")]
    trend = build(runs)
    assert {"other values", "1 other value"} <= {line.name for line in trend.lines}
    assert len({line.key for line in trend.lines}) == 13


def test_the_window_keeps_the_newest_and_says_how_many_there_are() -> None:
    runs = [make_run(day) for day in range(5)]
    trend = build(runs, window=Window(last=2))
    assert [(slot.place, slot.label) for slot in trend.slots] == [(0, "step-3"), (1, "step-4")]
    assert trend.total_slots == 5
    since = build(runs, window=Window(since=START + timedelta(days=3)))
    assert [slot.label for slot in since.slots] == ["step-3", "step-4"]


@given(run_lists(models=15), st.sampled_from([None, "model", "gone"]))
def test_every_run_of_the_shown_groups_appears_exactly_once(runs: list[RunloopRun], group: str | None) -> None:
    trend = build(runs, group=group)
    assert sorted(run.id for slot in trend.slots for run in slot.runs) == sorted(run.id for run in runs)
    assert [slot.place for slot in trend.slots] == list(range(len(runs)))
    assert sum(summary.runs for summary in trend.groups) == len(runs)
    assert trend.scored_count + trend.gap_count == len(runs)


@given(run_lists(models=15), st.sampled_from([None, "model"]))
def test_no_segment_spans_a_gap_or_joins_two_groups(runs: list[RunloopRun], group: str | None) -> None:
    trend = build(runs, group=group)
    drawn = []
    for line in trend.lines:
        own = [slot.place for slot in trend.slots if slot.group == line.key]
        for segment in line.segments:
            assert all(trend.slots[place].scored for place in segment)
            assert len(segment) == 1 or {trend.slots[place].group for place in segment} == {line.key}
            for left, right in pairwise(segment):
                assert not [place for place in own if left < place < right]
            drawn += segment
    assert sorted(drawn) == [slot.place for slot in trend.slots if slot.scored]
    assert len(trend.lines) <= MOST_LINES + 1


@given(run_lists(), st.randoms(), st.sampled_from([{}, {"candidate": "m0", "incumbent": "m1"}]))
def test_order_does_not_depend_on_how_the_runs_came(runs: list[RunloopRun], random: Any, sides: dict[str, str]) -> None:
    shuffled = list(runs)
    random.shuffle(shuffled)
    assert build(runs, **sides) == build(shuffled, **sides)


@given(run_lists())
def test_no_number_is_shown_that_the_input_did_not_hold(runs: list[RunloopRun]) -> None:
    scores = {run.id: run.score for run in runs}
    for slot in build(runs).slots:
        assert (slot.incumbent, slot.delta) == (None, None)
        if slot.gap is None:
            assert slot.candidate == scores[slot.id]
        else:
            assert slot.candidate is None
            assert slot.gap.reason.strip()


def test_lines_are_numbered_by_the_numbers_in_their_names() -> None:
    names = ["step-10000", "step-9500", "b7", "b", "step-09500", "a10", "a9"]
    trend = build_run_trend([make_run(day, model=name) for day, name in enumerate(names)], now=NOW, group="model")
    assert [line.name for line in trend.lines] == ["a9", "a10", "b", "b7", "step-09500", "step-9500", "step-10000"]
