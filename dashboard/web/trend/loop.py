"""A benchmark of the Loop API as a series: its replays and the runs that miss one, its rules, what it is frozen to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.http import Http404

from dashboard.sources import reader
from dashboard.sources.http.errors import NotFound
from dashboard.sources.loop.points import build_points, build_unreplayed, describe_benchmark
from dashboard.sources.loop.wire import Benchmark, History, HistoryPoint, Rule, TrainingRun
from dashboard.sources.reader import Known, Source
from dashboard.sources.reader.nouns import NEWEST, Runs
from dashboard.trend import MOST_LINES, Grouping, Trend, find_missing, find_newest
from dashboard.web.common.links import with_query
from dashboard.web.common.numbers import NOTHING, show_cents, show_count
from dashboard.web.common.times import show_moment
from dashboard.web.trend.forms import TrendForm
from dashboard.web.trend.series import Asked, Choice, Fact, Series

ALL_RULES = "all"
PAGES_OF_RUNS = 2
"""So many pages of a rule's newest runs are read to see which of them was never replayed."""
CAPTION = (
    "This number does not gate promotion. The paired comparison of a run does the comparing, because it cancels most "
    "of the judge's variance; an absolute mean carries that variance whole. A person reads the trend."
)


@dataclass(frozen=True)
class LoopSeries(Series):
    source: ClassVar[Source] = "loop"
    route: ClassVar[str] = "trend"

    benchmark: Benchmark
    history: History
    rules: list[Rule] | None
    """None where they could not be read."""

    def ask(self, user: User, query: dict[str, str]) -> Asked:
        """A rule that no replay names is put among the form's errors."""
        form = TrendForm(query)
        form.is_valid()
        points = build_points(self.history.points)
        seen = {point.group for point in points}
        rule = form.cleaned_data.get("rule") if "rule" in form.data else None
        every = rule == ALL_RULES and ALL_RULES not in seen
        if rule is not None and rule not in seen and not every:
            if rule:
                form.add_error("rule", "No replay of this benchmark names that rule.")
            rule = None
        newest = find_newest(points)
        if rule is None and newest:
            rule = newest.group
        runs, readings, notes = self._read_runs(seen if every else {rule or ""})
        unreplayed = [run for run in build_unreplayed(runs) if every or run.group == rule]
        missing = find_missing(points, unreplayed, {one.id for one in self.attached or ()})
        return Asked(
            form,
            points + missing,
            Grouping(every=True) if every else Grouping(rule),
            form.valid_query,
            notes=tuple(notes),
            readings=tuple(readings),
            missing=len(missing),
        )

    @property
    def attached(self) -> list[Rule] | None:
        """The rules that replay it; None where they could not be read."""
        return None if self.rules is None else [rule for rule in self.rules if rule.benchmark_id == self.benchmark.id]

    def _read_runs(self, rule_ids: Iterable[str]) -> tuple[list[TrainingRun], list[Known[Runs]], list[str]]:
        """The newest runs of these rules, how they were read, and what is to be said of that."""
        if self.notes or self.readings[0].failure:
            # A history that is not whole, or not today's, says of no run that it has no replay.
            return [], [], ["Missing replays were not looked for, because not every replay could be read."]
        named = sorted(filter(None, rule_ids))
        waiting = dict.fromkeys(named[:MOST_LINES], 0)
        found: dict[str, TrainingRun] = {}
        readings: list[Known[Runs]] = []
        for _page in range(PAGES_OF_RUNS):
            asks = {rule: reader.runs.ask(rule, limit=NEWEST, offset=offset) for rule, offset in waiting.items()}
            for rule, reading in reader.each(asks).items():
                if not isinstance(reading, Known):
                    return [], [], [f"Missing replays could not be looked for: {reading.failure.message}"]
                readings.append(reading)
                runs, total = reading.value
                found |= {run.id: run for run in runs}
                waiting[rule] += len(runs)
                if not runs or waiting[rule] >= total:
                    del waiting[rule]
        if not waiting and len(named) <= MOST_LINES:
            return list(found.values()), readings, []
        looked_at = show_count(len(found), "run")
        return list(found.values()), readings, [f"Missing replays were looked for among the newest {looked_at} alone."]

    def caption(self, trend: Trend) -> str:
        return CAPTION

    def choose_groups(self, trend: Trend, here: str, query: dict[str, str]) -> list[Choice]:
        if len(trend.groups) < 2:
            return []
        choices = [
            Choice(
                group.name,
                with_query(here, query, rule=group.key, page=None, replay=None),
                group.shown and not trend.overlaid,
                show_count(group.size, "replay"),
            )
            for group in trend.groups
        ]
        everything = with_query(here, query, rule=ALL_RULES, page=None, replay=None)
        return [*choices, Choice("all rules", everything, trend.overlaid, "candidates overlaid")]

    def describe(self, trend: Trend, asked: Asked, now: datetime) -> dict[str, Any]:
        shown = {slot.id for slot in trend.slots}
        return {
            "benchmark": self.benchmark,
            "retired_line": build_retired_line(self.benchmark, now),
            "frozen_line": build_frozen_line(self.benchmark),
            "about_title": "Frozen to",
            "facts": build_facts(self.benchmark, now),
            "unchecked": describe_unchecked([one for one in self.history.points if one.benchmark_run_id in shown]),
        }

    def describe_empty(self) -> dict[str, Any]:
        retired = self.benchmark.status == "retired"
        return {
            "text": "It was retired before anything replayed it."
            if retired
            else "Its first point will come with the next run of a rule it is attached to.",
            "attached": None if retired else self.attached,
        }


