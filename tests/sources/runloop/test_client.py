"""The Runloop client against a real server: every route, odd values, and each way in which an answer is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.sources.http.errors import (
    NotFound,
    RateLimited,
    SourceError,
    Unauthorized,
    Unreachable,
    UnreadableAnswer,
)
from dashboard.sources.http.transport import Transport
from dashboard.sources.loop.wire import Unreadable
from dashboard.sources.runloop.bodies import read_start
from dashboard.sources.runloop.client import Runloop
from dashboard.sources.runloop.wire import (
    MOST_OUTPUT,
    FunctionScore,
    RunEnvironment,
    RunloopBenchmark,
    RunloopBenchmarks,
    RunloopRun,
    ScenarioRun,
    ScenarioRuns,
)
from tests.sources.conftest import KEY
from tests.sources.faulty_server import CUT, Answer, Request, reply, reply_json, serve

Connect = Callable[..., Transport]
NOW = datetime(2025, 3, 10, tzinfo=UTC)
START = datetime(2025, 3, 1, 8, tzinfo=UTC)
START_MS = 1_740_816_000_000


def run(name: str, /, **fields: Any) -> dict[str, Any]:
    return {"id": name, "metadata": {}, "start_time_ms": START_MS, "state": "completed", "score": 0.5} | fields


def answer_runs(runs: list[dict[str, Any]], cap: int = 5_000) -> Answer:
    """The cursor's pages of these runs."""

    def answer(request: Request) -> list[bytes]:
        after = parse_qs(urlsplit(request.target).query).get("starting_after", [""])[0]
        ids = [one["id"] for one in runs]
        rest = runs[ids.index(after) + 1 :] if after else runs
        size = min(cap, request.number("limit"))
        body = {"runs": rest[:size], "has_more": len(rest) > size, "total_count": len(runs)}
        return reply_json(body | {"remaining_count": max(0, len(rest) - size)})

    return answer


def read_one(connect: Connect, **fields: Any) -> RunloopRun:
    body = json.dumps(run("r1", **fields)).replace('"<', "").replace('>"', "")
    with serve(lambda request: reply(200, body)) as server:
        return Runloop(connect(server.url)).get_run("r1")


def test_it_works(connect: Connect) -> None:
    benchmark = {"id": "bmd", "name": "B", "metadata": {"team": "a"}, "scenarioIds": ["s1", "s2"], "new": 1}
    scoring = {"score": 0.25, "scoring_function_results": [
        {"scoring_function_name": "tests", "score": 0.25, "state": "complete", "output": "1 of 4"}
    ]}  # fmt: skip
    scenario = run("srn", scenario_id="s1", devbox_id="d", state="scored", scoring_contract_result=scoring)
    answers = {
        "/v1/benchmarks": {"benchmarks": [benchmark], "has_more": False, "total_count": 1},
        "/v1/benchmarks/bmd": benchmark,
        "/v1/benchmark_runs": {"runs": [run("r1", benchmark_id="bmd", duration_ms=5)], "has_more": False},
        "/v1/benchmark_runs/r1": run("r1", purpose="nightly", name="n", metadata={"model": "m"}),
        "/v1/benchmark_runs/r1/scenario_runs": {"runs": [scenario], "has_more": False},
    }
    with serve(lambda request: reply_json(answers[request.path])) as server:
        runloop = Runloop(connect(server.url))
        expected = RunloopBenchmark("bmd", "B", metadata={"team": "a"}, scenario_ids=("s1", "s2"))
        assert runloop.list_benchmarks() == RunloopBenchmarks((expected,))
        assert runloop.get_benchmark("bmd") == expected
        runs = runloop.list_runs("bmd")
        assert runs.runs == (RunloopRun("r1", "bmd", state="completed", score=0.5, started_at=START, duration_ms=5),)
        assert (runs.benchmark_id, runs.total, runs.cut) == ("bmd", None, "")
        assert runloop.get_run("r1").metadata == {"model": "m"}
        functions = (FunctionScore("tests", 0.25, "complete", "1 of 4", 6),)
        assert runloop.list_scenario_runs("r1") == ScenarioRuns(
            (ScenarioRun("srn", "s1", state="scored", started_at=START, score=0.25, functions=functions),)
        )
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[2].target == "/v1/benchmark_runs?benchmark_id=bmd&limit=5000"


