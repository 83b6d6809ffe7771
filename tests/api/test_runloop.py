"""The Runloop API's reads: the order, the cursor, who sees what, what is refused, and what a page costs."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from dashboard.store.models import RunloopRun
from tests.factories import (
    HOUR_MS,
    START_MS,
    make_key,
    make_runloop_benchmark,
    make_runloop_run,
    make_runloop_runs,
    make_scenario_run,
    make_workspace,
)

pytestmark = pytest.mark.django_db
LISTS = ["/v1/benchmarks", "/v1/benchmark_runs", "/v1/benchmark_runs/bmr_1/scenario_runs"]
ENVIRONMENT = {"environment_variables": {"TOKEN": "hunter2"}, "secrets_provided": {"DB_PASS": "DATABASE_PASSWORD"}}


@pytest.fixture
def ask(secret: str) -> Any:
    """GET as Runloop's clients do, with a Bearer key."""
    client = Client(raise_request_exception=False)
    return lambda path, method="get": getattr(client, method)(path, headers={"Authorization": f"Bearer {secret}"})


@pytest.fixture
def run() -> RunloopRun:
    """The run that LISTS names, with one scenario run."""
    run = make_runloop_run(make_runloop_benchmark(id="bmd_1"), id="bmr_1", **ENVIRONMENT)
    make_scenario_run(run, id="scr_1")
    return run


def test_it_works(ask: Any, run: RunloopRun) -> None:
    assert ask("/v1/benchmark_runs").json() == {
        "runs": [
            {
                "id": "bmr_1",
                "metadata": {"model": "coder-7b", "checkpoint": "step-100"},
                "start_time_ms": START_MS,
                "state": "completed",
                "benchmark_id": "bmd_1",
                "duration_ms": HOUR_MS,
                "name": "nightly",
                "purpose": None,
                "score": 0.75,
            }
        ],
        "has_more": False,
        "remaining_count": 0,
        "total_count": 1,
    }


def test_a_benchmark_says_its_scenarios_and_whether_it_is_sample_data(ask: Any, run: RunloopRun) -> None:
    body = ask("/v1/benchmarks/bmd_1").json()
    assert body == ask("/v1/benchmarks").json()["benchmarks"][0]
    assert body == {
        "id": "bmd_1",
        "metadata": {"team": "agents"},
        "name": "Repairs",
        "scenarioIds": ["scn_1", "scn_2"],
        "attribution": None,
        "description": None,
        "is_public": None,
        "sample": False,
    }


def test_an_environment_is_in_the_one_run_s_own_answer_alone(ask: Any, run: RunloopRun) -> None:
    one = ask("/v1/benchmark_runs/bmr_1").json()
    assert {key: one[key] for key in ENVIRONMENT} == ENVIRONMENT
    for path in LISTS:
        assert "hunter2" not in ask(path).content.decode()
        assert "DATABASE_PASSWORD" not in ask(path).content.decode()


def test_a_zero_is_a_score_and_a_missing_one_is_null(ask: Any) -> None:
    make_runloop_run(id="a", score=0.0)
    make_runloop_run(id="b", score=None)
    make_runloop_run(id="c", state="running")
    assert [run["score"] for run in ask("/v1/benchmark_runs").json()["runs"]] == [None, None, 0.0]


def test_runs_that_started_together_come_by_id_on_every_page(ask: Any) -> None:
    for name in "bdac":
        make_runloop_run(id=name)
    make_runloop_run(id="newest", start_time_ms=START_MS + 1)
    make_runloop_run(id="oldest", start_time_ms=START_MS - 1)
    expected, seen, after = ["newest", "d", "c", "b", "a", "oldest"], [], ""
    for left in range(5, -1, -1):
        body = ask(f"/v1/benchmark_runs?limit=1{after}").json()
        assert (body["remaining_count"], body["has_more"], body["total_count"]) == (left, left > 0, 6)
        seen += [run["id"] for run in body["runs"]]
        after = f"&starting_after={seen[-1]}"
    assert seen == expected
    assert ask(f"/v1/benchmark_runs?limit=1{after}").json()["runs"] == []


