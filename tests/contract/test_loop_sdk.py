"""Everything that can be read, read through the official SDK from a running server; its types are the judge."""

import typing
from datetime import timedelta
from typing import Any

import pytest
from bios import RunBiOS, _types
from bios._client import ApiError
from django.utils import timezone

from dashboard.store.models import BenchmarkItem, Rule, RunEvent
from tests.factories import (
    CANDIDATE,
    INCUMBENT,
    START,
    make_benchmark,
    make_dataset,
    make_evaluation,
    make_history,
    make_judge,
    make_key,
    make_replay,
    make_rule,
    make_run,
    make_trace,
    make_workspace,
)

pytestmark = pytest.mark.django_db(transaction=True)


def keys_missing(value: Any, hint: Any, at: str = "") -> list[str]:
    """Where `value` departs from the SDK's type: absent keys, null where null is not said, another JSON type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return []
    if origin is typing.Union:
        if value is None and type(None) in arguments:
            return []
        faults = [keys_missing(value, argument, at) for argument in arguments if argument is not type(None)]
        return min(faults, key=len)
    if origin is typing.Literal:
        return [] if value in arguments else [f"{at}: {value!r} is none of {arguments}"]
    if origin is list:
        if not isinstance(value, list):
            return [f"{at}: {value!r} is no list"]
        return [fault for n, item in enumerate(value) for fault in keys_missing(item, arguments[0], f"{at}[{n}]")]
    if origin is dict:
        return [] if isinstance(value, dict) else [f"{at}: {value!r} is no object"]
    if typing.is_typeddict(hint):
        if not isinstance(value, dict):
            return [f"{at}: {value!r} is no object"]
        faults = [f"{at}.{key}: absent" for key in hint.__required_keys__ if key not in value]
        for key, inner in typing.get_type_hints(hint).items():
            if key in value:
                faults += keys_missing(value[key], inner, f"{at}.{key}")
        return faults
    wanted = (int, float) if hint is float else hint
    fits = isinstance(value, wanted) and (hint is bool or not isinstance(value, bool))
    return [] if fits else [f"{at}: {value!r} is no {hint.__name__}"]


def assert_is(value: Any, hint: Any) -> None:
    assert keys_missing(value, hint) == []


def test_the_judge_sees_what_is_absent_or_of_another_type() -> None:
    assert keys_missing({"benchmarks": []}, _types.BenchmarkListResponse) == [".total: absent"]
    assert keys_missing({"benchmarks": None, "total": True}, _types.BenchmarkListResponse) == [
        ".benchmarks: None is no list",
        ".total: True is no int",
    ]


def test_benchmarks_and_their_conversations(loop: Any) -> None:
    trace = make_trace()
    benchmark = make_benchmark(items=12, judge=make_judge())
    BenchmarkItem.objects.filter(ordinal=3).update(source_trace=trace, tools=[{"type": "function"}])
    make_benchmark("Retired", status="retired", retired_at=START, retired_by="ana")
    listed = loop.list_benchmarks()
    assert_is(listed, _types.BenchmarkListResponse)
    assert listed["total"] == 2
    assert [row["name"] for row in loop.list_benchmarks(status="retired")["benchmarks"]] == ["Retired"]
    assert_is(loop.get_benchmark(benchmark.pk), _types.Benchmark)
    items = loop.list_benchmark_items(benchmark.pk, limit=10, offset=2)
    assert_is(items, _types.BenchmarkItemsResponse)
    assert (len(items["items"]), items["total"]) == (10, 12)
    assert items["items"][1]["source_trace_id"] == trace.pk


def test_a_whole_history_page_by_page(loop: Any) -> None:
    benchmark = make_benchmark()
    make_history(benchmark, 430, rule=make_rule())
    points: list[Any] = []
    while True:
        page = loop.get_benchmark_history(benchmark.pk, limit=1000, offset=len(points))
        assert_is(page, _types.BenchmarkHistoryResponse)
        points += page["points"]
        if len(points) >= page["total"]:
            break
    assert len({point["benchmark_run_id"] for point in points}) == 430
    assert [point["run_seq"] for point in points] == list(range(430, 0, -1))
    gaps = [point for point in points if point["candidate_score"] is None]
    assert len(gaps) == 21
    assert all(point["status_reason"] for point in gaps)


def test_a_replay(loop: Any) -> None:
    scores = [{"dimension": "helpful", "incumbent": 0.5, "candidate": 0.75, "delta": 0.25}]
    replay = make_replay(make_benchmark(), per_dimension=scores)
    assert_is(loop.get_benchmark_run(replay.pk), _types.BenchmarkRun)
    still_open = make_replay(make_benchmark("Other"), status="open")
    assert_is(loop.get_benchmark_run(still_open.pk), _types.BenchmarkRun)


def test_training_rules(loop: Any) -> None:
    rule = make_rule(benchmark=make_benchmark())
    make_run(rule=rule)
    make_rule("Off", enabled=False)
    assert_is(loop.list_training_rules(), _types.TrainingRuleListResponse)
    assert [row["name"] for row in loop.list_training_rules(enabled=False)["rules"]] == ["Off"]
    answer = loop.get_training_rule(rule.pk)
    assert_is(answer, _types.TrainingRuleResponse)
    assert len(answer["recent_runs"]) == 1


def test_training_runs(loop: Any) -> None:
    run = make_run(rule=make_rule(), state="promoted", decision="promoted", verdict="better", decided_at=START)
    RunEvent.objects.create(run=run, seq=1, ts=START, from_state="reported", to_state="promoted", reason="by ana")
    make_replay(make_benchmark(), run=run)
    make_run(state="training", created_at=START + timedelta(days=1))
    assert_is(loop.list_training_runs(), _types.TrainingRunListResponse)
    assert loop.list_training_runs(rule_id=run.rule_id, state="promoted")["total"] == 1
    for row in loop.list_training_runs()["runs"]:
        assert_is(loop.get_training_run(row["id"]), _types.TrainingRunResponse)


def test_the_paired_comparison(loop: Any) -> None:
    evaluation = make_evaluation(make_run(), ["candidate", "tie", "incumbent"])
    assert_is(loop.get_evaluation(evaluation.pk), _types.Evaluation)
    lost = loop.list_evaluation_items(evaluation.pk, winner="incumbent", limit=500)
    assert_is(lost, _types.EvaluationItemsResponse)
    assert lost["total"] == 1


def test_judges_conversations_and_training_sets(loop: Any) -> None:
    judge, trace = make_judge(), make_trace()
    dataset = make_dataset(traces=[trace])
    assert [row["id"] for row in loop.list_judges()] == [judge.pk]
    page = loop.list_traces(deployment_id="support", from_time="2026-01-01T00:00:00Z", limit=7)
    assert (page["total"], page["limit"], page["offset"]) == (1, 7, 0)
    assert loop.get_trace(trace.pk)["messages"] == trace.messages
    assert [row["id"] for row in loop.list_datasets(method="sft", limit=5)] == [dataset.pk]


@pytest.mark.parametrize("benchmark_id", ["bm 1", "a/b", "a?b=c", "100%", "%2F", "snow☃", "a#b", "a+b"])
def test_an_id_may_hold_any_character(loop: Any, benchmark_id: str) -> None:
    make_benchmark(id=benchmark_id, items=1)
    assert loop.get_benchmark(benchmark_id)["id"] == benchmark_id
    assert loop.get_benchmark_history(benchmark_id)["benchmark_id"] == benchmark_id
    assert loop.list_benchmark_items(benchmark_id)["total"] == 1


def test_a_key_says_what_it_may(live_server: Any) -> None:
    client = RunBiOS(base_url=live_server.url, api_key=make_key("loop:read", "loop:write"))
    answer = client.introspect()
    assert_is(answer, _types.ApiKeyIntrospection)
    assert answer["scopes"] == ["loop:read", "loop:write"]
    assert answer["last_used_at"] is None
    assert client.introspect()["last_used_at"] is not None
    bearer = RunBiOS(base_url=live_server.url, access_token=make_key("loop:read"))
    assert bearer.loop.list_benchmarks()["total"] == 0


@pytest.mark.parametrize(
    ("read", "status", "code"),
    [
        (lambda loop: loop.get_benchmark("bm_none"), 404, "NOT_FOUND"),
        (lambda loop: loop.list_benchmarks(status="deleted"), 400, "INVALID_PARAMETER"),
        (lambda loop: loop.get_benchmark_history("x", limit=-1), 400, "INVALID_PARAMETER"),
        (lambda loop: loop.list_traces(label="x"), 400, "UNKNOWN_PARAMETER"),
        (lambda loop: loop.stats(), 404, "NOT_FOUND"),
        (lambda loop: loop.retire_benchmark("x"), 403, "MISSING_SCOPE"),
        (lambda loop: loop.set_training_rule_benchmark("x", None), 403, "MISSING_SCOPE"),
        (lambda loop: loop.delete_judge("x"), 404, "NOT_FOUND"),
    ],
)
def test_a_refusal_arrives_typed(loop: Any, read: Any, status: int, code: str) -> None:
    with pytest.raises(ApiError) as caught:
        read(loop)
    error = caught.value
    assert (error.status, error.code) == (status, code)
    assert error.request_id
    assert error.message


def test_keys_without_scope_or_of_another_workspace_are_refused(live_server: Any) -> None:
    benchmark = make_benchmark()
    url, other = live_server.url, make_workspace()
    for client, status, code in (
        (RunBiOS(base_url=url, api_key=make_key("loop:write")), 403, "MISSING_SCOPE"),
        (RunBiOS(base_url=url, api_key=make_key("loop:read", workspace=other)), 404, "NOT_FOUND"),
        (RunBiOS(base_url=url, api_key=make_key("loop:read"), workspace_id=other.pk), 403, "WORKSPACE_MISMATCH"),
        (RunBiOS(base_url=url, api_key="btk_" + "0" * 48), 401, "INVALID_API_KEY"),
    ):
        with pytest.raises(ApiError) as caught:
            client.loop.get_benchmark(benchmark.pk)
        assert (caught.value.status, caught.value.code) == (status, code)
        assert caught.value.request_id


@pytest.fixture
def writer(live_server: Any) -> Any:
    """The SDK's Loop resource with a key that may read and write."""
    return RunBiOS(base_url=live_server.url, api_key=make_key("loop:read", "loop:write")).loop


