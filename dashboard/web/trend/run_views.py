"""The trend of a Runloop benchmark: the page with its picker, the region that refreshes itself, the chart's figure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.sources.connect import get_runloop, get_runloop_connection
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.reader import Reading, read
from dashboard.sources.runloop.wire import RunloopBenchmark, RunloopRuns
from dashboard.trend import RunTrend, build_run_trend
from dashboard.web.common.links import with_query
from dashboard.web.common.redirects import SeeOther
from dashboard.web.site import access
from dashboard.web.site.away import answer_away
from dashboard.web.trend import run_present as present
from dashboard.web.trend.charted import (
    answer_figure,
    answer_no_figure,
    answer_no_region,
    answer_region,
    build_chart,
    move_to,
)
from dashboard.web.trend.forms import PickerForm, RunTrendForm
from dashboard.web.trend.groupings import CHOICE, SIDES, find_misfits, recall, remember
from dashboard.web.trend.present import build_axis_choices, choose_poll_s, describe_stale

if TYPE_CHECKING:
    from django.contrib.auth.models import User

CARRIED = ("axis", "last", "from", "to")
"""What stays as it is when the picker is sent."""


@dataclass(frozen=True)
class Loaded:
    """A benchmark with its runs, each as it was read."""

    benchmark: Reading[RunloopBenchmark]
    runs: Reading[RunloopRuns]


@dataclass(frozen=True)
class Asked:
    """What is shown: the query, with the remembered choice where the address makes none, and the trend of it."""

    form: RunTrendForm
    trend: RunTrend
    lapsed: tuple[str, ...]
    """What no longer fits of a remembered choice."""

    @property
    def query(self) -> dict[str, str]:
        """What the page's links carry on: half of a pair would be wrong on the next page."""
        query = self.form.valid_query
        return query if self.trend.paired else {name: query[name] for name in query if name not in SIDES}


