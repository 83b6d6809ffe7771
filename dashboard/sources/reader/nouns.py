"""Everything that can be read, of both sources. Each is called, or asked for together with others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from dashboard.sources.connect import get_connection, get_loop, get_runloop
from dashboard.sources.loop.client import Identity
from dashboard.sources.loop.rows import ReplayRow, RowMark, mark_row
from dashboard.sources.loop.runs import Evaluation, EvaluationItem, RuleDetail, RunDetail
from dashboard.sources.loop.wire import (
    Benchmark,
    BenchmarkItem,
    Dataset,
    History,
    Judge,
    Replay,
    Rule,
    Trace,
    TrainingRun,
)
from dashboard.sources.reader.asking import Ask
from dashboard.sources.reader.reading import Noun
from dashboard.sources.runloop.wire import (
    RunEnvironment,
    RunloopBenchmark,
    RunloopBenchmarks,
    RunloopRun,
    RunloopRuns,
    ScenarioRuns,
    leave_out_outputs,
)

NEWEST = 200
"""How many replays or runs are the recent ones: one request."""
ITEMS_A_CALL = 100
IDENTITY_STANDS_S = 60.0
IDENTITY_WAITS_S = 0.3
"""No page waits longer to hear whose key it reads with; the answer that is late is there for the next page."""

MOST_ROWS = 1_000
"""So many rows of a replay are read: a benchmark pins 200 at most, an import may bring more."""

T = TypeVar("T")
AWAITING = "awaiting_review"
BAR_STANDS_S = 60.0
BAR_WAITS_S = 0.3
EvaluationItems = tuple[list[EvaluationItem], int]
Runs = tuple[list[TrainingRun], int]
Items = tuple[list[BenchmarkItem], int]
Rows = tuple[list[ReplayRow], int]
Marks = tuple[list[RowMark], int]
Traces = tuple[list[Trace], int]


@Noun
def benchmark(benchmark_id: str) -> Ask[Benchmark]:
    loop, about = get_loop(), f"benchmark {benchmark_id}"
    return Ask("loop", "benchmark", (benchmark_id,), lambda: loop.get_benchmark(benchmark_id), Benchmark, about=about)


@Noun
def benchmarks() -> Ask[list[Benchmark]]:
    """Every one, active or retired, newest first."""
    return Ask("loop", "benchmarks", (), get_loop().list_benchmarks, list[Benchmark])


@Noun
def history(benchmark_id: str) -> Ask[History]:
    """Every replay."""
    loop, about = get_loop(), f"benchmark {benchmark_id}"
    return Ask("loop", "history", (benchmark_id,), lambda: loop.get_history(benchmark_id), History, about=about)


@Noun
def recent_history(benchmark_id: str) -> Ask[History]:
    """The newest replays, in one request, with the true total."""
    loop, about = get_loop(), f"benchmark {benchmark_id}"
    call = lambda: loop.get_recent_history(benchmark_id, NEWEST)  # noqa: E731
    return Ask("loop", "recent history", (benchmark_id,), call, History, about=about)


@Noun
def items(benchmark_id: str, *, limit: int, offset: int = 0) -> Ask[Items]:
    """So many pinned conversations from there on, or all that are left; and how many the set has."""
    loop, about = get_loop(), f"benchmark {benchmark_id}"

    def call() -> Items:
        return _fill(lambda limit, offset: loop.list_items(benchmark_id, limit=limit, offset=offset), limit, offset)

    return Ask("loop", "items", (benchmark_id, limit, offset), call, Items, about=about)


def _fill(
    read_page: Callable[[int, int], tuple[list[T], int]], limit: int, offset: int, *, a_call: int = ITEMS_A_CALL
) -> tuple[list[T], int]:
    """A service may give fewer than it was asked for."""
    found: list[T] = []
    while True:
        more, total = read_page(min(limit - len(found), a_call), offset + len(found))
        found += more
        if not more or len(found) >= limit or offset + len(found) >= total:
            return found[:limit], total


@Noun
def replay(benchmark_run_id: str) -> Ask[Replay]:
    loop, about = get_loop(), f"replay {benchmark_run_id}"
    return Ask("loop", "replay", (benchmark_run_id,), lambda: loop.get_replay(benchmark_run_id), Replay, about=about)


@Noun
def replay_rows(benchmark_run_id: str, *, finished: bool) -> Ask[Rows]:
    """A replay's rows as far as they are read, and how many it has. Those of a `finished` one cannot change."""
    about = f"rows of replay {benchmark_run_id}"  # a service that lists none has the replay all the same
    call = lambda: _read_rows(benchmark_run_id)  # noqa: E731
    return Ask("loop", "replay rows", (benchmark_run_id,), call, Rows, about=about, final=finished)


