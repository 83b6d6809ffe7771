"""The nouns of the Runloop API, as frozen structs. Standard library and msgspec only, as in `records`.

Strings (states, names, metadata) stay as they were given. Of a run's environment nothing is kept: the values that it
ran with and the names of its secrets have no field here but in `RunEnvironment`, which nothing can store.
"""

from __future__ import annotations

from typing import NoReturn

import msgspec

from dashboard.trend.points import Duration as Duration
from dashboard.trend.points import Instant, Score


class RunloopBenchmark(msgspec.Struct, frozen=True, rename={"scenario_ids": "scenarioIds"}):
    """A fixed set of scenarios that agents are run on."""

    id: str
    name: str = ""
    description: str | None = None
    metadata: dict[str, str] = {}
    scenario_ids: tuple[str, ...] = ()
    attribution: str | None = None
    is_public: bool | None = None
    sample: bool = False
    """True for rows of the sample workspace; our own service says so, no other does."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """What each list says of how it was read."""

    cut: str = ""
    """Why reading ended before the end of the list, in one clause; empty where the list is whole."""
    late: bool = False
    """True where it was cut because the time for it was over."""
    notes: tuple[str, ...] = ()
    """What else is to be said of what came, each a sentence: entries that were left out, or came in two versions."""


class RunloopBenchmarks(Listed, frozen=True):
    """The benchmarks as they were read, page after page, in the service's order."""

    benchmarks: tuple[RunloopBenchmark, ...]


class RunloopRun(msgspec.Struct, frozen=True, gc=False):
    """One run of a benchmark: at most one score, no incumbent, and metadata that means what its writer meant."""

    id: str
    benchmark_id: str | None = None
    name: str | None = None
    purpose: str | None = None
    state: str = ""
    """"running", "completed", "canceled", or whatever else was given."""
    score: Score = None
    """The mean of its scenarios' scores; it counts only where the state is "completed"."""
    started_at: Instant = None
    """From `start_time_ms`. A number that is no plausible time in milliseconds is `Unreadable`."""
    duration_ms: Duration = None
    metadata: dict[str, str] = {}


class RunloopRuns(Listed, frozen=True):
    """The runs of a benchmark as they were read, page after page."""

    benchmark_id: str
    runs: tuple[RunloopRun, ...]
    """In the service's order (newest first), no run twice, none of another benchmark."""
    total: int | None = None
    """How many runs the service says there are; None where it says nothing that can be."""


MOST_OUTPUT = 2_000
"""Characters of a scoring function's output that are shown."""


class FunctionScore(msgspec.Struct, frozen=True, rename={"name": "scoring_function_name"}):
    """What one scoring function said of a scenario run."""

    name: str = ""
    score: Score = None
    state: str = ""
    output: str = ""
    """The beginning of its log: `MOST_OUTPUT` characters and the next one, which tells where a reader sees one end."""
    output_length: int = 0
    """Characters of the log as it came."""


class ScenarioRun(msgspec.Struct, frozen=True):
    """One scenario of a run, with its scoring functions' results in the order given."""

    id: str
    scenario_id: str = ""
    name: str | None = None
    state: str = ""
    started_at: Instant = None
    duration_ms: Duration = None
    score: Score = None
    functions: tuple[FunctionScore, ...] = ()
    metadata: dict[str, str] = {}
    benchmark_run_id: str | None = None


class ScenarioRuns(Listed, frozen=True):
    """The scenario runs of a run as they were read, page after page, in the service's order; none of another run."""

    scenarios: tuple[ScenarioRun, ...]


def leave_out_outputs(given: ScenarioRuns) -> ScenarioRuns:
    """The same without a word of any log, as it may be remembered: a log can print what its run was given."""
    replace = msgspec.structs.replace
    scenarios = (
        replace(one, functions=tuple(replace(function, output="") for function in one.functions))
        for one in given.scenarios
    )
    return replace(given, scenarios=tuple(scenarios))


class RunEnvironment:
    """What a run was given: variables with their values, and the name of the secret behind each secret variable.

    Only for the person who asked for it. It is no struct on purpose: msgspec refuses to encode it, pickle too, and its
    repr says nothing, so no cache, log or error page can hold it by accident.
    """

    __slots__ = ("secrets", "variables")

    def __init__(self, variables: dict[str, str], secrets: dict[str, str]) -> None:
        self.variables = variables
        self.secrets = secrets

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RunEnvironment):
            return NotImplemented
        return (self.variables, self.secrets) == (other.variables, other.secrets)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "RunEnvironment(hidden)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("the environment of a run is not stored")
