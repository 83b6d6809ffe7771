"""The runs of a Runloop benchmark as points. Nothing of a run's environment enters a point."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend import Kind, Point, Scale, Vocabulary

RUNLOOP = Vocabulary(
    thing="run",
    status="state",
    scored="completed",
    scored_label="completed",
    open="running",
    finished="completed",
    gaps={
        "running": Kind("running", "ring"),
        "canceled": Kind("canceled", "diamond"),
        "unreadable": Kind("unreadable score", "triangle down"),
        "unscored": Kind("no score", "dash"),
        "no_baseline": Kind("no baseline", "open triangle"),
        "no_candidate": Kind("no candidate", "open triangle down"),
    },
    reasons={"canceled": "the run was canceled"},
    no_reason="the service gives its state as {status}",
    numbers=("score",),
    delta="difference, computed here",
    group="value",
    group_title="Group",
    ungrouped="all runs",
    time="start time",
    bad_time="is no plausible time in milliseconds",
    durations=True,
    labels_repeat=True,
    page="run",
    # A run's score is the mean of its scenarios' scores, each from 0 to 1.
    scale=Scale(0.0, 1.0),
    scale_note="of 0–1",
)


class KeySeen(NamedTuple):
    """A metadata key that runs carry: how many of them, and how many different values they give it."""

    key: str
    runs: int
    values: int


def build_points(runs: Iterable[RunloopRun], *, group: str = "", label: str = "") -> list[Point]:
    """Each run as a point, in the order given. `group` and `label` are metadata keys.

    A run without the label's key is labelled by its name, else its id.
    """
    nameless = f"no {group}"
    points = []
    for run in runs:
        value = run.metadata.get(group, "") if group else ""
        named = run.metadata.get(label, "") if label else ""
        points.append(
            Point(
                run.id,
                value,
                (value or nameless) if group else "",
                named or run.name or run.id,
                run.started_at,
                run.state,
                run.score,
                duration=run.duration_ms,
            )
        )
    return points


def count_keys(runs: Iterable[RunloopRun]) -> list[KeySeen]:
    """The metadata keys seen, most used first."""
    values: dict[str, list[str]] = defaultdict(list)
    for run in runs:
        for key, value in run.metadata.items():
            if value:
                values[key].append(value)
    seen = (KeySeen(key, len(given), len(set(given))) for key, given in values.items())
    return sorted(seen, key=lambda one: (-one.runs, one.key))
