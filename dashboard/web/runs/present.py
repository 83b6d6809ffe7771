"""One run of Runloop as its page prints it: the run, its scenario runs worst first, and its mean reckoned anew."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import fsum
from typing import NamedTuple

from dashboard.charts.numbers import choose_decimals
from dashboard.sources.loop.wire import Score, Unreadable
from dashboard.sources.runloop.points import RUNLOOP, build_points
from dashboard.sources.runloop.wire import MOST_OUTPUT, FunctionScore, RunloopRun, ScenarioRun
from dashboard.trend import find_flags, find_gap
from dashboard.web.common.numbers import NOTHING, Number, show_count, show_score
from dashboard.web.common.texts import count_characters, cut_text
from dashboard.web.common.times import Moment, show_duration, show_moment

MEAN = "The score is the mean of the scenario scores, as Runloop gives it."
ROWS_A_PAGE = 50
LINE = 120
"""Characters of an output that is shown at once."""
MOST_FUNCTIONS = 20
"""Scoring functions of one scenario run that are shown."""
AGREES_WITHIN = 1e-6
"""Two means that differ by less are the same number, rounded somewhere."""


class ShownRun(NamedTuple):
    """The run's own facts."""

    id: str
    name: str
    benchmark_id: str
    state: str
    """Verbatim; "no state" where none came."""
    score: Number
    """A dash where there is none: only a completed run has one."""
    score_note: str
    """Why there is no score, or what is odd about it; empty where neither."""
    at: Moment
    duration: str
    purpose: str
    metadata: dict[str, str]


class ShownFunction(NamedTuple):
    """What one scoring function said."""

    name: str
    score: Number
    state: str
    output: str
    size: str
    """How long the whole output is, in words, where not all of it is here: the memory of a run has nothing of it."""
    short: bool
    """True for an output of one line, which stands beside the score."""


class ShownScenario(NamedTuple):
    """One scenario run, with its scoring functions as far as they are shown."""

    id: str
    scenario_id: str
    name: str
    state: str
    score: Number
    at: Moment
    duration: str
    functions: tuple[ShownFunction, ...]
    functions_left: int
    metadata: dict[str, str]


class Verdict(NamedTuple):
    """The mean reckoned from the scenario scores, beside the reported one. `agrees`: None where nobody can say."""

    text: str
    agrees: bool | None


def build_run(run: RunloopRun, now: datetime) -> ShownRun:
    [point] = build_points([run])
    gap = find_gap(point, RUNLOOP, now, alone=True)
    score = run.score if gap is None and isinstance(run.score, float) else None
    # When it started is a fact of its own here.
    notes = [flag.text for flag in find_flags(point, (score, None, None), RUNLOOP) if flag.kind != "untimed"]
    if gap:
        given = [f"{show_any(run.score).text} was given"] if isinstance(run.score, float) else []
        notes = [gap.reason, *notes, *given]
    return ShownRun(
        run.id,
        run.name or "",
        run.benchmark_id or "",
        run.state or "no state",
        show_any(score),
        "; ".join(notes),
        show_moment(run.started_at, now),
        show_duration(run.duration_ms),
        run.purpose or "",
        run.metadata,
    )


def show_any(score: Score, decimals: int | None = None) -> Number:
    """A score, a dash for none, or what could not be read as it came."""
    if isinstance(score, Unreadable):
        return Number(f"unreadable: {score.raw}", "")
    if score is None:
        return Number(NOTHING, "")
    return show_score(score, choose_decimals([score], RUNLOOP.scale) if decimals is None else decimals)


def sort_scenarios(scenarios: Sequence[ScenarioRun]) -> list[ScenarioRun]:
    """Worst first: those without a score, then by score; equal ones by name and id."""

    def key(one: ScenarioRun) -> tuple[float, str, str]:
        return (one.score if isinstance(one.score, float) else float("-inf"), one.name or one.scenario_id, one.id)

    return sorted(scenarios, key=key)


def build_scenarios(scenarios: Sequence[ScenarioRun], now: datetime) -> list[ShownScenario]:
    """These scenario runs as they are printed, in their order."""
    decimals = choose_decimals((one.score for one in scenarios if isinstance(one.score, float)), RUNLOOP.scale)
    return [
        ShownScenario(
            one.id,
            one.scenario_id,
            one.name or one.scenario_id or one.id,
            one.state or "no state",
            show_any(one.score, decimals),
            show_moment(one.started_at, now),
            show_duration(one.duration_ms),
            tuple(_show_function(function) for function in one.functions[:MOST_FUNCTIONS]),
            max(0, len(one.functions) - MOST_FUNCTIONS),
            one.metadata,
        )
        for one in scenarios
    ]


def _show_function(given: FunctionScore) -> ShownFunction:
    shown = cut_text(given.output, MOST_OUTPUT)
    size = count_characters(given.output_length) if given.output_length > len(shown.text) else ""
    short = len(shown.text) <= LINE and "\n" not in shown.text
    return ShownFunction(given.name or NOTHING, show_any(given.score), given.state, shown.text, size, short)


def compare_means(run: RunloopRun, scenarios: Sequence[ScenarioRun], cut: str = "") -> Verdict:
    """The sum of the scenario scores over the number of scenario runs, which is how Runloop reckons a run's score.

    `cut`: why there may be more scenario runs than these; empty where these are all.
    """
    if run.state != RUNLOOP.scored:
        return Verdict(f"It cannot be recomputed because the run is {run.state or 'without a state'}.", None)
    if cut:
        return Verdict("It cannot be recomputed because there may be more scenario runs than could be read.", None)
    if not scenarios:
        return Verdict("It cannot be recomputed because Runloop gave no scenario run.", None)
    scores = [one.score for one in scenarios if isinstance(one.score, float)]
    unscored, count = len(scenarios) - len(scores), len(scenarios)
    mean, reported = fsum(score / count for score in scores), run.score
    missing = f"{unscored:,} of {show_count(count, 'scenario run')} {'has' if unscored == 1 else 'have'} no score"
    if unscored and (not scores or not isinstance(reported, float)):
        return Verdict(f"It cannot be recomputed because {missing}.", None)
    if not isinstance(reported, float):
        shown, given = show_any(mean).text, show_count(count, "scenario score")
        return Verdict(f"Computed here from {given}: {shown}. Runloop reports no score.", None)
    agrees = abs(mean - reported) <= AGREES_WITHIN
    decimals = choose_decimals([mean, reported], RUNLOOP.scale)
    shown, given = show_score(mean, decimals).text, show_score(reported, decimals).text
    if shown == given and not agrees:  # further digits than the page prints
        shown, given = repr(mean), repr(reported)
    if not unscored:
        words = f"the mean of {show_count(count, 'scenario score')}, computed here, is {shown}"
        return Verdict(f"Agrees: {words}." if agrees else f"Differs: {words}; Runloop reports {given}.", agrees)
    if agrees:
        return Verdict(f"Agrees, where 0 stands for a missing score: {missing}, and computed here it is {shown}.", True)
    return Verdict(
        f"It cannot be recomputed because {missing}. With 0 in their place it would be {shown}, computed here; Runloop "
        f"reports {given}.",
        None,
    )
