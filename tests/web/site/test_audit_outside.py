"""What was not done on a page is in the audit log too: writes with a key, and commands on the server."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import get_resolver

from dashboard.api.http.views import LoopView
from dashboard.sources.connect import get_loop
from dashboard.store.models import ApiKey, Benchmark, Rule
from dashboard.web.models import AuditEntry
from dashboard.web.site import access
from tests.factories import make_benchmark, make_judge, make_key, make_rule, make_run, make_trace

pytestmark = pytest.mark.django_db

DIMENSIONS = [{"key": "helpful"}]


def call(method: str, path: str, body: Any = None, *, secret: str = "", **headers: str) -> Any:
    client = Client(raise_request_exception=False)
    headers = {"X-API-Key": secret or make_key("loop:write"), "X-Request-ID": "call-0001"} | headers
    return getattr(client, method)(f"/api{path}", json.dumps(body), "application/json", headers=headers)


def only_entry() -> AuditEntry:
    return AuditEntry.objects.get()


def test_a_write_with_a_key_is_written_down():
    answer = call("post", "/loop/judges", {"name": "Strict", "instructions": "x", "dimensions": DIMENSIONS})
    found, key = only_entry(), ApiKey.objects.get()
    assert (found.who_id, found.who_name) == (None, f"API key {key.name} ({key.pk})")
    assert (found.action, found.target_kind, found.target_name) == ("create", "judge", "Strict")
    assert (found.target_id, found.outcome) == (answer.json()["judge"]["id"], "done")
    assert found.request_id == "call-0001"


def test_each_write_says_what_it_changed():
    benchmark, rule, trace, judge = make_benchmark("Set"), make_rule("Nightly"), make_trace(), make_judge("Fair")
    pinned = [make_trace(f"Question {n}").pk for n in range(10)]
    source = {"kind": "traces", "trace_ids": pinned}
    body = {"name": "New", "judge_id": judge.pk, "source": source, "per_run_ceiling_cents": 100, "judge_model": "m"}
    assert call("post", "/loop/benchmarks", body).status_code == 201
    call("put", f"/loop/training-rules/{rule.pk}/benchmark", {"benchmark_id": benchmark.pk})
    call("put", f"/loop/training-rules/{rule.pk}/benchmark", {"benchmark_id": None})
    call("post", f"/loop/benchmarks/{benchmark.pk}/retire", {})
    call("post", "/loop/import", {"source": "s", "rows": [{"prompt": "A"}, 5], "import_id": "one"})
    call("delete", f"/loop/traces/{trace.pk}")
    columns = ("action", "target_kind", "target_id", "target_name", "message")
    assert list(AuditEntry.objects.order_by("id").values_list(*columns)) == [
        ("create", "benchmark", Benchmark.objects.get(name="New").pk, "New", "10 conversations, judge Fair"),
        ("attach", "rule", rule.pk, "Nightly", f"replays {benchmark.pk}"),
        ("detach", "rule", rule.pk, "Nightly", "replays nothing"),
        ("retire", "benchmark", benchmark.pk, "Set", ""),
        ("import", "conversations", "one", "", "1 imported, 1 refused"),
        ("delete", "conversation", trace.pk, "", ""),
    ]


@pytest.mark.parametrize("action", ["promote", "reject", "rollback", "cancel"])
def test_a_decision_with_a_key_is_written_down(action: str):
    run = make_run(state="training")
    answer = call("post", f"/loop/training-runs/{run.pk}/{action}", {})
    found = only_entry()
    assert (found.action, found.target_kind, found.target_id) == (action, "run", run.pk)
    assert found.outcome == ("done" if action == "cancel" else "refused")
    assert (found.code == "ACTION_NOT_AVAILABLE") == (answer.status_code == 409)


def test_a_refused_write_is_written_down_with_its_code():
    call("put", "/loop/training-rules/rule_x/benchmark", {"benchmark_id": None}, secret=make_key("loop:read"))
    found = only_entry()
    assert (found.action, found.target_id, found.outcome, found.code) == (
        "attach",
        "rule_x",
        "refused",
        "MISSING_SCOPE",
    )
    assert "loop:write" in found.message


def test_a_write_that_runloop_s_api_does_not_have_here_is_written_down_too():
    headers = {"Authorization": f"Bearer {make_key('loop:write')}"}
    assert Client().post("/v1/benchmark_runs/bmr_1/cancel", headers=headers).status_code == 405
    assert (only_entry().outcome, only_entry().code) == ("refused", "METHOD_NOT_ALLOWED")
    assert only_entry().action == "POST /v1/benchmark_runs/{id}"


def test_a_revoked_key_is_still_named():
    secret = make_key("loop:write")
    call_command("apikey", "revoke", ApiKey.objects.get().pk, stdout=StringIO())
    call("post", "/loop/judges", {}, secret=secret)
    found = AuditEntry.objects.get(code="API_KEY_REVOKED")
    assert (found.outcome, ApiKey.objects.get().pk in found.who_name) == ("refused", True)


def test_a_write_that_breaks_is_written_down_as_failed(monkeypatch):
    monkeypatch.setattr(LoopView, "read_body", lambda self: 1 / 0)
    assert call("post", "/loop/judges", {}).status_code == 500
    assert (only_entry().outcome, only_entry().code) == ("failed", "INTERNAL")


def test_strangers_reads_and_the_pages_own_calls_leave_no_entry():
    rule = make_rule()
    call("post", "/loop/judges", {}, secret="btk_nobody")
    Client().get("/api/loop/judges", headers={"X-API-Key": make_key("loop:read")})
    get_loop(actor="ada").set_rule_benchmark(rule.pk, make_benchmark().pk)
    assert Rule.objects.get().benchmark_id
    assert not AuditEntry.objects.exists()


def test_every_write_of_the_api_has_a_name_of_its_own():
    views = {
        getattr(pattern.callback, "view_class", None) for pattern in get_resolver("dashboard.api.urls").url_patterns
    }
    writes = [write for view in views for write in getattr(view, "writes", {}).values()]
    assert len(writes) >= 6
    assert len({(write.action, write.kind) for write in writes}) == len(writes)


@pytest.mark.parametrize(
    ("arguments", "entry"),
    [
        (["apikey", "create", "--name", "ci"], ("create", "API key", "ci", "scopes loop:read, for ever")),
        (["create_rule", "Nightly", "--serving", "a"], ("create", "rule", "Nightly", "serving a, training a")),
        (
            ["create_judge", "Strict", "--instructions", "x", "--dimension", "helpful=Does it?"],
            ("create", "judge", "Strict", "scores helpful"),
        ),
        (["import_conversations", "{file}", "--source", "qa"], ("import", "conversations", "qa", None)),
        (
            ["import_results", "--benchmark", "Imported", "--candidate", "{table}"],
            ("import", "benchmark", "Imported", None),
        ),
        (["import_runloop", "{runs}"], ("import", "agent runs", "bmd_1", None)),
        (["sample", "create"], ("create", "sample workspace", "", "")),
    ],
)
def test_a_command_that_wrote_is_written_down_and_a_dry_run_is_not(tmp_path, arguments, entry):
    places = {"file": tmp_path / "rows.jsonl", "table": tmp_path / "table.csv", "runs": tmp_path / "runs.json"}
    places["file"].write_text('{"prompt": "A"}')
    places["table"].write_text("checkpoint,candidate_score,incumbent_score\nstep-1,0.5,0.4\n")
    run = {"id": "bmr_1", "benchmark_id": "bmd_1", "state": "running", "start_time_ms": 1_741_000_000_000}
    places["runs"].write_text(json.dumps({"runs": [run]}))
    arguments = [text.format(**places) for text in arguments]
    if arguments[0].startswith("import"):
        call_command(*arguments, "--dry-run", stdout=StringIO())
        assert not AuditEntry.objects.exists()
    call_command(*arguments, stdout=StringIO())
    found = only_entry()
    assert (found.who_name, found.outcome, found.action) == ("command line", "done", entry[0])
    assert (found.target_kind, found.target_name) == entry[1:3]
    assert entry[3] is None or found.message == entry[3]
    if arguments[0] != "sample":
        assert found.message


def test_what_a_command_did_not_do_is_not_written_down():
    with pytest.raises(CommandError):
        call_command("create_rule", "", "--serving", "a")
    call_command("sample", "remove", stdout=StringIO())
    assert not AuditEntry.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_roles_outlive_the_emptying_of_the_database():
    call_command("flush", interactive=False, verbosity=0)
    assert {*Group.objects.values_list("name", flat=True)} == {*access.ROLES}
