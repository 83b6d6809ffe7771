"""Everything that bears on the decision of one training run, read part by part: what is missing is named, with why."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from dashboard.sources import reader
from dashboard.sources.loop.points import build_points, describe_benchmark
from dashboard.sources.loop.runs import Evaluation, RuleDetail, RunDetail
from dashboard.sources.loop.wire import Benchmark, History
from dashboard.sources.reader import Absent, Ask, Known, Reading, Unread
from dashboard.trend import Grouping, Trend, Window, build_trend

STRETCH = 30
"""Replays in the small chart, of which the run's own is the last."""
WORDS = {
    "rule": "its rule",
    "evaluation": "the paired comparison",
    "benchmark": "the benchmark that it replayed",
    "history": "the benchmark's trend",
}
"""The parts of a case beside the run itself."""


class Place(msgspec.Struct, frozen=True):
    """Which candidate of its rule against the same incumbent this replay is, counted over the benchmark's replays."""

    number: int
    """From 1."""
    at_least: bool
    """True where the replays that were looked at begin after this incumbent came: there may have been more before."""
    since: str
    """Why this incumbent began to serve, as the trend says it; empty where it did all along."""


class Case(msgspec.Struct, frozen=True):
    """A run and what was read of what hangs on it. A part that is None and not in `unread` is one that the run has not.

    It can be written as JSON and read again, which is how a decision's record keeps it.
    """

    detail: RunDetail
    rule: RuleDetail | None = None
    evaluation: Evaluation | None = None
    benchmark: Benchmark | None = None
    place: Place | None = None
    unread: dict[str, str] = {}
    """Part -> why it could not be read, or that the service has none of it."""

    @property
    def key(self) -> str:
        """Stands for the evidence: what was measured of whom, by which judge, on which set. Costs and states move on
        without changing it."""
        detail = self.detail
        evidence = {
            "run": [detail.run.id, detail.run.checkpoint_id, detail.run.checkpoint_step, detail.run.verdict],
            "evaluation": msgspec.to_builtins(self.evaluation),
            "replay": msgspec.to_builtins(detail.benchmark),
            "benchmark": [self.benchmark.id, self.benchmark.items_digest] if self.benchmark else None,
            "unread": sorted(self.unread),
        }
        return hashlib.sha256(json.dumps(evidence, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Loaded:
    """A case, the stretch of trend that ends at its replay (None where it is not found there), and what was read."""

    case: Case
    stretch: Trend | None
    readings: tuple[Reading[Any], ...]


def load_case(run_id: str, *, fresh: bool = False) -> Loaded:
    """`fresh`: from the service alone, as a decision needs it; else what was good last where the service is away.

    Raises the `SourceError` where the run itself cannot be read, `NotFound` where the service has none.
    """
    found = (reader.training_run.fresh(run_id) if fresh else reader.training_run(run_id)).need()
    detail = found.value
    run, replay = detail.run, detail.benchmark
    asks: dict[str, Ask[Any]] = {}
    if run.rule_id:
        asks["rule"] = reader.rule.ask(run.rule_id)
    if run.evaluation_id:
        asks["evaluation"] = reader.evaluation.ask(run.evaluation_id)
    if replay:
        asks["benchmark"] = reader.benchmark.ask(replay.benchmark_id)
        asks["history"] = reader.recent_history.ask(replay.benchmark_id)
    readings = reader.each(asks, fresh=fresh)
    parts: dict[str, Any] = {name: one.value for name, one in readings.items() if isinstance(one, Known)}
    unread = {name: explain_unread(one) for name, one in readings.items() if not isinstance(one, Known)}
    history, benchmark = parts.pop("history", None), parts.get("benchmark")
    place = stretch = None
    if replay and history:
        place, stretch = find_place(history, benchmark, detail)
    return Loaded(Case(detail, **parts, place=place, unread=unread), stretch, (found, *readings.values()))


def explain_unread(reading: Absent | Unread) -> str:
    return "The service does not have it (any more)." if isinstance(reading, Absent) else reading.failure.message


def find_place(
    history: History, benchmark: Benchmark | None, detail: RunDetail
) -> tuple[Place, Trend] | tuple[None, None]:
    """Where the run's replay stands among those of its rule, and the stretch of trend up to it.

    Nothing where it is not among the replays that were looked at.
    """
    now, rule = datetime.now(UTC), detail.run.rule_id or ""
    points, words, one_rule = build_points(history.points), describe_benchmark(benchmark), Grouping(rule)
    slots = build_trend(points, words, one_rule, now=now).slots
    here = next((slot for slot in slots if detail.benchmark and slot.id == detail.benchmark.id), None)
    if here is None:
        return None, None
    same = [slot for slot in slots if slot.era == here.era and slot.place <= here.place]
    cut = len(history.points) < history.total and here.era == 0
    window = Window(last=STRETCH, until=here.created_at)
    stretch = build_trend(points, words, one_rule, window, now=now)
    return Place(len(same), cut, same[0].era_reason), stretch


def digest_judge(judged: Benchmark | Evaluation | None) -> str:
    """A fingerprint of the judge as it was frozen: its model, words and dimensions. Empty without a judge."""
    if judged is None or not (judged.judge_name or judged.judge_model):
        return ""
    frozen = [
        judged.judge_name,
        judged.judge_model,
        judged.judge_instructions,
        [[dimension.key, dimension.description] for dimension in judged.judge_dimensions],
        judged.judge_system_prompt,
    ]
    return hashlib.sha256(json.dumps(frozen).encode()).hexdigest()
