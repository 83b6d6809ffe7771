"""Rules as their pages print them: what serves, the state, what is replayed, the last run."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.urls import reverse

from dashboard.sources.http.errors import NotFound
from dashboard.sources.loop.wire import Benchmark, Rule, TrainingRun
from dashboard.sources.reader import Absent, Known, Reading, Unread
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
        "enabled" if rule.enabled else "paused",
        ("" if rule.enabled else rule.paused_reason or "") or rule.last_reason or "",
        benchmark,
        reverse("trend", args=[benchmark.id]) if benchmark else "",
        rule.benchmark_id or "" if isinstance(replays, Absent) else "",
        rule.benchmark_id or "" if isinstance(replays, Unread) else "",
        show_run(last_run, now) if isinstance(last_run, TrainingRun) else None,
        last_run if isinstance(last_run, str) else "",
    )


def show_run(run: TrainingRun, now: datetime) -> RunRow:
    reason = run.last_reason or run.error_code or ""
    label = f"#{run.seq}" if run.seq is not None else run.id
    return RunRow(run.id, label, run.state, reason, show_moment(run.created_at, now, undated=run.undated))


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
