"""The rows of a replay: both answers to each conversation, filtered, paged, and never another workspace's."""

from typing import Any

import pytest
from django.test import Client

from dashboard.store.models import BenchmarkItem, ReplayRow
from tests.factories import (
    make_benchmark,
    make_evaluation,
    make_replay,
    make_rows,
    make_run,
    make_trace,
    make_workspace,
)

pytestmark = pytest.mark.django_db
ALL = ((0.9, 0.4), (0.4, 0.9), (0.5, 0.5), (0.8, 0.1))


def url_of(replay: Any) -> str:
    return f"/api/loop/benchmark-runs/{replay.pk}/items"


def test_a_row_has_the_conversation_both_answers_and_the_winner(get: Any) -> None:
    trace, benchmark = make_trace(), make_benchmark(items=4)
    BenchmarkItem.objects.filter(ordinal=0).update(source_trace=trace, tools=[{"type": "function"}])
    replay = make_replay(benchmark)
    make_rows(replay, *ALL)
    page = get(url_of(replay)).json()
    assert page["total"] == 4
    assert [(row["ordinal"], row["winner"]) for row in page["items"]] == [
        (0, "candidate"),
        (1, "incumbent"),
        (2, "tie"),
        (3, "candidate"),
    ]
    first = page["items"][0]
    assert first["benchmark_item_id"] == benchmark.items.get(ordinal=0).pk
    assert (first["prompt"], first["tools"]) == ([{"role": "user", "content": "Question 0"}], [{"type": "function"}])
    assert first["source_trace_id"] == trace.pk
    assert get(first["source_trace_url"]).json()["trace"]["id"] == trace.pk
    assert first["candidate"] == {
        "completion": "Hello.",
        "tool_calls": None,
        "judge": {"overall": 0.9, "dimensions": {"helpful": 0.9}, "reason": "It helps."},
        "score": 0.9,
        "passed": True,
    }
    assert (first["incumbent"]["passed"], first["status"], first["error"]) == (False, "done", None)


def test_a_row_of_an_import_brings_its_own_question(get: Any) -> None:
    replay = make_replay(make_benchmark(items=0))
    [row] = make_rows(replay, (1.0, 0.0))
    ReplayRow.objects.filter(pk=row.pk).update(
        question={"prompt": [{"role": "user", "content": "2+2?"}], "reference": "4"}
    )
    [shown] = get(url_of(replay)).json()["items"]
    assert (shown["benchmark_item_id"], shown["source_trace_id"], shown["source_trace_url"]) == (None, None, None)
    assert (shown["prompt"], shown["tools"], shown["reference"]) == ([{"role": "user", "content": "2+2?"}], None, "4")


def test_rows_are_narrowed_by_winner_and_status_and_paged(get: Any) -> None:
    replay = make_replay(make_benchmark(items=4))
    make_rows(replay, *ALL)
    ReplayRow.objects.filter(ordinal=3).update(status="failed", error="candidate: no answer", winner=None)
    for query, ordinals, total in (
        ("winner=candidate", [0], 1),
        ("winner=incumbent", [1], 1),
        ("winner=serving", [1], 1),
        ("winner=tie", [2], 1),
        ("status=failed", [3], 1),
        ("status=done&winner=tie", [2], 1),
        ("status=working", [], 0),
        ("limit=2&offset=1", [1, 2], 4),
    ):
        page = get(f"{url_of(replay)}?{query}").json()
        assert ([row["ordinal"] for row in page["items"]], page["total"]) == (ordinals, total)
    assert get(f"{url_of(replay)}?winner=serve").json()["error"]["parameter"] == "winner"
    assert get(f"{url_of(replay)}?status=lost").json()["error"]["parameter"] == "status"


def test_a_replay_without_rows_has_none_and_another_workspace_s_is_not_there(get: Any) -> None:
    page = get(url_of(make_replay(make_benchmark()))).json()
    assert (page["items"], page["total"]) == ([], 0)
    other = make_workspace()
    theirs = make_replay(make_benchmark(workspace=other), run=make_run(workspace=other))
    make_rows(theirs, (0.5, 0.4))
    assert get(url_of(theirs)).status_code == 404
    assert get("/api/loop/benchmark-runs/brun_none/items").status_code == 404


@pytest.mark.parametrize("rows", [10, 200])
def test_a_page_of_rows_costs_three_queries_however_long(rows: int, django_assert_num_queries: Any) -> None:
    replay = make_replay(make_benchmark(items=rows))
    make_rows(replay, *[(0.5, 0.4)] * rows)
    inside = Client(**{"benchtrend.workspace": "ws_local"})
    with django_assert_num_queries(3):
        page = inside.get(f"{url_of(replay)}?limit=1000").json()
    assert len(page["items"]) == rows


def test_a_network_caller_gets_a_hundred_rows_at_most(get: Any) -> None:
    replay = make_replay(make_benchmark(items=120))
    make_rows(replay, *[(0.5, 0.4)] * 120)
    page = get(f"{url_of(replay)}?limit=1000").json()
    assert (len(page["items"]), page["limit"], page["total"]) == (100, 100, 120)


def test_the_items_of_an_evaluation_know_the_newer_word_for_the_incumbent(get: Any) -> None:
    evaluation = make_evaluation(make_run(), ["candidate", "incumbent", "tie", "incumbent"])
    url = f"/api/loop/evaluations/{evaluation.pk}/items"
    assert get(f"{url}?winner=serving").json() == get(f"{url}?winner=incumbent").json()
    assert get(f"{url}?winner=serving").json()["total"] == 2
