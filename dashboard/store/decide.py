"""What people decide about a training run, and what its deadline decides where nobody does: the state machine.

Each write locks the rule first and the run after it, so two people who decide at once wait for each other; the later
one finds what the first one made of it. Each transition is one row of the timeline, in the same transaction.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from dashboard.contract import ACTIONS, FINAL_STATES
from dashboard.store.errors import DomainError, Kind, not_found
from dashboard.store.models import BenchmarkRun, Evaluation, Rule, RunEvent, TrainingRun

ENDS = {"promote": "promoted", "reject": "rejected", "rollback": "rolled_back", "cancel": "cancelled"}
SURE_VERDICTS = ("better", "not_better")
SERVICE = "service"
"""Who transitions that no person asked for are by."""
LAPSED = "Nobody decided before the deadline."
_RUN_FIELDS = (
    "state", "state_entered_at", "last_reason", "finished_at", "candidate_status", "decision", "decided_by",
    "decided_at", "serving_before", "rollback_available_until", "review_deadline_at",
)  # fmt: skip


def filter_state(runs: QuerySet[TrainingRun], state: str, now: datetime) -> QuerySet[TrainingRun]:
    """The runs in this state now: one whose deadline passed is expired, written or not."""
    lapsed = Q(state="awaiting_review", review_deadline_at__lte=now)
    if state == "expired":
        return runs.filter(Q(state="expired") | lapsed)
    return runs.filter(state=state).exclude(lapsed) if state == "awaiting_review" else runs.filter(state=state)


def expire(run: TrainingRun, now: datetime) -> RunEvent | None:
    """Let the run in memory be expired if its deadline passed. The timeline's row for it, or None; nothing is saved."""
    deadline = run.review_deadline_at
    if run.state != "awaiting_review" or deadline is None or deadline > now:
        return None
    return _enter(run, "expired", SERVICE, deadline, LAPSED)


def expire_overdue(now: datetime) -> int:
    """Write down every deadline that passed, in all workspaces, each in a transaction of its own. How many there were.

    Readers do not wait for it: `expire` and `filter_state` say the same before it was written.
    """
    overdue = filter_state(TrainingRun.objects.filter(state="awaiting_review"), "expired", now)
    written = 0
    for run_id in list(overdue.order_by("review_deadline_at", "id").values_list("pk", flat=True)):
        with transaction.atomic():
            run = TrainingRun.objects.select_for_update().filter(pk=run_id).first()
            written += run is not None and _save(run, expire(run, now))
    return written


def list_actions(run: TrainingRun, now: datetime, *, has_candidate: bool) -> dict[str, bool]:
    """Each action by name, and whether it can be taken now."""
    return {action: _find_obstacle(action, run, now, has_candidate) is None for action in ACTIONS}


def find_candidate(run: TrainingRun) -> dict[str, Any] | None:
    """The model that the run would have serve, {kind, name, deployment_id, model_version}; None where it has none.

    It is the one that was compared, else the one that was replayed.
    """
    bodies = Evaluation.objects.filter(run_id=run.pk).values_list("body__candidate_ref", flat=True)
    refs = BenchmarkRun.objects.filter(run_id=run.pk).values_list("candidate_ref", flat=True)
    return choose_candidate(*bodies, *refs)


def choose_candidate(*refs: dict[str, Any] | None) -> dict[str, Any] | None:
    """The first of these that names a model."""
    return next((ref for ref in refs if ref and ref.get("name")), None)


def await_review(workspace_id: str, run_id: str, now: datetime) -> TrainingRun:
    """Have a person decide about a reported run, within its rule's review window. Raises DomainError."""
    with transaction.atomic():
        run, rule = _lock(workspace_id, run_id)
        if run.state != "reported" or run.finished_at is not None or rule is None or find_candidate(run) is None:
            raise _refuse(f"Run {run.seq} is {run.state}: only a reported one with a rule and a candidate is reviewed.")
        run.review_deadline_at = now + timedelta(hours=rule.review_window_hours)
        _save(run, _enter(run, "awaiting_review", SERVICE, now))
    return run


def decide(
    action: str,
    workspace_id: str,
    run_id: str,
    *,
    actor: str,
    now: datetime,
    reason: str = "",
    expected_revision: int | None = None,
    force: bool = False,
) -> dict[str, Any] | None:
    """Take one of ACTIONS. What the rule serves then, after a promotion or rollback; else None.

    What was done is done: nothing changes, and the record keeps who was first. Raises DomainError: MISSING, or CONFLICT
    ACTION_NOT_AVAILABLE; for a promotion also REVISION_MISMATCH and INCONCLUSIVE_REQUIRES_FORCE. A refusal changes
    nothing, but that a deadline which had passed is written down.
    """
    with transaction.atomic():
        run, rule = _lock(workspace_id, run_id)
        _save(run, expire(run, now))
        refusal = None
        if run.state != ENDS[action]:
            candidate = find_candidate(run)
            obstacle = _find_obstacle(action, run, now, candidate is not None)
            refusal = _refuse(obstacle) if obstacle else None
            if action == "promote" and rule and not refusal:
                refusal = _check_promotion(run, rule, expected_revision, force)
            if not refusal:
                _take(action, run, rule, candidate, actor, now, reason)
        serving = rule.serving if rule and action in ("promote", "rollback") else None
    if refusal:
        raise refusal
    return serving


