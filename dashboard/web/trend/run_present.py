"""The trend of a Runloop benchmark as its page prints it: newest run, table, picker, key, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from django.core.paginator import Page
from django.urls import reverse
from django.utils.safestring import SafeString

from dashboard.charts import RUN_GAPS, UNKNOWN_GAP, render_glyph
from dashboard.charts.numbers import choose_decimals
from dashboard.sources.runloop.wire import RunloopBenchmark, RunloopRun
from dashboard.trend import RUN_GAP_LABELS, RunSlot, RunTrend
from dashboard.web.common.ids import has_page, is_short_id
from dashboard.web.common.numbers import NOTHING, Number, show_count, show_delta, show_score
from dashboard.web.common.times import Moment, show_duration, show_moment
from dashboard.web.runs.present import MEAN
from dashboard.web.trend.present import NO_NUMBER, Fact, KeyEntry, Latest, LegendEntry, line_class
from dashboard.web.trend.tables import choose_table_decimals, find_page

CAPTION = f"{MEAN} Runloop has no candidate or incumbent of its own: a person reads the trend."
PAIRED_CAPTION = (
    f"{MEAN} Runloop has no candidate or incumbent of its own: the two groups were set side by side on this page, and "
    "the difference is computed here."
)


OF_PAIRS = {"no_baseline", "no_candidate"}
"""Kinds of gap that there are only where two groups stand side by side."""


class RunRow(NamedTuple):
    """One slot as a row of the table: a run, or with two groups side by side a pair of runs."""

    id: str
    url: str
    """Of its page; empty for a run that came without an id that anybody can ask for."""
    other_id: str
    """The incumbent's run of a pair; empty without one."""
    other_url: str
    label: str
    group: str
    candidate: Number
    """The score, where nothing is side by side."""
    incumbent: Number
    delta: Number
    state: str
    reason: str
    notes: tuple[str, ...]
    glyph: SafeString
    at: Moment
    duration: str
    addressed: bool


class Option(NamedTuple):
    """One choice of a select."""

    value: str
    label: str
    selected: bool


def find_run_table(trend: RunTrend, *, page: int | None, run: str | None) -> Page[RunSlot]:
    """The page of the table that was asked for, or the one that holds this run, on either side of a pair."""
    place = next((slot.place for slot in trend.slots if run in [one.id for one in slot.runs]), None) if run else None
    return find_page(trend.slots, page=page, place=place)


def build_run_rows(table: Page[RunSlot], trend: RunTrend, *, run: str | None, now: datetime) -> list[RunRow]:
    """The rows of this page; `run` is the one that was asked for."""
    decimals = choose_table_decimals(table, trend.scale)
    return [_show_slot(slot, decimals, run, now) for slot in table.object_list]


def _show_slot(slot: RunSlot, decimals: int, run: str | None, now: datetime) -> RunRow:
    candidate, incumbent, delta = show_scores(slot, decimals)
    gap = slot.gap
    return RunRow(
        id=slot.run.id,
        url=_address_of(slot.run),
        other_id=slot.other.id if slot.other else "",
        other_url=_address_of(slot.other) if slot.other else "",
        label=slot.label,
        group=slot.group_name,
        candidate=candidate,
        incumbent=incumbent,
        delta=delta,
        state=gap.label if gap else slot.run.state,
        reason=gap.reason if gap else "",
        notes=tuple(flag.text for flag in slot.flags),
        glyph=SafeString(render_glyph(RUN_GAPS.get(gap.kind, UNKNOWN_GAP), "gap")) if gap else SafeString(""),
        at=show_moment(slot.run.started_at, now),
        duration=show_duration(slot.run.duration_ms),
        addressed=run in [one.id for one in slot.runs],
    )


def _address_of(run: RunloopRun) -> str:
    return reverse("run", args=[run.id]) if has_page(run.id) else ""


