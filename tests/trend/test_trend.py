"""The trend as a whole: every replay once, in one order, joined only to what it may be compared with."""

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.sources.loop.wire import HistoryPoint, ModelRef
from dashboard.trend import Trend, Window
from tests.trend.points import ALL_RULES, START, histories, make_benchmark, make_failed, make_point, trend_of

DIGEST = make_benchmark(items_digest="d1")


def segments(trend: Trend, role: str) -> list[list[str]]:
    """The segments of one role as labels."""
    return [
        [trend.slots[place].label for place in segment]
        for line in trend.lines
        if line.role == role
        for segment in line.segments
    ]


def test_it_works() -> None:
    trend = trend_of([make_point(2), make_point(1)], make_benchmark())
    assert [slot.label for slot in trend.slots] == ["step-100", "step-200"]
    assert segments(trend, "candidate") == segments(trend, "incumbent") == [["step-100", "step-200"]]
    assert (trend.scored_count, trend.gap_count) == (2, 0)
    assert trend.latest is not None
    assert (trend.latest.candidate, trend.latest.incumbent, trend.latest.delta) == (0.62, 0.6, 0.02)


def test_no_history_is_an_empty_trend() -> None:
    trend = trend_of([])
    assert (trend.slots, trend.lines, trend.groups, trend.latest) == ((), (), (), None)


def test_a_gap_breaks_both_lines_in_its_own_place() -> None:
    """T5."""
    points = [make_point(1), make_failed(2, incumbent_score=0.6), make_failed(3), make_point(4)]
    trend = trend_of(points, make_benchmark())
    assert [slot.gap.kind if slot.gap else None for slot in trend.slots] == [None, "failed", "failed", None]
    assert segments(trend, "candidate") == segments(trend, "incumbent") == [["step-100"], ["step-400"]]
    assert trend.slots[1].incumbent is None


def test_order_is_by_instant_then_id_and_never_by_label_or_sequence() -> None:
    """T1, T2."""
    points = [
        make_point(9, checkpoint_id="step-200", run_seq=4),
        make_point(3, checkpoint_id="step-1000", run_seq=3),
        make_point(2, checkpoint_id="step-200", run_seq=2, benchmark_run_id="r2", created_at=START),
        make_point(1, checkpoint_id="step-90", run_seq=1, benchmark_run_id="r1", created_at=START),
    ]
    trend = trend_of(points)
    assert [slot.label for slot in trend.slots] == ["step-90", "step-200", "step-1000", "step-200"]


def test_a_promotion_begins_an_era_and_breaks_the_incumbent_alone() -> None:
    """T7."""
    points = [make_point(1), make_point(2, decision="promoted"), make_point(3), make_point(4, decision="rejected")]
    trend = trend_of([*points, make_point(5)])
    assert segments(trend, "incumbent") == [["step-100", "step-200"], ["step-300", "step-400", "step-500"]]
    assert segments(trend, "candidate") == [["step-100", "step-200", "step-300", "step-400", "step-500"]]
    assert [slot.era for slot in trend.slots] == [0, 0, 1, 1, 1]
    assert trend.slots[2].era_reason == "after step-200, promoted"


def test_another_incumbent_begins_an_era() -> None:
    refs = ["inc-a", "inc-a", "inc-b"]
    points = [make_point(day, incumbent_ref=ModelRef(name=name)) for day, name in enumerate(refs)]
    trend = trend_of(points)
    assert segments(trend, "incumbent") == [["step-000", "step-100"], ["step-200"]]
    assert trend.slots[2].era_reason == "another incumbent: inc-b"


def test_a_replay_that_names_no_incumbent_begins_no_era() -> None:
    points = [
        make_point(1, incumbent_ref=ModelRef(name="a")),
        make_point(2),
        make_point(3, incumbent_ref=ModelRef(name="a")),
    ]
    assert {slot.era for slot in trend_of(points).slots} == {0}


def test_the_rule_with_the_newest_replay_is_shown_first() -> None:
    """T3."""
    points = [
        make_point(1),
        make_point(2, rule_id="rule-2", rule_name="sql"),
        make_point(3, rule_id=None, rule_name=None),
    ]
    trend = trend_of(points)
    assert [(rule.key, rule.name, rule.size, rule.shown) for rule in trend.groups] == [
        ("", "no rule", 1, True),
        ("rule-2", "sql", 1, False),
        ("rule-1", "support-bot", 1, False),
    ]
    assert [slot.id for slot in trend.slots] == ["r3"]
    assert [slot.id for slot in trend_of(points, rule="rule-2").slots] == ["r2"]


