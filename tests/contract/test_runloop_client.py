"""The Runloop API, read through Runloop's official client from a running server; its types are the judge."""

from typing import Any

import httpx
import pydantic
import pytest
import runloop_api_client
from runloop_api_client import Runloop
from runloop_api_client.types import BenchmarkRunView, BenchmarkView, ScenarioRunView

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

pytestmark = pytest.mark.django_db(transaction=True)


class Counted(httpx.Client):
    """An HTTP client that remembers the addresses that were asked."""

    def __init__(self) -> None:
        super().__init__(event_hooks={"request": [lambda request: self.asked.append(str(request.url))]})
        self.asked: list[str] = []


@pytest.fixture
def http() -> Any:
    with Counted() as client:
        yield client


@pytest.fixture
def runloop(live_server: Any, http: Counted) -> Runloop:
    """The client with a key that may read the default workspace; it judges every answer by its own types."""
    return Runloop(
        base_url=live_server.url,
        bearer_token=make_key("loop:read"),
        http_client=http,
        max_retries=0,
        _strict_response_validation=True,
    )


def assert_is(value: Any, view: type[pydantic.BaseModel]) -> None:
    """The client's model holds what the wire said, strictly, and the wire said nothing more."""
    assert isinstance(value, view)
    view.model_validate(value.to_dict(mode="json"), strict=True)
    assert set(value.model_extra or ()) == ({"sample"} if view is BenchmarkView else set())


def test_benchmarks(runloop: Runloop) -> None:
    first = make_runloop_benchmark("Repairs", description="Mend it.", is_public=False)
    make_runloop_benchmark("Shell", sample=True)
    listed = list(runloop.benchmarks.list())
    assert {row.name for row in listed} == {"Repairs", "Shell"}
    for row in listed:
        assert_is(row, BenchmarkView)
    one = runloop.benchmarks.retrieve(first.pk)
    assert_is(one, BenchmarkView)
    assert (one.scenario_ids, one.metadata, one.description) == (["scn_1", "scn_2"], {"team": "agents"}, "Mend it.")
    assert [row.name for row in runloop.benchmarks.list(name="Shell", limit=1)] == ["Shell"]


@pytest.mark.parametrize(("limit", "requests"), [(None, 3), (7, 7), (5000, 1)])
def test_every_run_once_and_newest_first_at_any_page_size(
    runloop: Runloop, http: Counted, limit: int | None, requests: int
) -> None:
    benchmark = make_runloop_benchmark()
    make_runloop_runs(benchmark, 47)
    make_runloop_run(make_runloop_benchmark("Other"))
    asked = {"benchmark_id": benchmark.pk} | ({"limit": limit} if limit else {})
    runs = list(runloop.benchmark_runs.list(**asked))
    assert [run.start_time_ms for run in runs] == [START_MS + n * HOUR_MS for n in range(46, -1, -1)]
    assert len({run.id for run in runs}) == 47
    assert len(http.asked) == requests
    for run in runs:
        assert_is(run, BenchmarkRunView)
    assert [run.state for run in runs if run.score is None] == ["canceled"] * 2


def test_the_counts_of_a_page_say_what_is_left(runloop: Runloop) -> None:
    benchmark = make_runloop_benchmark()
    make_runloop_runs(benchmark, 5)
    pages = list(runloop.benchmark_runs.list(limit=2).iter_pages())
    said = [(len(page.runs), page.has_more, page.total_count, page.to_dict()["remaining_count"]) for page in pages]
    assert said == [(2, True, 5, 3), (2, True, 5, 1), (1, False, 5, 0)]


def test_runs_of_one_name(runloop: Runloop) -> None:
    make_runloop_run(name="nightly")
    make_runloop_run(name="by hand")
    assert [run.name for run in runloop.benchmark_runs.list(name="by hand")] == ["by hand"]


