"""The grid of conversations and replays, and one conversation's history."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from tests.factories import START, make_benchmark, make_replay, make_rows, make_rule, make_run
from tests.sources.faulty_server import reply_json
from tests.web.conftest import one_benchmark, one_point
from tests.web.pages import text_of

pytestmark = pytest.mark.django_db
SCORES = (
    # still passes, newly fails, fails since step-1, never passed, passes with an incumbent that flips, broke at last
    [(0.9, 0.9), (0.9, 0.9), (0.9, 0.9), (0.1, 0.9), (0.9, 0.9), (0.9, 0.9)],
    [(0.9, 0.9), (0.9, 0.9), (0.1, 0.9), (0.1, 0.9), (0.9, 0.1), (0.9, 0.9)],
    [(0.9, 0.9), (0.1, 0.9), (0.1, 0.9), (0.1, 0.9), (0.9, 0.9), (None, None)],
)


@pytest.fixture
def benchmark(db):
    benchmark, rule = make_benchmark(items=6), make_rule()
    for n, scores in enumerate(SCORES):
        run = make_run(rule=rule, checkpoint_id=f"step-{n}<b>")
        replay = make_replay(benchmark, run=run, created_at=START + timedelta(hours=n))
        rows = make_rows(replay, *scores)
    type(rows[0]).objects.filter(replay=replay, ordinal=5).update(status="failed", error="It broke.")
    return benchmark


def lines_of(page: Any) -> list[tuple[int, str, list[str]]]:
    """Ordinal, what changed, and the cells of each line."""
    body = page.content.decode().partition("<tbody>")[2]
    found = []
    for line in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL):
        said, *cells = re.findall(r"<td[^>]*>(.*?)</td>", line)
        found.append((int(re.findall(r"/grid/(\d+)/", line)[0]), said, cells))
    return found


def test_the_lines_that_changed_come_first(signed_in, benchmark):
    assert lines_of(signed_in.get(f"/benchmarks/{benchmark.pk}/grid/")) == [
        (1, "newly failing", ["0.10", "0.90", "0.90"]),
        (2, "failing since step-1&lt;b&gt;", ["0.10", "0.10", "0.90"]),
        (3, "never passed here", ["0.10", "0.10", "0.10"]),
        (4, "flaky: the unchanged incumbent flipped 2 times", ["0.90", "0.90", "0.90"]),
        (0, "", ["0.90", "0.90", "0.90"]),
        (5, "", ["failed", "0.90", "0.90"]),
    ]


def test_a_replay_that_is_still_running_hides_nothing_that_newly_fails(signed_in, benchmark):
    run = make_run(rule=benchmark.replays.first().run.rule, checkpoint_id="step-9")
    make_replay(benchmark, run=run, status="open", created_at=START + timedelta(hours=9))
    assert lines_of(signed_in.get(f"/benchmarks/{benchmark.pk}/grid/"))[0] == (
        1,
        "newly failing",
        ["", "0.10", "0.90", "0.90"],
    )


def test_a_cell_can_say_who_won(signed_in, benchmark):
    lines = lines_of(signed_in.get(f"/benchmarks/{benchmark.pk}/grid/?cell=outcome"))
    assert lines[0][2] == ["lost", "tied", "tied"]
    assert lines[3][2] == ["tied", "won", "tied"]


def test_a_wrong_query_is_named(signed_in, benchmark):
    page = signed_in.get(f"/benchmarks/{benchmark.pk}/grid/?last=7")
    assert page.status_code == 400
    assert "last:" in text_of(page)


def test_another_rules_replays_are_chosen_by_the_rule(signed_in, benchmark):
    other = make_rule("Weekly")
    make_rows(make_replay(benchmark, run=make_run(rule=other, checkpoint_id="w-1"), created_at=START), (0.2, 0.9))
    page = signed_in.get(f"/benchmarks/{benchmark.pk}/grid/?rule={other.pk}")
    assert lines_of(page) == [(0, "never passed here", ["0.20"])]


def test_a_conversation_has_its_own_history(signed_in, benchmark):
    text = text_of(signed_in.get(f"/benchmarks/{benchmark.pk}/grid/2/"))
    assert "Failing since step-1<b>" in text
    assert re.search(r"step-2<b> 0.10 0.90 lost not passed .* step-0<b> 0.90 0.90 tied passed", text)


def test_unknown_conversations_and_benchmarks_are_not_found(signed_in, benchmark):
    assert signed_in.get(f"/benchmarks/{benchmark.pk}/grid/77/").status_code == 404
    assert signed_in.get("/benchmarks/bm_none/grid/").status_code == 404
    assert signed_in.get("/benchmarks/bm_none/grid/0/").status_code == 404


def test_a_benchmark_without_replays_or_rows_says_so(signed_in):
    benchmark = make_benchmark()
    assert "No replay used this benchmark's own set." in text_of(signed_in.get(f"/benchmarks/{benchmark.pk}/grid/"))
    make_replay(benchmark)
    assert "has no row of these replays" in text_of(signed_in.get(f"/benchmarks/{benchmark.pk}/grid/"))


class Remote:
    """A workspace with a benchmark of so many replays, of which `rows` answers the rows."""

    def __init__(self, replays: int, rows) -> None:
        self.replays, self.rows, self.asked = replays, rows, []

    def __call__(self, request):
        if request.path.endswith("/history"):
            points = [one_point(n, items_digest="d1") for n in range(self.replays)][::-1]
            return reply_json({"benchmark_id": "bm_1", "points": points, "total": self.replays})
        if "/benchmark-runs/" in request.path:
            self.asked.append(request.path)
            return self.rows(request)
        if request.path.endswith("/items"):
            return reply_json({"items": [], "total": 0})
        return reply_json({"benchmark": one_benchmark(scoring={"scale": "0-1"})})


def give_one_row(request):
    side = {"score": 0.5}
    return reply_json({"items": [{"id": 1, "ordinal": 0, "candidate": side, "incumbent": side}], "total": 1})


def test_the_rows_of_finished_replays_are_asked_for_once(signed_in, connect):
    remote = Remote(15, give_one_row)
    connect(remote)
    signed_in.get("/benchmarks/bm_1/grid/")
    asked = len(remote.asked)
    page = signed_in.get("/benchmarks/bm_1/grid/")
    assert asked == len(remote.asked) == 15
    assert len(lines_of(page)[0][2]) == 15


@pytest.mark.parametrize("address", ["/benchmarks/bm_1/grid/", "/benchmarks/bm_1/grid/0/"])
def test_an_api_that_lists_no_rows_is_asked_once_and_named(signed_in, connect, address):
    remote = Remote(15, lambda request: reply_json({"error": "none"}, 404))
    connect(remote)
    assert "This API does not list the rows of a replay." in text_of(signed_in.get(address))
    assert len(remote.asked) == 1


def test_rows_that_cannot_be_read_leave_their_column_empty_and_say_why(signed_in, connect):
    def rows(request):
        return reply_json({"error": "broken"}, 400) if "brun_0/" in request.path else give_one_row(request)

    connect(Remote(2, rows))
    page = signed_in.get("/benchmarks/bm_1/grid/")
    assert "The rows of some replays could not be read:" in text_of(page)
    assert lines_of(page)[0][2] == ["0.50", ""]


@pytest.mark.parametrize("address", ["/benchmarks/bm_1/grid/", "/benchmarks/bm_1/grid/0/"])
def test_a_service_that_is_away_is_said_to_be(signed_in, connect, address):
    connect(lambda request: reply_json({"error": "broken"}, 500))
    assert signed_in.get(address).status_code == 503