def test_a_run_that_arrives_between_two_pages_moves_none(ask: Any) -> None:
    make_runloop_runs(make_runloop_benchmark(id="x"), 4)
    first = ask("/v1/benchmark_runs?limit=2").json()["runs"]
    make_runloop_run(id="new", start_time_ms=START_MS + 9 * HOUR_MS)
    rest = ask(f"/v1/benchmark_runs?limit=9&starting_after={first[-1]['id']}").json()["runs"]
    assert [run["id"] for run in first + rest] == [f"x-{n:06d}" for n in (3, 2, 1, 0)]


def test_a_run_that_arrives_while_a_page_is_read_pushes_none_past_the_end(ask: Any) -> None:
    make_runloop_runs(make_runloop_benchmark(id="x"), 2)

    def arrive(execute: Any, sql: str, *rest: Any) -> Any:
        if " DESC" in sql and not RunloopRun.objects.filter(pk="new").exists():
            make_runloop_run(id="new", start_time_ms=START_MS + 9 * HOUR_MS)
        return execute(sql, *rest)

    with connection.execute_wrapper(arrive):
        body = ask("/v1/benchmark_runs?limit=2").json()
    assert [run["id"] for run in body["runs"]] == ["new", "x-000001"]
    assert (body["has_more"], body["remaining_count"]) == (True, 1)


def test_a_cursor_that_the_filter_leaves_out_still_has_its_place(ask: Any) -> None:
    make_runloop_run(id="newer", name="mine", start_time_ms=START_MS + 1)
    make_runloop_run(id="cursor", name="other")
    make_runloop_run(id="older", name="mine", start_time_ms=START_MS - 1)
    body = ask("/v1/benchmark_runs?name=mine&starting_after=cursor").json()
    assert ([run["id"] for run in body["runs"]], body["total_count"]) == (["older"], 2)


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("limit", ["0", "-1", "abc", "", "1.5", "%2B5", "5001", "9" * 6000])
def test_a_limit_that_is_none_is_refused_by_name(ask: Any, run: RunloopRun, path: str, limit: str) -> None:
    answer = ask(f"{path}?limit={limit}")
    assert (answer.status_code, answer.json()["error"]["parameter"]) == (400, "limit")
    assert answer.json()["request_id"] == answer["X-Request-ID"]


@pytest.mark.parametrize("path", LISTS)
def test_a_page_has_twenty_rows_unless_told_otherwise_and_5000_at_most(ask: Any, run: RunloopRun, path: str) -> None:
    for n in range(25):
        make_runloop_benchmark(f"{n}")
        make_runloop_run(run.benchmark)
        make_scenario_run(run)
    rows = "benchmarks" if path == "/v1/benchmarks" else "runs"
    assert len(ask(path).json()[rows]) == 20
    assert len(ask(f"{path}?limit=5000").json()[rows]) == 26


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("cursor", ["nobody", "a%00b", ""])
def test_a_cursor_that_names_nothing_is_refused_by_name(ask: Any, run: RunloopRun, path: str, cursor: str) -> None:
    answer = ask(f"{path}?starting_after={cursor}")
    assert (answer.status_code, answer.json()["error"]["parameter"]) == (400, "starting_after")


