"""Small lists of runs to compute with: a completed and scored run by default, anything else by name."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import msgspec
from hypothesis import strategies as st

from dashboard.sources.loop.wire import Unreadable
from dashboard.sources.runloop.points import RUNLOOP, build_points
from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend import Grouping, Trend, Window, build_trend
from dashboard.trend.window import EVERYTHING
from tests.trend.points import NOW, START


def make_run(day: int, **given: Any) -> RunloopRun:
    """The run of one day: model "ours" at that day's checkpoint, scored 0.5, unless told otherwise.

    `model` and `checkpoint` are shorthands for its metadata.
    """
    metadata = {"model": given.pop("model", "ours"), "checkpoint": given.pop("checkpoint", f"step-{day}")}
    values: dict[str, Any] = {
        "id": f"r{day}",
        "benchmark_id": "bmd-1",
        "state": "completed",
        "score": 0.5,
        "started_at": START + timedelta(days=day),
        "metadata": metadata,
    }
    return RunloopRun(**(values | given))


def _number(runs: list[RunloopRun]) -> list[RunloopRun]:
    return [msgspec.structs.replace(run, id=f"r{number}") for number, run in enumerate(runs)]


def run_lists(models: int = 3) -> st.SearchStrategy[list[RunloopRun]]:
    """Runs of some models with every state, equal and missing times, odd scores, and labels that meet or do not."""
    return st.lists(
        st.builds(
            RunloopRun,
            id=st.just(""),
            name=st.sampled_from([None, "", "nightly"]),
            state=st.sampled_from(["completed"] * 5 + ["running", "canceled", "timeout", "", " ", "no_baseline"]),
            score=st.one_of(
                st.sampled_from([0.5, 0.0, -0.0, 0.25, 1.5, -3.0, 1.7e308, -1.7e308]),
                st.none(),
                st.builds(Unreadable, st.sampled_from(["NaN", "1e999", '"0.71"'])),
            ),
            started_at=st.sampled_from(
                [None, Unreadable("1740816000"), *(START + timedelta(hours=hour) for hour in range(9))]
            ),
            metadata=st.fixed_dictionaries(
                {},
                optional={
                    "model": st.sampled_from(["", *(f"m{number}" for number in range(models))]),
                    "checkpoint": st.sampled_from(["", "step-1", "step-2", "step-1000"]),
                    "<b>": st.just("x"),
                },
            ),
        ),
        max_size=30,
    ).map(_number)


def run_trend_of(
    runs: Iterable[RunloopRun],
    *,
    group: str = "",
    label: str = "",
    sides: tuple[str, str] | None = None,
    window: Window = EVERYTHING,
) -> Trend:
    """The trend of these runs: all of them, or with `sides` two groups side by side."""
    points = build_points(runs, group=group, label=label)
    return build_trend(points, RUNLOOP, Grouping(every=True, sides=sides), window, now=NOW)