def read_loop(benchmark_id: str) -> LoopSeries:
    """The benchmark and every replay of it. Http404 for an unknown one; SourceError with nothing to show."""
    benchmark, history, rules = reader.together(
        reader.benchmark.ask(benchmark_id), reader.history.ask(benchmark_id), reader.rules.ask()
    )
    try:
        known, replays = benchmark.need(), history.need()
    except NotFound as error:
        raise Http404 from error
    return LoopSeries(
        id=known.value.id,
        name=known.value.name,
        words=describe_benchmark(known.value),
        readings=(replays, known),
        size=len(replays.value.points),
        notes=tuple(_describe_history(replays.value)),
        benchmark=known.value,
        history=replays.value,
        rules=rules.value if isinstance(rules, Known) else None,
    )


def _describe_history(history: History) -> list[str]:
    missing = history.total - len(history.points)
    if history.moved:
        return ["Replays kept arriving while this was read: newer ones exist than these."]
    return [f"The service counts {show_count(missing, 'replay')} more than it gave."] if missing > 0 else []


def was_imported(benchmark: Benchmark) -> bool:
    """True where the wire's numbers stand for what an import does not know: no replay can answer in 0 tokens."""
    return benchmark.decoding.max_tokens == 0


def build_facts(benchmark: Benchmark, now: datetime) -> list[Fact]:
    """What the benchmark is frozen to, as far as the service says it."""
    decoding, scoring, digest = benchmark.decoding, benchmark.scoring, benchmark.items_digest
    decoded = [
        f"temperature {decoding.temperature:g}" if decoding.temperature is not None else "",
        f"at most {decoding.max_tokens} tokens" if decoding.max_tokens else "",
        "streamed" if decoding.stream else "",
    ]
    imported = was_imported(benchmark)
    scored = [scoring.metric, f"scale {scoring.scale}" if scoring.scale else "", scoring.aggregate]
    created = show_moment(benchmark.created_at, now)
    return [
        Fact("Judge", benchmark.judge_name or NOTHING),
        Fact("Judge's model", benchmark.judge_model or NOTHING),
        Fact("Scoring", _joined(scored) + ("; every row must be scored" if scoring.require_all_rows else "")),
        Fact("Conversations", "none pinned: its numbers were imported" if imported else str(benchmark.item_count)),
        Fact("Set's digest", digest[:12] or NOTHING, digest if len(digest) > 12 else ""),
        Fact("Decoding", "unknown" if imported else _joined(decoded)),
        Fact("Cap for one replay", "unknown" if imported else show_cents(benchmark.per_run_ceiling_cents)),
        Fact("Created", created.text + (f" by {benchmark.created_by}" if benchmark.created_by else "")),
    ]


def build_retired_line(benchmark: Benchmark, now: datetime) -> str:
    """When, by whom and why it was retired, as far as the service says (T10); empty for one that was not."""
    if benchmark.status != "retired" and benchmark.retired_at is None:
        return ""
    retired = show_moment(benchmark.retired_at, now)
    when = f" {retired.text}" if retired.text != NOTHING else ""
    who = f" by {benchmark.retired_by}" if benchmark.retired_by else ""
    why = f": {benchmark.retired_reason}" if benchmark.retired_reason else ""
    return f"Retired{when}{who}{why}"


def build_frozen_line(benchmark: Benchmark) -> list[str]:
    """What it is frozen to in a few words; what the service does not say is left out."""
    cap, imported = benchmark.per_run_ceiling_cents, was_imported(benchmark)
    parts = [
        f"judge {benchmark.judge_name}" if benchmark.judge_name else "",
        f"on {benchmark.judge_model}" if benchmark.judge_model else "",
        "" if imported else show_count(benchmark.item_count, "conversation"),
        f"scale {benchmark.scoring.scale}" if benchmark.scoring.scale else "",
        f"set {benchmark.items_digest[:12]}" if benchmark.items_digest else "",
        f"at most {show_cents(cap)} a replay" if cap is not None and not imported else "",
    ]
    return [part for part in parts if part]


def describe_unchecked(replays: list[HistoryPoint]) -> str:
    """What was not checked because no replay shown says it, in one sentence; empty where all was, or none is shown."""
    checks: dict[str, list[object]] = {
        "which set each replay used": [one.items_digest for one in replays],
        "how many of its rows were scored": [one.rows_scored for one in replays],
        "which incumbent served": [one.incumbent_ref for one in replays],
    }
    unsaid = [check for check, values in checks.items() if values and all(value is None for value in values)]
    if not unsaid:
        return ""
    listed = " or ".join([", ".join(unsaid[:-1]), unsaid[-1]] if len(unsaid) > 1 else unsaid)
    return f"Not checked: the service does not say {listed}."


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(part for part in parts if part) or NOTHING
