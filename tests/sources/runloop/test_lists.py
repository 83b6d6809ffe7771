"""The lists of the Runloop client, page by page from a real server: whole, cut short, or not what was asked for."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from dashboard.sources.http.errors import TooLarge, Unreachable
from dashboard.sources.http.transport import Transport
from dashboard.sources.runloop.client import Runloop
from tests.sources.faulty_server import Request, reply, reply_json, serve
from tests.sources.runloop.test_client import answer_runs, run

Connect = Callable[..., Transport]


def test_every_page_is_read_and_no_run_comes_twice(connect: Connect) -> None:
    runs = [run(f"r{number}") for number in range(730, 0, -1)]
    with serve(answer_runs(runs, cap=100)) as server:
        found = Runloop(connect(server.url)).list_runs("bmd")
    assert [one.id for one in found.runs] == [one["id"] for one in runs]
    assert (found.total, found.cut, len(server.requests)) == (730, "", 8)
    assert server.requests[1].target.endswith("&starting_after=r631")


def test_a_server_that_gives_the_same_page_for_ever_ends(connect: Connect) -> None:
    body = {"runs": [run("r2"), run("r1"), run("r2")], "has_more": True, "total_count": None}
    with serve(lambda request: reply_json(body)) as server:
        found = Runloop(connect(server.url)).list_runs("bmd")
    assert [one.id for one in found.runs] == ["r2", "r1"]
    assert found.cut == "the service gave the same page again"
    assert len(server.requests) == 2


def test_a_list_that_was_not_read_to_its_end_says_why(connect: Connect) -> None:
    entries = [{"id": "x1"}]
    body = {"benchmarks": entries, "runs": entries, "has_more": False, "total_count": 3}
    with serve(lambda request: reply_json(body)) as server:
        runloop = Runloop(connect(server.url))
        found = runloop.list_benchmarks(), runloop.list_scenario_runs("r1"), runloop.list_runs("bmd")
    assert [one.cut for one in found] == ["the service speaks of 3 and gave 1"] * 3


def test_pages_that_are_too_large_are_asked_for_in_smaller_ones_from_where_reading_was(connect: Connect) -> None:
    """The real service's lists carry environments: of such runs 5,000 are more than we read at once."""
    small = [run(f"r{number}", environment_variables={"A": "x" * 100}) for number in range(620, 120, -1)]
    large = [run(f"r{number}", environment_variables={"A": "x" * 2_000}) for number in range(120, 0, -1)]
    with serve(answer_runs(small + large)) as server:
        found = Runloop(connect(server.url, max_bytes=140_000)).list_runs("bmd")
    assert [one.id for one in found.runs] == [f"r{number}" for number in range(620, 0, -1)]
    assert found.cut == ""
    asked = [(request.number("limit"), request.target.partition("starting_after=")[2]) for request in server.requests]
    assert asked == [(5_000, ""), (500, ""), (500, "r121"), (50, "r121"), (50, "r71"), (50, "r21")]


def test_a_list_whose_smallest_page_is_too_large_cannot_be_read(connect: Connect) -> None:
    runs = [run(f"r{number}", environment_variables={"A": "x" * 1_000}) for number in range(60)]
    with serve(answer_runs(runs)) as server, pytest.raises(TooLarge):
        Runloop(connect(server.url, max_bytes=9_000)).list_runs("bmd")
    assert [request.number("limit") for request in server.requests] == [5_000, 500, 50]


def test_a_whole_list_has_an_end_in_time_too(connect: Connect) -> None:
    """Each page is in time, the hundred of them are not: what came is shown."""
    runs = [run(f"r{number}") for number in range(100)]

    def answer(request: Request) -> Any:
        server.stopping.wait(0.1)
        return answer_runs(runs, cap=1)(request)

    with serve(answer) as server:
        began = time.monotonic()
        found = Runloop(connect(server.url, deadline_s=0.3)).list_runs("bmd")
    assert time.monotonic() - began < 5.0
    assert 0 < len(found.runs) < 100
    assert [one.id for one in found.runs] == [one["id"] for one in runs[: len(found.runs)]]
    assert (found.cut, found.late, found.total) == ("the rest did not come in time", True, 100)


