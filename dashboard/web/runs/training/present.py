"""One run's case as a careful person reads it: the verdict with its warnings, two numbers, dimensions, cost.

It reads a `Case` alone, so that a record of a decision prints as the page did.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.urls import reverse

from dashboard.sources.loop.runs import Evaluation, RunActions
from dashboard.sources.loop.wire import DimensionScore, Rule, Score
from dashboard.trend import Scale, read_scale
from dashboard.web.common.ids import has_page
from dashboard.web.common.links import with_query
from dashboard.web.common.numbers import NOTHING, Number, show_cents, show_count
from dashboard.web.common.times import Moment, show_moment
from dashboard.web.runs.training.case import Case, digest_judge
from dashboard.web.runs.training.words import (
    decide_decimals,
    describe_agreement,
    describe_gate,
    describe_place,
    describe_replay,
    describe_standing,
    label_run,
    name_checkpoint,
    name_judge,
    name_model,
    say_count,
    show,
    show_change,
    show_share,
)


class Count(NamedTuple):
    """A count of paired conversations, with the address of the answers behind it; "" where there are none."""

    label: str
    text: str
    url: str


class Dimension(NamedTuple):
    """One rubric dimension, as one of the two measurements has it."""

    name: str
    incumbent: Number
    candidate: Number
    delta: Number


class Compared(NamedTuple):
    """The paired comparison. `missing`: why nothing of it is known; then the rest is empty."""

    missing: str = ""
    status: str = ""
    status_note: str = ""
    warnings: tuple[str, ...] = ()
    verdict: str = ""
    reason: str = ""
    counts: tuple[Count, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    dimensions: tuple[Dimension, ...] = ()


class Measured(NamedTuple):
    """The replay of the benchmark, likewise. `number_note`: why there is no number, or what is odd about it."""

    missing: str = ""
    name: str = ""
    url: str = ""
    status: str = ""
    number_note: str = ""
    scale: str = ""
    candidate: Number = Number(NOTHING, "")
    incumbent: Number = Number(NOTHING, "")
    delta: Number = Number(NOTHING, "")
    caption: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    place: str = ""
    replay_url: str = ""
    """Of the replay's own page; empty where it has none."""


class Cost(NamedTuple):
    name: str
    cents: str
    ceiling: str


class Costs(NamedTuple):
    """The four columns, their sum and that of the ceilings. `note` says what the sum leaves open."""

    rows: tuple[Cost, ...]
    total: str
    ceiling: str
    note: str


class ShownRun(NamedTuple):
    """What the run is."""

    id: str
    label: str
    checkpoint: str
    rule_name: str
    rule_url: str
    candidate: str
    incumbent: str
    state: str
    state_at: Moment
    reason: str
    standing: str
    """What was decided, or until when it can be, in a sentence."""
    deadline: Moment
    verdict: str


def find_sides(case: Case) -> tuple[str, str]:
    """Candidate and incumbent as the evidence names them, else as the run and its rule do; "" where nothing does."""
    run, replay, evaluation = case.detail.run, case.detail.benchmark, case.evaluation
    measured = [one for one in (evaluation, replay) if one]
    candidate = next(filter(None, (name_model(one.candidate_ref) for one in measured)), "")
    incumbent = next(filter(None, (name_model(one.incumbent_ref) for one in measured)), "")
    serves = run.serving_before or (case.rule.rule.serving if case.rule else None)
    return candidate or name_checkpoint(run), incumbent or (serves.name if serves else "")


def name_serving(rule: Rule | None) -> str:
    """What serves now, as its rule says; "" where nothing tells."""
    return (rule.serving.name or rule.serving.deployment_id or "") if rule else ""


def serves_other(case: Case) -> bool:
    """True where the rule serves another model by now than the candidate was compared with."""
    now = name_serving(case.rule.rule if case.rule else None)
    compared = case.evaluation.incumbent_ref.name if case.evaluation else ""
    return bool(now and compared and now != compared)


