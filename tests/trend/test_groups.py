"""Lines over one another: a line a group, as many as can be told apart, joined only to its own (T3)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.sources.runloop.points import count_keys
from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend import MOST_LINES, Trend
from tests.trend.some_runs import make_run, run_lists, run_trend_of


def build(runs: list[RunloopRun], group: str = "model", sides: tuple[str, str] | None = None) -> Trend:
    return run_trend_of(runs, group=group, label="checkpoint", sides=sides)


def test_it_works() -> None:
    trend = build([make_run(2, score=0.7), make_run(1, model="theirs"), make_run(3, state="canceled"), make_run(4)])
    assert [slot.label for slot in trend.slots] == ["step-1", "step-2", "step-3", "step-4"]
    assert [(line.name, line.segments) for line in trend.lines] == [("ours", ((1,), (3,))), ("theirs", ((0,),))]
    assert (trend.overlaid, trend.paired, trend.alone, trend.scale) == (True, False, True, (0, 1))
    assert (trend.scored_count, trend.gap_count, trend.total_slots) == (3, 1, 4)
    assert trend.latest is trend.slots[3]


def test_without_runs_there_is_an_empty_trend() -> None:
    trend = build([])
    assert (trend.slots, trend.lines, trend.groups, trend.latest) == ((), (), (), None)
    assert [line.segments for line in build([], sides=("a", "b")).lines] == [(), ()]


def test_without_a_group_all_runs_are_one_line() -> None:
    trend = build([make_run(1), make_run(2, model="theirs")], group="")
    assert [(line.name, line.segments) for line in trend.lines] == [("all runs", ((0, 1),))]


def test_runs_without_the_key_are_a_group_of_their_own() -> None:
    trend = build([make_run(1), make_run(2, model=""), make_run(3, metadata={})])
    assert [(group.key, group.name, group.size) for group in trend.groups] == [("", "no model", 2), ("ours", "ours", 1)]


def test_the_group_with_the_newest_run_comes_first_and_a_run_without_a_time_is_not_new() -> None:
    trend = build([make_run(1, model="a"), make_run(2, model="b"), make_run(3, model="a", started_at=None)])
    assert [(group.key, group.size) for group in trend.groups] == [("b", 1), ("a", 2)]


def test_the_keys_seen_are_offered_most_used_first() -> None:
    runs = [make_run(1), make_run(2), make_run(3, metadata={"branch": "main", "empty": ""})]
    assert count_keys(runs) == [("checkpoint", 2, 2), ("model", 2, 1), ("branch", 1, 1)]


def test_of_many_groups_the_newest_have_lines_and_all_others_are_points() -> None:
    trend = build([make_run(day, model=f"m{day % 14:02}") for day in range(28)])
    assert [line.name for line in trend.lines] == [f"m{number:02}" for number in range(2, 14)] + ["2 other values"]
    assert trend.lines[-1].segments == ((0,), (1,), (14,), (15,))
    assert trend.lines[-1].number is None
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


def test_lines_are_numbered_by_the_numbers_in_their_names() -> None:
    names = ["step-10000", "step-9500", "b7", "b", "step-09500", "a10", "a9"]
    trend = build([make_run(day, model=name) for day, name in enumerate(names)])
    assert [line.name for line in trend.lines] == ["a9", "a10", "b", "b7", "step-09500", "step-9500", "step-10000"]


@given(run_lists(models=15), st.sampled_from(["", "model", "gone"]))
def test_every_run_appears_once_and_is_joined_to_its_own_alone(runs: list[RunloopRun], group: str) -> None:
    trend = build(runs, group)
    assert sorted(slot.id for slot in trend.slots) == sorted(run.id for run in runs)
    assert [slot.place for slot in trend.slots] == list(range(len(runs)))
    assert sum(summary.size for summary in trend.groups) == len(runs) == trend.scored_count + trend.gap_count
    drawn = []
    for line in trend.lines:
        own = [slot.place for slot in trend.slots if slot.group == line.key]
        for segment in line.segments:
            assert len(segment) == 1 or {trend.slots[place].group for place in segment} == {line.key}
            for left, right in pairwise(segment):
                assert not [place for place in own if left < place < right]
            drawn += segment
    assert sorted(drawn) == [slot.place for slot in trend.slots if slot.scored]
    assert len(trend.lines) <= MOST_LINES + 1


@given(run_lists(), st.randoms(), st.sampled_from([None, ("m0", "m1")]))
def test_order_does_not_depend_on_how_the_runs_came(
    runs: list[RunloopRun], random: object, sides: tuple[str, str] | None
) -> None:
    """T1."""
    shuffled = list(runs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert build(runs, sides=sides) == build(shuffled, sides=sides)


@pytest.mark.parametrize("state", ["running", "completed"])
def test_a_running_run_is_open(state: str) -> None:
    trend = build([make_run(1), make_run(2, state=state)])
    assert [point.id for point in trend.open_points] == ["r2"] * (state == "running")