class Unconnectable(httpx.BaseTransport):
    """Gives a page, and then nobody can connect: as a service without keep-alive looks when the time is over."""

    def __init__(self, waits_s: float) -> None:
        self.waits_s = waits_s
        self.asked = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        if self.asked == 1:
            body = json.dumps({"runs": [run("r1")], "has_more": True}).encode()
            return httpx.Response(200, stream=httpx.ByteStream(body))
        time.sleep(self.waits_s)
        raise httpx.ConnectTimeout("no connection")


@pytest.mark.parametrize(("waits_s", "in_time"), [(0.0, True), (0.4, False)])
def test_no_connection_is_a_matter_of_time_only_where_the_time_is_over(waits_s: float, in_time: bool) -> None:
    runloop = Runloop(Transport("http://localhost", lambda: Unconnectable(waits_s), deadline_s=0.1))
    if in_time:
        with pytest.raises(Unreachable):
            runloop.list_runs("bmd")
    else:
        assert runloop.list_runs("bmd").late


def test_what_is_another_s_is_left_out_and_counted(connect: Connect) -> None:
    mine = [run("r1", benchmark_id="bmd", benchmark_run_id="bmr"), run("r2"), run("r3", benchmark_id="")]
    others = [run(f"o{number}", benchmark_id="other", benchmark_run_id="other") for number in range(2)]
    with serve(answer_runs([*others, *mine])) as server:
        runloop = Runloop(connect(server.url))
        for runs in (runloop.list_runs("bmd"), runloop.list_recent_runs("bmd", 50)):
            assert [one.id for one in runs.runs] == ["r1", "r2", "r3"]
            assert (runs.total, runs.cut) == (3, "")
            assert runs.notes == ("2 runs of other benchmarks were left out.",)
        scenarios = runloop.list_scenario_runs("bmr")
        assert [one.id for one in scenarios.scenarios] == ["r1", "r2", "r3"]
        assert scenarios.notes == ("2 scenario runs of other runs were left out.",)
    with serve(answer_runs([others[0], *mine])) as server:
        assert Runloop(connect(server.url)).list_runs("bmd").notes == ("1 run of another benchmark was left out.",)


def test_a_list_with_two_versions_of_an_entry_shows_the_first_and_says_so(connect: Connect) -> None:
    first, again = {"id": "x1", "name": "first"}, {"id": "x1", "name": "again"}
    body = {"benchmarks": [first, again], "runs": [first, again], "has_more": False}
    with serve(lambda request: reply_json(body)) as server:
        runloop = Runloop(connect(server.url))
        benchmarks, runs, recent = runloop.list_benchmarks(), runloop.list_runs("b"), runloop.list_recent_runs("b", 5)
        scenarios = runloop.list_scenario_runs("r1")
    assert [benchmarks.benchmarks[0].name, runs.runs[0].name, scenarios.scenarios[0].name] == ["first"] * 3
    assert benchmarks.notes == ("1 benchmark came twice with different content: what came first is shown.",)
    assert runs.notes == recent.notes == ("1 run came twice with different content: what came first is shown.",)
    assert scenarios.notes == ("1 scenario run came twice with different content: what came first is shown.",)


@pytest.mark.parametrize("count", ["1" + "0" * 4000, str(2**64), "2000000000", "-3", "3.0", '"3"'])
def test_a_count_that_can_be_none_is_not_known(connect: Connect, count: str) -> None:
    body = f'{{"runs": [{{"id": "r1"}}], "has_more": false, "total_count": {count}, "remaining_count": {count}}}'
    with serve(lambda request: reply(200, body)) as server:
        runloop = Runloop(connect(server.url))
        found = runloop.list_runs("bmd"), runloop.list_recent_runs("bmd", 5)
    assert [(one.total, one.cut) for one in found] == [(None, "")] * 2
