"""Builds the sample workspace's training runs: those of the story, and those of a rule that is just starting."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from dashboard.contract import FINAL_STATES
from dashboard.sample.story import PROMOTIONS, REVIEW_WINDOW, StoryRun, find_end, find_next_promotion
from dashboard.sample.words import PEOPLE
from dashboard.store.models import Rule, RunEvent, TrainingRun, Workspace

_TRAINING = ("built", "registering", "dataset_validating", "preflighting", "job_creating", "training")
_COMPARING = ("checkpoint_ready", "candidate_booking", "candidate_running", "evaluating", "reported", "awaiting_review")
_PATH = (*_TRAINING, *_COMPARING)
_PROMOTING = ("promoting", "promoted")
_REASONS = {
    "expired": "Nobody decided before the deadline.",
    "superseded": "A newer run was promoted.",
    "cancelled": "Trained on last week's export by mistake.",
    "rolled_back": "Complaints about the tone.",
    "failed": "The training job ended: out of GPU memory at step 40.",
    "budget_stopped": "Stopped at the training ceiling of 900 cents.",
    "waiting_funds": "The wallet holds less than the ceilings of this run.",
}
BY_PERSON = ("promoting", "promoted", "rejected", "rolled_back", "cancelled")
BEGINNINGS = (
    (*_PATH[:6], "failed"),
    (*_PATH[:6], "budget_stopped"),
    ("built", "waiting_funds"),
    (*_PATH, "promoting"),
    *(_PATH[:length] for length in range(10, 0, -1)),
)
"""The states that each run of the newest rule went through, the oldest run first."""


def draw_id(rng: random.Random, prefix: str) -> str:
    """An id as the service makes them, but the same every time."""
    return f"{prefix}_{rng.getrandbits(64):016x}"


def refer(name: str, version: str) -> dict[str, str]:
    return {"kind": "deployment", "name": name, "deployment_id": f"dep_{name}", "model_version": version}


def build_run(
    rng: random.Random,
    workspace: Workspace,
    rule: Rule,
    story: StoryRun,
    stories: Sequence[StoryRun],
    seq: int,
    now: datetime,
) -> TrainingRun:
    state, entered_at = find_end(story, stories, now)
    training, candidate, evaluation = story.rule.cents
    automatic = (story.decision or "").startswith("auto")
    trigger = rng.choice(("rows", "cadence"))
    billed = [round(training * rng.uniform(0.55, 0.9)), round(candidate * rng.uniform(0.3, 0.7))]
    person = rng.choice(PEOPLE)
    until = None
    if story.decision in PROMOTIONS and story.decided_at:
        until = min(
            story.decided_at + timedelta(days=7), find_next_promotion(story, stories) or now + timedelta(days=7)
        )
    return TrainingRun(
        id=draw_id(rng, "run"),
        workspace=workspace,
        sample=True,
        created_at=story.at - timedelta(hours=5),
        rule=rule,
        rule_name=rule.name,
        seq=seq,
        trigger=trigger,
        state=state,
        state_entered_at=entered_at,
        last_reason=_REASONS.get(state) or f"Paired comparison: {story.paired.verdict.replace('_', ' ')}.",
        training_ceiling_cents=training,
        candidate_ceiling_cents=candidate,
        eval_ceiling_cents=evaluation,
        billed_training_cents=billed[0],
        billed_candidate_cents=billed[1],
        spent_eval_cents=round(evaluation * rng.uniform(0.2, 0.4)),
        benchmark_spent_cents=spend(story),
        checkpoint_id=story.checkpoint,
        checkpoint_step=story.step,
        verdict=story.paired.verdict,
        decision=story.decision,
        decided_by=("policy" if automatic else person) if story.decision or state == "cancelled" else None,
        decided_at=entered_at if story.decision or state == "cancelled" else None,
        review_deadline_at=None if state == "reported" else story.at + REVIEW_WINDOW,
        rollback_available_until=until,
        serving_before=refer(story.rule.serving, story.incumbent) if until else None,
        candidate_status="closed" if state in FINAL_STATES else "running",
        finished_at=entered_at if state in FINAL_STATES else None,
    )


def spend(story: StoryRun) -> int:
    """Whole cents for the replay's judge; the cap itself when that is where it stopped."""
    if story.status == "budget_stopped":
        return story.benchmark.cap_cents
    return story.scored * story.benchmark.cap_cents // (2 * len(story.benchmark.conversations))


def build_timeline(run: TrainingRun, story: StoryRun) -> Iterator[RunEvent]:
    """A row for each state: the comparison at the replay's time, the end when it came."""
    asked = len(_PATH) if run.state != "reported" else len(_PATH) - 1
    states = list(_PATH[:asked])
    if run.state == "rolled_back":
        states += [*_PROMOTING, "rolled_back"]
    elif run.state == "promoted":
        states += _PROMOTING
    elif run.state not in states:
        states.append(run.state)
    times = [run.created_at + (story.at - run.created_at) * seq / asked for seq in range(1, asked + 1)]
    times += [run.state_entered_at] * (len(states) - asked)
    return _tell(run, states, times)


def build_beginnings(rng: random.Random, workspace: Workspace, rule: Rule, first_seq: int, now: datetime) -> Any:
    """(runs, events) of the rule that is just starting: nothing of it was compared, nothing was decided."""
    runs: list[TrainingRun] = []
    events: list[RunEvent] = []
    for place, states in enumerate(BEGINNINGS):
        created_at = now - timedelta(minutes=20 * (len(BEGINNINGS) - place))
        times = [created_at + timedelta(minutes=n) for n in range(len(states))]
        trained = "checkpoint_ready" in states
        over = states[-1] in FINAL_STATES
        run = TrainingRun(
            id=draw_id(rng, "run"),
            workspace=workspace,
            sample=True,
            created_at=created_at,
            rule=rule,
            rule_name=rule.name,
            seq=first_seq + place,
            trigger="rows",
            state=states[-1],
            state_entered_at=times[-1],
            last_reason=_REASONS.get(states[-1]),
            error_code="OUT_OF_MEMORY" if states[-1] == "failed" else None,
            training_ceiling_cents=rule.training_ceiling_cents,
            candidate_ceiling_cents=rule.candidate_ceiling_cents,
            eval_ceiling_cents=rule.eval_ceiling_cents,
            billed_training_cents=900 if states[-1] == "budget_stopped" else 410 if trained else 0,
            checkpoint_id=f"r{place + 1:03d}-step600" if trained else None,
            checkpoint_step=600 if trained else None,
            candidate_status="closed" if over else None,
            finished_at=times[-1] if over else None,
        )
        runs.append(run)
        events += _tell(run, states, times)
    return runs, events


def _tell(run: TrainingRun, states: Sequence[str], times: Sequence[datetime]) -> Iterator[RunEvent]:
    before: str | None = None
    for seq, (state, ts) in enumerate(zip(states, times, strict=True), 1):
        yield RunEvent(
            run=run,
            seq=seq,
            ts=ts,
            from_state=before,
            to_state=state,
            reason=_REASONS.get(state, ""),
            error_code=run.error_code if state == run.state else None,
            actor=run.decided_by or "service" if state in BY_PERSON else "service",
        )
        before = state
