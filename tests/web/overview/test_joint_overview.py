"""The overview of both sources: their rows side by side, their scales apart, and one of them away."""

from __future__ import annotations

import re
import socket
from datetime import timedelta
from html import escape
from threading import Barrier, Event

import pytest
from django.utils import timezone

from dashboard.web.overview import views as overview
from tests.factories import (
    HOUR_MS,
    START_MS,
    make_benchmark,
    make_history,
    make_replay,
    make_rule,
    make_runloop_benchmark,
    make_runloop_run,
    make_runloop_runs,
)
from tests.reads import wait_for_reads
from tests.sources.faulty_server import CUT, reply, reply_json
from tests.web.conftest import RunloopWorkspace, Workspace, one_benchmark, one_point, one_run
from tests.web.overview.test_overview import names, row_of
from tests.web.pages import text_of

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
LOGIN_PAGE = reply(200, "<html><form>secret</form></html>", Content_Type="text/html")


def remote_runloop(**fields) -> RunloopWorkspace:
    return RunloopWorkspace([{"id": "bmd_1", "name": "Far away"} | fields], {"bmd_1": [one_run(1), one_run(2)]})


def test_it_works(signed_in):
    make_replay(make_benchmark("Support answers"), created_at=timezone.now())
    runs = make_runloop_benchmark("Repairs")
    hours = [timezone.now() - timedelta(hours=5 - n) for n in range(4)]
    for at, state in zip(hours, ["completed", "canceled", "completed", "running"], strict=True):
        make_runloop_run(runs, state=state, start_time_ms=int(at.timestamp() * 1000), metadata={})
    page = signed_in.get("/")
    assert names(page) == ["Support answers", "Repairs"]
    assert row_of(page, "Support answers").startswith("Support answers active Loop 0.62 0.58 +0.04")
    assert row_of(page, "Repairs") == "Repairs Runloop score 0.75 of 0–1 — 4 2 2 hours ago"
    assert "2 runs with a score, 2 without" in page.content.decode()


def test_a_score_of_runloop_stands_in_no_column_of_candidates(signed_in):
    make_runloop_run(make_runloop_benchmark("Repairs"))
    row = signed_in.get("/").content.decode().partition("<bdi>Repairs</bdi>")[2].partition("</tr>")[0]
    assert 'colspan="3" class="cell-score" data-label="Score"' in row
    for label in ("Candidate", "Incumbent", "Delta"):
        assert f'data-label="{label}"' not in row


def test_what_else_is_to_be_said_of_a_list_or_a_row_is_noted(signed_in, connect_runloop):
    workspace = remote_runloop()
    benchmarks = [*workspace.benchmarks, workspace.benchmarks[0] | {"name": "Other name"}]
    runs = workspace.page("runs", [one_run(1, benchmark_id="bmd_other")])
    answers = {"/v1/benchmarks": workspace.page("benchmarks", benchmarks), "/v1/benchmark_runs": runs}
    connect_runloop(lambda request: answers[request.path])
    page = signed_in.get("/")
    assert names(page) == ["Far away"]
    assert "Runloop: 1 benchmark came twice with different content: what came first is shown." in text_of(page)
    assert "1 run of another benchmark was left out." in row_of(page, "Far away")


def test_a_list_that_was_not_read_to_its_end_is_noted(signed_in, connect_runloop):
    workspace = remote_runloop()
    cut = workspace.page("benchmarks", workspace.benchmarks, 3)
    connect_runloop(lambda request: cut if request.path == "/v1/benchmarks" else workspace(request))
    page = signed_in.get("/")
    assert names(page) == ["Far away"]
    assert "Runloop: there may be more benchmarks than these 1: the service speaks of 3 and gave 1." in text_of(page)


def test_a_benchmark_without_a_run_says_so(signed_in):
    make_runloop_benchmark("Brand new")
    assert row_of(signed_in.get("/"), "Brand new") == "Brand new Runloop No run yet"


def test_runs_none_of_which_has_a_score_show_a_dash(signed_in):
    make_runloop_run(make_runloop_benchmark("Unlucky"), state="canceled")
    assert row_of(signed_in.get("/"), "Unlucky").startswith("Unlucky Runloop — — 1 1 ")


def test_a_long_list_of_runs_is_looked_at_from_its_newest_on_and_says_so(signed_in):
    make_runloop_runs(make_runloop_benchmark("Long"), 260)
    assert " 260 10 of the last 200 " in row_of(signed_in.get("/"), "Long")