def build_run(case: Case, now: datetime) -> ShownRun:
    run = case.detail.run
    candidate, incumbent = find_sides(case)
    return ShownRun(
        run.id,
        label_run(run),
        name_checkpoint(run),
        run.rule_name or run.rule_id or "",
        reverse("rule", args=[run.rule_id]) if run.rule_id else "",
        candidate or NOTHING,
        incumbent or NOTHING,
        run.state or "no state",
        show_moment(run.state_entered_at, now, undated=run.undated),
        run.last_reason or run.error_code or "",
        describe_standing(run, now),
        show_moment(run.review_deadline_at, now),
        run.verdict or "",
    )


def build_compared(case: Case) -> Compared:
    run, evaluation = case.detail.run, case.evaluation
    if evaluation is None:
        return Compared(missing=case.unread.get("evaluation") or "This run has no paired comparison.")
    answers = reverse("run-answers", args=[run.id])
    scored = evaluation.rows_scored or 0
    counts = tuple(
        Count(
            label,
            NOTHING if number is None else f"{number:,}",
            with_query(answers, {"winner": winner}) if number else "",
        )
        for label, number, winner in (
            ("wins", evaluation.wins, "candidate"),
            ("losses", evaluation.losses, "incumbent"),
            ("ties", evaluation.ties, "tie"),
        )
    )
    note = ""
    if evaluation.status != "done":
        note = f"It is {evaluation.status or 'without a status'}: what stands here is not the whole of it."
    elif evaluation.rows_selected and scored < evaluation.rows_selected:
        note = f"Scored {scored:,} of {evaluation.rows_selected:,} conversations."
    if evaluation.last_error:
        note = f"{note} {evaluation.last_error}".strip()
    return Compared(
        status=evaluation.status or "no status",
        status_note=note,
        warnings=tuple(warning.message or warning.code for warning in evaluation.warnings),
        verdict=evaluation.verdict or run.verdict or "no verdict",
        reason=evaluation.verdict_reason or "",
        counts=counts,
        facts=tuple(_list_compared_facts(evaluation)),
        dimensions=build_dimensions(evaluation.per_dimension, None),
    )


def _list_compared_facts(evaluation: Evaluation) -> list[tuple[str, str]]:
    rate, ties, margin = evaluation.win_rate, evaluation.ties, evaluation.margin_used
    decided = (evaluation.wins or 0) + (evaluation.losses or 0)
    left_out = f"; {show_count(ties, 'tie')} left out" if ties else ""
    facts = [
        ("Win rate", f"{show_share(rate)} of {decided:,} decided{left_out}"),
        ("Mean of these rows", _say_means(evaluation.candidate_mean, evaluation.incumbent_mean, evaluation.mean_delta)),
    ]
    if margin is None:
        facts.append(("Margin used", "not stated"))
    else:
        parts = [
            f"a mean difference of {show(margin.promote_margin).text}",
            f"a win rate of {show_share(margin.promote_min_win_rate)}",
            f"{margin.min_holdout_rows:,} rows at least" if margin.min_holdout_rows is not None else "",
            f"judge agreement of {show_share(margin.min_judge_agreement)}" if margin.min_judge_agreement else "",
        ]
        facts.append(("Margin used", ", ".join(part for part in parts if part)))
    rows = [
        f"{number:,} {word}"
        for number, word in (
            (evaluation.rows_selected, "selected"),
            (evaluation.rows_scored, "scored"),
            (evaluation.rows_failed, "failed"),
        )
        if number is not None
    ]
    return [
        *facts,
        ("Judge agreement", describe_agreement(evaluation.judge_agreement)),
        ("Judge", name_judge(evaluation)),
        ("Judge's digest", digest_judge(evaluation)[:12] or NOTHING),
        ("Rows", ", ".join(rows) or NOTHING),
    ]