def test_all_rules_overlay_their_candidates_and_are_never_joined() -> None:
    """T3."""
    points = [make_point(day, rule_id=f"rule-{day % 2}", rule_name="") for day in range(6)]
    trend = trend_of(points, rule=ALL_RULES)
    assert trend.overlaid
    assert len(trend.slots) == 6
    assert [(line.key, line.role, line.segments) for line in trend.lines] == [
        ("rule-0", "candidate", ((0, 2, 4),)),
        ("rule-1", "candidate", ((1, 3, 5),)),
    ]


def test_a_rule_that_no_replay_names_shows_nothing() -> None:
    trend = trend_of([make_point(1)], rule="gone")
    assert trend.slots == ()
    assert len(trend.groups) == 1


def test_the_window_keeps_the_newest_and_says_how_many_there_are() -> None:
    trend = trend_of([make_point(day) for day in range(5)], window=Window(last=2))
    assert [slot.label for slot in trend.slots] == ["step-300", "step-400"]
    assert [slot.place for slot in trend.slots] == [0, 1]
    assert trend.total_slots == 5


def test_the_window_holds_both_its_ends() -> None:
    window = Window(since=START + timedelta(days=1), until=START + timedelta(days=3))
    trend = trend_of([make_point(day) for day in range(5)], window=window)
    assert [slot.label for slot in trend.slots] == ["step-100", "step-200", "step-300"]


def test_eras_are_counted_from_the_beginning_whatever_is_shown() -> None:
    points = [make_point(day, decision="promoted") for day in range(4)]
    assert [slot.era for slot in trend_of(points, window=Window(last=2)).slots] == [2, 3]


def test_an_untimed_replay_comes_last_and_no_window_hides_it() -> None:
    points = [make_point(1, created_at=None), make_point(2)]
    trend = trend_of(points, window=Window(until=START + timedelta(days=9)))
    assert [slot.label for slot in trend.slots] == ["step-200", "step-100"]
    assert [flag.kind for flag in trend.slots[1].flags] == ["untimed"]


def test_an_open_replay_that_ends_changes_in_its_own_place() -> None:
    before = trend_of([make_point(1), make_failed(2, status="open"), make_point(3)])
    after = trend_of([make_point(1), make_failed(2, status="abandoned"), make_point(3)])
    assert [slot.id for slot in before.slots] == [slot.id for slot in after.slots]
    assert [point.id for point in before.open_points] == ["r2"]
    assert after.open_points == []


@given(histories, st.sampled_from([ALL_RULES, None, "a", "b", ""]))
def test_every_replay_of_the_shown_rules_appears_exactly_once(points: list[HistoryPoint], rule: str | None) -> None:
    trend = trend_of(points, DIGEST, rule=rule)
    shown = {summary.key for summary in trend.groups if summary.shown}
    expected = sorted(point.benchmark_run_id for point in points if (point.rule_id or "") in shown)
    assert sorted(slot.id for slot in trend.slots) == expected
    assert [slot.place for slot in trend.slots] == list(range(len(expected)))
    assert sum(summary.size for summary in trend.groups) == len(points)


@given(histories, st.sampled_from([ALL_RULES, None, "a"]))
def test_no_segment_spans_a_gap_or_joins_two_rules(points: list[HistoryPoint], rule: str | None) -> None:
    trend = trend_of(points, DIGEST, rule=rule)
    for line in trend.lines:
        own = [slot.place for slot in trend.slots if slot.group == line.key]
        for segment in line.segments:
            assert all(trend.slots[place].scored and trend.slots[place].group == line.key for place in segment)
            for left, right in pairwise(segment):
                assert not [place for place in own if left < place < right]
                if line.role == "incumbent":
                    assert trend.slots[left].era == trend.slots[right].era
        drawn = [place for segment in line.segments for place in segment]
        assert drawn == [place for place in own if trend.slots[place].scored]


@given(histories, st.randoms())
def test_order_does_not_depend_on_how_the_points_came(points: list[HistoryPoint], random: object) -> None:
    shuffled = list(points)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert trend_of(points, DIGEST) == trend_of(shuffled, DIGEST)


@given(histories)
def test_no_number_is_shown_that_the_input_did_not_hold(points: list[HistoryPoint]) -> None:
    given_scores = {
        point.benchmark_run_id: (point.candidate_score, point.incumbent_score, point.score_delta) for point in points
    }
    for slot in trend_of(points, DIGEST, rule=ALL_RULES).slots:
        if slot.scored:
            assert (slot.candidate, slot.incumbent, slot.delta) == given_scores[slot.id]
        else:
            assert (slot.candidate, slot.incumbent, slot.delta) == (None, None, None)
            assert slot.gap is not None
            assert slot.gap.reason.strip()


@pytest.mark.parametrize("count", [0, 1])
def test_a_window_of_nothing_is_empty(count: int) -> None:
    trend = trend_of([make_point(1)][:count], None, window=Window(last=0))
    assert trend.slots == ()
