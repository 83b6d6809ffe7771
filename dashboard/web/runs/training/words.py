"""Runs, verdicts and replays in words: what was decided and until when, why a number is missing; and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from dashboard.charts.numbers import choose_decimals, print_delta, print_score
from dashboard.sources.loop.runs import Agreement, Evaluation
from dashboard.sources.loop.wire import Benchmark, Instant, ModelRef, Replay, Score, TrainingRun, Unreadable
from dashboard.trend import Scale, describe_age
from dashboard.web.common.numbers import NOTHING, Number, show_count
from dashboard.web.common.times import show_age, show_moment
from dashboard.web.runs.training.case import Case

AWAITING = "awaiting_review"
DECIDED = {
    "promoted": "promoted",
    "auto_promoted": "promoted automatically",
    "rejected": "rejected",
    "auto_rejected": "rejected automatically",
    "rolled_back": "rolled back",
}
DONE = {"promote": "promoted", "reject": "rejected", "rollback": "rolled back", "cancel": "cancelled"}
"""Action -> what the run then is, in a sentence."""


def label_run(run: TrainingRun) -> str:
    return f"run #{run.seq}" if run.seq is not None else f"run {run.id}"


def name_checkpoint(run: TrainingRun) -> str:
    """The checkpoint letter for letter, else its step; "" without either."""
    return run.checkpoint_id or (f"step {run.checkpoint_step:,}" if run.checkpoint_step is not None else "")


def name_model(ref: ModelRef) -> str:
    """A model as a sentence names it: where it answers, and which version; "" where neither is known."""
    name = ref.name or ref.deployment_id or ""
    return f"{name} ({ref.model_version})" if ref.model_version and name else name or ref.model_version or ""


def name_judge(judged: Benchmark | Evaluation | None) -> str:
    """The judge and the model that it judges with."""
    parts = (judged.judge_name, judged.judge_model) if judged else ()
    return " on ".join(part for part in parts if part) or NOTHING


def describe_standing(run: TrainingRun, now: datetime) -> str:
    """What was decided, by whom and when; or until when somebody may; or that nobody did."""
    if run.decision:
        by = f" by {run.decided_by}" if run.decided_by else ""
        at = f", {say_moment(run.decided_at, now)}" if isinstance(run.decided_at, datetime) else ""
        return f"{DECIDED.get(run.decision, run.decision).capitalize()}{by}{at}."
    deadline = run.review_deadline_at
    when = say_moment(deadline, now) if isinstance(deadline, datetime) else ""
    if run.state == "expired":
        return f"Expired without a decision: the deadline was {when}." if when else "Expired without a decision."
    if run.state == AWAITING:
        if not isinstance(deadline, datetime):
            return "It awaits a decision; the service names no deadline."
        if deadline <= now:
            return f"Nobody decided before the deadline, which was {when}; the service calls it awaiting review still."
        return f"It awaits a decision until {when}; then it expires."
    return "Nobody decided." if run.state in ("superseded", "cancelled") else "No decision so far."


def say_until(given: Instant, now: datetime) -> str:
    """Likewise, of a moment that may not be there; "" then."""
    return say_moment(given, now) if isinstance(given, datetime) else ""


def say_moment(moment: datetime, now: datetime) -> str:
    """2026-12-01 09:30 UTC (in 10 hours), or (9 days ago)."""
    age = f"in {describe_age(moment - now)}" if moment > now else show_age(moment, now)
    return f"{show_moment(moment, now).text} ({age})"


def describe_agreement(agreement: Agreement | None) -> str:
    """How the judge agrees with the workspace's own reviewers, as far as that says anything."""
    if agreement is None:
        return "not known: the service gives none"
    pairs = "an unknown number of pairs" if agreement.pairs is None else show_count(agreement.pairs, "pair")
    days = f" in {agreement.window_days} days" if agreement.window_days else ""
    if not agreement.enough_pairs:
        return f"not enough overlap with your own reviewers yet: {pairs}{days}"
    return f"{show_share(agreement.agreement)} over {pairs}{days}"


def describe_replay(replay: Replay) -> str:
    """Why the replay has no number, or what is odd about the one it has; empty where neither."""
    reason = replay.status_reason or ("" if replay.status in ("done", "open") else "no reason was given")
    if replay.status == "open":
        return "It is still running, so it has no number yet."
    if replay.status != "done":
        return f"It has no number: {replay.status or 'no status'}, {reason}."
    if replay.candidate_score is None:
        return f"It is done and has no number: {reason or 'the service gave none'}."
    if replay.rows_total is not None and (replay.rows_scored or 0) < replay.rows_total:
        return f"Scored {say_count(replay.rows_scored)} of {replay.rows_total:,} rows: a partial number."
    return "There is no incumbent to compare with." if replay.incumbent_score is None else ""


def describe_gate(case: Case) -> str:
    """What the benchmark's number decides, which is nothing unless the rule says so."""
    rule = case.rule.rule if case.rule else None
    if rule and rule.benchmark_decides:
        rows = f" over at least {rule.benchmark_min_rows:,} rows" if rule.benchmark_min_rows is not None else ""
        delta = (
            f" a delta of {show_change(rule.benchmark_min_delta, 2).text}"
            if rule.benchmark_min_delta is not None
            else ""
        )
        return f"This rule's benchmark gates promotion:{delta or ' its number'}{rows} is asked for."
    return (
        "This number gates nothing. It is an absolute mean and carries the judge's whole variance, most of which the "
        "paired comparison cancels."
    )


def describe_place(case: Case) -> str:
    """The 14th candidate against this incumbent, in a sentence; empty where it is not known."""
    place = case.place
    if place is None:
        return "" if case.unread.get("history") else "Its replay is not among the newest on the trend."
    since = f", {place.since}" if place.since else ""
    least = "at least " if place.at_least else ""
    return (
        f"It is {least}the {show_ordinal(place.number)} candidate of this rule that was replayed against this "
        f"incumbent{since}. The more there are, the sooner one of them looks better by chance."
    )


def show_ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 14th, 21st."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number:,}{ending}"


def decide_decimals(scores: Sequence[Score], scale: Scale | None) -> int:
    return choose_decimals([score for score in scores if isinstance(score, float)], scale)


def show(score: Score, decimals: int = 2) -> Number:
    """A score, a dash for none, or what could not be read as it came."""
    if isinstance(score, Unreadable):
        return Number(f"unreadable: {score.raw}", "")
    return Number(NOTHING, "") if score is None else Number(print_score(score, decimals), repr(score + 0.0))


def show_change(delta: Score, decimals: int) -> Number:
    """A difference with its sign, in the neutral colour: nothing here says how large the noise is (T12)."""
    return Number(print_delta(delta, decimals), repr(delta + 0.0)) if isinstance(delta, float) else show(delta)


def show_share(share: Score) -> str:
    """0.59 as 59.0 %; a dash for none."""
    return f"{share * 100:.1f} %" if isinstance(share, float) else show(share).text


def say_count(number: int | None) -> str:
    return NOTHING if number is None else f"{number:,}"