def test_a_cursor_of_another_list_names_nothing_in_this_one(ask: Any, run: RunloopRun) -> None:
    other = make_scenario_run(make_runloop_run(), id="elsewhere")
    theirs = make_runloop_run(workspace=make_workspace())
    for path in (f"{LISTS[2]}?starting_after={other.pk}", f"{LISTS[1]}?starting_after={theirs.pk}"):
        answer = ask(path)
        assert answer.status_code == 400
        assert "names nothing in this list" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "query",
    ["/v1/benchmark_runs?state=completed", "/v1/benchmarks?benchmark_id=x", "/v1/benchmark_runs?offset=2",
     "/v1/benchmarks/bmd_1?limit=1", "/v1/benchmark_runs/bmr_1?name=x", "/v1/benchmark_runs?limit=1&limit=2",
     "/v1/benchmark_runs/bmr_1/scenario_runs?state=sleeping", "/v1/benchmark_runs?name=a%00b"],
)  # fmt: skip
def test_what_a_route_does_not_take_is_refused_and_never_ignored(ask: Any, run: RunloopRun, query: str) -> None:
    assert ask(query).status_code == 400


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize("path", [*LISTS, "/v1/benchmarks/bmd_1", "/v1/benchmark_runs/bmr_1", "/v1/benchmark_runs/a/b"])
def test_nothing_can_be_written(ask: Any, run: RunloopRun, path: str, method: str) -> None:
    answer = ask(path, method)
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize("path", ["/v1/", "/v1/scenarios", "/v1/benchmarks/", "/v1/benchmark_runs/nobody",
                                  "/v1/benchmark_runs/nobody/scenario_runs", "/v1/benchmarks/nobody"])  # fmt: skip
def test_what_is_not_there_is_404_in_the_api_s_words(ask: Any, path: str) -> None:
    answer = ask(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")
    assert not answer.cookies


def test_another_workspace_s_rows_do_not_exist(ask: Any) -> None:
    other = make_workspace()
    theirs = make_runloop_run(make_runloop_benchmark(id="bmd_t", workspace=other), id="bmr_t")
    make_scenario_run(theirs)
    for path in ("/v1/benchmarks/bmd_t", "/v1/benchmark_runs/bmr_t", "/v1/benchmark_runs/bmr_t/scenario_runs"):
        assert ask(path).status_code == 404
    for path in ("/v1/benchmarks", "/v1/benchmark_runs", "/v1/benchmark_runs?benchmark_id=bmd_t"):
        assert ask(path).json()["total_count"] == 0


def test_a_key_with_the_scope_to_read_is_needed(client: Client, run: RunloopRun) -> None:
    answer = client.get("/v1/benchmark_runs")
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    answer = client.get("/v1/benchmark_runs", headers={"Authorization": f"Bearer {make_key('loop:write')}"})
    assert (answer.status_code, answer.json()["error"]["scope"]) == (403, "loop:read")


def test_a_session_of_the_website_opens_nothing_and_no_sign_in_is_asked_for(signed_in: Client) -> None:
    answer = signed_in.get("/v1/benchmark_runs", headers={"Accept": "text/html"})
    assert (answer.status_code, answer["Content-Type"]) == (401, "application/json")


@pytest.mark.parametrize("runs", [1, 300])
@pytest.mark.parametrize("cursor", [False, True])
def test_a_page_costs_the_same_queries_whatever_its_size(
    runs: int, cursor: bool, django_assert_num_queries: Any
) -> None:
    make_runloop_runs(make_runloop_benchmark(id="x"), runs)
    make_runloop_run(id="newest", start_time_ms=START_MS + 999 * HOUR_MS)
    client = Client(**{"benchtrend.workspace": "ws_local"})
    query = "benchmark_id=x&limit=5000" + ("&starting_after=newest" if cursor else "")
    with django_assert_num_queries(4 if cursor else 2):
        assert len(client.get(f"/v1/benchmark_runs?{query}").json()["runs"]) == runs


@pytest.mark.parametrize("benchmark", ["", "&benchmark_id=x"])
def test_a_page_after_a_cursor_is_a_walk_along_an_index(
    benchmark: str, django_assert_num_queries: Any, ask: Any
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("the words of SQLite's plan")
    make_runloop_runs(make_runloop_benchmark(id="x"), 50)
    with django_assert_num_queries(6) as queries:
        ask(f"/v1/benchmark_runs?limit=10&starting_after=x-000030{benchmark}")
    page = queries[-1]["sql"]
    assert "ORDER BY" in page
    assert "hunter2" not in page
    assert "environment_variables" not in page
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {page}")
        plan = [row[-1] for row in cursor.fetchall()]
    index = "runloop_run_of_benchmark" if benchmark else "runloop_run_newest"
    assert len(plan) == 1
    assert f"USING INDEX {index}" in plan[0]
    assert "start_time_ms<?" in plan[0]
