"""Deciding over the API: what each action changes and refuses, and what a passed deadline means to every reader."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.store.models import Rule, RunEvent, TrainingRun
from tests.factories import (
    CANDIDATE,
    INCUMBENT,
    START,
    make_benchmark,
    make_evaluation,
    make_key,
    make_replay,
    make_rule,
    make_run,
    make_workspace,
)

pytestmark = pytest.mark.django_db
RUNS = "/api/loop/training-runs"
NOTHING = {"promote": False, "reject": False, "rollback": False, "cancel": False}


def make_waiting(rule: Rule | None = None, *, verdict: str | None = "better", **fields: Any) -> TrainingRun:
    """A run that awaits review until tomorrow, with a paired comparison of its candidate."""
    values = {"review_deadline_at": timezone.now() + timedelta(days=1), "verdict": verdict} | fields
    run = make_run(rule=rule or make_rule(serving=INCUMBENT), **values)
    make_evaluation(run, candidate_ref=CANDIDATE)
    return run


def read_run(get: Any, run: TrainingRun) -> Any:
    """The run as a key that may write sees it."""
    return get(f"{RUNS}/{run.pk}", X_API_Key=make_key("loop:read", "loop:write")).json()


def read_states(run: TrainingRun) -> list[tuple[str | None, str, str, str]]:
    return list(run.timeline.order_by("seq").values_list("from_state", "to_state", "actor", "reason"))


def refusal(answer: Any) -> tuple[int, str, str]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["message"]


def test_promoting_has_the_candidate_serve_and_says_so_everywhere(send: Any, get: Any) -> None:
    run = make_waiting()
    assert read_run(get, run)["available_actions"] == NOTHING | {"promote": True, "reject": True, "cancel": True}
    before = timezone.now()
    answer = send("post", f"{RUNS}/{run.pk}/promote", {"expected_revision": 1})
    assert answer.status_code == 200
    body = answer.json()
    assert body["serving"] == CANDIDATE == Rule.objects.get().serving
    promoted = body["run"]
    assert (promoted["state"], promoted["decision"], promoted["decided_by"]) == ("promoted", "promoted", "test")
    assert (promoted["candidate_name"], promoted["candidate_status"]) == (CANDIDATE["name"], "closed")
    assert promoted["serving_before"] == INCUMBENT
    run.refresh_from_db()
    assert run.decided_at == run.finished_at == run.state_entered_at
    assert run.decided_at >= before
    assert run.rollback_available_until == run.decided_at + timedelta(days=7)
    assert read_states(run) == [("awaiting_review", "promoting", "test", ""), ("promoting", "promoted", "test", "")]
    assert run.timeline.last().detail == {"serving": CANDIDATE, "serving_before": INCUMBENT}
    assert read_run(get, run)["available_actions"] == NOTHING | {"rollback": True}


def test_the_window_to_roll_back_is_the_rule_s_own(send: Any) -> None:
    run = make_waiting(make_rule(rollback_window_hours=5))
    send("post", f"{RUNS}/{run.pk}/promote", {})
    run.refresh_from_db()
    assert run.rollback_available_until == run.decided_at + timedelta(hours=5)


def test_a_candidate_that_was_only_replayed_can_be_promoted(send: Any) -> None:
    run = make_run(rule=make_rule(), verdict="better")
    make_replay(make_benchmark(), run=run)
    assert send("post", f"{RUNS}/{run.pk}/promote", {}).json()["serving"] == CANDIDATE


def test_rejecting_changes_nothing_that_serves_and_keeps_the_reason(send: Any, get: Any) -> None:
    run = make_waiting()
    body = send("post", f"{RUNS}/{run.pk}/reject", {"reason": "  Too terse. "}).json()
    assert (body["serving"], body["run"]["decision"], body["run"]["last_reason"]) == (None, "rejected", "Too terse.")
    assert read_states(run) == [("awaiting_review", "rejected", "test", "Too terse.")]
    assert Rule.objects.get().serving == INCUMBENT
    assert read_run(get, run)["available_actions"] == NOTHING


def test_rolling_back_restores_what_served(send: Any, get: Any) -> None:
    run = make_waiting()
    send("post", f"{RUNS}/{run.pk}/promote", {})
    body = send("post", f"{RUNS}/{run.pk}/rollback", {"reason": "Complaints."}).json()
    assert body["serving"] == INCUMBENT == Rule.objects.get().serving
    assert (body["run"]["state"], body["run"]["decision"]) == ("rolled_back", "rolled_back")
    assert read_states(run)[-1] == ("promoted", "rolled_back", "test", "Complaints.")
    assert read_run(get, run)["available_actions"] == NOTHING


@pytest.mark.parametrize("state", ["training", "reported", "awaiting_review", "waiting_funds"])
def test_any_run_that_is_not_over_can_be_cancelled(send: Any, state: str) -> None:
    run = make_run(state=state)
    body = send("post", f"{RUNS}/{run.pk}/cancel", {"reason": "Wrong data."}).json()
    assert (body["run"]["state"], body["run"]["decision"], body["run"]["decided_by"]) == ("cancelled", None, "test")
    assert body["serving"] is None
    assert read_states(run) == [(state, "cancelled", "test", "Wrong data.")]


@pytest.mark.parametrize("action", ["promote", "reject", "rollback", "cancel"])
def test_whoever_comes_late_gets_what_stands(send: Any, action: str) -> None:
    run = make_waiting()
    if action == "rollback":
        send("post", f"{RUNS}/{run.pk}/promote", {})
    first = send("post", f"{RUNS}/{run.pk}/{action}", {})
    events = RunEvent.objects.count()
    second = send(
        "post", f"{RUNS}/{run.pk}/{action}", {"expected_revision": 9} if action == "promote" else {"reason": "Me too."}
    )
    assert (first.status_code, second.status_code) == (200, 200)
    assert second.json() == first.json()
    assert RunEvent.objects.count() == events


def test_a_promotion_ends_what_waits_and_closes_the_way_back_of_older_ones(send: Any, get: Any) -> None:
    rule = make_rule(serving=INCUMBENT)
    older, waiting, late = make_waiting(rule), make_waiting(rule), make_waiting(rule, review_deadline_at=START)
    elsewhere, newest = make_waiting(make_rule("Other")), make_waiting(rule)
    send("post", f"{RUNS}/{older.pk}/promote", {})
    waiting.refresh_from_db()
    assert waiting.state == "superseded"
    assert read_states(waiting)[-1] == ("awaiting_review", "superseded", "service", f"Run {older.seq} was promoted.")
    late.refresh_from_db()
    assert (late.state, late.state_entered_at) == ("expired", START)
    assert TrainingRun.objects.get(pk=elsewhere.pk).state == "awaiting_review"
    TrainingRun.objects.filter(pk=newest.pk).update(state="awaiting_review", finished_at=None)
    send("post", f"{RUNS}/{newest.pk}/promote", {})
    assert read_run(get, older)["available_actions"] == NOTHING
    status, code, message = refusal(send("post", f"{RUNS}/{older.pk}/rollback", {}))
    assert (status, code) == (409, "ACTION_NOT_AVAILABLE")
    assert "could be rolled back until" in message


@pytest.mark.parametrize(
    ("action", "fields", "said"),
    [
        ("promote", {"state": "training"}, "is training: only one that awaits review can be promoted"),
        ("reject", {"state": "promoted"}, "is promoted"),
        ("rollback", {"state": "awaiting_review"}, "is awaiting_review: only a promoted one"),
        ("rollback", {"state": "promoted"}, "what served before it is not known"),
        (
            "rollback",
            {"state": "promoted", "serving_before": INCUMBENT, "rollback_available_until": START},
            "is promoted, and could be rolled back until 2026-01-05 09:00 UTC",
        ),
        ("cancel", {"state": "failed"}, "is failed and over"),
        ("cancel", {"state": "reported", "finished_at": START}, "is reported and over"),
        ("promote", {"review_deadline_at": START}, "is expired"),
    ],
)
def test_an_action_that_is_not_available_names_the_state_and_changes_nothing(
    send: Any, get: Any, action: str, fields: dict[str, Any], said: str
) -> None:
    run = make_waiting(**fields)
    assert not read_run(get, run)["available_actions"][action]
    before = read_run(get, run)
    status, code, message = refusal(send("post", f"{RUNS}/{run.pk}/{action}", {}))
    assert (status, code) == (409, "ACTION_NOT_AVAILABLE")
    assert said in message
    assert read_run(get, run) == before
    assert Rule.objects.get().serving == INCUMBENT


def test_a_run_without_a_rule_or_a_candidate_is_promoted_by_nobody(send: Any, get: Any) -> None:
    bare, orphan = make_run(rule=make_rule("Bare"), verdict="better"), make_waiting()
    TrainingRun.objects.filter(pk=orphan.pk).update(rule=None)
    for run, said in ((bare, "names no candidate"), (orphan, "its rule is gone")):
        assert read_run(get, run)["available_actions"] == NOTHING | {"reject": True, "cancel": True}
        assert said in refusal(send("post", f"{RUNS}/{run.pk}/promote", {}))[2]
        assert send("post", f"{RUNS}/{run.pk}/reject", {}).status_code == 200


def test_a_revision_that_moved_refuses_the_promotion(send: Any) -> None:
    run = make_waiting(make_rule(accepted_revision=3, revision=3))
    status, code, message = refusal(send("post", f"{RUNS}/{run.pk}/promote", {"expected_revision": 2}))
    assert (status, code) == (409, "REVISION_MISMATCH")
    assert "is 3, not 2" in message
    assert send("post", f"{RUNS}/{run.pk}/promote", {"expected_revision": 3}).status_code == 200


@pytest.mark.parametrize("verdict", ["inconclusive", "not_evaluated", None])
def test_an_unsure_verdict_is_promoted_by_force_alone(send: Any, verdict: str | None) -> None:
    run = make_waiting(verdict=verdict)
    for body in ({}, {"force": False}):
        status, code, message = refusal(send("post", f"{RUNS}/{run.pk}/promote", body))
        assert (status, code) == (409, "INCONCLUSIVE_REQUIRES_FORCE")
        assert (verdict or "not there") in message
    assert send("post", f"{RUNS}/{run.pk}/promote", {"force": True}).json()["run"]["state"] == "promoted"


@pytest.mark.parametrize(
    ("action", "body", "field"),
    [
        ("promote", {"force": "true"}, "force"),
        ("promote", {"force": 1}, "force"),
        ("promote", {"expected_revision": "1"}, "expected_revision"),
        ("promote", {"reason": "x"}, "reason"),
        ("reject", {"reason": "x" * 501}, "reason"),
        ("cancel", {"reason": "\0"}, "reason"),
        ("rollback", {"force": True}, "force"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    send: Any, action: str, body: dict[str, Any], field: str
) -> None:
    run = make_waiting()
    answer = send("post", f"{RUNS}/{run.pk}/{action}", body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert not RunEvent.objects.exists()


def test_another_workspace_s_run_and_an_unknown_one_are_not_there(send: Any) -> None:
    theirs = make_run(workspace=make_workspace())
    for run_id in (theirs.pk, "run_none"):
        for action in NOTHING:
            assert send("post", f"{RUNS}/{run_id}/{action}", {}).status_code == 404


def test_a_key_that_may_only_read_is_offered_nothing_and_does_nothing(get: Any, send: Any, secret: str) -> None:
    run = make_waiting()
    assert get(f"{RUNS}/{run.pk}").json()["available_actions"] == NOTHING
    answer = send("post", f"{RUNS}/{run.pk}/promote", {}, **{"X-API-Key": secret})
    assert refusal(answer)[:2] == (403, "MISSING_SCOPE")


def test_a_passed_deadline_is_expired_for_every_reader_before_anybody_wrote_it(get: Any) -> None:
    deadline = timezone.now() - timedelta(minutes=1)
    rule = make_rule()
    run, waiting = make_waiting(rule, review_deadline_at=deadline), make_waiting(rule)
    RunEvent.objects.create(run=run, seq=4, ts=START, from_state="reported", to_state="awaiting_review")
    body = read_run(get, run)
    assert body["run"]["state"] == "expired"
    assert body["run"]["finished_at"] == body["run"]["state_entered_at"]
    last = body["timeline"][-1]
    assert (last["seq"], last["from_state"], last["to_state"], last["actor"]) == (
        5,
        "awaiting_review",
        "expired",
        "service",
    )
    assert body["available_actions"] == NOTHING
    for query, found in (("state=expired", run), ("state=awaiting_review", waiting)):
        page = get(f"{RUNS}?{query}").json()
        assert ([row["id"] for row in page["runs"]], page["total"]) == ([found.pk], 1)
        assert page["runs"][0]["state"] == query.removeprefix("state=")
    recent = get(f"/api/loop/training-rules/{rule.pk}").json()["recent_runs"]
    assert {row["id"]: row["state"] for row in recent} == {run.pk: "expired", waiting.pk: "awaiting_review"}
    assert TrainingRun.objects.get(pk=run.pk).state == "awaiting_review"


def test_the_next_action_writes_a_passed_deadline_although_it_is_refused(send: Any, get: Any) -> None:
    deadline = timezone.now() - timedelta(minutes=1)
    run = make_waiting(review_deadline_at=deadline)
    seen = read_run(get, run)
    assert refusal(send("post", f"{RUNS}/{run.pk}/reject", {}))[0] == 409
    run.refresh_from_db()
    assert (run.state, run.finished_at, run.candidate_status) == ("expired", deadline, "closed")
    assert read_states(run) == [("awaiting_review", "expired", "service", "Nobody decided before the deadline.")]
    written = read_run(get, run)
    assert written["timeline"] == seen["timeline"]


def test_runs_can_be_narrowed_by_verdict(get: Any) -> None:
    make_run(verdict="better")
    unsure = make_run(verdict="inconclusive")
    page = get(f"{RUNS}?verdict=inconclusive&state=awaiting_review").json()
    assert ([row["id"] for row in page["runs"]], page["total"]) == ([unsure.pk], 1)
    assert get(f"{RUNS}?verdict=good").status_code == 400


def test_reading_a_run_and_a_list_costs_the_same_whatever_expired(get: Any) -> None:
    run = make_waiting(review_deadline_at=START)
    get(f"{RUNS}/{run.pk}")
    with CaptureQueriesContext(
        connection,
    ) as one:
        get(f"{RUNS}/{run.pk}")
    with CaptureQueriesContext(connection) as page:
        get(RUNS)
    for _ in range(20):
        make_waiting(run.rule, review_deadline_at=START)
    with CaptureQueriesContext(connection) as longer:
        get(RUNS)
    assert len(page) == len(longer)
    assert len(one) <= len(page) + 2