@Noun
def replay_marks(benchmark_run_id: str, *, finished: bool) -> Ask[Marks]:
    """What each row of a replay came to: little enough to be remembered of hundreds of replays."""

    def call() -> Marks:
        rows, total = _read_rows(benchmark_run_id)
        return [mark_row(row) for row in rows], total

    about = f"rows of replay {benchmark_run_id}"
    return Ask("loop", "replay marks", (benchmark_run_id,), call, Marks, about=about, final=finished)


def _read_rows(benchmark_run_id: str) -> Rows:
    loop, a_call = get_loop(), MOST_ROWS if get_connection().embedded else ITEMS_A_CALL

    def read_page(limit: int, offset: int) -> Rows:
        return loop.list_replay_rows(benchmark_run_id, limit=limit, offset=offset)

    return _fill(read_page, MOST_ROWS, 0, a_call=a_call)


@Noun
def rules() -> Ask[list[Rule]]:
    """Every training rule, in the service's order."""
    return Ask("loop", "rules", (), get_loop().list_rules, list[Rule])


@Noun
def rule(rule_id: str) -> Ask[RuleDetail]:
    """With its newest runs, its month, and how its judge agreed."""
    loop = get_loop()
    return Ask("loop", "rule", (rule_id,), lambda: loop.get_rule(rule_id), RuleDetail, about=f"rule {rule_id}")


@Noun
def runs(rule_id: str = "", *, state: str = "", limit: int, offset: int = 0) -> Ask[Runs]:
    """A page of the training runs, newest first, of one rule or in one state if it is named; and how many there are."""
    loop, about = get_loop(), f"rule {rule_id}" if rule_id else ""
    call = lambda: loop.list_runs(rule_id=rule_id, state=state, limit=limit, offset=offset)  # noqa: E731
    return Ask("loop", "runs", (rule_id, state, limit, offset), call, Runs, about=about)


@Noun
def waiting_runs() -> Ask[Runs]:
    """One of the runs that await a decision, and how many there are: for the top bar, which no page waits for long."""
    call = lambda: get_loop().list_runs(state=AWAITING, limit=1)  # noqa: E731
    return Ask("loop", "waiting", (), call, Runs, fresh_s=BAR_STANDS_S, within_s=BAR_WAITS_S)


@Noun
def training_run(run_id: str) -> Ask[RunDetail]:
    """A run of the Loop API with its timeline, its replay, and what may be done with it."""
    loop, about = get_loop(), f"training run {run_id}"
    return Ask("loop", "training run", (run_id,), lambda: loop.get_run(run_id), RunDetail, about=about)


@Noun
def evaluation(evaluation_id: str) -> Ask[Evaluation]:
    """The paired comparison of a training run."""
    loop, about = get_loop(), f"evaluation {evaluation_id}"
    return Ask(
        "loop", "evaluation", (evaluation_id,), lambda: loop.get_evaluation(evaluation_id), Evaluation, about=about
    )


@Noun
def evaluation_items(evaluation_id: str, *, winner: str = "", limit: int, offset: int = 0) -> Ask[EvaluationItems]:
    """A page of the conversations behind a comparison, those that `winner` won if it is named; and how many."""
    loop, about = get_loop(), f"evaluation {evaluation_id}"
    call = lambda: loop.list_evaluation_items(evaluation_id, winner=winner, limit=limit, offset=offset)  # noqa: E731
    return Ask("loop", "evaluation items", (evaluation_id, winner, limit, offset), call, EvaluationItems, about=about)


