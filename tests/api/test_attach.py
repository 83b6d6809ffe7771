"""Retiring and attaching: a retired benchmark is on no rule, its name is free, and what it measured stays."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.test import Client

from dashboard.store.models import Benchmark, Rule
from tests.factories import START, make_benchmark, make_key, make_replay, make_rule, make_workspace

pytestmark = pytest.mark.django_db
BENCHMARKS, RULES = "/api/loop/benchmarks", "/api/loop/training-rules"


def test_retiring_detaches_every_rule_and_says_who_and_why(send: Any, get: Any) -> None:
    benchmark, other = make_benchmark(), make_benchmark("Other")
    rules = [make_rule(f"Rule {n}", benchmark=benchmark) for n in range(3)]
    kept = make_rule("Kept", benchmark=other)
    replay = make_replay(benchmark)
    answer = send("post", f"{BENCHMARKS}/{benchmark.pk}/retire", {"reason": "  The set is old. "})
    assert answer.status_code == 200
    retired = answer.json()["benchmark"]
    assert (retired["status"], retired["retired_by"], retired["retired_reason"]) == (
        "retired",
        "test",
        "The set is old.",
    )
    assert datetime.fromisoformat(retired["retired_at"]) > START
    for rule in rules:
        rule.refresh_from_db()
        assert rule.benchmark_id is None
        assert rule.updated_at > START
        assert rule.revision == rule.accepted_revision == 1
    kept.refresh_from_db()
    assert kept.benchmark_id == other.pk
    assert get(f"{BENCHMARKS}/{benchmark.pk}/history").json()["points"][0]["benchmark_run_id"] == replay.pk


def test_retiring_again_answers_the_same_and_changes_nothing(send: Any) -> None:
    url = f"{BENCHMARKS}/{make_benchmark().pk}/retire"
    first = send("post", url, {"reason": "Old."})
    second = send("post", url, {"reason": "Another."})
    assert (second.status_code, second.json()) == (200, first.json())


@pytest.mark.parametrize("body", [{}, {"reason": None}, {"reason": "  "}, ""])
def test_a_reason_may_be_left_out(send: Any, body: Any) -> None:
    answer = send("post", f"{BENCHMARKS}/{make_benchmark().pk}/retire", body)
    assert answer.json()["benchmark"]["retired_reason"] is None


@pytest.mark.parametrize("reason", ["x" * 2001, "\0", "\ud800", 5])
def test_a_reason_that_cannot_be_kept_is_refused(send: Any, reason: Any) -> None:
    answer = send("post", f"{BENCHMARKS}/{make_benchmark().pk}/retire", {"reason": reason})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "reason")
    assert Benchmark.objects.get().status == "active"


def test_attaching_replaces_and_leaves_consent_alone(send: Any) -> None:
    old, new = make_benchmark("Old"), make_benchmark("New")
    rule = make_rule(benchmark=old, revision=4, accepted_revision=4)
    answer = send("put", f"{RULES}/{rule.pk}/benchmark", {"benchmark_id": new.pk})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["consent_required"], body["preflight"]) == (False, None)
    assert (body["rule"]["benchmark_id"], body["rule"]["revision"], body["rule"]["accepted_revision"]) == (new.pk, 4, 4)
    assert datetime.fromisoformat(body["rule"]["updated_at"]) > START


def test_null_detaches_and_attaching_what_is_attached_changes_nothing(send: Any) -> None:
    benchmark = make_benchmark()
    rule = make_rule(benchmark=benchmark)
    url = f"{RULES}/{rule.pk}/benchmark"
    send("put", url, {"benchmark_id": benchmark.pk})
    assert Rule.objects.get().updated_at == START
    assert send("put", url, {"benchmark_id": None}).json()["rule"]["benchmark_id"] is None
    assert send("put", url, {"benchmark_id": None}).status_code == 200


def test_a_retired_benchmark_cannot_be_attached(send: Any) -> None:
    kept, retired = make_benchmark(), make_benchmark("Gone", status="retired", retired_at=START)
    rule = make_rule(benchmark=kept)
    answer = send("put", f"{RULES}/{rule.pk}/benchmark", {"benchmark_id": retired.pk})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (409, "BENCHMARK_RETIRED", "benchmark_id")
    rule.refresh_from_db()
    assert (rule.benchmark_id, rule.updated_at) == (kept.pk, START)


def test_another_workspace_s_benchmark_and_rule_are_not_found(send: Any) -> None:
    theirs, ours = make_benchmark(workspace=make_workspace()), make_benchmark()
    their_rule, rule = make_rule(workspace=make_workspace()), make_rule()
    for url, benchmark_id, field in (
        (f"{RULES}/{rule.pk}/benchmark", theirs.pk, "benchmark_id"),
        (f"{RULES}/{their_rule.pk}/benchmark", ours.pk, None),
        (f"{RULES}/{their_rule.pk}/benchmark", None, None),
    ):
        answer = send("put", url, {"benchmark_id": benchmark_id})
        assert (answer.status_code, answer.json()["error"].get("field")) == (404, field)
    assert send("post", f"{BENCHMARKS}/{theirs.pk}/retire", {}).status_code == 404
    assert Benchmark.objects.filter(status="active").count() == 2


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "MISSING_FIELD"),
        ("", "MISSING_FIELD"),
        *[({"benchmark_id": value}, "INVALID_FIELD") for value in (5, "", "\0", "\ud800", [], False)],
    ],
)
def test_the_key_is_required_and_holds_an_id_or_null(send: Any, body: Any, code: str) -> None:
    rule = make_rule(benchmark=make_benchmark())
    answer = send("put", f"{RULES}/{rule.pk}/benchmark", body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (400, code, "benchmark_id")
    assert Rule.objects.get().benchmark_id is not None


def test_the_database_itself_holds_no_rule_on_a_retired_benchmark() -> None:
    attached, retired = make_benchmark(), make_benchmark("Gone", status="retired")
    rule = make_rule(benchmark=attached)

    def commit(rows: QuerySet[Any], **values: Any) -> None:
        with transaction.atomic():
            rows.update(**values)
            connection.check_constraints()

    with pytest.raises(IntegrityError):
        commit(Benchmark.objects.filter(pk=attached.pk), status="retired")
    with pytest.raises(IntegrityError):
        commit(Rule.objects.filter(pk=rule.pk), benchmark_id=retired.pk)


@pytest.mark.parametrize("scope", ["loop:read", None])
def test_reading_is_not_enough_to_write(client: Client, scope: str | None) -> None:
    rule, benchmark = make_rule(), make_benchmark()
    headers = {"X-API-Key": make_key(scope)} if scope else {}
    for method, path in (
        ("post", BENCHMARKS),
        ("post", f"{BENCHMARKS}/{benchmark.pk}/retire"),
        ("put", f"{RULES}/{rule.pk}/benchmark"),
    ):
        answer = getattr(client, method)(path, "{}", content_type="application/json", headers=headers)
        assert answer.status_code == (403 if scope else 401)
    assert Benchmark.objects.get().status == "active"


def test_a_call_in_this_process_writes_in_the_name_it_gives_and_nobody_else_s_is_believed() -> None:
    inside = Client(**{"benchtrend.workspace": "ws_local", "benchtrend.actor": "ana"})
    outside = Client(**{"benchtrend.actor": "ana"})
    silent = Client(**{"benchtrend.workspace": "ws_local"})
    headers = {"X-API-Key": make_key("loop:write")}
    for client, sent, who in ((inside, {}, "ana"), (silent, {}, "dashboard"), (outside, headers, "test")):
        url = f"{BENCHMARKS}/{make_benchmark(who).pk}/retire"
        answer = client.post(url, "{}", content_type="application/json", headers=sent)
        assert answer.json()["benchmark"]["retired_by"] == who


def test_a_benchmark_has_no_update_and_no_delete(send: Any) -> None:
    benchmark = make_benchmark()
    for method in ("put", "patch", "delete", "post"):
        answer = send(method, f"{BENCHMARKS}/{benchmark.pk}", {"name": "Other"})
        assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert Benchmark.objects.get().name == benchmark.name


def test_times_are_stored_in_utc(send: Any) -> None:
    send("post", f"{BENCHMARKS}/{make_benchmark().pk}/retire", {})
    retired_at = Benchmark.objects.get().retired_at
    assert retired_at is not None
    assert retired_at.tzinfo is UTC


def test_a_benchmark_without_conversations_cannot_be_attached_and_one_that_an_import_tied_stays(send: Any) -> None:
    empty = make_benchmark("Imported", items=0)
    rule, tied = make_rule(), make_rule("Tied", benchmark=empty)
    answer = send("put", f"{RULES}/{rule.pk}/benchmark", {"benchmark_id": empty.pk})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (409, "BENCHMARK_WITHOUT_ITEMS", "benchmark_id")
    assert error["message"] == "The benchmark 'Imported' has no conversations, so no rule can replay it."
    rule.refresh_from_db()
    assert rule.benchmark_id is None
    assert send("put", f"{RULES}/{tied.pk}/benchmark", {"benchmark_id": empty.pk}).status_code == 200
    assert send("put", f"{RULES}/{tied.pk}/benchmark", {"benchmark_id": None}).json()["rule"]["benchmark_id"] is None
