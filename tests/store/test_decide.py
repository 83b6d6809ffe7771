"""The state machine of a training run below the API: who is first, what the worker writes, how a review begins."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from dashboard.store.decide import await_review, decide, expire_overdue
from dashboard.store.errors import DomainError
from dashboard.store.models import Rule, RunEvent, TrainingRun
from tests.factories import CANDIDATE, INCUMBENT, START, make_evaluation, make_rule, make_run

ROUNDS = 12
Decision = tuple[str, TrainingRun, str]
"""(action, run, actor)."""


def make_waiting(rule: Rule, **fields: Any) -> TrainingRun:
    run = make_run(rule=rule, verdict="better", **fields)
    make_evaluation(run, candidate_ref=CANDIDATE | {"name": f"candidate-{run.seq}"})
    return run


def decide_at_once(*decisions: Decision) -> list[str]:
    """What came of each, made in threads of their own at one moment: "done", or the code of the refusal."""
    start = Barrier(len(decisions))

    def take(decision: Decision) -> str:
        action, run, actor = decision
        try:
            start.wait(10)
            decide(action, run.workspace_id, run.pk, actor=actor, now=timezone.now())
        except DomainError as refusal:
            return refusal.code
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(len(decisions)) as pool:
        return list(pool.map(take, decisions))


@pytest.mark.django_db(transaction=True)
def test_of_two_people_who_promote_and_reject_at_once_one_wins_and_the_other_is_told() -> None:
    outcomes: Counter[str] = Counter()
    for n in range(ROUNDS):
        run = make_waiting(make_rule(f"Rule {n}", serving=INCUMBENT))
        said = decide_at_once(("promote", run, "ana"), ("reject", run, "bo"))
        assert sorted(said) == ["ACTION_NOT_AVAILABLE", "done"]
        run.refresh_from_db()
        won = "promoted" if said[0] == "done" else "rejected"
        assert (run.state, run.decided_by) == (won, "ana" if won == "promoted" else "bo")
        assert run.timeline.filter(to_state=won).count() == 1
        assert (run.rule.serving == INCUMBENT) == (won == "rejected")
        outcomes[won] += 1
    assert outcomes.total() == ROUNDS


@pytest.mark.django_db(transaction=True)
def test_of_two_who_take_the_same_action_at_once_the_record_keeps_the_first() -> None:
    for n in range(ROUNDS):
        run = make_waiting(make_rule(f"Rule {n}", serving=INCUMBENT))
        assert decide_at_once(("promote", run, "ana"), ("promote", run, "bo")) == ["done", "done"]
        run.refresh_from_db()
        assert list(run.timeline.values_list("to_state", "actor")) == [
            ("promoting", run.decided_by),
            ("promoted", run.decided_by),
        ]
        assert run.serving_before == INCUMBENT


@pytest.mark.django_db(transaction=True)
def test_of_two_runs_of_a_rule_that_are_promoted_at_once_one_serves_and_the_other_is_superseded() -> None:
    for n in range(ROUNDS):
        rule = make_rule(f"Rule {n}", serving=INCUMBENT)
        runs = [make_waiting(rule), make_waiting(rule)]
        said = decide_at_once(("promote", runs[0], "ana"), ("promote", runs[1], "bo"))
        assert sorted(said) == ["ACTION_NOT_AVAILABLE", "done"]
        won = runs[said.index("done")]
        states = dict(TrainingRun.objects.filter(rule=rule).values_list("pk", "state"))
        assert sorted(states.values()) == ["promoted", "superseded"]
        assert states[won.pk] == "promoted"
        rule.refresh_from_db()
        assert rule.serving["name"] == f"candidate-{won.seq}"


@pytest.mark.django_db
def test_the_worker_writes_every_passed_deadline_once() -> None:
    now, rule = timezone.now(), make_rule()
    late = [make_waiting(rule, review_deadline_at=now - timedelta(minutes=n)) for n in range(3)]
    waits, endless = make_waiting(rule, review_deadline_at=now + timedelta(minutes=1)), make_waiting(rule)
    assert (expire_overdue(now), expire_overdue(now)) == (3, 0)
    for run in late:
        run.refresh_from_db()
        assert (run.state, run.finished_at, run.decision) == ("expired", run.review_deadline_at, None)
        assert list(run.timeline.values_list("to_state", "ts", "actor")) == [
            ("expired", run.review_deadline_at, "service")
        ]
    assert set(TrainingRun.objects.filter(state="awaiting_review")) == {waits, endless}


@pytest.mark.django_db
def test_a_reported_run_with_a_candidate_awaits_review_for_the_rule_s_window() -> None:
    now = timezone.now()
    run = make_waiting(make_rule(review_window_hours=48), state="reported")
    await_review(run.workspace_id, run.pk, now)
    run.refresh_from_db()
    assert (run.state, run.review_deadline_at) == ("awaiting_review", now + timedelta(hours=48))
    assert list(run.timeline.values_list("seq", "from_state", "to_state")) == [(1, "reported", "awaiting_review")]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "build",
    [
        lambda: make_waiting(make_rule(), state="training"),
        lambda: make_waiting(make_rule(), state="reported", finished_at=START),
        lambda: make_run(rule=make_rule(), state="reported"),
        lambda: make_run(state="reported"),
    ],
)
def test_no_other_run_awaits_review(build: Callable[[], TrainingRun]) -> None:
    run = build()
    with pytest.raises(DomainError, match="only a reported one with a rule and a candidate"):
        await_review(run.workspace_id, run.pk, timezone.now())
    assert not RunEvent.objects.exists()
