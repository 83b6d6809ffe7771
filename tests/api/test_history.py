"""The history of a benchmark: every replay a point, in one order, at a constant cost."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from dashboard.store.models import BenchmarkRun
from tests.factories import CANDIDATE, INCUMBENT, START, make_benchmark, make_history, make_replay, make_rule, make_run

pytestmark = pytest.mark.django_db


def path(benchmark: Any) -> str:
    return f"/api/loop/benchmarks/{benchmark.pk}/history"


def test_it_works(get: Any) -> None:
    benchmark, rule = make_benchmark(), make_rule()
    run = make_run(rule=rule, checkpoint_id="step-100", decision="promoted")
    at = START + timedelta(microseconds=1500)
    replay = make_replay(benchmark, run=run, created_at=at)
    assert get(path(benchmark)).json() == {
        "benchmark_id": benchmark.pk,
        "points": [
            {
                "benchmark_run_id": replay.pk,
                "run_id": run.pk,
                "run_seq": 1,
                "rule_id": rule.pk,
                "rule_name": "Nightly",
                "created_at": "2026-01-05T09:00:00.001500Z",
                "candidate_score": 0.62,
                "incumbent_score": 0.58,
                "score_delta": 0.04,
                "checkpoint_id": "step-100",
                "decision": "promoted",
                "status": "done",
                "status_reason": None,
                "items_digest": "d1",
                "rows_total": 10,
                "rows_scored": 10,
                "incumbent_ref": INCUMBENT,
                "undated": False,
                "n": 10,
            }
        ],
        "total": 1,
        "limit": 50,
        "offset": 0,
    }


def test_a_replay_whose_time_was_invented_is_marked(get: Any) -> None:
    benchmark = make_benchmark()
    make_replay(benchmark, undated=True)
    assert get(path(benchmark)).json()["points"][0]["undated"] is True


def test_a_replay_without_a_score_is_a_point_with_its_reason(get: Any) -> None:
    benchmark = make_benchmark()
    make_replay(benchmark, status="budget_stopped", status_reason="It reached its cap.")
    point = get(path(benchmark)).json()["points"][0]
    assert [point[key] for key in ("candidate_score", "incumbent_score", "score_delta")] == [None] * 3
    assert (point["status"], point["status_reason"]) == ("budget_stopped", "It reached its cap.")


def test_zero_is_a_score(get: Any) -> None:
    benchmark = make_benchmark()
    make_replay(benchmark, candidate_score=0.0, incumbent_score=0.0, score_delta=0.0)
    assert get(path(benchmark)).json()["points"][0]["candidate_score"] == 0.0


def test_it_is_the_same_as_the_rows_one_by_one(get: Any) -> None:
    benchmark = make_benchmark()
    make_history(benchmark, 45, rule=make_rule(), gap_every=6)
    points = get(path(benchmark)).json()["points"]
    rows = list(BenchmarkRun.objects.select_related("run").order_by("-created_at", "-id"))
    assert len(points) == len(rows)
    for point, row in zip(points, rows, strict=True):
        assert point["benchmark_run_id"] == row.pk
        assert point["run_seq"] == row.run.seq
        assert point["created_at"] == row.created_at.isoformat().replace("+00:00", "Z")
        for key in ("candidate_score", "incumbent_score", "score_delta", "status", "status_reason", "rows_scored"):
            assert point[key] == getattr(row, key)
        for key in ("rule_id", "rule_name", "checkpoint_id", "decision"):
            assert point[key] == getattr(row.run, key)


def test_pages_repeat_and_skip_nothing_where_times_are_equal(get: Any) -> None:
    benchmark = make_benchmark()
    make_history(benchmark, 60)
    BenchmarkRun.objects.update(created_at=START)
    ids = [
        point["benchmark_run_id"]
        for offset in range(0, 63, 7)
        for point in get(f"{path(benchmark)}?limit=7&offset={offset}").json()["points"]
    ]
    assert ids == sorted(BenchmarkRun.objects.values_list("id", flat=True), reverse=True)


def test_another_benchmark_s_replays_are_not_in_it(get: Any) -> None:
    mine, other = make_benchmark("Mine"), make_benchmark("Other")
    make_history(other, 3)
    assert get(path(mine)).json() == {"benchmark_id": mine.pk, "points": [], "total": 0, "limit": 50, "offset": 0}


def test_a_page_has_at_most_200_points(get: Any) -> None:
    benchmark = make_benchmark()
    make_history(benchmark, 205)
    answer = get(f"{path(benchmark)}?limit=5000").json()
    assert (len(answer["points"]), answer["total"], answer["limit"]) == (200, 205, 200)


def test_two_incumbents_on_one_page_stay_apart(get: Any) -> None:
    benchmark = make_benchmark()
    make_replay(benchmark, incumbent_ref=CANDIDATE)
    make_replay(benchmark, created_at=START + timedelta(days=1), incumbent_ref={"kind": "deployment", "name": "old"})
    newer, older = (point["incumbent_ref"] for point in get(path(benchmark)).json()["points"])
    assert newer == {"kind": "deployment", "name": "old", "deployment_id": None, "model_version": None}
    assert older == CANDIDATE


@pytest.mark.parametrize("replays", [1, 200])
def test_a_page_costs_two_queries_whatever_its_size(replays: int, django_assert_num_queries: Any) -> None:
    benchmark = make_benchmark()
    make_history(benchmark, replays)
    client = Client(**{"benchtrend.workspace": "ws_local"})
    with django_assert_num_queries(2):
        assert len(client.get(f"{path(benchmark)}?limit=200").json()["points"]) == replays
