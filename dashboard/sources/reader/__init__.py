"""The only way pages read: `reader.benchmark(id)` answers a `Reading`.

A reading is `Known` (a value and its age; with a failure, the last good value), `Absent` (the service says that there
is none) or `Unread` (nobody could look). A remote read that succeeds is remembered; one that fails without an answer,
or does not come soon, gives what is remembered. A refusal is an answer: it empties the memory of what it refuses.
"""

from dashboard.sources.reader.asking import Ask, Source
from dashboard.sources.reader.nouns import (
    benchmark,
    benchmarks,
    datasets,
    environment,
    history,
    identity,
    items,
    judges,
    loop_answers,
    recent_history,
    recent_runs_of,
    replay,
    rule,
    rules,
    run,
    runloop_answers,
    runloop_benchmark,
    runloop_benchmarks,
    runs,
    runs_of,
    scenarios,
    trace,
    traces,
)
from dashboard.sources.reader.reading import changed, each, together
from dashboard.sources.reader.readings import Absent, Known, Late, Reading, Unread, describe_old

__all__ = [
    "Absent",
    "Ask",
    "Known",
    "Late",
    "Reading",
    "Source",
    "Unread",
    "benchmark",
    "benchmarks",
    "changed",
    "datasets",
    "describe_old",
    "each",
    "environment",
    "history",
    "identity",
    "items",
    "judges",
    "loop_answers",
    "recent_history",
    "recent_runs_of",
    "replay",
    "rule",
    "rules",
    "run",
    "runloop_answers",
    "runloop_benchmark",
    "runloop_benchmarks",
    "runs",
    "runs_of",
    "scenarios",
    "together",
    "trace",
    "traces",
]