def refusal(call: Any) -> tuple[int, str]:
    with pytest.raises(ApiError) as caught:
        call()
    assert caught.value.message
    assert caught.value.request_id
    return caught.value.status, caught.value.code


def test_a_benchmark_from_import_to_retirement(writer: Any) -> None:
    rows = [{"prompt": f"Question {n}", "completion": "Answer"} for n in range(12)]
    imported = writer.import_rows("export", rows, row_ids=[str(n) for n in range(12)], labels=["old"])
    again = writer.import_rows("export", rows, row_ids=[str(n) for n in range(12)])
    assert (imported["imported"], again["imported"], again["already_present"]) == (12, 0, 12)
    ids = imported["trace_ids"]
    judge = writer.create_judge("Strict", "Score it.", [{"key": "true", "description": "Is it?"}], model="judge-1")
    source = {"kind": "traces", "trace_ids": ids}
    made = writer.create_benchmark("Set", judge["id"], source, 250, max_tokens=64)
    assert_is(made, _types.Benchmark)
    assert_is(writer.list_benchmark_items(made["id"]), _types.BenchmarkItemsResponse)
    assert refusal(lambda: writer.create_benchmark("Set", judge["id"], source, 250)) == (409, "BENCHMARK_NAME_TAKEN")
    assert refusal(lambda: writer.create_benchmark("B", judge["id"], {"kind": "traces", "trace_ids": ids[:9]}, 1)) == (
        422,
        "BENCHMARK_SIZE",
    )

    rule = make_rule()
    attached = writer.set_training_rule_benchmark(rule.pk, made["id"])
    assert_is(attached, _types.TrainingRuleMutationResponse)
    assert (attached["rule"]["benchmark_id"], attached["consent_required"]) == (made["id"], False)
    assert writer.set_training_rule_benchmark(rule.pk, None)["rule"]["benchmark_id"] is None
    writer.set_training_rule_benchmark(rule.pk, made["id"])

    assert writer.delete_trace(ids[0]) == {"trace_id": ids[0], "deleted": True}
    item = writer.list_benchmark_items(made["id"])["items"][0]
    assert (item["source_trace_id"], item["source_trace_url"]) == (None, None)
    assert writer.get_benchmark(made["id"]) == made

    retired = writer.retire_benchmark(made["id"], reason="Old.")
    assert_is(retired, _types.Benchmark)
    assert writer.retire_benchmark(made["id"]) == retired
    assert writer.get_training_rule(rule.pk)["rule"]["benchmark_id"] is None
    assert refusal(lambda: writer.set_training_rule_benchmark(rule.pk, made["id"])) == (409, "BENCHMARK_RETIRED")
    source["trace_ids"] = ids[1:]
    assert writer.create_benchmark("Set", judge["id"], source, 250)["id"] != made["id"]