def test_one_run_and_its_environment_which_no_list_carries(runloop: Runloop) -> None:
    run = make_runloop_run(environment_variables={"MODE": "x"}, secrets_provided={"DB_PASS": "DATABASE_PASSWORD"})
    one = runloop.benchmark_runs.retrieve(run.pk)
    assert_is(one, BenchmarkRunView)
    assert (one.environment_variables, one.secrets_provided) == ({"MODE": "x"}, {"DB_PASS": "DATABASE_PASSWORD"})
    assert (one.benchmark_id, one.score, one.duration_ms) == (None, 0.75, HOUR_MS)
    (listed,) = runloop.benchmark_runs.list()
    assert not {"environment_variables", "secrets_provided"} & listed.model_fields_set


def test_scenario_runs_by_page_and_by_state(runloop: Runloop, http: Counted) -> None:
    run = make_runloop_run(make_runloop_benchmark())
    made = [make_scenario_run(run, ordinal=n) for n in range(5)]
    late = make_scenario_run(run, state="timeout", scoring_contract_result=None, name=None, duration_ms=None)
    make_scenario_run(make_runloop_run())
    rows = list(runloop.benchmark_runs.list_scenario_runs(run.pk, limit=4))
    assert [row.id for row in rows] == [row.pk for row in (*made, late)]
    assert len(http.asked) == 2
    for row in rows:
        assert_is(row, ScenarioRunView)
    assert rows[0].benchmark_run_id == run.pk
    assert rows[0].scoring_contract_result
    assert rows[0].scoring_contract_result.scoring_function_results[0].output == "1 of 2 passed"
    assert [row.id for row in runloop.benchmark_runs.list_scenario_runs(run.pk, state="timeout")] == [late.pk]


@pytest.mark.parametrize(
    ("call", "error", "code"),
    [
        (lambda api: api.benchmark_runs.retrieve("bmr_none"), runloop_api_client.NotFoundError, "NOT_FOUND"),
        (lambda api: api.benchmarks.retrieve("bmd_none"), runloop_api_client.NotFoundError, "NOT_FOUND"),
        (lambda api: api.benchmark_runs.list_scenario_runs("x"), runloop_api_client.NotFoundError, "NOT_FOUND"),
        (lambda api: api.benchmark_runs.list(limit=0), runloop_api_client.BadRequestError, "INVALID_PARAMETER"),
        (
            lambda api: api.benchmark_runs.list(starting_after="x"),
            runloop_api_client.BadRequestError,
            "INVALID_PARAMETER",
        ),
        (lambda api: api.benchmark_runs.cancel("x"), runloop_api_client.APIStatusError, "METHOD_NOT_ALLOWED"),
        (lambda api: api.benchmark_runs.complete("x"), runloop_api_client.APIStatusError, "METHOD_NOT_ALLOWED"),
        (lambda api: api.benchmarks.create(name="x"), runloop_api_client.APIStatusError, "METHOD_NOT_ALLOWED"),
        (lambda api: api.benchmarks.list_public(), runloop_api_client.NotFoundError, "NOT_FOUND"),
        (lambda api: api.devboxes.list(), runloop_api_client.NotFoundError, "NOT_FOUND"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_refusal_arrives_typed(runloop: Runloop, call: Any, error: type[Exception], code: str) -> None:
    with pytest.raises(error) as caught:
        call(runloop)
    body = caught.value.body  # type: ignore[attr-defined]
    assert body["error"]["code"] == code
    assert body["request_id"]


def test_a_key_that_may_not_read_and_one_of_another_workspace(live_server: Any, http: Counted) -> None:
    run = make_runloop_run(make_runloop_benchmark())
    for key, error in (
        (make_key("loop:write"), runloop_api_client.PermissionDeniedError),
        (make_key("loop:read", workspace=make_workspace()), runloop_api_client.NotFoundError),
        ("btk_" + "0" * 48, runloop_api_client.AuthenticationError),
    ):
        client = Runloop(base_url=live_server.url, bearer_token=key, http_client=http, max_retries=0)
        with pytest.raises(error):
            client.benchmark_runs.retrieve(run.pk)
