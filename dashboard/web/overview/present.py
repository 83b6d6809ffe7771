"""A benchmark of either source as a row of the overview, and the order of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString

from dashboard.charts import render_sparkline
from dashboard.charts.numbers import choose_decimals
from dashboard.sources.http.errors import Unauthorized
from dashboard.sources.loop.points import build_points as build_replays
from dashboard.sources.loop.points import describe_benchmark
from dashboard.sources.loop.wire import Benchmark, History
from dashboard.sources.reader import Known, Late, Reading, Source, describe_old
from dashboard.sources.runloop.points import RUNLOOP
from dashboard.sources.runloop.points import build_points as build_runs
from dashboard.sources.runloop.wire import RunloopBenchmark, RunloopBenchmarks, RunloopRuns
from dashboard.trend import Grouping, Point, Slot, Trend, Vocabulary, build_trend, find_newest
from dashboard.web.common.ids import has_page
from dashboard.web.common.numbers import Number, show_delta, show_score
from dashboard.web.common.sources import KEY_SETTINGS, SOURCES, AnyBenchmark, Key
from dashboard.web.common.times import Moment, show_moment

Listing = Reading[list[Benchmark] | RunloopBenchmarks]
Outcome = Reading[History | RunloopRuns]


@dataclass(frozen=True)
class Summary:
    """What a benchmark's history says in one row.

    A Loop benchmark's row is of one rule, the one with the newest replay; a Runloop benchmark's of all its runs.
    """

    trend: Trend
    rule: str
    """The rule's name where the replays looked at are of several; empty where they are all of one."""
    count: int
    """The rule's replays. With `cut` and several rules only those looked at, for nobody counted the others by rule."""
    looked_at: int
    """How many replays, the newest of every rule, were looked at."""
    cut: bool
    """True where there are older ones than were looked at."""
    unscored: int
    """How many of the rule's that were looked at have no score."""
    newest: Point | None
    """The newest of those looked at that have a time, scored or not."""
    stale: str
    """How old what is shown is and why; empty where it is today's."""

    @property
    def latest(self) -> Slot | None:
        return self.trend.latest

    @property
    def newest_at(self) -> datetime | None:
        """For the order of the rows, undated or not."""
        return self.newest.created_at if self.newest else None


@dataclass(frozen=True)
class Row:
    """One benchmark. With neither `summary` nor `failure` its history is still on its way."""

    benchmark: AnyBenchmark
    summary: Summary | None = None
    failure: str = ""

    @property
    def pending(self) -> bool:
        return self.summary is None and not self.failure

    @property
    def key(self) -> Key:
        return Key("runloop" if isinstance(self.benchmark, RunloopBenchmark) else "loop", self.benchmark.id)

    @property
    def of_runs(self) -> bool:
        """True for a benchmark of Runloop, which has runs with one score each."""
        return self.key.source == "runloop"

    @property
    def source(self) -> str:
        return SOURCES[self.key.source]

    @property
    def name(self) -> str:
        return self.benchmark.name or self.benchmark.id

    @property
    def url(self) -> str:
        """Of its page; empty where its id is none that can be asked for."""
        route = "run-trend" if self.of_runs else "trend"
        return reverse(route, args=[self.benchmark.id]) if has_page(self.benchmark.id) else ""


@dataclass(frozen=True)
class Cells:
    """A row as the template prints it."""

    row: Row
    sparkline: SafeString
    candidate: Number | None
    """Of a Runloop benchmark the score, which is nobody's candidate; the other two are None there."""
    incumbent: Number | None
    delta: Number | None
    checkpoint: str
    flags: tuple[str, ...]
    decision: str
    decided_on: str
    newest: Moment


class Note(NamedTuple):
    """What is to be said of a source's list; `late` where it may be there when the page is loaded again."""

    text: str
    late: bool


def describe_lists(lists: Mapping[Source, Listing], now: datetime) -> list[Note]:
    """What to say of the lists that could not be read anew or to their ends."""
    notes = []
    for name, outcome in lists.items():
        source = SOURCES[name]
        if not isinstance(outcome, Known):
            shown = f"{source}: {outcome.failure.message} Its benchmarks are not shown."
            if isinstance(outcome.failure, Unauthorized):
                shown += f" Whoever runs this dashboard should check {KEY_SETTINGS[name]}."
            notes.append(Note(shown, isinstance(outcome.failure, Late)))
            continue
        if outcome.failure:
            notes.append(Note(f"{source}: {describe_old(outcome, now=now)}", isinstance(outcome.failure, Late)))
        if not isinstance(outcome.value, RunloopBenchmarks):
            continue
        notes += [Note(f"{source}: {note}", False) for note in outcome.value.notes]
        if outcome.value.cut:
            count = len(outcome.value.benchmarks)
            notes.append(
                Note(f"{source}: there may be more benchmarks than these {count}: {outcome.value.cut}.", False)
            )
    return notes


