"""A replay's page: its status and numbers, the bounds that missing rows leave, its set, its neighbours."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.factories import START, make_benchmark, make_replay, make_rows, make_rule, make_run
from tests.sources.faulty_server import reply_json
from tests.web.conftest import one_benchmark, one_point
from tests.web.pages import text_of

pytestmark = pytest.mark.django_db
DIMENSIONS = [
    {"dimension": "helpful", "incumbent": 0.5, "candidate": 0.75, "delta": 0.25},
    {"dimension": "<b>\u202ebold", "incumbent": None, "candidate": None, "delta": None},
]


def make_line(count: int):
    """As many replays of one rule, an hour apart, the oldest first."""
    benchmark, rule = make_benchmark(items=12), make_rule()
    at = [START + timedelta(hours=n) for n in range(count)]
    return [
        make_replay(benchmark, run=make_run(rule=rule, checkpoint_id=f"step-{n}"), created_at=at[n])
        for n in range(count)
    ]


def test_it_works(signed_in):
    before, replay, after = make_line(3)
    type(replay).objects.filter(pk=replay.pk).update(per_dimension=DIMENSIONS, spent_cents=123, ceiling_cents=500)
    page = signed_in.get(f"/replays/{replay.pk}/")
    text = text_of(page)
    assert page.status_code == 200
    assert "Status: done" in text
    assert "0.62" in text
    assert "0.58" in text
    assert "+0.04" in text
    assert "10 in all, 10 scored, 0 failed" in text
    assert "the benchmark's own, d1" in text
    assert "$1.23 of at most $5.00" in text
    assert "Before: step-0" in text
    assert "After: step-2" in text
    assert f"/compare/?a={before.pk}&amp;b={replay.pk}" in page.content.decode()
    assert f"/replays/{after.pk}/" in page.content.decode()
    assert f"/runs/{replay.run_id}/" in page.content.decode()


def test_dimensions_are_drawn_and_listed_as_text(signed_in):
    [replay] = make_line(1)
    type(replay).objects.filter(pk=replay.pk).update(per_dimension=DIMENSIONS)
    body = signed_in.get(f"/replays/{replay.pk}/").content.decode()
    assert body.count('<circle class="dot candidate"') == 1
    assert "U+202E" in body
    assert "<b>" not in body.partition("Dimensions</h2>")[2]


def test_a_replay_without_a_score_says_why_and_between_what_it_would_lie(signed_in):
    replay = make_replay(
        make_benchmark(), status="failed", status_reason="Two rows broke.", rows_total=4, rows_scored=2, rows_failed=2
    )
    make_rows(replay, (0.5, 1.0), (1.0, 1.0), (None, None), (None, None))
    text = text_of(signed_in.get(f"/replays/{replay.pk}/"))
    assert "Two rows broke." in text
    assert "Candidate: no score; complete, it would lie between 0.375 and 0.875." in text
    assert "Incumbent: no score; complete, it would lie between 0.50 and 1.00." in text


@pytest.mark.parametrize("change", [{"rows_total": 5}, {"items_digest": "other"}])
def test_no_bounds_are_claimed_where_rows_or_set_do_not_let_them_be_reckoned(signed_in, change):
    replay = make_replay(
        make_benchmark(), **({"status": "failed", "status_reason": "Broke.", "rows_total": 4} | change)
    )
    make_rows(replay, (0.5, 1.0), (1.0, 1.0), (None, None), (None, None))
    text = text_of(signed_in.get(f"/replays/{replay.pk}/"))
    assert "Broke." in text
    assert "complete, it would" not in text


def test_another_set_is_named_in_words(signed_in):
    replay = make_replay(make_benchmark(), items_digest="d2", status="failed", status_reason="Other set.")
    assert "another than the benchmark's: d2, not d1" in text_of(signed_in.get(f"/replays/{replay.pk}/"))


def test_an_unknown_replay_is_not_found(signed_in):
    assert signed_in.get("/replays/brun_none/").status_code == 404


def test_a_replay_that_cannot_be_read_says_that_the_service_is_away(signed_in, connect):
    connect(lambda request: reply_json({"error": "broken"}, 500))
    assert signed_in.get("/replays/brun_1/").status_code == 503


def test_a_replay_whose_benchmark_is_gone_is_shown_without_it(signed_in, connect):
    def answer(request):
        if request.path == "/api/loop/benchmark-runs/brun_1":
            return reply_json({"benchmark_run": {"id": "brun_1", "benchmark_id": "bm_1", "status": "a new one"}})
        return reply_json({"error": "none"}, 404)

    connect(answer)
    text = text_of(signed_in.get("/replays/brun_1/"))
    assert "Its benchmark could not be read" in text
    assert "a new one" in text


def test_the_services_own_bounds_count(signed_in, connect):
    def answer(request):
        if request.path.endswith("/history"):
            return reply_json({"benchmark_id": "bm_1", "points": [one_point(1)], "total": 1})
        if request.path == "/api/loop/benchmark-runs/brun_1":
            found = {"id": "brun_1", "benchmark_id": "bm_1", "status": "failed", "bounds": {"candidate": [0.25, 0.5]}}
            return reply_json({"benchmark_run": found | {"status_reason": "Rows are missing."}})
        if request.path.endswith("/items"):
            return reply_json({"error": "none"}, 404)
        return reply_json({"benchmark": one_benchmark()})

    connect(answer)
    assert "Candidate: no score; complete, it would lie between 0.25 and 0.50." in text_of(
        signed_in.get("/replays/brun_1/")
    )


def test_the_trends_table_leads_to_the_replay(signed_in):
    [replay] = make_line(1)
    body = signed_in.get(f"/benchmarks/{replay.benchmark_id}/").content.decode()
    assert f'href="/replays/{replay.pk}/"' in body