def test_of_an_output_only_what_is_shown_is_kept_and_how_long_it_was(connect: Connect) -> None:
    function = {"scoring_function_name": "tests", "score": 1.0, "state": "complete", "output": "ab" * 45_000}
    body = {"runs": [run("s1", scoring_contract_result={"score": 1.0, "scoring_function_results": [function]})]}
    with serve(lambda request: reply_json(body | {"has_more": False})) as server:
        (found,) = Runloop(connect(server.url)).list_scenario_runs("r1").scenarios
    assert found.functions[0].output == ("ab" * 45_000)[: MOST_OUTPUT + 1]
    assert found.functions[0].output_length == 90_000


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("<NaN>", Unreadable("NaN")),
        ("<-Infinity>", Unreadable("-Infinity")),
        ("<1e999>", Unreadable("1e999")),
        ("0.71", Unreadable('"0.71"')),
        ("<true>", Unreadable("true")),
        ("<null>", None),
        ("<0>", 0.0),
        ("<1>", 1.0),
    ],
)
def test_a_score_that_is_no_number_costs_its_own_run_only_its_number(
    connect: Connect, text: str, score: object
) -> None:
    runs = json.dumps([run("r2", score=text, metadata={"model": "m"}), run("r1")])
    body = f'{{"runs": {runs}, "has_more": false}}'.replace('"<', "").replace('>"', "")
    with serve(lambda request: reply(200, body)) as server:
        odd, good = Runloop(connect(server.url)).list_runs("bmd").runs
    assert odd.score == score
    assert odd.metadata == {"model": "m"}
    assert good == RunloopRun("r1", state="completed", score=0.5, started_at=START)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (START_MS, START),
        (START_MS + 123, START + timedelta(milliseconds=123)),
        (1_740_816_000, Unreadable("1740816000")),
        (START_MS * 1000, Unreadable("1740816000000000")),
        (0, Unreadable("0")),
        (-5, Unreadable("-5")),
        (10**30, Unreadable(str(10**30))),
        (int((NOW + timedelta(hours=23)).timestamp() * 1000), NOW + timedelta(hours=23)),
        (int((NOW + timedelta(hours=25)).timestamp() * 1000), Unreadable("1741654800000")),
        (Unreadable("x"), Unreadable("x")),
        (None, None),
    ],
)
def test_a_start_is_an_instant_only_where_it_is_plausible(given: Any, read: object) -> None:
    assert read_start(given, NOW) == read


@pytest.mark.parametrize(
    ("given", "raw"),
    [("2025-03-01T08:00:00Z", '"2025-03-01T08:00:00Z"'), (True, "true"), ("<NaN>", "NaN"), ([1], "[1]")],
)
def test_a_start_that_is_no_number_is_unreadable(connect: Connect, given: object, raw: str) -> None:
    assert read_one(connect, start_time_ms=given).started_at == Unreadable(raw)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (0, 0),
        (-1, Unreadable("-1")),
        (10**25, Unreadable(str(10**25))),
        ("5 s", Unreadable('"5 s"')),
        ("<5e3>", 5_000),
        (5000.0, 5_000),
        (5000.5, Unreadable("5000.5")),
    ],
)
def test_a_duration_is_a_length_of_time_or_unreadable(connect: Connect, given: object, read: object) -> None:
    assert read_one(connect, duration_ms=given).duration_ms == read


@pytest.mark.parametrize("given", ["<1740816000000.0>", "<1.740816e12>"])
def test_a_start_that_is_spelled_as_a_float_is_a_whole_number_all_the_same(connect: Connect, given: str) -> None:
    assert read_one(connect, start_time_ms=given).started_at == START


def test_odd_values_do_not_cost_the_run(connect: Connect) -> None:
    found = read_one(connect, name=5, purpose=["x"], state=None, metadata={"a": 1, "b": None, "c": {"d": "<NaN>"}})
    assert (found.name, found.purpose, found.state, found.score) == ("5", None, "", 0.5)
    assert found.metadata == {"a": "1", "c": '{"d": "NaN"}'}
    assert read_one(connect, metadata="x").metadata == {}


def test_half_a_surrogate_pair_does_not_reach_a_page(connect: Connect) -> None:
    assert read_one(connect, metadata={"model": "a\ud800b"}).metadata == {"model": "a�b"}


def test_runs_without_an_id_or_without_a_shape_are_kept(connect: Connect) -> None:
    body = {"runs": [run("r1"), "what?", {"state": "running", "id": None}], "has_more": False}
    with serve(lambda request: reply_json(body)) as server:
        found = Runloop(connect(server.url)).list_runs("bmd").runs
    assert [one.id for one in found] == ["r1", "unnamed-2", "unnamed-1"]
    assert found[1].score == Unreadable("something else than a run")
    assert found[2].state == "running"


@pytest.mark.parametrize(
    ("given", "score", "functions"),
    [
        ("<null>", None, ()),
        ("lost", Unreadable('"lost"'), ()),
        ([], Unreadable("[]"), ()),
        ({"score": "x", "scoring_function_results": None}, Unreadable('"x"'), ()),
        (
            {"scoring_function_results": [{"scoring_function_name": 7, "score": "<1e999>"}, 5]},
            None,
            (FunctionScore("7", Unreadable("1e999")),),
        ),
    ],
)
def test_a_scoring_result_may_be_missing_or_odd(
    connect: Connect, given: object, score: object, functions: object
) -> None:
    body = json.dumps({"runs": [run("s1", scoring_contract_result=given), run("s2")], "has_more": False})
    with serve(lambda request: reply(200, body.replace('"<', "").replace('>"', ""))) as server:
        first, second = Runloop(connect(server.url)).list_scenario_runs("r1").scenarios
    assert (first.score, first.functions) == (score, functions)
    assert (second.score, second.functions) == (None, ())


