"""The year that the sample workspace tells: what each training run measured and what the team then decided.

Pure and seeded: the same moment gives the same story. A model's true quality is a number from 0 to 1; what a replay
shows of it is that number with the judge's noise, on the benchmark's scale.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dashboard.sample.words import BENCHMARKS, REASONS, RULES, SampleBenchmark, SampleRule

_BENCHMARKS = {b.key: b for b in BENCHMARKS}
_RULES = {r.key: r for r in RULES}
_CANDIDATE_NOISE = 0.008
_INCUMBENT_NOISE = 0.005
PROMOTIONS = ("promoted", "auto_promoted", "rolled_back")
_UNDECIDED_NEWEST = 2
"""So many of the newest runs of a rule that people decide about are undecided."""
REVIEW_WINDOW = timedelta(hours=120)
_CLOSE_CALL = ("large", 89)
"""The run whose comparison came out too close to call."""


@dataclass(frozen=True)
class Leg:
    """A stretch of time in which a rule replayed one benchmark, in days before now, `start` included."""

    rule: str
    benchmark: str
    runs: int
    start: float
    end: float
    quality: float
    """What serves at the start; None of it is visible on the wire."""
    goal: float
    special: Mapping[int, str]
    """Run number in the leg -> what befell its replay; -1 is the newest.

    Every gap that a trend knows is among them but one, the unreadable score: this service stores numbers alone.
    """


LEGS = (
    Leg("small", "first", 60, 365, 216, 0.47, 0.62, {9: "failed", 10: "failed", 33: "budget_stopped"}),
    Leg(
        "small", "support", 150, 215, 0, 0.53, 0.78,
        {17: "failed", 48: "abandoned", 63: "other set", 77: "missing", 95: "budget_stopped", -1: "open"},
    ),
    Leg("large", "summary", 80, 365, 121, 0.55, 0.82, {5: "abandoned", 41: "failed", 60: "budget_stopped"}),
    Leg(
        "large", "support", 90, 120, 0.3, 0.6, 0.84,
        {20: "other set", 21: "other set", 38: "unscored", 52: "failed", 70: "abandoned"},
    ),
    Leg("sql", "sql", 180, 365, 0.2, 0.58, 0.9, {31: "failed", 64: "paused_by_operator", 120: "abandoned"}),
)  # fmt: skip


@dataclass(frozen=True)
class Paired:
    """The comparison on held-back rows, candidate against incumbent."""

    rows: int
    wins: int
    losses: int
    incumbent_mean: float
    candidate_mean: float
    verdict: str

    @property
    def ties(self) -> int:
        return self.rows - self.wins - self.losses

    @property
    def win_rate(self) -> float | None:
        return round(self.wins / (self.wins + self.losses), 4) if self.wins + self.losses else None


@dataclass(frozen=True)
class StoryRun:
    """One training run and its replay. `status` None: the run was never replayed. Scores are on the scale."""

    leg: Leg
    number: int
    at: datetime
    checkpoint: str
    step: int
    incumbent: str
    """The checkpoint that serves."""
    status: str | None
    reason: str | None
    scored: int
    candidate_score: float | None
    incumbent_score: float | None
    comparable: bool
    paired: Paired
    decision: str | None
    decided_at: datetime | None

    @property
    def benchmark(self) -> SampleBenchmark:
        return _BENCHMARKS[self.leg.benchmark]

    @property
    def rule(self) -> SampleRule:
        return _RULES[self.leg.rule]


_NOW = {
    ("small", 149): "reported",
    ("small", 148): "awaiting_review",
    ("large", 89): "awaiting_review",
    ("large", 88): "cancelled",
}
"""(rule, run number in its last leg) -> where the newest undecided runs stand."""
_DECIDED = {
    "promoted": "promoted", "auto_promoted": "promoted", "rejected": "rejected", "auto_rejected": "rejected",
    "rolled_back": "rolled_back",
}  # fmt: skip


def find_end(story: StoryRun, stories: Sequence[StoryRun], now: datetime) -> tuple[str, datetime]:
    """(state, since when) of a run. One that nobody decided was superseded by the next promotion, or it expired."""
    if story.decision and story.decided_at:
        return _DECIDED[story.decision], story.decided_at
    stands = _NOW.get((story.leg.rule, story.number)) if story.leg.end < 1 else None
    if stands:
        return stands, story.at if stands != "cancelled" else story.at + timedelta(hours=3)
    next_at = find_next_promotion(story, stories)
    if next_at and next_at < story.at + REVIEW_WINDOW:
        return "superseded", next_at
    return "expired", min(story.at + REVIEW_WINDOW, now)


def find_next_promotion(story: StoryRun, stories: Sequence[StoryRun]) -> datetime | None:
    """When a later candidate of the same rule began to serve; None where none did."""
    after = story.decided_at or story.at
    later = (
        other.decided_at
        for other in stories
        if other.leg.rule == story.leg.rule and other.decision in PROMOTIONS and other.decided_at
    )
    return min((at for at in later if at > after), default=None)


def tell_story(now: datetime) -> list[StoryRun]:
    """Every run of the year before `now`, oldest first."""
    serving: dict[str, str] = {}
    runs = [run for leg in LEGS for run in _tell_leg(leg, now, serving)]
    return sorted(runs, key=lambda run: (run.at, run.leg.rule))


def _tell_leg(leg: Leg, now: datetime, serving: dict[str, str]) -> Iterator[StoryRun]:
    rng = random.Random(f"{leg.rule}/{leg.benchmark}")  # noqa: S311 - a story, no secret
    benchmark, rule = _BENCHMARKS[leg.benchmark], _RULES[leg.rule]
    serves, quality, better = serving.get(leg.rule, f"{rule.model_id}-base"), leg.quality, 0
    first = sum(other.runs for other in LEGS[: LEGS.index(leg)] if other.rule == leg.rule)
    for index in range(leg.runs):
        days = leg.start + (leg.end - leg.start) * (index + 0.6 * rng.random()) / leg.runs
        newest = index >= leg.runs - _UNDECIDED_NEWEST
        special = leg.special.get(index) or leg.special.get(index - leg.runs) or _draw_gap(rng)
        at = now - timedelta(minutes=25) if special == "open" else now - timedelta(days=days)
        step = rng.choice((600, 900, 1200, 1500, 1800))
        checkpoint = f"r{first + index + 1:03d}-step{step}"
        true = _train(rng, leg, index / leg.runs)
        paired = _compare(rng, quality, true, benchmark, rule.margin)
        if (leg.rule, index) == _CLOSE_CALL:
            near = round(paired.incumbent_mean + 0.003 * (benchmark.high - benchmark.low), 4)
            paired = replace(paired, wins=17, losses=16, candidate_mean=near, verdict="inconclusive")
        better += paired.verdict == "better"
        decision = (
            None
            if newest and leg.end < 1 and not rule.auto_promote
            else _decide(rng, rule, paired, rolls_back=better == 4)
        )
        status, reason, scored = _end_replay(rng, special, benchmark)
        both = status == "done" and special != "unscored"
        yield StoryRun(
            leg=leg,
            number=index,
            at=at,
            checkpoint=checkpoint,
            step=step,
            incumbent=serves,
            status=status,
            reason=reason,
            scored=scored,
            candidate_score=_score(benchmark, true + rng.gauss(0, _CANDIDATE_NOISE)) if both else None,
            incumbent_score=_score(benchmark, quality + rng.gauss(0, _INCUMBENT_NOISE)) if both else None,
            comparable=special != "other set",
            paired=paired,
            decision=decision,
            decided_at=min(at + timedelta(hours=rng.uniform(1, 20)), now) if decision else None,
        )
        if decision in ("promoted", "auto_promoted"):
            serves, quality = checkpoint, true
    serving[leg.rule] = serves


def _train(rng: random.Random, leg: Leg, elapsed: float) -> float:
    """A candidate's true quality, at `elapsed` 0 to 1 of the leg: gains that flatten, and one stretch of bad data."""
    gain = (leg.goal - leg.quality) * (1 - math.exp(-2.5 * elapsed)) / (1 - math.exp(-2.5))
    bad_data = 0.05 if 0.55 < elapsed < 0.62 else 0.0
    return leg.quality + gain - bad_data + rng.gauss(0, 0.022)


