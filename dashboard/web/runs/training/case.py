"""Everything that bears on the decision of one training run, read part by part: what is missing is named, with why."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from dashboard.sources.connect import get_loop
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.client import Loop
from dashboard.sources.loop.runs import Evaluation, RuleDetail, RunDetail
from dashboard.sources.loop.wire import Benchmark, History
from dashboard.sources.reader import Reading, read
from dashboard.trend import Trend, Window, build_trend

T = TypeVar("T")
NEWEST = 200
"""So many of the benchmark's newest replays are looked at for the run's place on the trend: one request."""
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


def load_case(run_id: str, *, fresh: bool = False, actor: str = "") -> Loaded:
    """`fresh`: from the service alone, as a decision needs it; else what was good last where the service is away.

    Raises the `SourceError` where the run itself cannot be read, `NotFound` where the service has none.
    """
    loop = get_loop(actor)
    unread: dict[str, str] = {}
    readings: list[Reading[Any]] = []

    def ask(key: str, call: Callable[[], T], type_: Any) -> T:
        reading = Reading(call(), datetime.now(UTC)) if fresh else read(key, call, type_)
        readings.append(reading)
        return reading.value

    def ask_part(part: str, key: str, call: Callable[[], T], type_: Any) -> T | None:
        try:
            return ask(key, call, type_)
        except NotFound:
            unread[part] = "The service does not have it (any more)."
        except SourceError as error:
            unread[part] = error.message
        return None

    detail = ask(f"run detail {run_id}", lambda: loop.get_run(run_id), RunDetail)
    run, replay = detail.run, detail.benchmark
    rule = evaluation = benchmark = history = None
    if rule_id := run.rule_id:
        rule = ask_part("rule", f"rule detail {rule_id}", lambda: loop.get_rule_detail(rule_id), RuleDetail)
    if evaluation_id := run.evaluation_id:
        evaluation = ask_part(
            "evaluation", f"evaluation {evaluation_id}", lambda: loop.get_evaluation(evaluation_id), Evaluation
        )
    if replay:
        benchmark, history = _read_benchmark(loop, replay.benchmark_id, ask_part)
    place = stretch = None
    if replay and history:
        place, stretch = find_place(history, benchmark, detail)
    return Loaded(Case(detail, rule, evaluation, benchmark, place, unread), stretch, tuple(readings))


def _read_benchmark(
    loop: Loop, benchmark_id: str, ask_part: Callable[..., Any]
) -> tuple[Benchmark | None, History | None]:
    benchmark = ask_part("benchmark", f"benchmark {benchmark_id}", lambda: loop.get_benchmark(benchmark_id), Benchmark)
    history = ask_part(
        "history", f"recent {benchmark_id}", lambda: loop.get_recent_history(benchmark_id, NEWEST), History
    )
    return benchmark, history


def find_place(
    history: History, benchmark: Benchmark | None, detail: RunDetail
) -> tuple[Place, Trend] | tuple[None, None]:
    """Where the run's replay stands among those of its rule, and the stretch of trend up to it.

    Nothing where it is not among the replays that were looked at.
    """
    now, rule = datetime.now(UTC), detail.run.rule_id or ""
    slots = build_trend(history.points, benchmark, now=now, rule=rule).slots
    here = next((slot for slot in slots if detail.benchmark and slot.id == detail.benchmark.id), None)
    if here is None:
        return None, None
    same = [slot for slot in slots if slot.era == here.era and slot.place <= here.place]
    cut = len(history.points) < history.total and here.era == 0
    window = Window(last=STRETCH, until=here.created_at)
    stretch = build_trend(history.points, benchmark, now=now, rule=rule, window=window)
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
