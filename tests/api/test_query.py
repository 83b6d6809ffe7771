"""Hostile and mistaken query strings: refused by name, or brought down to the most there is."""

from datetime import UTC, datetime
from typing import Any

import pytest

from dashboard.api.http.query import MAX_OFFSET
from tests.factories import make_benchmark, make_history, make_trace

pytestmark = pytest.mark.django_db
LISTS = ["benchmarks", "training-rules", "training-runs", "traces", "datasets"]


@pytest.mark.parametrize("path", LISTS)
def test_a_list_answers_50_rows_from_the_first_unless_told_otherwise(get: Any, path: str) -> None:
    body = get(f"/api/loop/{path}").json()
    assert (body["total"], body["limit"], body["offset"]) == (0, 50, 0)


@pytest.mark.parametrize("limit", ["0", "-1", "abc", "", "1.5", "+5", " 5", "٣", "1e3", "0x10", "null"])
def test_a_limit_that_is_no_positive_whole_number_is_refused(get: Any, limit: str) -> None:
    benchmark = make_benchmark()
    for path in (f"benchmarks/{benchmark.pk}/history", f"benchmarks/{benchmark.pk}/items", *LISTS):
        answer = get(f"/api/loop/{path}?limit={limit.replace('+', '%2B')}")
        assert answer.status_code == 400, path
        assert answer.json()["error"]["parameter"] == "limit"


@pytest.mark.parametrize("offset", ["-1", "abc", "", "9" * 30 + "x"])
def test_an_offset_that_is_no_whole_number_is_refused(get: Any, offset: str) -> None:
    answer = get(f"/api/loop/benchmarks?offset={offset}")
    assert (answer.status_code, answer.json()["error"]["parameter"]) == (400, "offset")


@pytest.mark.parametrize("limit", ["201", "99999999999999999999", "9" * 6000, "0000000000000000000000005000"])
def test_a_limit_over_the_most_is_brought_down_to_it(get: Any, limit: str) -> None:
    benchmark = make_benchmark()
    assert get(f"/api/loop/benchmarks/{benchmark.pk}/history?limit={limit}").json()["limit"] == 200
    assert get(f"/api/loop/benchmarks/{benchmark.pk}/items?limit={limit}").json()["limit"] == 100


@pytest.mark.parametrize("offset", ["3", "4000000000", str(2**63), "9" * 6000])
def test_an_offset_past_the_end_answers_nothing_and_the_true_total(get: Any, offset: str) -> None:
    benchmark = make_benchmark(items=3)
    make_history(benchmark, 3)
    for tail, rows in (("history", "points"), ("items", "items")):
        answer = get(f"/api/loop/benchmarks/{benchmark.pk}/{tail}?offset={offset}")
        body = answer.json()
        assert (answer.status_code, body[rows], body["total"]) == (200, [], 3)
        assert body["offset"] <= MAX_OFFSET
    assert get(f"/api/loop/training-runs?offset={offset}").json()["total"] == 3


def test_a_parameter_given_twice_is_refused(get: Any) -> None:
    answer = get("/api/loop/benchmarks?limit=1&limit=2")
    assert (answer.status_code, answer.json()["error"]["parameter"]) == (400, "limit")


@pytest.mark.parametrize(
    "path",
    [*LISTS, "judges", "benchmarks/x", "benchmarks/x/items", "benchmarks/x/history", "benchmark-runs/x", "traces/x",
     "training-rules/x", "training-runs/x", "evaluations/x", "evaluations/x/items"],
)  # fmt: skip
def test_an_unknown_parameter_is_refused_by_name_on_every_route(get: Any, path: str) -> None:
    answer = get(f"/api/loop/{path}?page=2")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "UNKNOWN_PARAMETER")
    assert answer.json()["error"]["parameter"] == "page"


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("benchmarks?status=deleted", "status"),
        ("benchmarks?status=", "status"),
        ("training-rules?enabled=yes", "enabled"),
        ("training-runs?state=sleeping", "state"),
        ("training-runs?rule_id=a%00b", "rule_id"),
        ("datasets?method=rlhf", "method"),
        ("traces?from=yesterday", "from"),
        ("traces?to=2026-01-01T00:00:00", "to"),
        ("evaluations/x/items?winner=nobody", "winner"),
    ],
)
def test_an_unknown_value_is_refused_and_never_ignored(get: Any, query: str, parameter: str) -> None:
    answer = get(f"/api/loop/{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_PARAMETER")
    assert answer.json()["error"]["parameter"] == parameter


def test_conversations_can_be_narrowed_by_source_model_and_time(get: Any) -> None:
    early = make_trace(source="app", model="a", created_at=datetime(2026, 1, 1, tzinfo=UTC))
    late = make_trace(source="web", model="b", created_at=datetime(2026, 2, 1, tzinfo=UTC))

    def ids(query: str) -> list[str]:
        return [trace["id"] for trace in get(f"/api/loop/traces?{query}").json()["traces"]]

    assert ids("") == [late.pk, early.pk]
    assert ids("deployment_id=app") == [early.pk]
    assert ids("model=b") == [late.pk]
    assert ids("from=2026-02-01T00:00:00Z") == [late.pk]
    assert ids("to=2026-02-01T01:00:00%2B01:00") == [early.pk]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("moment", "status"),
    [
        ("4129-09-11T02:01:32.1-22:46", 200),
        ("2026-01-05T09:00:00.000001%2B23:59", 200),
        ("0001-01-01T00:00:00%2B10:00", 400),
        ("9999-12-31T23:59:59-10:00", 400),
    ],
)
def test_a_time_of_any_offset_is_an_instant_and_one_out_of_range_is_refused(get: Any, moment: str, status: int) -> None:
    assert get(f"/api/loop/traces?to={moment}").status_code == status
