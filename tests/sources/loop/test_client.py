"""The Loop client against a real server: every route, ids of any kind, and histories that move while they are read."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from dashboard.sources.http.errors import NotFound, TimedOut, UnreadableAnswer
from dashboard.sources.loop.client import Identity, Loop, Named
from dashboard.sources.loop.wire import Benchmark, BenchmarkItem, Replay, Rule, Unreadable
from tests.sources.faulty_server import Answer, Request, reply, reply_json, serve

ConnectLoop = Callable[..., Loop]


def point(name: str, **fields: Any) -> dict[str, Any]:
    return {"benchmark_run_id": name, "created_at": "2026-03-01T08:00:00Z", "status": "done"} | fields


def answer_history(points: list[dict[str, Any]], cap: int = 200) -> Answer:
    def answer(request: Request) -> list[bytes]:
        offset = request.number("offset")
        page = points[offset : offset + min(cap, request.number("limit"))]
        return reply_json({"benchmark_id": "bm", "points": page, "total": len(points)})

    return answer


def test_it_works(connect_loop: ConnectLoop) -> None:
    answers = {
        "/api/loop/benchmarks": {"benchmarks": [{"id": "bm", "name": "B", "status": "active"}], "total": 1},
        "/api/loop/benchmarks/bm": {"benchmark": {"id": "bm", "name": "B", "status": "retired"}},
        "/api/loop/benchmarks/bm/items": {"items": [{"id": 3, "ordinal": 1}], "total": 12},
        "/api/loop/benchmark-runs/br": {"benchmark_run": {"id": "br", "benchmark_id": "bm", "candidate_score": 1e-1}},
        "/api/loop/training-rules": {"rules": [{"id": "ru", "name": "R"}], "total": 1},
        "/api/loop/training-rules/ru": {"rule": {"id": "ru", "name": "R"}, "recent_runs": []},
        "/api/api-keys/introspect": {
            "workspace": {"id": "ws", "name": "W"}, "scopes": ["loop:read"], "key_name": "ci", "auth_type": "api_key"
        },
    }  # fmt: skip
    with serve(lambda request: reply_json(answers[request.path])) as server:
        loop = connect_loop(server.url)
        assert loop.list_benchmarks(status="active") == [Benchmark("bm", "B", "active")]
        assert server.requests[0].target == "/api/loop/benchmarks?status=active&limit=200&offset=0"
        assert loop.get_benchmark("bm").status == "retired"
        assert loop.list_items("bm", limit=5, offset=10) == ([BenchmarkItem(3, 1)], 12)
        assert loop.get_replay("br") == Replay("br", "bm", candidate_score=0.1)
        assert loop.list_rules() == [Rule("ru", "R")]
        assert loop.get_rule("ru").rule == Rule("ru", "R")
        assert loop.introspect() == Identity("ci", workspace=Named("ws", "W"), scopes=("loop:read",))


def test_an_introspection_may_say_little(connect_loop: ConnectLoop) -> None:
    with serve(
        lambda request: reply_json({"scopes": ["loop:read", 5, {}], "org": None, "workspace": {"id": 5}})
    ) as server:
        assert connect_loop(server.url).introspect() == Identity(workspace=Named("5"), scopes=("loop:read",))


@pytest.mark.parametrize("workers", [1, 6])
@pytest.mark.parametrize("cap", [50, 200])
def test_a_whole_history_is_read_whatever_the_cap(connect_loop: ConnectLoop, workers: int, cap: int) -> None:
    points = [point(f"r{n}", candidate_score=n / 1000) for n in range(730, 0, -1)]
    with serve(answer_history(points, cap)) as server:
        history = connect_loop(server.url, workers).get_history("bm")
    assert [one.benchmark_run_id for one in history.points] == [one["benchmark_run_id"] for one in points]
    assert (history.total, history.moved) == (730, False)
    assert len(server.requests) == -(-730 // cap)


def test_pages_are_read_at_the_same_time(connect_loop: ConnectLoop) -> None:
    points = [point(f"r{n}") for n in range(70)]
    together = threading.Barrier(6)

    def answer(request: Request) -> list[bytes]:
        if request.number("offset"):
            together.wait(timeout=60)  # passes only when six requests are here at once
        return answer_history(points, 10)(request)

    with serve(answer) as server:
        assert len(connect_loop(server.url).get_history("bm").points) == 70


def test_an_arrival_between_two_pages_neither_doubles_nor_loses_a_replay(connect_loop: ConnectLoop) -> None:
    points = [point(f"r{n}") for n in range(4, 0, -1)]

    def answer(request: Request) -> list[bytes]:
        if len(server.requests) == 2:
            points.insert(0, point("r5"))
        return answer_history(points, 2)(request)

    with serve(answer) as server:
        history = connect_loop(server.url).get_history("bm")
    assert [one.benchmark_run_id for one in history.points] == ["r5", "r4", "r3", "r2", "r1"]
    assert (history.total, history.moved) == (5, False)


def test_a_deletion_between_two_pages_loses_no_other(connect_loop: ConnectLoop) -> None:
    points = [point(f"r{n}") for n in range(6, 0, -1)]

    def answer(request: Request) -> list[bytes]:
        if len(server.requests) == 2:
            points.pop(0)
        return answer_history(points, 2)(request)

    with serve(answer) as server:
        history = connect_loop(server.url, 1).get_history("bm")
    assert [one.benchmark_run_id for one in history.points] == ["r5", "r4", "r3", "r2", "r1"]
    assert (history.total, history.moved) == (5, False)


def test_equal_times_stay_different_replays(connect_loop: ConnectLoop) -> None:
    with serve(answer_history([point(f"r{n}") for n in range(5)], 2)) as server:
        history = connect_loop(server.url).get_history("bm")
    assert len(history.points) == 5
    assert {one.created_at for one in history.points} == {datetime(2026, 3, 1, 8, tzinfo=UTC)}


def test_one_bad_score_does_not_cost_the_history(connect_loop: ConnectLoop) -> None:
    body = json.dumps({"points": [point("r2", candidate_score="X"), point("r1", candidate_score=0.5)], "total": 2})
    with serve(lambda request: reply(200, body.replace('"X"', "1e999"))) as server:
        history = connect_loop(server.url).get_history("bm")
    assert [one.candidate_score for one in history.points] == [Unreadable("1e999"), 0.5]


def test_the_recent_history_is_one_request_with_the_true_total(connect_loop: ConnectLoop) -> None:
    with serve(answer_history([point(f"r{n}") for n in range(90, 0, -1)] + [point(""), point("")], 50)) as server:
        loop = connect_loop(server.url)
        recent = loop.get_recent_history("bm", 3)
        assert [one.benchmark_run_id for one in recent.points] == ["r90", "r89", "r88"]
        assert recent.total == 92
        assert len(loop.get_recent_history("bm", 9999).points) == 50
    assert len(server.requests) == 2
    assert server.requests[1].number("limit") == 200


@pytest.mark.parametrize(
    ("given", "sent"),
    [("a/b?c#d", "a%2Fb%3Fc%23d"), ("ü %", "%C3%BC%20%25"), ("../x", "..%2Fx"), ("\n\0", "%0A%00"), ("\ud800", "%3F")],
)
def test_an_id_is_one_part_of_the_path_whatever_it_holds(connect_loop: ConnectLoop, given: str, sent: str) -> None:
    with serve(lambda request: reply(404)) as server, pytest.raises(NotFound):
        connect_loop(server.url).get_history(given)
    assert server.requests[0].path == f"/api/loop/benchmarks/{sent}/history"


@pytest.mark.parametrize("given", ["", ".", "..", "x" * 513])
def test_an_id_that_would_change_the_route_is_nobodys(connect_loop: ConnectLoop, given: str) -> None:
    with serve(lambda request: reply_json({})) as server, pytest.raises(NotFound):
        connect_loop(server.url).get_benchmark(given)
    assert server.requests == []


@pytest.mark.parametrize("answer", [reply(204), reply(200, "<html>Sign in</html>", Content_Type="text/html")])
def test_an_answer_that_is_no_answer_is_named(connect_loop: ConnectLoop, answer: list[bytes]) -> None:
    with serve(lambda request: answer) as server, pytest.raises(UnreadableAnswer, match="GET /api/loop/benchmarks/bm"):
        connect_loop(server.url).get_history("bm")


def test_a_whole_history_has_an_end_in_time_too(connect_loop: ConnectLoop) -> None:
    """Each page is in time, the hundred of them are not."""

    def answer(request: Request) -> list[bytes]:
        server.stopping.wait(0.1)
        return answer_history([point(f"r{n}") for n in range(100)], 1)(request)

    with serve(answer) as server, pytest.raises(TimedOut):
        connect_loop(server.url, 1, deadline_s=0.3).get_history("bm")
    assert len(server.requests) < 100