def _lock(workspace_id: str, run_id: str) -> tuple[TrainingRun, Rule | None]:
    """The run and its rule, locked in the order in which everybody locks them. Raises DomainError (MISSING)."""
    found = TrainingRun.objects.filter(workspace_id=workspace_id, pk=run_id)
    rule = Rule.objects.select_for_update().filter(pk__in=found.values("rule_id")).first()
    run = found.select_for_update().first()
    if run is None:
        raise not_found("training run")
    return run, rule if run.rule_id else None


def _find_obstacle(action: str, run: TrainingRun, now: datetime, has_candidate: bool) -> str | None:
    """Why the action cannot be taken, as a sentence that names the state; None where it can."""
    is_state = f"Run {run.seq} is {run.state}"
    match action:
        case "rollback":
            if run.state != "promoted":
                return f"{is_state}: only a promoted one can be rolled back."
            until = run.rollback_available_until
            if until is None or run.serving_before is None or run.rule_id is None:
                return f"{is_state}, and what served before it is not known, so it cannot be rolled back."
            return None if now < until else f"{is_state}, and could be rolled back until {until:%Y-%m-%d %H:%M} UTC."
        case "cancel":
            over = run.state in FINAL_STATES or run.finished_at is not None
            return f"{is_state} and over: there is nothing to cancel." if over else None
    if run.state != "awaiting_review":
        return f"{is_state}: only one that awaits review can be {ENDS[action]}."
    if action == "promote" and run.rule_id is None:
        return f"{is_state}, but its rule is gone, so nothing can serve its candidate."
    if action == "promote" and not has_candidate:
        return f"{is_state}, but names no candidate that could serve."
    return None


def _check_promotion(run: TrainingRun, rule: Rule, expected_revision: int | None, force: bool) -> DomainError | None:
    if expected_revision not in (None, rule.accepted_revision):
        return _refuse(
            f"The rule's accepted revision is {rule.accepted_revision}, not {expected_revision}: its terms changed.",
            "REVISION_MISMATCH",
        )
    if run.verdict not in SURE_VERDICTS and not force:
        return _refuse(
            f"The paired verdict of run {run.seq} is {run.verdict or 'not there'}: promoting it takes force.",
            "INCONCLUSIVE_REQUIRES_FORCE",
        )
    return None


def _take(
    action: str,
    run: TrainingRun,
    rule: Rule | None,
    candidate: dict[str, Any] | None,
    actor: str,
    now: datetime,
    reason: str,
) -> None:
    detail: dict[str, Any] = {}
    if rule and action == "promote":
        _save(run, _enter(run, "promoting", actor, now))
        run.serving_before = rule.serving
        run.rollback_available_until = now + timedelta(hours=rule.rollback_window_hours)
        detail = {"serving": candidate, "serving_before": rule.serving}
        _serve(rule, candidate or {}, now)
        _supersede(run, now)
    elif rule and action == "rollback":
        detail = {"serving": run.serving_before, "serving_before": rule.serving}
        _serve(rule, run.serving_before or {}, now)
        run.rollback_available_until = now
    run.decided_by, run.decided_at = actor, now
    if action != "cancel":  # the wire has no decision for it
        run.decision = ENDS[action]
    _save(run, _enter(run, ENDS[action], actor, now, reason, detail))


def _serve(rule: Rule, model: dict[str, Any], now: datetime) -> None:
    rule.serving, rule.updated_at = model, now
    rule.save(update_fields=["serving", "updated_at"])


def _supersede(promoted: TrainingRun, now: datetime) -> None:
    """Of the rule's other runs, close the way back of those promoted before, and end those that wait for review."""
    others = TrainingRun.objects.filter(rule_id=promoted.rule_id).exclude(pk=promoted.pk)
    others.filter(state="promoted", rollback_available_until__gt=now).update(rollback_available_until=now)
    for other in others.select_for_update().filter(state="awaiting_review").order_by("pk"):
        reason = f"Run {promoted.seq} was promoted."
        _save(other, expire(other, now) or _enter(other, "superseded", SERVICE, now, reason))


def _enter(
    run: TrainingRun, state: str, actor: str, at: datetime, reason: str = "", detail: dict[str, Any] | None = None
) -> RunEvent:
    """Move the run in memory; the timeline's row for it, without a place yet. What ends a run closes its candidate."""
    event = RunEvent(
        run=run, ts=at, from_state=run.state, to_state=state, reason=reason, detail=detail or {}, actor=actor
    )
    run.state, run.state_entered_at = state, at
    run.last_reason = reason or run.last_reason
    if state in FINAL_STATES:
        run.finished_at = run.finished_at or at
        run.candidate_status = "closed"
    return event


def _save(run: TrainingRun, event: RunEvent | None) -> bool:
    """Write the run and the event of a transition, at the timeline's end; False where there was none."""
    if event is None:
        return False
    event.seq = (run.timeline.aggregate(top=Max("seq"))["top"] or 0) + 1
    event.save(force_insert=True)
    run.save(update_fields=_RUN_FIELDS)
    return True


def _refuse(message: str, code: str = "ACTION_NOT_AVAILABLE") -> DomainError:
    return DomainError(Kind.CONFLICT, code, message)