def make_reviewed(**fields: Any) -> Any:
    """A run of a rule of its own that awaits review, with a paired comparison of its candidate."""
    rule = make_rule(f"Rule {Rule.objects.count()}", serving=INCUMBENT)
    values = {"verdict": "better", "review_deadline_at": timezone.now() + timedelta(days=1)} | fields
    run = make_run(rule=rule, **values)
    make_evaluation(run, candidate_ref=CANDIDATE)
    return run


def test_a_run_is_promoted_and_rolled_back(writer: Any) -> None:
    run = make_reviewed()
    assert writer.get_training_run(run.pk)["available_actions"] == {
        "promote": True,
        "reject": True,
        "rollback": False,
        "cancel": True,
    }
    promoted = writer.promote_training_run(run.pk, expected_revision=1)
    assert_is(promoted, _types.TrainingRunActionResponse)
    assert (promoted["run"]["decision"], promoted["serving"]["name"]) == ("promoted", CANDIDATE["name"])
    assert writer.promote_training_run(run.pk) == promoted
    assert writer.get_training_run(run.pk)["available_actions"]["rollback"]
    restored = writer.rollback_training_run(run.pk, reason="Complaints.")
    assert_is(restored, _types.TrainingRunActionResponse)
    assert (restored["run"]["state"], restored["serving"]["name"]) == ("rolled_back", INCUMBENT["name"])
    assert_is(writer.get_training_run(run.pk), _types.TrainingRunResponse)
    assert_is(writer.get_training_rule(run.rule_id), _types.TrainingRuleResponse)


