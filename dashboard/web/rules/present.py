"""Rules as their pages print them: what serves, the state, what is replayed, the last run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from django.urls import reverse

from dashboard.sources.loop.wire import Benchmark, Rule, TrainingRun
from dashboard.web.common.numbers import NOTHING
from dashboard.web.common.times import Moment, show_moment


class RunRow(NamedTuple):
    """A training run in one line."""

    id: str
    label: str
    state: str
    reason: str
    at: Moment


class RuleRow(NamedTuple):
    """One rule. `missing` is the id of a benchmark that it names and the service does not have, "" otherwise."""

    rule: Rule
    url: str
    serving: str
    state: str
    reason: str
    benchmark: Benchmark | None
    benchmark_url: str
    missing: str
    last_run: RunRow | None
    run_unknown: str


def build_rule(
    rule: Rule,
    benchmarks: Mapping[str, Benchmark],
    last_run: TrainingRun | str | None,
    now: datetime,
) -> RuleRow:
    """`last_run` is a text where it could not be read, and None where there is none."""
    benchmark = benchmarks.get(rule.benchmark_id or "")
    return RuleRow(
        rule,
        reverse("rule", args=[rule.id]),
        rule.serving.name or NOTHING,
        "enabled" if rule.enabled else "paused",
        ("" if rule.enabled else rule.paused_reason or "") or rule.last_reason or "",
        benchmark,
        reverse("trend", args=[benchmark.id]) if benchmark else "",
        rule.benchmark_id if rule.benchmark_id and benchmark is None else "",
        show_run(last_run, now) if isinstance(last_run, TrainingRun) else None,
        last_run if isinstance(last_run, str) else "",
    )


def show_run(run: TrainingRun, now: datetime) -> RunRow:
    reason = run.last_reason or run.error_code or ""
    label = f"#{run.seq}" if run.seq is not None else run.id
    return RunRow(run.id, label, run.state, reason, show_moment(run.created_at, now, undated=run.undated))


def choose_rules(rules: Iterable[Rule], benchmarks: Mapping[str, Benchmark], words: str) -> list[Rule]:
    """The rules whose name, id, model or benchmark holds every word, in any case."""
    wanted = words.casefold().split()

    def text(rule: Rule) -> str:
        benchmark = benchmarks.get(rule.benchmark_id or "")
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