def build_row(benchmark: AnyBenchmark, outcome: Outcome, now: datetime, *, patient: bool) -> Row:
    """The row of a benchmark from what came of reading its history. While that is late the row waits, and with
    `patient` it waits for what is remembered no longer."""
    known = isinstance(outcome, Known)
    if isinstance(outcome.failure, Late) and not (known and patient):
        return Row(benchmark)
    if not isinstance(outcome, Known):
        return Row(benchmark, failure=outcome.failure.message)
    read, stale = outcome.value, describe_old(outcome, now=now)
    if isinstance(read, RunloopRuns):
        said = " ".join([*read.notes, stale]).strip()
        return Row(benchmark, _sum_up(build_runs(read.runs), RUNLOOP, Grouping(every=True), read.total or 0, said, now))
    # The history of a Loop benchmark, whose digest and scale it is checked against.
    words = describe_benchmark(benchmark if isinstance(benchmark, Benchmark) else None)
    return Row(benchmark, _sum_up(build_replays(read.points), words, Grouping(), read.total, stale, now))


def _sum_up(
    points: list[Point], words: Vocabulary, grouping: Grouping, total: int, said: str, now: datetime
) -> Summary:
    """`total`: how many points the service says there are; `said`: what is to be said of how they were read."""
    trend = build_trend(points, words, grouping, now=now)
    [shown] = [group.name for group in trend.groups if group.shown][:1] or [""]
    several = len(trend.groups) > 1
    total = max(total, len(points))
    return Summary(
        trend=trend,
        rule=shown if several else "",
        count=trend.total_slots if several else total,
        looked_at=len(points),
        cut=total > len(points),
        unscored=trend.gap_count,
        newest=find_newest(slot.point for slot in trend.slots),
        stale=said,
    )


def show_row(row: Row, now: datetime) -> Cells:
    """The row as it is printed, sparkline and all."""
    summary = row.summary
    latest = summary.latest if summary else None
    decided = summary.trend.latest_decision if summary else None
    scale = summary.trend.scale if summary else None
    scores = (latest.candidate, latest.incumbent, latest.delta) if latest else (None, None, None)
    candidate, incumbent, delta = scores
    decimals = choose_decimals(scores, scale)
    return Cells(
        row=row,
        # Made by our own charts, which escape every text that they place.
        sparkline=SafeString(render_sparkline(summary.trend) if summary and summary.trend.slots else ""),
        candidate=None if candidate is None else show_score(candidate, decimals),
        incumbent=None if incumbent is None else show_score(incumbent, decimals),
        delta=None if delta is None else show_delta(delta, decimals),
        checkpoint=latest.label if latest else "",
        flags=tuple(flag.text for flag in latest.flags) if latest else (),
        decision=decided.decision.label if decided and decided.decision else "",
        decided_on=decided.label if decided else "",
        newest=show_moment(
            summary.newest_at if summary else None,
            now,
            undated=bool(summary and summary.newest and summary.newest.undated),
        ),
    )


_HISTORY_KEYS: Mapping[str, Callable[[Summary], float | None]] = {
    "newest": lambda summary: summary.newest_at.timestamp() if summary.newest_at else None,
    "candidate": lambda summary: summary.latest.candidate if summary.latest else None,
    "incumbent": lambda summary: summary.latest.incumbent if summary.latest else None,
    "delta": lambda summary: summary.latest.delta if summary.latest else None,
    "score": lambda summary: summary.latest.candidate if summary.latest else None,
    "replays": lambda summary: summary.count,
    "gaps": lambda summary: summary.unscored if summary.count else None,
}
ONLY_OF: dict[str, Source] = {"candidate": "loop", "incumbent": "loop", "delta": "loop", "score": "runloop"}
"""Orders by a number that one source alone has: the other's scores are on another scale and never come between."""


def needs_histories(sort: str) -> bool:
    """True where this order can only be known from every benchmark's history."""
    return sort.lstrip("-") in _HISTORY_KEYS


def can_order(sort: str, key: Key) -> bool:
    """True where this order says where a benchmark of that source stands."""
    return ONLY_OF.get(sort.lstrip("-"), key.source) == key.source


def sort_rows(rows: Iterable[Row], sort: str) -> list[Row]:
    """The rows in this order: a key of `SORTS`, with "-" before it from high to low; "" leaves them as they are.

    A row without that value stands last either way. Equal ones keep the order in which they came.
    """
    rows = list(rows)
    key, reverse_ = sort.lstrip("-"), sort.startswith("-")
    if key == "name":
        return sorted(rows, key=lambda row: row.name.casefold(), reverse=reverse_)
    if key not in _HISTORY_KEYS:
        return rows
    value = _HISTORY_KEYS[key]
    known = [(value(row.summary), row) for row in rows if row.summary and can_order(sort, row.key)]
    with_value = [(found, row) for found, row in known if found is not None]
    ordered = [row for _found, row in sorted(with_value, key=lambda pair: pair[0], reverse=reverse_)]
    placed = {id(row) for row in ordered}
    return ordered + [row for row in rows if id(row) not in placed]