def test_a_run_is_rejected_and_another_cancelled(writer: Any) -> None:
    rejected = writer.reject_training_run(make_reviewed().pk, reason="Too terse.")
    cancelled = writer.cancel_training_run(make_reviewed(state="training").pk)
    for answer, state in ((rejected, "rejected"), (cancelled, "cancelled")):
        assert_is(answer, _types.TrainingRunActionResponse)
        assert (answer["run"]["state"], answer["serving"]) == (state, None)


def test_a_refused_decision_says_why(writer: Any) -> None:
    unsure, over = make_reviewed(verdict="inconclusive"), make_reviewed(review_deadline_at=START)
    for call, code in (
        (lambda: writer.promote_training_run(unsure.pk), "INCONCLUSIVE_REQUIRES_FORCE"),
        (lambda: writer.promote_training_run(unsure.pk, expected_revision=2), "REVISION_MISMATCH"),
        (lambda: writer.promote_training_run(over.pk), "ACTION_NOT_AVAILABLE"),
        (lambda: writer.rollback_training_run(unsure.pk), "ACTION_NOT_AVAILABLE"),
    ):
        assert refusal(call) == (409, code)
    assert [run["id"] for run in writer.list_training_runs(state="expired")["runs"]] == [over.pk]
    assert writer.promote_training_run(unsure.pk, force=True)["run"]["state"] == "promoted"


def test_a_benchmark_of_a_training_set(writer: Any) -> None:
    dataset = make_dataset(traces=[make_trace(f"Question {n}") for n in range(10)])
    source = {"kind": "dataset", "dataset_id": dataset.pk, "split": "train"}
    assert writer.create_benchmark("Set", make_judge().pk, source, 250, judge_model="m")["judge_model"] == "m"


def test_writes_do_not_reach_another_workspace(writer: Any) -> None:
    other = make_workspace()
    theirs, their_rule, their_trace = (
        make_benchmark(workspace=other),
        make_rule(workspace=other),
        make_trace(workspace=other),
    )
    rule = make_rule()
    for call in (
        lambda: writer.set_training_rule_benchmark(rule.pk, theirs.pk),
        lambda: writer.set_training_rule_benchmark(their_rule.pk, None),
        lambda: writer.retire_benchmark(theirs.pk),
        lambda: writer.delete_trace(their_trace.pk),
    ):
        assert refusal(call) == (404, "NOT_FOUND")


def test_an_import_says_which_rows_are_none(writer: Any) -> None:
    answer = writer.import_rows("export", [{"prompt": "A"}, {"prose": "B"}])
    assert (answer["imported"], answer["refused"], answer["needs_review"]) == (1, 1, 1)
    assert answer["refused_why"][0].startswith("row 2")
    assert refusal(lambda: writer.import_rows("export", [])) == (400, "INVALID_FIELD")