@require_http_methods(["GET", "HEAD", "POST"])
def show_run_trend(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """The whole page. A wrong query value is named on it, with status 400. POST keeps a choice and leads to it.

    Without a choice in its address, a remembered one that fits leads to the address that carries it, so that whoever
    is sent that address sees the same picture.
    """
    access.check(request.user, "read")
    try:
        loaded = load(benchmark_id)
    except SourceError as error:
        return answer_away(request, {"runloop": error})
    here, given = reverse("run-trend", args=[benchmark_id]), request.GET.dict()
    if request.method == "POST":
        sent = keep_choice(request, loaded)
        given = sent.query
        if not sent.too_long:
            return SeeOther(with_query(here, given))
    elif not RunTrendForm(given).chooses:
        recalled, misfits = look_back(request, loaded)
        if recalled and not misfits:
            return redirect(with_query(here, given, **recalled))
    now = datetime.now(UTC)
    asked = read_query(request, given, loaded, now)
    context = {
        **build_region(loaded, asked, now),
        "lapsed": asked.lapsed,
        "picker": present.build_picker(asked.trend, asked.form.choice),
        "carried": {name: value for name, value in asked.query.items() if name in CARRIED},
        "facts": present.build_run_facts(loaded.benchmark.value),
        "key": present.build_run_key(paired=asked.trend.paired),
    }
    return render(request, "web/trend/run_trend.html", context, status=400 if asked.form.errors else 200)


@require_safe
def show_run_region(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """Chart, latest run and table alone, for the page that shows them already."""
    access.check(request.user, "read")
    if not request.htmx:  # type: ignore[attr-defined]
        return move_to(request, "run-trend", benchmark_id)
    try:
        loaded = load(benchmark_id)
    except SourceError as error:
        return answer_no_region(error)
    now = datetime.now(UTC)
    asked = read_query(request, request.GET.dict(), loaded, now)
    return answer_region(request, "web/trend/_run_trend_region.html", asked.form, build_region(loaded, asked, now))


@require_safe
def give_run_figure(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """The figure of the chart for plotly.js, as JSON."""
    access.check(request.user, "read")
    try:
        loaded = load(benchmark_id)
    except SourceError as error:
        return answer_no_figure(error)
    asked = read_query(request, request.GET.dict(), loaded, datetime.now(UTC))
    return answer_figure(asked.trend, asked.form)


@require_safe
def move_to_run_trend(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """An id whose slashes were escaped only once moves to where it lives."""
    return move_to(request, "run-trend", benchmark_id)


def load(benchmark_id: str) -> Loaded:
    """The benchmark and every run of it. Http404 for an unknown one; SourceError with nothing to show."""
    runloop = get_runloop()
    try:
        return Loaded(
            read(
                f"benchmark {benchmark_id}",
                lambda: runloop.get_benchmark(benchmark_id),
                RunloopBenchmark,
                source="runloop",
            ),
            read(f"runs {benchmark_id}", lambda: runloop.list_runs(benchmark_id), RunloopRuns, source="runloop"),
        )
    except NotFound as error:
        raise Http404 from error


def keep_choice(request: HttpRequest, loaded: Loaded) -> PickerForm:
    """Keep what the picker sent, where all of it fits, and give the form that was sent, fitting or not."""
    form = PickerForm(request.POST)
    form.is_valid()
    if not form.wrong and not find_misfits(form.choice, loaded.runs.value.runs):
        remember(cast("User", request.user), loaded.benchmark.value.id, form.choice)
    return form


def look_back(request: HttpRequest, loaded: Loaded) -> tuple[dict[str, str], dict[str, str]]:
    """The remembered choice, empty without one, and what of it does not fit the runs."""
    recalled = recall(cast("User", request.user), loaded.benchmark.value.id)
    return recalled, find_misfits(recalled, loaded.runs.value.runs)


def read_query(request: HttpRequest, given: dict[str, str], loaded: Loaded, now: datetime) -> Asked:
    """The form of the query that was given, with what does not fit the runs among its errors, and the trend that it
    asks for."""
    runs = loaded.runs.value.runs
    form = RunTrendForm(given)
    lapsed: tuple[str, ...] = ()
    if not form.chooses:
        recalled, misfits = look_back(request, loaded)
        lapsed = tuple(misfits.values())
        form = RunTrendForm({**given, **fit(recalled, misfits)})
    form.is_valid()
    misfits = find_misfits(form.choice, runs)
    for name, wrong in misfits.items():
        form.add_error(name, wrong)
    choice = fit(form.choice, misfits)
    trend = build_run_trend(
        runs,
        now=now,
        window=form.window,
        **{name: choice.get(name) or None for name in CHOICE},
    )
    return Asked(form, trend, lapsed)


def fit(choice: dict[str, str], misfits: dict[str, str]) -> dict[str, str]:
    """The choice without what does not fit, and without what that leaves alone: groups of no key, half a pair."""
    kept = {name: value for name, value in choice.items() if name not in misfits}
    if not (kept.get("group") and kept.get("candidate") and kept.get("incumbent")):
        kept = {name: value for name, value in kept.items() if name not in SIDES}
    return kept


def build_region(loaded: Loaded, asked: Asked, now: datetime) -> dict[str, Any]:
    """What the region prints."""
    benchmark, runs, form, trend = loaded.benchmark.value, loaded.runs.value, asked.form, asked.trend
    grouped, run = bool(form.choice["group"]), form.value("run")
    table = present.find_run_table(trend, page=form.value("page"), run=run)
    name = benchmark.name or benchmark.id
    title = f"{name}: {'candidate and incumbent score by checkpoint' if trend.paired else 'score by run'}"
    chart = build_chart("run-trend", benchmark.id, trend, form, asked.query, table, row="run", title=title)
    total = max(runs.total or 0, len(runs.runs))
    return {
        **chart,
        "benchmark": benchmark,
        "name": name,
        "runs": runs,
        "total": total,
        "missing": total - len(runs.runs),
        "rows": present.build_run_rows(table, trend, run=run, now=now),
        "counted": present.count_runs(trend),
        "table_of": "Rows" if trend.paired else "Runs",
        "grouped": grouped,
        "embedded": get_runloop_connection().embedded,
        "latest": present.summarise_latest_run(trend, now, grouped=grouped),
        "legend": present.build_legend(trend, grouped=grouped),
        "legend_note": "",
        "caption": present.PAIRED_CAPTION if trend.paired else present.CAPTION,
        "axis_choices": build_axis_choices(form.axis_kind, chart["here"], asked.query, slot="one slot a run"),
        "poll_s": choose_poll_s(
            [run.started_at for run in trend.open_runs if isinstance(run.started_at, datetime)], now
        ),
        "stale": describe_stale(loaded.runs, loaded.benchmark, now=now),
    }
