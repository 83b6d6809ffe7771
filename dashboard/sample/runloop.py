"""The sample workspace's agent benchmarks: two of Runloop's, each run for two models on the same checkpoints.

Invented, and made from a seed of its own: the same every time, but for the times.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from dashboard.store.models import RunloopBenchmark, RunloopRun, RunloopScenarioRun, Workspace

_DAYS = 120
"""The runs lie in so many days before now."""
_WEIGHTS = {"tests pass": 0.6, "nothing else changed": 0.2, "answer is short": 0.2}
"""Scoring functions: their part in a scenario's score."""
_NO_RESULT = {"timeout": 0.035, "failed": 0.025}
"""How likely it is that a scenario of a completed run ends so, without a result: it counts as 0."""
_ENVIRONMENT = {"AGENT_MODE": "batch", "MAX_STEPS": "40", "REGION": "example-1"}
_SECRETS = {"REPO_TOKEN": "sample-repo-token"}
_ENVIRONMENT_EVERY = 7


@dataclass(frozen=True)
class Series:
    """One model's runs along the checkpoints. Its quality, a scenario's expected score, goes from `start` to `goal`."""

    model: str
    agent: str
    start: float
    goal: float
    labelled: bool = True
    """Whether its runs carry a checkpoint. Those that do not are one in `every` places."""
    every: int = 1
    special: Mapping[int, str] = field(default_factory=dict)
    """Place -> what befell its run: a state, "unscored" (completed without a score), "again" (run twice), "none"."""


@dataclass(frozen=True)
class AgentBenchmark:
    """A set of scenarios, and who was run on it at `places` checkpoints, `step` training steps apart."""

    name: str
    description: str
    scenarios: tuple[str, ...]
    places: int
    step: int
    series: tuple[Series, ...]


BENCHMARKS = (
    AgentBenchmark(
        "Repository repairs",
        "An agent is given a small repository with a failing test and mends it.",
        (
            "off-by-one in a pager", "lost update in a cache", "a time zone too few", "wrong default of a flag",
            "a loop that never ends", "an index past the end", "a file left open", "two roundings",
        ),
        places=48,
        step=250,
        series=(
            Series(
                "open-coder-7b", "plan-act", 0.34, 0.66,
                special={
                    6: "canceled", 11: "again", 17: "unscored", 23: "none", 30: "canceled", 36: "again", 47: "running",
                },
            ),
            Series(
                "open-coder-32b", "plan-act", 0.52, 0.69,
                special={3: "none", 14: "unscored", 21: "canceled", 28: "again", 39: "none", 47: "running"},
            ),
            Series("hosted-agent", "single-pass", 0.58, 0.6, labelled=False, every=4, special={20: "canceled"}),
        ),
    ),
    AgentBenchmark(
        "Shell tasks",
        "An agent works in a terminal until a check script is satisfied.",
        (
            "find what fills the disk", "rename by a pattern", "read a packed log", "mend a broken cron line",
            "count errors by hour", "set up a user", "restore a backup", "move a service",
        ),
        places=32,
        step=500,
        series=(
            Series("open-coder-7b", "single-pass", 0.41, 0.58, special={5: "unscored", 12: "canceled", 31: "running"}),
            Series("open-chat-8b", "single-pass", 0.38, 0.72, special={9: "again", 18: "none", 26: "canceled"}),
            Series("", "plan-act", 0.3, 0.33, labelled=False, every=5),
        ),
    ),
)  # fmt: skip


def make_agent_benchmarks(workspace: Workspace, now: datetime) -> None:
    """Store both benchmarks, their runs and what each scenario came to, all marked as sample data."""
    rng = random.Random("benchtrend agent sample")  # noqa: S311 - the same every time
    runs: list[RunloopRun] = []
    scenario_runs: list[RunloopScenarioRun] = []
    benchmarks = []
    for words in BENCHMARKS:
        benchmark = RunloopBenchmark(
            id=_draw_id(rng, "bmd"),
            workspace=workspace,
            sample=True,
            created_at=now - timedelta(days=_DAYS + 1),
            name=words.name,
            description=words.description,
            attribution="Sample data",
            metadata={"team": "agents"},
            scenario_ids=[_draw_id(rng, "scn") for _ in words.scenarios],
            is_public=False,
        )
        benchmarks.append(benchmark)
        for run, quality in _list_runs(rng, benchmark, words, now):
            own = list(_run_scenarios(rng, run, benchmark, words, quality))
            if run.state == "completed" and any(row.scoring_contract_result for row in own):
                run.score = round(math.fsum(_score_of(row) for row in own) / len(own), 7)
            runs.append(run)
            scenario_runs += own
    RunloopBenchmark.objects.bulk_create(benchmarks)
    RunloopRun.objects.bulk_create(runs, batch_size=500)
    RunloopScenarioRun.objects.bulk_create(scenario_runs, batch_size=1000)


