"""Rules as their pages print them: what serves, the state, what is replayed, the last run."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.urls import reverse

from dashboard.sources.http.errors import NotFound
from dashboard.sources.loop.runs import RuleDetail
from dashboard.sources.loop.wire import Benchmark, Rule, TrainingRun
from dashboard.sources.reader import Absent, Known, Reading, Unread
from dashboard.web.common.ids import has_page
from dashboard.web.common.numbers import NOTHING, show_cents
from dashboard.web.common.times import Moment, show_moment
from dashboard.web.runs.training.words import describe_agreement, say_count, show, show_share


class RunRow(NamedTuple):
    """A training run in one line. `url` is "" where its id cannot be asked for."""

    id: str
    url: str
    label: str
    state: str
    reason: str
    at: Moment


class RuleRow(NamedTuple):
    """One rule.

    `missing` is the id of a benchmark that it names and the service does not have, `unread` of one of which nobody
    could ask; each "" otherwise.
    """

    rule: Rule
    url: str
    serving: str
    state: str
    reason: str
    benchmark: Benchmark | None
    benchmark_url: str
    missing: str
    unread: str
    last_run: RunRow | None
    run_unknown: str


def find_benchmark(benchmark_id: str | None, among: Reading[list[Benchmark]]) -> Reading[Benchmark] | None:
    """The benchmark of this id, by the list of all; None where no id is given.

    Only a list of this moment can say that there is none.
    """
    if not benchmark_id:
        return None
    if not isinstance(among, Known):
        return Unread(among.failure)
    found = next((one for one in among.value if one.id == benchmark_id), None)
    if found:
        return Known(found, among.read_at, among.failure)
    return Unread(among.failure) if among.failure else Absent(NotFound("It is not among the service's benchmarks."))


def build_rule(
    rule: Rule, replays: Reading[Benchmark] | None, last_run: TrainingRun | str | None, now: datetime
) -> RuleRow:
    """`replays` is the benchmark that it names, None where it names none; `last_run` a text where it could not be read,
    and None where there is none."""
    benchmark = replays.value if isinstance(replays, Known) else None
    return RuleRow(
        rule,
        reverse("rule", args=[rule.id]),
        rule.serving.name or NOTHING,
        "stopped" if why_stopped(rule) else "enabled" if rule.enabled else "paused",
        why_stopped(rule) or ("" if rule.enabled else rule.paused_reason or "") or rule.last_reason or "",
        benchmark,
        reverse("trend", args=[benchmark.id]) if benchmark else "",
        rule.benchmark_id or "" if isinstance(replays, Absent) else "",
        rule.benchmark_id or "" if isinstance(replays, Unread) else "",
        show_run(last_run, now) if isinstance(last_run, TrainingRun) else None,
        last_run if isinstance(last_run, str) else "",
    )


def why_stopped(rule: Rule) -> str:
    """Why the platform starts no run of a rule that is switched on; empty where nothing stands in its way."""
    if not rule.enabled:
        return ""
    if rule.paused_reason:
        return f"The platform stopped it: {rule.paused_reason}"
    if None not in (rule.revision, rule.accepted_revision) and rule.revision != rule.accepted_revision:
        return f"Revision {rule.revision} is not agreed to, revision {rule.accepted_revision} was: it starts no run."
    return ""


def list_settings(detail: RuleDetail) -> list[tuple[str, str]]:
    """What a promotion under this rule is held to, and what it costs at most: (name, text)."""
    rule, accepted = detail.rule, detail.rule.accepted_revision
    window = "—" if rule.review_window_hours is None else f"{rule.review_window_hours:,} hours"
    ceilings = (
        ("Ceiling, training", rule.training_ceiling_cents),
        ("Ceiling, candidate", rule.candidate_ceiling_cents),
        ("Ceiling, comparison and benchmark", rule.eval_ceiling_cents),
        ("Ceiling, month", rule.monthly_ceiling_cents),
    )
    who = {True: "the rule itself, above these bars", False: "a person"}
    return [
        ("Promotes", who.get(rule.auto_promote, NOTHING) if rule.auto_promote is not None else NOTHING),
        ("Margin", show(rule.promote_margin).text),
        ("Win rate, at least", show_share(rule.promote_min_win_rate)),
        (
            "Judge agreement, at least",
            show_share(rule.min_judge_agreement) if rule.min_judge_agreement else "none asked",
        ),
        ("Review window", window),
        ("Judge of the comparison", rule.eval_judge_id or NOTHING),
        ("Judge agreement", describe_agreement(detail.judge_agreement)),
        *((name, show_cents(cents)) for name, cents in ceilings if cents is not None),
        ("Spent this month (UTC)", show_cents(detail.month_spent_cents)),
        ("Revision", f"{say_count(rule.revision)}, agreed to: {say_count(accepted)}"),
    ]


def show_run(run: TrainingRun, now: datetime) -> RunRow:
    reason = run.last_reason or run.error_code or ""
    label = f"#{run.seq}" if run.seq is not None else run.id
    url = reverse("training-run", args=[run.id]) if has_page(run.id) else ""
    return RunRow(run.id, url, label, run.state, reason, show_moment(run.created_at, now, undated=run.undated))


def choose_rules(rules: Iterable[Rule], benchmarks: Reading[list[Benchmark]], words: str) -> list[Rule]:
    """The rules whose name, id, model or benchmark holds every word, in any case."""
    wanted = words.casefold().split()
    by_id = {one.id: one for one in benchmarks.value} if isinstance(benchmarks, Known) else {}

    def text(rule: Rule) -> str:
        benchmark = by_id.get(rule.benchmark_id or "")
        parts = (
            rule.name,
            rule.id,
            rule.serving.name,
            rule.model_id,
            rule.benchmark_id or "",
            benchmark.name if benchmark else "",
        )
        return " ".join(parts).casefold()

    return [rule for rule in rules if all(word in text(rule) for word in wanted)]
