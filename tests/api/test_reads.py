"""What each route answers, and that its cost does not grow with its rows."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from dashboard.store.models import BenchmarkItem, RunEvent
from tests.factories import (
    START,
    make_benchmark,
    make_dataset,
    make_evaluation,
    make_history,
    make_judge,
    make_replay,
    make_rule,
    make_run,
    make_trace,
    make_workspace,
)

pytestmark = pytest.mark.django_db


def test_benchmarks_come_newest_first_and_by_status(get: Any) -> None:
    old = make_benchmark("Old", status="retired", retired_at=START, retired_by="ana")
    new = make_benchmark("New", created_at=START + timedelta(days=1), sample=True)
    body = get("/api/loop/benchmarks").json()
    assert [row["id"] for row in body["benchmarks"]] == [new.pk, old.pk]
    assert [row["sample"] for row in body["benchmarks"]] == [True, False]
    retired = get("/api/loop/benchmarks?status=retired").json()
    assert [(row["id"], row["retired_by"]) for row in retired["benchmarks"]] == [(old.pk, "ana")]
    assert retired["total"] == 1


def test_a_benchmark_says_what_it_is_frozen_to(get: Any) -> None:
    benchmark = make_benchmark()
    body = get(f"/api/loop/benchmarks/{benchmark.pk}").json()["benchmark"]
    assert body["decoding"] == {"temperature": 0.0, "max_tokens": 512, "stream": False}
    assert body["scoring"]["require_all_rows"] is True
    assert (body["judge_system_prompt"], body["retired_at"], body["judge_id"]) == (None, None, None)
    assert body["created_at"] == "2026-01-05T09:00:00Z"


def test_pinned_conversations_come_in_their_order_with_their_source(get: Any) -> None:
    benchmark, trace = make_benchmark(items=3), make_trace(id="tr/1")
    BenchmarkItem.objects.filter(benchmark=benchmark, ordinal=1).update(source_trace=trace)
    items = get(f"/api/loop/benchmarks/{benchmark.pk}/items").json()["items"]
    assert [item["ordinal"] for item in items] == [0, 1, 2]
    assert (items[1]["source_trace_id"], items[1]["source_trace_url"]) == ("tr/1", "/api/loop/traces/tr/1")
    assert get(items[1]["source_trace_url"]).json()["trace"]["id"] == "tr/1"
    trace.delete()
    item = get(f"/api/loop/benchmarks/{benchmark.pk}/items").json()["items"][1]
    assert (item["source_trace_id"], item["source_trace_url"]) == (None, None)
    assert item["prompt"] == [{"role": "user", "content": "Question 1"}]


def test_a_replay_in_full_names_its_benchmark(get: Any) -> None:
    dimension = {"dimension": "helpful", "incumbent": 0.5, "candidate": 0.75, "delta": 0.25}
    replay = make_replay(make_benchmark("Support"), per_dimension=[dimension])
    body = get(f"/api/loop/benchmark-runs/{replay.pk}").json()["benchmark_run"]
    assert (body["benchmark_name"], body["per_dimension"], body["finished_at"]) == ("Support", [dimension], None)


@pytest.mark.parametrize("status", ["failed", "budget_stopped", "abandoned", "done"])
@pytest.mark.parametrize("reason", [None, ""])
def test_a_replay_that_ended_without_scores_must_say_why(status: str, reason: str | None) -> None:
    scores = {"candidate_score": None, "incumbent_score": None, "score_delta": None}
    with pytest.raises(IntegrityError):
        make_replay(make_benchmark(), status=status, status_reason=reason, **scores)


@pytest.mark.parametrize("status", ["open", "failed", "done"])
def test_a_replay_never_carries_a_part_of_its_scores(status: str) -> None:
    with pytest.raises(IntegrityError):
        make_replay(make_benchmark(), status=status, status_reason="x", candidate_score=0.5, score_delta=None)


def test_rules_come_newest_first_and_by_whether_they_are_enabled(get: Any) -> None:
    off = make_rule("Off", enabled=False, paused_reason="consent_invalid")
    on = make_rule("On", created_at=START + timedelta(days=1), benchmark=make_benchmark())
    body = get("/api/loop/training-rules").json()
    assert [row["id"] for row in body["rules"]] == [on.pk, off.pk]
    assert body["rules"][0]["benchmark_id"] == on.benchmark_id
    assert [row["id"] for row in get("/api/loop/training-rules?enabled=false").json()["rules"]] == [off.pk]
    assert [row["id"] for row in get("/api/loop/training-rules?enabled=true").json()["rules"]] == [on.pk]


def test_a_rule_tells_its_newest_runs_and_what_this_month_cost_over_four_columns(get: Any) -> None:
    rule, now = make_rule(), timezone.now()
    costs = {
        "billed_training_cents": 1,
        "billed_candidate_cents": 20,
        "spent_eval_cents": 300,
        "benchmark_spent_cents": 4000,
    }
    make_run(rule=rule, created_at=START, **costs)
    newest = make_run(rule=rule, created_at=now, **costs)
    make_run(created_at=now, **costs)
    body = get(f"/api/loop/training-rules/{rule.pk}").json()
    assert body["recent_runs"][0]["id"] == newest.pk
    assert len(body["recent_runs"]) == 2
    assert body["month_spent_cents"] == 4321
    assert body["judge_agreement"] is None


def test_runs_can_be_narrowed_by_rule_and_state(get: Any) -> None:
    rule = make_rule()
    mine, other = make_run(rule=rule, state="promoted"), make_run(state="failed")
    for query, ids in (("", [other, mine]), (f"?rule_id={rule.pk}", [mine]), ("?state=failed", [other])):
        body = get(f"/api/loop/training-runs{query}").json()
        assert {row["id"] for row in body["runs"]} == {run.pk for run in ids}
        assert body["total"] == len(ids)


def test_a_run_comes_with_its_timeline_its_replay_and_its_comparison(get: Any) -> None:
    run = make_run(rule=make_rule())
    for seq, state in ((1, "built"), (2, "training")):
        RunEvent.objects.create(run=run, seq=seq, ts=START, to_state=state)
    replay, evaluation = make_replay(make_benchmark(), run=run), make_evaluation(run, ["candidate"])
    body = get(f"/api/loop/training-runs/{run.pk}").json()
    assert (body["run"]["evaluation_id"], body["run"]["benchmark_run_id"]) == (evaluation.pk, replay.pk)
    assert [event["to_state"] for event in body["timeline"]] == ["built", "training"]
    assert body["benchmark"]["id"] == replay.pk
    assert get(body["links"]["evaluation_url"]).json()["id"] == evaluation.pk
    assert get(body["links"]["benchmark_url"]).json()["benchmark"]["id"] == replay.benchmark_id
    assert body["available_actions"] == {"promote": False, "reject": False, "rollback": False, "cancel": False}


def test_a_run_without_a_replay_says_so_with_null(get: Any) -> None:
    body = get(f"/api/loop/training-runs/{make_run().pk}").json()
    assert (body["benchmark"], body["run"]["evaluation_id"], body["links"]["benchmark_url"]) == (None, None, None)


def test_an_evaluation_is_answered_unwrapped_and_its_items_by_winner(get: Any) -> None:
    evaluation = make_evaluation(make_run(), ["candidate", "incumbent", "tie", "candidate"])
    body = get(f"/api/loop/evaluations/{evaluation.pk}").json()
    assert (body["id"], body["wins"], body["losses"], body["ties"]) == (evaluation.pk, 2, 1, 1)
    lost = get(f"/api/loop/evaluations/{evaluation.pk}/items?winner=incumbent").json()
    assert (lost["total"], lost["items"][0]["winner"]) == (1, "incumbent")
    assert lost["items"][0]["candidate"]["completion"] == "New answer"


def test_judges_conversations_and_training_sets_are_read(get: Any) -> None:
    judge, trace = make_judge(), make_trace()
    dataset = make_dataset(traces=[trace, make_trace()])
    assert [row["id"] for row in get("/api/loop/judges").json()["judges"]] == [judge.pk]
    assert get(f"/api/loop/traces/{trace.pk}").json()["trace"]["messages"] == trace.messages
    rows = get("/api/loop/datasets?method=sft").json()["datasets"]
    assert [(row["id"], row["item_count"]) for row in rows] == [(dataset.pk, 2)]
    assert get("/api/loop/datasets?method=kto").json()["datasets"] == []


def test_nothing_of_another_workspace_is_read(get: Any) -> None:
    theirs = make_workspace()
    rule = make_rule(workspace=theirs)
    run = make_run(rule=rule)
    evaluation = make_evaluation(run, ["tie"])
    replay = make_replay(make_benchmark(workspace=theirs), run=run)
    trace = make_trace(workspace=theirs)
    make_judge(workspace=theirs)
    make_dataset(workspace=theirs)
    for path in (
        f"training-rules/{rule.pk}",
        f"training-runs/{run.pk}",
        f"evaluations/{evaluation.pk}",
        f"evaluations/{evaluation.pk}/items",
        f"benchmark-runs/{replay.pk}",
        f"traces/{trace.pk}",
    ):
        assert get(f"/api/loop/{path}").status_code == 404, path
    for path in ("training-rules", "training-runs", "traces", "datasets"):
        assert get(f"/api/loop/{path}").json()["total"] == 0
    assert get("/api/loop/judges").json() == {"judges": []}


def fill(rows: int) -> None:
    benchmark, rule = make_benchmark("Full", items=rows), make_rule()
    make_history(benchmark, rows, rule=rule)
    make_evaluation(make_run(rule=rule, id="run_x"), ["tie"] * rows)
    for n in range(rows):
        make_benchmark(f"B{n}")
        make_rule(f"R{n}")
        make_judge(f"J{n}")
    make_dataset(traces=[make_trace() for _ in range(rows)])


@pytest.mark.parametrize("rows", [1, 60])
def test_a_list_costs_the_same_queries_however_long(rows: int, django_assert_num_queries: Any) -> None:
    fill(rows)
    inside = Client(**{"benchtrend.workspace": "ws_local"})
    benchmark = inside.get("/api/loop/benchmarks").json()["benchmarks"][-1]["id"]
    run = inside.get("/api/loop/training-runs/run_x").json()["run"]
    for path, queries in (
        ("benchmarks", 2),
        (f"benchmarks/{benchmark}/items", 3),
        ("training-rules", 2),
        (f"training-rules/{run['rule_id']}", 3),
        ("training-runs", 2),
        ("training-runs/run_x", 3),
        (f"evaluations/{run['evaluation_id']}/items", 3),
        ("judges", 1),
        ("traces", 2),
        ("datasets", 2),
    ):
        with django_assert_num_queries(queries):
            assert inside.get(f"/api/loop/{path}").status_code == 200, path