def build_measured(case: Case) -> Measured:
    replay, benchmark = case.detail.benchmark, case.benchmark
    if replay is None:
        return Measured(missing="No benchmark was replayed on this run, so it is no point on any trend.")
    scale = read_scale(benchmark.scoring.scale) if benchmark else None
    scores = (replay.candidate_score, replay.incumbent_score, replay.score_delta)
    decimals = decide_decimals(scores, scale)
    scored = replay.status == "done"
    digest = ""
    if benchmark and replay.items_digest and benchmark.items_digest != replay.items_digest:
        digest = "another set than the benchmark pins: not comparable with its other points"
    return Measured(
        name=replay.benchmark_name or (benchmark.name if benchmark else replay.benchmark_id),
        url=with_query(reverse("trend", args=[replay.benchmark_id]), {"replay": replay.id}),
        replay_url=reverse("replay", args=[replay.id]) if has_page(replay.id) else "",
        status=replay.status or "no status",
        number_note=describe_replay(replay),
        scale=benchmark.scoring.scale if benchmark else "",
        candidate=show(scores[0] if scored else None, decimals),
        incumbent=show(scores[1] if scored else None, decimals),
        delta=show_change(scores[2] if scored else None, decimals),
        caption=describe_gate(case),
        facts=(
            ("Rows", f"{say_count(replay.rows_scored)} scored of {say_count(replay.rows_total)}"),
            ("Set", f"{replay.items_digest[:12] or NOTHING}{f', {digest}' if digest else ''}"),
            ("Judge", name_judge(benchmark)),
            ("Judge's digest", digest_judge(benchmark)[:12] or NOTHING),
            ("Cost", f"{show_cents(replay.spent_cents)} of at most {show_cents(replay.ceiling_cents)}"),
        ),
        dimensions=build_dimensions(replay.per_dimension, scale),
        place=describe_place(case),
    )


def build_costs(case: Case) -> Costs:
    """All four columns. Where one is not stated there is no sum."""
    run, replay = case.detail.run, case.detail.benchmark
    cap = replay.ceiling_cents if replay else None
    columns = (
        ("Training", run.billed_training_cents, run.training_ceiling_cents),
        ("Candidate", run.billed_candidate_cents, run.candidate_ceiling_cents),
        ("Paired comparison", run.spent_eval_cents, run.eval_ceiling_cents),
        ("Benchmark", run.benchmark_spent_cents, None),
    )
    rows = tuple(
        Cost(name, show_cents(cents), "inside the comparison's" if name == "Benchmark" else show_cents(ceiling))
        for name, cents, ceiling in columns
    )
    if cap is not None:
        rows = (*rows[:3], rows[3]._replace(ceiling=f"inside the comparison's, itself at most {show_cents(cap)}"))
    spent = [cents for _name, cents, _ceiling in columns if cents is not None]
    ceilings = [ceiling for _name, _cents, ceiling in columns[:3] if ceiling is not None]
    unsaid = [name.lower() for name, cents, _ceiling in columns if cents is None]
    return Costs(
        rows,
        show_cents(sum(spent)) if not unsaid else NOTHING,
        show_cents(sum(ceilings)) if len(ceilings) == 3 else NOTHING,
        f"There is no sum, because the service does not state {' and '.join(unsaid)}." if unsaid else "",
    )


def build_dimensions(given: Sequence[DimensionScore], scale: Scale | None) -> tuple[Dimension, ...]:
    decimals = decide_decimals([score for one in given for score in (one.incumbent, one.candidate, one.delta)], scale)
    return tuple(
        Dimension(
            one.dimension,
            show(one.incumbent, decimals),
            show(one.candidate, decimals),
            show_change(one.delta, decimals),
        )
        for one in given
    )


def list_offered(actions: RunActions) -> list[str]:
    """The actions that the service offers, in the order in which they are shown."""
    return [name for name in ("promote", "reject", "rollback", "cancel") if getattr(actions, name)]


def list_left_out(case: Case) -> list[str]:
    """What the page lacks, and why."""
    names = {"rule": "Its rule", "benchmark": "Its benchmark", "history": "The trend"}
    return [f"{name} could not be read. {case.unread[part]}" for part, name in names.items() if part in case.unread]


def _say_means(candidate: Score, incumbent: Score, delta: Score) -> str:
    decimals = decide_decimals([candidate, incumbent, delta], None)
    if candidate is None and incumbent is None:
        return NOTHING
    return (
        f"candidate {show(candidate, decimals).text}, incumbent {show(incumbent, decimals).text}, "
        f"delta {show_change(delta, decimals).text}"
    )


def build_evidence(case: Case, now: datetime) -> dict[str, Any]:
    """What the page of a run and the record of its decision print alike."""
    return {
        "run": build_run(case, now),
        "compared": build_compared(case),
        "measured": build_measured(case),
        "costs": build_costs(case),
        "left_out": list_left_out(case),
    }