def _draw_gap(rng: random.Random) -> str:
    """What befalls a replay: nothing, nineteen times of twenty."""
    return rng.choices(("", "failed", "budget_stopped", "abandoned"), (95, 3, 1, 1))[0]


def _compare(rng: random.Random, quality: float, true: float, benchmark: SampleBenchmark, margin: float) -> Paired:
    rows = 40
    tied = 0.15
    wins_at = min(0.9, max(0.1, 0.5 + 5 * (true - quality))) * (1 - tied)
    draws = [rng.random() for _ in range(rows)]
    wins = sum(d < wins_at for d in draws)
    losses = sum(wins_at <= d < 1 - tied for d in draws)
    delta = true - quality + rng.gauss(0, 0.004)
    if delta > margin and wins > losses:
        verdict = "better"
    else:
        verdict = "inconclusive" if abs(delta) <= margin / 2 else "not_better"
    return Paired(rows, wins, losses, _score(benchmark, quality), _score(benchmark, quality + delta), verdict)


def _decide(rng: random.Random, rule: SampleRule, paired: Paired, *, rolls_back: bool) -> str | None:
    """What the team did. None: nobody decided in time."""
    if paired.verdict == "better":
        if rolls_back:
            return "rolled_back"
        return "auto_promoted" if rule.auto_promote else rng.choices(("promoted", "rejected", None), (90, 5, 5))[0]
    if paired.verdict == "inconclusive":
        return rng.choices(("rejected", None), (60, 40))[0]
    return "auto_rejected" if rule.auto_promote else rng.choices(("rejected", None), (90, 10))[0]


def _end_replay(rng: random.Random, special: str, benchmark: SampleBenchmark) -> tuple[str | None, str | None, int]:
    """(status, reason, conversations scored) of a replay."""
    total = len(benchmark.conversations)
    if special == "missing":
        return None, None, 0
    if special in ("", "other set"):
        return "done", None, total
    if special == "unscored":
        return "done", rng.choice(REASONS[special]), 0
    scored = rng.randrange(1, total - 1)
    if special == "open":
        return "open", None, scored
    text = rng.choice(REASONS[special])
    return special, text.format(scored=scored, left=total - scored, total=total, cap=benchmark.cap_cents), scored


def _score(benchmark: SampleBenchmark, quality: float) -> float:
    """A quality of 0 to 1 on the benchmark's scale, to four places."""
    return round(benchmark.low + (benchmark.high - benchmark.low) * min(0.99, max(0.01, quality)), 4)