@Noun
def judges() -> Ask[list[Judge]]:
    """Every judge, newest first."""
    return Ask("loop", "judges", (), get_loop().list_judges, list[Judge])


@Noun
def traces(*, search: str = "", source: str = "", model: str = "", limit: int, offset: int = 0) -> Ask[Traces]:
    """A page of the conversations, newest first, and how many match."""
    loop = get_loop()
    call = lambda: loop.list_traces(search=search, source=source, model=model, limit=limit, offset=offset)  # noqa: E731
    return Ask("loop", "traces", (search, source, model, limit, offset), call, Traces)


@Noun
def trace(trace_id: str) -> Ask[Trace]:
    loop = get_loop()
    return Ask("loop", "trace", (trace_id,), lambda: loop.get_trace(trace_id), Trace, about=f"trace {trace_id}")


@Noun
def datasets() -> Ask[list[Dataset]]:
    """Every training set, newest first."""
    return Ask("loop", "datasets", (), get_loop().list_datasets, list[Dataset])


@Noun
def identity() -> Ask[Identity]:
    """Whose key this is and what it may do; asked at most once a minute, and hardly waited for."""
    call = get_loop().introspect
    return Ask("loop", "identity", (), call, Identity, fresh_s=IDENTITY_STANDS_S, within_s=IDENTITY_WAITS_S)


@Noun
def loop_answers() -> Ask[Identity]:
    """Whether the Loop source answers at this moment; nothing of it is remembered."""
    return Ask("loop", "answers", (), get_loop().introspect)


@Noun
def runloop_benchmark(benchmark_id: str) -> Ask[RunloopBenchmark]:
    runloop, about = get_runloop(), f"benchmark {benchmark_id}"
    call = lambda: runloop.get_benchmark(benchmark_id)  # noqa: E731
    return Ask("runloop", "benchmark", (benchmark_id,), call, RunloopBenchmark, about=about)


@Noun
def runloop_benchmarks() -> Ask[RunloopBenchmarks]:
    return Ask("runloop", "benchmarks", (), get_runloop().list_benchmarks, RunloopBenchmarks)


@Noun
def runs_of(benchmark_id: str) -> Ask[RunloopRuns]:
    """Every run of a Runloop benchmark."""
    runloop, about = get_runloop(), f"benchmark {benchmark_id}"
    return Ask("runloop", "runs", (benchmark_id,), lambda: runloop.list_runs(benchmark_id), RunloopRuns, about=about)


@Noun
def recent_runs_of(benchmark_id: str) -> Ask[RunloopRuns]:
    """The newest runs of a Runloop benchmark, in one request, with the true total."""
    runloop, about = get_runloop(), f"benchmark {benchmark_id}"
    call = lambda: runloop.list_recent_runs(benchmark_id, NEWEST)  # noqa: E731
    return Ask("runloop", "recent runs", (benchmark_id,), call, RunloopRuns, about=about)


@Noun
def run(run_id: str) -> Ask[RunloopRun]:
    """One run of Runloop."""
    runloop = get_runloop()
    return Ask("runloop", "run", (run_id,), lambda: runloop.get_run(run_id), RunloopRun, about=f"run {run_id}")


@Noun
def scenarios(run_id: str) -> Ask[ScenarioRuns]:
    """The scenario runs of a run of Runloop. Their logs are not remembered: they can print what the run was given."""
    runloop, about = get_runloop(), f"run {run_id}"
    call = lambda: runloop.list_scenario_runs(run_id)  # noqa: E731
    return Ask("runloop", "scenarios", (run_id,), call, ScenarioRuns, about=about, keep=leave_out_outputs)


@Noun
def environment(run_id: str) -> Ask[RunEnvironment]:
    """What a run of Runloop was given, for the person who asks. Never remembered."""
    runloop = get_runloop()
    return Ask("runloop", "environment", (run_id,), lambda: runloop.get_environment(run_id), about=f"run {run_id}")


@Noun
def runloop_answers() -> Ask[None]:
    """Whether Runloop answers at this moment."""
    return Ask("runloop", "answers", (), get_runloop().ping)