def test_the_source_filters_and_stays_beside_the_others(signed_in):
    make_benchmark("Mine")
    make_runloop_benchmark("Mine too")
    make_runloop_benchmark("Other")
    page = signed_in.get("/?source=runloop&q=mine")
    assert names(page) == ["Mine too"]
    assert 'href="/?q=mine&amp;source=runloop&amp;sort=name"' in page.content.decode()
    assert names(signed_in.get("/?source=loop&q=mine")) == ["Mine"]


def test_a_source_that_there_is_not_is_named_and_everything_shown(signed_in):
    make_benchmark("Loop's")
    make_runloop_benchmark("Runloop's")
    page = signed_in.get("/?source=ftp")
    assert page.status_code == 400
    assert '<li id="source_error">source: ' in page.content.decode()
    assert names(page) == ["Loop&#x27;s", "Runloop&#x27;s"]


def test_a_filter_by_status_says_that_runloop_has_none(signed_in):
    make_benchmark("On")
    make_runloop_benchmark("Neither")
    page = signed_in.get("/?status=active")
    assert names(page) == ["On"]
    assert "Runloop's benchmarks have no status" in text_of(page)
    assert "have no status" not in text_of(signed_in.get("/"))


def make_both() -> None:
    """Numbers that would fall between one another if scales were mixed."""
    for name, score in (("low", 0.2), ("high", 9.0)):
        benchmark = make_benchmark(name, created_at=timezone.now())
        make_replay(benchmark, candidate_score=score, incumbent_score=0.1, score_delta=score - 0.1)
    for name, score in (("worse", 0.3), ("better", 0.9)):
        make_runloop_run(make_runloop_benchmark(name, created_at=timezone.now()), score=score)
    make_benchmark("empty", created_at=timezone.now())


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("candidate", ["low", "high", "empty", "better", "worse"]),
        ("-candidate", ["high", "low", "empty", "better", "worse"]),
        ("-incumbent", ["high", "low", "empty", "better", "worse"]),
        ("-delta", ["high", "low", "empty", "better", "worse"]),
        ("score", ["worse", "better", "empty", "high", "low"]),
        ("-score", ["better", "worse", "empty", "high", "low"]),
        ("name", ["better", "empty", "high", "low", "worse"]),
    ],
)
def test_an_order_by_score_never_mixes_two_scales(signed_in, sort, order):
    make_both()
    page = signed_in.get(f"/?sort={sort}")
    assert names(page) == order
    assert ("are not compared with them" in text_of(page)) == (sort != "name")


def test_an_order_that_none_of_the_rows_has_says_so(signed_in):
    make_both()
    page = signed_in.get("/?sort=-candidate&source=runloop")
    assert names(page) == ["better", "worse"]
    assert "Runloop's benchmarks have no candidate, so they stand in Runloop's own order." in text_of(page)


def test_counts_and_times_of_both_are_sorted_together(signed_in):
    make_history(make_benchmark("three"), 3, rule=make_rule())
    many = make_runloop_benchmark("four")
    for number in range(4):
        make_runloop_run(many, start_time_ms=START_MS + number * HOUR_MS)
    assert names(signed_in.get("/?sort=-replays")) == ["four", "three"]
    assert names(signed_in.get("/?sort=replays")) == ["three", "four"]
    assert names(signed_in.get("/?sort=-newest")) == ["four", "three"]


def test_an_empty_dashboard_names_both_ways_to_bring_data_in(signed_in):
    page = signed_in.get("/").content
    assert b"python manage.py import_results --benchmark" in page
    assert b"python manage.py import_runloop " in page


@pytest.mark.parametrize("name", ["</script><img src=x onerror=alert(1)>", '" hx-get="/x" hx-trigger="load'])
def test_a_name_is_only_ever_text(signed_in, name):
    make_runloop_benchmark(name)
    page = signed_in.get("/").content.decode()
    assert f"<bdi>{escape(name)}</bdi>" in page
    assert "<img src=x" not in page
    assert 'hx-get="/x"' not in page


def test_a_benchmark_without_a_name_goes_by_its_id(signed_in, connect_runloop):
    connect_runloop(remote_runloop(name=""))
    assert names(signed_in.get("/")) == ["bmd_1"]


def closed_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