def show_scores(slot: RunSlot, decimals: int) -> tuple[Number, Number, Number]:
    """Candidate (or the only score), incumbent and difference; a dash for each that is not there."""
    return (
        NO_NUMBER if slot.candidate is None else show_score(slot.candidate, decimals),
        NO_NUMBER if slot.incumbent is None else show_score(slot.incumbent, decimals),
        NO_NUMBER if slot.delta is None else show_delta(slot.delta, decimals, lower_is_better=False),
    )


def summarise_latest_run(trend: RunTrend, now: datetime, *, grouped: bool) -> Latest | None:
    """None where no run has a score."""
    slot = trend.latest
    if slot is None:
        return None
    decimals = choose_decimals((slot.candidate, slot.incumbent, slot.delta), trend.scale)
    group = slot.group_name if grouped and not trend.paired else ""
    # Side by side the candidate can have a score where the incumbent has none, for a reason.
    notes = ((slot.gap.reason,) if slot.gap else ()) + tuple(flag.text for flag in slot.flags)
    return Latest(slot.label, group, *show_scores(slot, decimals), show_moment(slot.created_at, now), notes)


def count_runs(trend: RunTrend) -> str:
    """How many of the runs are shown, how many of these have no score, and how many still go on."""
    running = len(trend.open_runs)
    said = f"{show_count(trend.scored_count + trend.gap_count, 'run')}, {trend.gap_count} without a score"
    return said + (f", {running} still running" if running else "")


def build_legend(trend: RunTrend, *, grouped: bool) -> list[LegendEntry]:
    """The lines in the order of their colours; nothing where all runs are one."""
    if trend.paired:
        return [LegendEntry(f"{line.role}: {line.name}", line.role) for line in trend.lines]
    return [LegendEntry(line.name, line_class(line.number)) for line in trend.lines] if grouped else []


def build_run_key(*, paired: bool) -> list[KeyEntry]:
    """Every glyph that such a chart of runs can hold, with what it stands for."""
    known = [KeyEntry(_draw(kind), label) for kind, label in RUN_GAP_LABELS.items() if paired or kind not in OF_PAIRS]
    return [*known, KeyEntry(_draw(""), "any other state, named as Runloop gave it")]


def _draw(kind: str) -> SafeString:
    return SafeString(render_glyph(RUN_GAPS.get(kind, UNKNOWN_GAP), "gap"))


def build_run_facts(benchmark: RunloopBenchmark) -> list[Fact]:
    """What the benchmark is, as far as Runloop says it."""
    visible = {True: "everybody on Runloop", False: "its account alone", None: NOTHING}[benchmark.is_public]
    return [
        Fact("Source", "Runloop"),
        Fact("Scenarios", str(len(benchmark.scenario_ids)) if benchmark.scenario_ids else "not known"),
        Fact("Scale", "0–1, higher is better"),
        Fact("Seen by", visible),
        *([Fact("Attribution", benchmark.attribution)] if benchmark.attribution else []),
        Fact("Id", benchmark.id),
    ]


def build_picker(trend: RunTrend, choice: Mapping[str, str]) -> dict[str, list[Option]]:
    """The options of the four selects: the metadata keys that runs have, and the groups of the chosen one."""
    keys = [key for key in trend.keys if is_short_id(key.key)]

    def of_keys(name: str, none: str) -> list[Option]:
        chosen = choice.get(name, "")
        offered = [
            Option(
                key.key,
                f"{key.key} ({show_count(key.values, 'value')}, {show_count(key.runs, 'run')})",
                key.key == chosen,
            )
            for key in keys
        ]
        return [Option("", none, not any(option.selected for option in offered)), *offered]

    def of_groups(name: str) -> list[Option]:
        chosen = choice.get(name, "")
        offered = [
            Option(group.key, f"{group.name} ({show_count(group.runs, 'run')})", group.key == chosen)
            for group in trend.groups
            if is_short_id(group.key)
        ]
        return [Option("", "none", not any(option.selected for option in offered)), *offered]

    options = {"group": of_keys("group", "nothing: one line"), "label": of_keys("label", "the run's name")}
    if choice.get("group"):
        options |= {"candidate": of_groups("candidate"), "incumbent": of_groups("incumbent")}
    return options