def _draw_id(rng: random.Random, prefix: str) -> str:
    """An id as Runloop's look, but the same every time."""
    return f"{prefix}_{rng.getrandbits(80):020x}"


def _list_runs(
    rng: random.Random, benchmark: RunloopBenchmark, words: AgentBenchmark, now: datetime
) -> Iterator[tuple[RunloopRun, float | None]]:
    """Every run, without its score, beside its quality: None where no scenario is to have a result."""
    apart = timedelta(days=_DAYS) / words.places
    for place in range(words.places):
        at = now - apart * (words.places - 1 - place) - timedelta(hours=1)
        for nth, series in enumerate(words.series):
            special = series.special.get(place, "")
            if special == "none" or place % series.every:
                continue
            for again in range(2 if special == "again" else 1):
                state = special if special in ("canceled", "running") else "completed"
                started = at + timedelta(minutes=7 * nth, hours=5 * again)
                quality = series.start + (series.goal - series.start) * place / (words.places - 1)
                run = _build_run(rng, benchmark, series, state, started)
                if series.labelled:
                    run.metadata["checkpoint"] = f"step-{(place + 1) * words.step}"
                    run.name = f"{series.model} at step {(place + 1) * words.step}"
                run.metadata["branch"] = "try/longer-context" if place % 6 == 3 else "main"
                yield run, None if special == "unscored" else quality


def _build_run(
    rng: random.Random, benchmark: RunloopBenchmark, series: Series, state: str, started: datetime
) -> RunloopRun:
    number = rng.getrandbits(80)
    shown = number % _ENVIRONMENT_EVERY == 0
    return RunloopRun(
        id=f"bmr_{number:020x}",
        workspace_id=benchmark.workspace_id,
        sample=True,
        created_at=started,
        benchmark=benchmark,
        purpose="Nightly replay of the newest checkpoint" if series.labelled else "Reference",
        state=state,
        start_time_ms=int(started.timestamp() * 1000),
        duration_ms=None if state == "running" else rng.randint(1_100_000, 2_900_000),
        metadata={**({"model": series.model} if series.model else {}), "agent": series.agent},
        environment_variables=_ENVIRONMENT if shown else None,
        secrets_provided=_SECRETS if shown else None,
    )


def _run_scenarios(
    rng: random.Random, run: RunloopRun, benchmark: RunloopBenchmark, words: AgentBenchmark, quality: float | None
) -> Iterator[RunloopScenarioRun]:
    """One row for each scenario. A run that was canceled or still runs got as far as a few of them."""
    reached = len(words.scenarios) if run.state == "completed" else rng.randint(2, 5)
    for place, (scenario_id, name) in enumerate(zip(benchmark.scenario_ids, words.scenarios, strict=True)):
        state = "failed" if quality is None else _draw_state(rng)
        if place >= reached:
            state = "canceled" if run.state == "canceled" else "scoring" if place == reached else "running"
        result = _draw_result(rng, quality) if state == "completed" and quality is not None else None
        yield RunloopScenarioRun(
            id=_draw_id(rng, "scr"),
            run=run,
            ordinal=place,
            scenario_id=scenario_id,
            devbox_id=_draw_id(rng, "dbx"),
            name=name,
            state=state,
            start_time_ms=run.start_time_ms + place * 4_000,
            duration_ms=None if state in ("running", "scoring") else rng.randint(40_000, 1_000_000),
            metadata={},
            scoring_contract_result=result,
        )


def _draw_state(rng: random.Random) -> str:
    drawn = rng.random()
    for state, part in _NO_RESULT.items():
        if drawn < part:
            return state
        drawn -= part
    return "completed"


def _draw_result(rng: random.Random, quality: float) -> dict[str, Any]:
    """What the scoring functions say; all of the first one or nothing of it, as tests pass or do not."""
    passed = rng.random() < quality
    scores = {
        "tests pass": float(passed),
        "nothing else changed": round(min(1.0, max(0.0, rng.gauss(quality + 0.1, 0.15))), 2),
        "answer is short": round(min(1.0, max(0.0, rng.gauss(quality, 0.2))), 2),
    }
    outputs = {
        "tests pass": "12 passed" if passed else "11 passed, 1 failed",
        "nothing else changed": f"{round(20 * (1 - scores['nothing else changed']))} lines beside the point",
        "answer is short": "",
    }
    return {
        "score": round(sum(_WEIGHTS[name] * score for name, score in scores.items()), 4),
        "scoring_function_results": [
            {"scoring_function_name": name, "score": score, "state": "complete", "output": outputs[name]}
            for name, score in scores.items()
        ],
    }


def _score_of(row: RunloopScenarioRun) -> float:
    """A scenario's score; 0 for one that has no result."""
    return float(row.scoring_contract_result["score"]) if row.scoring_contract_result else 0.0
