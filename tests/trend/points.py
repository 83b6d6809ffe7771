"""Small histories to compute with: a scored replay by default, anything else by name."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from hypothesis import strategies as st

from dashboard.sources.loop.points import build_points, describe_benchmark
from dashboard.sources.loop.wire import Benchmark, HistoryPoint, ModelRef, Scoring, Unreadable
from dashboard.trend import Grouping, Point, Trend, Window, build_trend
from dashboard.trend.window import EVERYTHING

NOW = datetime(2025, 3, 10, 9, tzinfo=UTC)
ALL_RULES = "all"
START = datetime(2025, 3, 1, 9, tzinfo=UTC)


def make_point(day: int, **given: Any) -> HistoryPoint:
    """The replay of one day, scored 0.62 against 0.60 unless told otherwise."""
    values: dict[str, Any] = {
        "benchmark_run_id": f"r{day}",
        "rule_id": "rule-1",
        "rule_name": "support-bot",
        "created_at": START + timedelta(days=day),
        "checkpoint_id": f"step-{day}00",
        "status": "done",
        "candidate_score": 0.62,
        "incumbent_score": 0.6,
        "score_delta": 0.02,
    }
    return HistoryPoint(**(values | given))


def make_failed(day: int, **given: Any) -> HistoryPoint:
    scores = {"candidate_score": None, "incumbent_score": None, "score_delta": None}
    return make_point(day, **({"status": "failed", "status_reason": "worker lost"} | scores | given))


def make_benchmark(**given: Any) -> Benchmark:
    values: dict[str, Any] = {"id": "bm-1", "name": "Support", "status": "active", "scoring": Scoring(scale="0-1")}
    return Benchmark(**(values | given))


scores = st.one_of(
    st.sampled_from([0.5, 0.0, -0.0, 0.25, 1.5]),
    st.none(),
    st.builds(Unreadable, st.sampled_from(["true", "1e999", '"0.71"'])),
)


def _number(points: list[HistoryPoint]) -> list[HistoryPoint]:
    return [msgspec.structs.replace(point, benchmark_run_id=f"r{number}") for number, point in enumerate(points)]


histories = st.lists(
    st.builds(
        HistoryPoint,
        benchmark_run_id=st.just(""),
        rule_id=st.sampled_from([None, "a", "b"]),
        created_at=st.sampled_from([None, *(START + timedelta(hours=hour) for hour in range(9))]),
        candidate_score=scores,
        incumbent_score=scores,
        score_delta=scores,
        checkpoint_id=st.sampled_from([None, "step-1", "step-2", "step-1000"]),
        decision=st.sampled_from([None, "promoted", "rejected", "rolled_back", "postponed"]),
        status=st.sampled_from(["done", "done", "done", "done", "failed", "open", "budget_stopped", "paused", ""]),
        items_digest=st.sampled_from([None, "d1", "d1", "d2"]),
        incumbent_ref=st.sampled_from([None, ModelRef(name="m1"), ModelRef(name="m2")]),
    ),
    max_size=25,
).map(_number)
"""Histories of several rules with every status, equal and missing times, odd scores and all decisions."""


def trend_of(
    replays: Iterable[HistoryPoint],
    benchmark: Benchmark | None = None,
    *,
    rule: str | None = None,
    window: Window = EVERYTHING,
    unreplayed: Iterable[Point] = (),
) -> Trend:
    """The trend of these replays: of one rule, the newest's unless another is named, or with `ALL_RULES` of all."""
    grouping = Grouping(every=True) if rule == ALL_RULES else Grouping(rule)
    points = [*build_points(replays), *unreplayed]
    return build_trend(points, describe_benchmark(benchmark), grouping, window, now=NOW)