def test_the_environment_is_read_for_who_asks(connect: Connect) -> None:
    given = {"environment_variables": {"MODE": "x", "N": 5}, "secrets_provided": {"DB": "DB_SECRET"}}
    with serve(lambda request: reply_json(run("r1", **given))) as server:
        found = Runloop(connect(server.url)).get_environment("r1")
    assert found == RunEnvironment({"MODE": "x", "N": "5"}, {"DB": "DB_SECRET"})
    with serve(lambda request: reply_json(run("r1", environment_variables=None))) as server:
        assert Runloop(connect(server.url)).get_environment("r1") == RunEnvironment({}, {})


@pytest.mark.parametrize(("given", "sent"), [("a/b?c#d", "a%2Fb%3Fc%23d"), ("../x", "..%2Fx"), ("\ud800", "%3F")])
def test_an_id_is_one_part_of_the_path_whatever_it_holds(connect: Connect, given: str, sent: str) -> None:
    with serve(lambda request: reply(404)) as server:
        runloop = Runloop(connect(server.url))
        for read in (runloop.get_run, runloop.list_scenario_runs, runloop.get_environment, runloop.get_benchmark):
            with pytest.raises(NotFound):
                read(given)
        with pytest.raises(NotFound):
            runloop.list_runs(given)
    assert [request.path.split("/")[3] for request in server.requests[:4]] == [sent] * 4
    assert "limit=5000" in server.requests[4].target


@pytest.mark.parametrize("given", ["", ".", "..", "x" * 513])
def test_an_id_that_is_nobodys_asks_for_nothing(connect: Connect, given: str) -> None:
    with serve(lambda request: reply_json({"runs": []})) as server, pytest.raises(NotFound):
        Runloop(connect(server.url)).list_runs(given)
    assert server.requests == []


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (reply_json({"message": f"bad key {KEY}"}, 401), Unauthorized, "needs a valid key"),
        (reply_json({"message": "no"}, 403), Unauthorized, "is not allowed with this key"),
        (reply_json({"message": "slow"}, 429, Retry_After="3000"), RateLimited, "too many calls"),
        (reply(200, "<html>Sign in</html>", Content_Type="text/html"), UnreadableAnswer, "not JSON"),
        (reply(200, '{"runs": 5}'), UnreadableAnswer, "something else than a page of runs"),
        (reply(200, "[]"), UnreadableAnswer, "something else than an object"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{", CUT], UnreadableAnswer, "cut off"),
        (reply(302, Location="https://other.example.test/v1"), UnreadableAnswer, "redirected away"),
    ],
)
def test_what_is_no_answer_is_one_short_error_without_the_key(
    connect: Connect, answer: list[bytes], kind: type[SourceError], said: str
) -> None:
    with serve(lambda request: answer) as server, pytest.raises(kind, match=said) as caught:
        Runloop(connect(server.url)).list_runs("bmd")
    assert caught.value.message.startswith("GET /v1/benchmark_runs ")
    assert KEY not in f"{caught.value.message} {caught.value.words}"


def test_a_limit_says_until_when(connect: Connect) -> None:
    with serve(lambda request: reply(429, Retry_After="3000")) as server, pytest.raises(RateLimited) as caught:
        Runloop(connect(server.url)).list_runs("bmd")
    assert caught.value.retry_at is not None
    assert caught.value.retry_at - datetime.now(UTC) > timedelta(minutes=49)
    assert len(server.requests) == 1


def test_a_service_that_cannot_be_reached_is_unreachable(connect: Connect) -> None:
    with serve(lambda request: []) as server:
        url = server.url
    with pytest.raises(Unreachable):
        Runloop(connect(url)).list_benchmarks()


def test_no_credential_follows_a_redirect_to_another_host(connect: Connect) -> None:
    with serve(lambda request: reply_json({})) as other:
        leads_away = reply(307, Location=f"{other.url}/v1/benchmarks")
        with serve(lambda request: leads_away) as server, pytest.raises(UnreadableAnswer):
            Runloop(connect(server.url)).list_benchmarks()
        assert other.requests == []


def test_an_answer_without_a_usable_id_is_none(connect: Connect) -> None:
    said = "a run that has no usable id"
    for body in ({"state": "x"}, {}, {"error": "x"}, {"environment_variables": {"A": "B"}}):
        with serve(lambda request, body=body: reply_json(body)) as server:  # type: ignore[misc]
            runloop = Runloop(connect(server.url))
            for read in (runloop.get_run, runloop.get_environment):
                with pytest.raises(UnreadableAnswer, match=said):
                    read("r1")


def test_an_answer_about_another_than_was_asked_for_is_none(connect: Connect) -> None:
    other = run("other", environment_variables={"TOKEN": "hunter2"})
    with serve(lambda request: reply_json(other)) as server:
        runloop = Runloop(connect(server.url))
        for read, what in (
            (runloop.get_run, "run"),
            (runloop.get_environment, "run"),
            (runloop.get_benchmark, "benchmark"),
        ):
            with pytest.raises(UnreadableAnswer, match=f"another {what} than the one asked for") as caught:
                read("r1")
            assert "hunter2" not in caught.value.message
