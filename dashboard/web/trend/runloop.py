"""A benchmark of Runloop as a series: its runs, how a person groups them, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from django.contrib.auth.models import User
from django.http import Http404

from dashboard.sources import reader
from dashboard.sources.connect import get_runloop_connection
from dashboard.sources.http.errors import NotFound
from dashboard.sources.reader import Source
from dashboard.sources.runloop.points import RUNLOOP, build_points, count_keys
from dashboard.sources.runloop.wire import RunloopBenchmark, RunloopRun, RunloopRuns
from dashboard.trend import Grouping, Trend
from dashboard.web.common.ids import is_short_id
from dashboard.web.common.numbers import NOTHING, show_count
from dashboard.web.runs.present import MEAN
from dashboard.web.trend.forms import PickerForm, RunTrendForm
from dashboard.web.trend.groupings import SIDES, find_misfits, recall, remember
from dashboard.web.trend.series import Asked, Choice, Fact, Series

CAPTION = f"{MEAN} Runloop has no candidate or incumbent of its own: a person reads the trend."
PAIRED_CAPTION = (
    f"{MEAN} Runloop has no candidate or incumbent of its own: the two groups were set side by side on this page, and "
    "the difference is computed here."
)
CARRIED = ("axis", "last", "from", "to")
"""What stays as it is when the picker is sent."""


class Option(NamedTuple):
    """One choice of a select."""

    value: str
    label: str
    selected: bool


@dataclass(frozen=True)
class RunloopSeries(Series):
    source: ClassVar[Source] = "runloop"
    route: ClassVar[str] = "run-trend"

    benchmark: RunloopBenchmark
    runs: tuple[RunloopRun, ...]

    def ask(self, user: User, query: dict[str, str]) -> Asked:
        """Where the query makes no choice, the remembered one is taken; what does not fit the runs is an error."""
        form = RunTrendForm(query)
        lapsed: tuple[str, ...] = ()
        if not form.chooses:
            recalled, misfits = self.look_back(user)
            lapsed = tuple(misfits.values())
            form = RunTrendForm({**query, **_fit(recalled, misfits)})
        form.is_valid()
        misfits = find_misfits(form.choice, self.runs)
        for name, wrong in misfits.items():
            form.add_error(name, wrong)
        choice = _fit(form.choice, misfits)
        sides = (choice["candidate"], choice["incumbent"]) if choice.get("candidate") else None
        points = build_points(self.runs, group=choice.get("group", ""), label=choice.get("label", ""))
        links = form.valid_query
        if not sides:  # half of a pair would be wrong on the next page
            links = {name: value for name, value in links.items() if name not in SIDES}
        return Asked(form, points, Grouping(every=True, sides=sides), links, lapsed=lapsed)

    def look_back(self, user: User) -> tuple[dict[str, str], dict[str, str]]:
        """The remembered choice, empty without one, and what of it does not fit the runs."""
        recalled = recall(user, self.id)
        return recalled, find_misfits(recalled, self.runs)

    def keep_choice(self, user: User, sent: Mapping[str, str]) -> PickerForm:
        """Keep what the picker sent, where all of it fits, and give the form that was sent, fitting or not."""
        form = PickerForm(sent)
        form.is_valid()
        if not form.wrong and not find_misfits(form.choice, self.runs):
            remember(user, self.id, form.choice)
        return form

    def caption(self, trend: Trend) -> str:
        return PAIRED_CAPTION if trend.paired else CAPTION

    def choose_groups(self, trend: Trend, here: str, query: dict[str, str]) -> list[Choice]:
        return []

    def describe(self, trend: Trend, asked: Asked, now: datetime) -> dict[str, Any]:
        assert isinstance(asked.form, RunTrendForm)  # noqa: S101 - it is what `ask` made
        return {
            "benchmark": self.benchmark,
            "description": self.benchmark.description,
            "metadata": self.benchmark.metadata,
            "picker": self._build_picker(trend, asked.form.choice) if self.runs else {},
            "carried": {name: value for name, value in asked.query.items() if name in CARRIED},
            "about_title": "About this benchmark",
            "facts": build_facts(self.benchmark),
        }

    def describe_empty(self) -> dict[str, Any]:
        text = "Its first point will come with its first run on Runloop"
        embedded = get_runloop_connection().embedded
        return {"text": f"{text}, or with" if embedded else f"{text}.", "command": "import_runloop" if embedded else ""}

    def _build_picker(self, trend: Trend, choice: Mapping[str, str]) -> dict[str, list[Option]]:
        """The options of the four selects: the metadata keys that runs have, and the groups of the chosen one."""
        keys = [
            (key.key, f"{key.key} ({show_count(key.values, 'value')}, {show_count(key.runs, 'run')})")
            for key in count_keys(self.runs)
        ]
        groups = [(group.key, f"{group.name} ({show_count(group.size, 'run')})") for group in trend.groups]

        def offer(name: str, options: list[tuple[str, str]], none: str) -> list[Option]:
            chosen = choice.get(name, "")
            offered = [Option(value, label, value == chosen) for value, label in options if is_short_id(value)]
            return [Option("", none, not any(option.selected for option in offered)), *offered]

        picker = {
            "group": offer("group", keys, "nothing: one line"),
            "label": offer("label", keys, "the run's name"),
        }
        return picker | ({side: offer(side, groups, "none") for side in SIDES} if choice.get("group") else {})


def read_runloop(benchmark_id: str) -> RunloopSeries:
    """The benchmark and every run of it. Http404 for an unknown one; SourceError with nothing to show."""
    benchmark, runs = reader.together(reader.runloop_benchmark.ask(benchmark_id), reader.runs_of.ask(benchmark_id))
    try:
        known, listed = benchmark.need(), runs.need()
    except NotFound as error:
        raise Http404 from error
    return RunloopSeries(
        id=known.value.id,
        name=known.value.name or known.value.id,
        words=RUNLOOP,
        readings=(listed, known),
        size=len(listed.value.runs),
        notes=tuple(_describe_runs(listed.value)),
        benchmark=known.value,
        runs=listed.value.runs,
    )


def _describe_runs(runs: RunloopRuns) -> list[str]:
    notes = list(runs.notes)
    missing = (runs.total or 0) - len(runs.runs)
    if runs.cut:
        return [f"There may be more runs than these {len(runs.runs)}: {runs.cut}.", *notes]
    return [f"Runloop counts {show_count(missing, 'run')} more than it gave.", *notes] if missing > 0 else notes


def _fit(choice: Mapping[str, str], misfits: Mapping[str, str]) -> dict[str, str]:
    """The choice without what does not fit, and without what that leaves alone: groups of no key, half a pair."""
    kept = {name: value for name, value in choice.items() if name not in misfits}
    if not (kept.get("group") and kept.get("candidate") and kept.get("incumbent")):
        kept = {name: value for name, value in kept.items() if name not in SIDES}
    return kept


def build_facts(benchmark: RunloopBenchmark) -> list[Fact]:
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
