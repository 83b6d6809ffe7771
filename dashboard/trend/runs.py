"""Runs of the Runloop API: which carry a number, what stands in the place of those that do not, and their slots."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from dashboard.sources.loop.wire import Unreadable
from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend.flags import Flag
from dashboard.trend.gaps import Gap, describe_running
from dashboard.trend.scale import Scale
from dashboard.trend.slots import LAST, Decision

COMPLETED = "completed"
"""The only state in which a run's score counts."""
RUN_SCALE = Scale(0.0, 1.0)
"""A run's score is the mean of its scenarios' scores, each from 0 to 1."""

RUN_GAP_LABELS = {
    "running": "running",
    "canceled": "canceled",
    "unreadable": "unreadable score",
    "unscored": "no score",
    "no_baseline": "no baseline",
    "no_candidate": "no candidate",
}
"""The kinds of gap that we know, as people read them. Any other state is a kind of its own, shown as given."""


class ReadRun(NamedTuple):
    """One run, read once: where it belongs, and its score or why it has none."""

    run: RunloopRun
    group: str
    """The value of the group's metadata key, "" where the run has none."""
    label: str
    """The checkpoint, letter for letter; where there is none, the run's name, else its id."""
    gap: Gap | None
    flags: tuple[Flag, ...]
    score: float | None
    """None of a gap. Minus zero is zero."""


class RunSlot(NamedTuple):
    """One run in its place; or, where two groups stand side by side, both runs of one checkpoint label."""

    place: int
    """Its place among the slots shown, from 0."""
    run: RunloopRun
    """The candidate's run of a pair; else the one run that is here, whichever side it is on."""
    other: RunloopRun | None
    """The incumbent's run of a pair."""
    group: str
    """The group of `run`: the value of the metadata key, "" where it has none."""
    group_name: str
    """The same as people read it: the value, "no <key>", or "" where nothing groups the runs."""
    label: str
    gap: Gap | None
    """Why a number is missing here. In a pair the other side's number may be there all the same."""
    flags: tuple[Flag, ...]
    candidate: float | None
    """The run's score; side by side the candidate's alone."""
    incumbent: float | None
    """The incumbent's score, side by side; else None."""
    delta: float | None
    """Candidate minus incumbent, computed here: no service gave it. None unless both are scored."""
    compared: bool = False
    """True for the slot in which a label's two sides meet, also where one of them is missing."""
    reasons: tuple[str, ...] = ()
    """Of such a slot, why each side's run has no score, the candidate's first; "" for one that has, or is missing."""

    @property
    def scored(self) -> bool:
        return self.gap is None

    @property
    def id(self) -> str:
        return self.run.id

    @property
    def created_at(self) -> datetime | None:
        return self.run.started_at if isinstance(self.run.started_at, datetime) else None

    @property
    def runs(self) -> tuple[RunloopRun, ...]:
        return (self.run,) if self.other is None else (self.run, self.other)

    @property
    def decision(self) -> Decision | None:
        """Nobody promotes a run."""
        return None

    @property
    def era_reason(self) -> str:
        """Nothing serves, so no era begins."""
        return ""


def order_run(run: RunloopRun) -> tuple[datetime, str]:
    """Where a run stands among others: by time, then id. Untimed ones come last."""
    return (run.started_at if isinstance(run.started_at, datetime) else LAST, run.id)


def read_run(run: RunloopRun, *, group: str | None, label: str | None, now: datetime) -> ReadRun:
    """A run as a trend sees it. `group` and `label` are metadata keys."""
    gap = find_run_gap(run, now)
    score = run.score + 0.0 if gap is None else None  # type: ignore[operator]
    named = run.metadata.get(label, "") if label else ""
    return ReadRun(
        run,
        run.metadata.get(group, "") if group else "",
        named or run.name or run.id,
        gap,
        find_run_flags(run, score),
        score,
    )


def find_run_gap(run: RunloopRun, now: datetime) -> Gap | None:
    """The gap that this run is, or None where it has a number: completed, with a finite score."""
    state, score = run.state, run.score
    if state != COMPLETED:
        if not state.strip():
            return Gap("unknown", "no state", "the service gave no state")
        reasons = {"running": describe_running(run.started_at, now), "canceled": "the run was canceled"}
        return Gap(state, state, reasons.get(state, f"the service gives its state as {state}"))
    if type(score) is float:
        return None
    if isinstance(score, Unreadable):
        return Gap("unreadable", RUN_GAP_LABELS["unreadable"], f"the score is not a number: {score.raw}")
    return Gap("unscored", RUN_GAP_LABELS["unscored"], "completed without a score")


def find_run_flags(run: RunloopRun, score: float | None) -> tuple[Flag, ...]:
    """The flags of one run. They hold no number that the API did not give."""
    flags = []
    started = run.started_at
    if not isinstance(started, datetime):
        said = f" is no plausible time in milliseconds ({started.raw})" if started else " is not given"
        flags.append(Flag("untimed", f"its start time{said}, so it stands after all runs that have one"))
    if run.state != COMPLETED and run.score is not None:
        said = run.state.strip() or "it gives no state"
        flags.append(Flag("scores_unused", f"its score is not used: it is not completed ({said})"))
    if score is not None and not RUN_SCALE.low <= score <= RUN_SCALE.high:
        flags.append(Flag("outside_scale", "the score lies outside the scale from 0 to 1"))
    return tuple(flags)