AWAY = {
    "401": (reply_json({"message": "bad key"}, 401), "RUNLOOP_API_KEY"),
    "429": (reply_json({"message": "slow down"}, 429, Retry_After="3600"), "/v1/benchmarks"),
    "html": (LOGIN_PAGE, "/v1/benchmarks"),
    "cut": ([b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{", CUT], "/v1/benchmarks"),
    "503": (reply(503, "<html>secret</html>"), "/v1/benchmarks"),
}


@pytest.mark.parametrize("how", AWAY)
def test_runloop_away_is_said_by_name_and_every_row_of_loop_is_there(signed_in, connect_runloop, how):
    make_replay(make_benchmark("Here"))
    answer, said = AWAY[how]
    connect_runloop(lambda request: answer)
    page = signed_in.get("/")
    assert page.status_code == 200
    assert " 0.62 0.58 +0.04 " in row_of(page, "Here")
    text = text_of(page)
    assert "Runloop: GET /v1/benchmarks" in text
    assert "Its benchmarks are not shown." in text
    assert said in text
    assert "secret" not in page.content.decode()
    assert "nobody_may_see" not in page.content.decode()


def test_runloop_that_answers_nothing_or_cannot_be_reached_hides_nothing_of_loop(signed_in, connect_runloop, settings):
    make_replay(make_benchmark("Here"))
    stuck = Event()
    connect_runloop(lambda request: iter(stuck.wait(5) and ()))
    settings.RUNLOOP_TIMEOUT_S = 0.3
    page = signed_in.get("/")
    stuck.set()
    assert "Runloop: GET /v1/benchmarks was not answered in time." in text_of(page)
    assert names(page) == ["Here"]
    settings.RUNLOOP_BASE_URL = closed_port()
    page = signed_in.get("/")
    assert "Runloop: GET /v1/benchmarks could not be sent" in text_of(page)
    assert names(page) == ["Here"]


def test_loop_away_hides_nothing_of_runloop(signed_in, connect):
    make_runloop_run(make_runloop_benchmark("Here"))
    connect(lambda request: reply(503, "<html>"))
    page = signed_in.get("/")
    assert page.status_code == 200
    assert "score 0.75 of 0–1" in row_of(page, "Here")
    assert "Loop: GET /api/loop/benchmarks" in text_of(page)


def test_a_list_that_is_late_is_said_to_be(signed_in, connect_runloop, monkeypatch):
    make_benchmark("Here")
    slow = Event()
    connect_runloop(lambda request: iter(slow.wait(60) and ()), timeout_s=60)
    monkeypatch.setattr(overview, "LIST_WAITS_S", -1.0)
    page = signed_in.get("/?sort=name")
    slow.set()
    assert names(page) == ["Here"]
    said = "Runloop: The service has not answered yet. Its benchmarks are not shown. Load again"
    assert said in text_of(page)
    assert '<a href="/?sort=name">Load again</a>' in page.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_list_that_came_after_its_page_is_there_for_the_next_one(signed_in, connect_runloop, monkeypatch):
    slow = Event()
    workspace = remote_runloop()
    connect_runloop(lambda request: slow.wait(60) and workspace(request), timeout_s=60)
    monkeypatch.setattr(overview, "LIST_WAITS_S", -1.0)
    make_benchmark("Here")
    assert names(signed_in.get("/")) == ["Here"]
    slow.set()
    wait_for_reads()
    slow.clear()
    page = signed_in.get("/")
    slow.set()
    assert names(page) == ["Here", "Far away"]
    assert "has not answered yet. This was read less than a minute ago. Load again" in text_of(page)


def test_a_late_list_is_waited_for_where_there_is_nothing_else_to_show(
    signed_in, connect, connect_runloop, monkeypatch
):
    monkeypatch.setattr(overview, "LIST_WAITS_S", -1.0)
    refused = Event()
    workspace = remote_runloop()
    connect(lambda request: refused.set() or reply_json({"error": {"code": "X", "message": "no"}}, 401))
    connect_runloop(lambda request: refused.wait(60) and workspace(request), timeout_s=60)
    assert names(signed_in.get("/")) == ["Far away"]


def test_last_good_data_of_the_source_that_is_away_stays_with_its_age(signed_in, connect, connect_runloop):
    connect(Workspace([one_benchmark(name="Loop's")], {"bm_1": [one_point(1)]}))
    answers = [remote_runloop()]
    connect_runloop(lambda request: answers[0](request))
    assert len(names(signed_in.get("/"))) == 2
    answers[0] = lambda request: LOGIN_PAGE
    page = signed_in.get("/")
    assert names(page) == ["Loop&#x27;s", "Far away"]
    text = text_of(page)
    assert "Runloop: GET /v1/benchmarks" in text
    assert "This was read less than a minute ago." in text
    assert "score 0.50 of 0–1" in row_of(page, "Far away")
    assert "GET /v1/benchmark_runs" in row_of(page, "Far away")
    assert "0.60 0.50 +0.10 undecided 1 0" in row_of(page, "Loop&#x27;s")


def test_both_away_are_both_named(signed_in, connect, connect_runloop):
    connect(lambda request: reply(503, "<html>secret</html>", Retry_After="3600"))
    connect_runloop(lambda request: reply_json({"message": "bad key"}, 401))
    page = signed_in.get("/")
    assert page.status_code == 503
    text = text_of(page)
    assert "Neither source can be read" in text
    assert "Loop did not answer GET /api/loop/benchmarks" in text
    assert "Runloop refuses this dashboard" in text
    assert "RUNLOOP_API_KEY" in text
    assert page["Retry-After"]
    assert "secret" not in text


def test_runloop_away_leaves_an_empty_loop_its_page(signed_in, connect_runloop):
    connect_runloop(lambda request: reply(503))
    page = signed_in.get("/")
    assert page.status_code == 200
    text = text_of(page)
    assert "Runloop: GET /v1/benchmarks" in text
    assert "No benchmark yet" in text
    alone = signed_in.get("/?source=runloop")
    assert alone.status_code == 503
    assert "Runloop did not answer" in text_of(alone)


def test_both_lists_are_read_at_the_same_time(signed_in, connect, connect_runloop):
    together = Barrier(2, timeout=5)

    def meet(workspace):
        def answer(request):
            if request.path.endswith("/benchmarks"):
                together.wait()
            return workspace(request)

        return answer

    connect(meet(Workspace([one_benchmark(name="One")], {"bm_1": [one_point(1)]})))
    connect_runloop(meet(remote_runloop()))
    assert names(signed_in.get("/")) == ["One", "Far away"]


def test_late_rows_of_both_come_in_though_their_ids_are_the_same(signed_in, connect, connect_runloop, monkeypatch):
    workspace = Workspace([one_benchmark(id="same", name="Loop's")], {"same": [one_point(1)]})
    runloop = RunloopWorkspace([{"id": "same", "name": "Runloop's"}], {"same": [one_run(1)]})
    connect(workspace)
    connect_runloop(runloop)
    monkeypatch.setattr(overview, "PAGE_WAITS_S", -1.0)
    page = signed_in.get("/").content.decode()
    asked = [address.replace("&amp;", "&") for address in re.findall(r'hx-get="([^"]+)"', page)]
    assert asked == ["/rows/?id=same", "/rows/?runloop=same"]
    loop, run = (signed_in.get(address, headers=HTMX) for address in asked)
    assert (names(loop), names(run)) == (["Loop&#x27;s"], ["Runloop&#x27;s"])
    assert "0.60 0.50 +0.10" in row_of(loop, "Loop&#x27;s")
    assert "score 0.50 of 0–1" in row_of(run, "Runloop&#x27;s")


def test_late_rows_of_a_list_that_fails_say_why_and_ask_no_more(signed_in, connect_runloop):
    connect_runloop(lambda request: reply(403, "<html>secret</html>"))
    rows = signed_in.get("/rows/?runloop=x&runloop=y&patient=on", headers=HTMX)
    assert names(rows) == ["x", "y"]
    assert rows.content.count(b"is not allowed with this key") == 2
    assert b"hx-get" not in rows.content


def test_one_history_of_runs_that_fails_says_so_in_its_own_row(signed_in, connect_runloop):
    workspace = RunloopWorkspace([{"id": "bad", "name": "Bad"}, {"id": "good", "name": "Good"}], {"good": [one_run(1)]})
    connect_runloop(lambda request: reply(500) if "benchmark_id=bad" in request.target else workspace(request))
    page = signed_in.get("/")
    assert "score 0.50 of 0–1" in row_of(page, "Good")
    assert "GET /v1/benchmark_runs" in row_of(page, "Bad")


@pytest.mark.parametrize("given", ["", ".", "..", "x" * 513, "a\0b"], ids=["none", "dot", "dots", "long", "nul"])
def test_a_benchmark_that_nobody_can_ask_for_is_not_linked(signed_in, connect_runloop, given):
    connect_runloop(RunloopWorkspace([{"id": given, "name": "Odd"}, {"id": "bmd_1", "name": "Even"}], {}))
    page = signed_in.get("/").content.decode()
    assert re.search(r'<a href="/runloop/benchmarks/bmd_1/"><bdi>Even</bdi></a>', page)
    assert re.search(r'<th scope="row"[^>]*>\s*<bdi title="[^"]+">Odd</bdi>', page)
