"""Runloop's benchmarks, their runs and the scenario runs of one, as that API's wire has them.

Where there is no value a key is null, but for those that a list leaves out. Times are Unix milliseconds.
"""

from __future__ import annotations

from msgspec import UNSET, UnsetType, field

from dashboard.api.http.shapes import Shape


class CursorPage(Shape, kw_only=True, frozen=True):
    """The keys every list ends with. `total_count` counts what the filters let pass, wherever the page lies."""

    has_more: bool
    remaining_count: int
    total_count: int


class BenchmarkView(Shape, frozen=True):
    """A set of scenarios. `sample`, this service's own key: it came with the sample workspace."""

    id: str
    metadata: dict[str, str]
    name: str
    scenario_ids: list[str] = field(name="scenarioIds")
    attribution: str | None
    description: str | None
    is_public: bool | None
    sample: bool


class BenchmarkViewPage(CursorPage, frozen=True):
    benchmarks: list[BenchmarkView]


class BenchmarkRunView(Shape, gc=False, frozen=True):
    """One run. Only a completed one means its score.

    The last two keys can hold what nobody meant to publish: a list leaves them out, the one run's own answer has them.
    """

    id: str
    metadata: dict[str, str]
    start_time_ms: int
    state: str
    benchmark_id: str | None
    duration_ms: int | None
    name: str | None
    purpose: str | None
    score: float | None
    environment_variables: dict[str, str] | UnsetType | None = UNSET
    secrets_provided: dict[str, str] | UnsetType | None = UNSET


class BenchmarkRunViewPage(CursorPage, frozen=True):
    runs: list[BenchmarkRunView]


class ScoringFunctionResult(Shape, frozen=True):
    """`state` is unknown, complete or error; `output` is the function's log."""

    scoring_function_name: str
    score: float
    state: str
    output: str


class ScoringContractResult(Shape, frozen=True):
    """`score` is 0 to 1, over all scoring functions."""

    score: float
    scoring_function_results: list[ScoringFunctionResult]


class ScenarioRunView(Shape, frozen=True):
    """What one scenario of a run came to. Its environment is not stored, so that no key of it is here."""

    id: str
    devbox_id: str
    metadata: dict[str, str]
    scenario_id: str
    state: str
    benchmark_run_id: str
    duration_ms: int | None
    name: str | None
    scoring_contract_result: ScoringContractResult | None
    start_time_ms: int | None


class ScenarioRunViewPage(CursorPage, frozen=True):
    runs: list[ScenarioRunView]
