"""Two replays beside each other: what changed row by row, and why some cannot be compared."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from tests.factories import START, make_benchmark, make_replay, make_rows, make_rule, make_run
from tests.sources.faulty_server import reply_json
from tests.web.conftest import one_benchmark
from tests.web.pages import text_of

pytestmark = pytest.mark.django_db


def make_two(**fields):
    benchmark, rule = make_benchmark(items=5), make_rule()
    at = [START, START + timedelta(hours=1)]
    return [make_replay(benchmark, run=make_run(rule=rule), created_at=one, **fields) for one in at]


def test_it_works(signed_in):
    a, b = make_two()
    dimension = {"dimension": "helpful", "incumbent": 0.5, "candidate": 0.5, "delta": 0.0}
    for replay, score in ((a, 0.5), (b, 0.75)):
        type(replay).objects.filter(pk=replay.pk).update(per_dimension=[dimension | {"candidate": score}])
    make_rows(a, (0.9, 0.9), (0.1, 0.9), (0.2, 0.9), (0.9, 0.9), (0.9, 0.9))
    make_rows(b, (0.1, 0.9), (0.9, 0.9), (0.4, 0.9), (0.9, 0.1))
    page = signed_in.get(f"/compare/?a={a.pk}&b={b.pk}")
    text = text_of(page)
    assert page.status_code == 200
    assert "1 newly failing, 1 newly passing, 1 moved, 1 of the conversations of both did neither." in text
    assert "1 stands in one of the two alone." in text
    assert "helpful 0.50 0.75 +0.25" in text
    assert re.search(r"0 newly failing 0.90 0.10 −0.80 .* 1 newly passing 0.10 0.90 .* 2 moved 0.20 0.40", text)


def test_two_without_rows_are_compared_by_their_numbers(signed_in):
    a, b = make_two()
    text = text_of(signed_in.get(f"/compare/?a={a.pk}&b={b.pk}"))
    assert "The service does not have the rows of both." in text
    assert "0.62" in text


@pytest.mark.parametrize("query", ["", "?a=x"])
def test_a_missing_id_is_named(signed_in, query):
    page = signed_in.get(f"/compare/{query}")
    assert page.status_code == 400
    assert "b: This field is required." in text_of(page)


def test_an_unknown_replay_is_not_found(signed_in):
    assert signed_in.get("/compare/?a=brun_none&b=brun_none").status_code == 404


def test_one_replay_twice_is_refused(signed_in):
    a, _b = make_two()
    assert "That is one replay twice." in text_of(signed_in.get(f"/compare/?a={a.pk}&b={a.pk}"))


def test_replays_of_two_benchmarks_are_refused(signed_in):
    a, b = make_replay(make_benchmark()), make_replay(make_benchmark("Another"))
    assert "They are replays of two benchmarks" in text_of(signed_in.get(f"/compare/?a={a.pk}&b={b.pk}"))


def test_replays_over_two_sets_are_refused(signed_in):
    a, b = make_two(status="failed", status_reason="It broke.")
    type(b).objects.filter(pk=b.pk).update(items_digest="d2")
    assert "two sets of conversations, d1 and d2" in text_of(signed_in.get(f"/compare/?a={a.pk}&b={b.pk}"))


class Remote:
    def __init__(self, digest: str, status: int) -> None:
        self.digest, self.status = digest, status

    def __call__(self, request):
        parts = request.path.strip("/").split("/")[2:]
        if parts[0] == "benchmark-runs" and parts[-1] != "items":
            found = {"id": parts[1], "benchmark_id": "bm_1", "status": "done", "items_digest": self.digest}
            return reply_json({"benchmark_run": found})
        if parts[-1] == "items":
            return reply_json({"error": "none"}, self.status)
        if parts[-1] == "history":
            return reply_json({"benchmark_id": "bm_1", "points": [], "total": 0})
        return reply_json({"benchmark": one_benchmark()})


def test_replays_without_a_digest_are_refused(signed_in, connect):
    connect(Remote("", 404))
    assert "nobody knows whether it was one" in text_of(signed_in.get("/compare/?a=one&b=two"))


@pytest.mark.parametrize(
    ("status", "said"),
    [(404, "This API does not list the rows of a replay."), (400, "Rows could not be read:")],
)
def test_rows_that_are_not_there_are_said_to_be_missing(signed_in, connect, status, said):
    connect(Remote("d1", status))
    assert said in text_of(signed_in.get("/compare/?a=one&b=two"))


def test_a_service_that_is_away_is_said_to_be(signed_in, connect):
    connect(lambda request: reply_json({"error": "broken"}, 500))
    assert signed_in.get("/compare/?a=one&b=two").status_code == 503
