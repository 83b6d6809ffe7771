"""A benchmark's trend: the page, the region of it that refreshes itself, and the figure of its chart."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.sources.connect import get_loop
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.wire import Benchmark, History, Rule
from dashboard.sources.reader import Reading, read
from dashboard.trend import ALL_RULES, Trend, build_trend
from dashboard.web.site import access
from dashboard.web.site.away import answer_away
from dashboard.web.trend import present
from dashboard.web.trend.charted import (
    answer_figure,
    answer_no_figure,
    answer_no_region,
    answer_region,
    build_chart,
    move_to,
)
from dashboard.web.trend.forms import TrendForm
from dashboard.web.trend.rows import render_rows


@dataclass(frozen=True)
class Loaded:
    """A benchmark with its whole history, each as it was read."""

    benchmark: Reading[Benchmark]
    history: Reading[History]


@require_safe
def show_trend(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """The whole page. A wrong query value is named on it, with status 400."""
    access.check(request.user, "read")
    try:
        loaded = load(benchmark_id)
    except SourceError as error:
        return answer_away(request, error)
    form = TrendForm(request.GET)
    now = datetime.now(UTC)
    trend = trend_of(loaded, form, now)
    context = {
        **build_region(loaded, form, trend, now),
        "facts": present.build_facts(loaded.benchmark.value, now),
        "retired_line": present.build_retired_line(loaded.benchmark.value, now),
        "frozen_line": present.build_frozen_line(loaded.benchmark.value),
        "unchecked": present.describe_unchecked(trend),
        "key": present.build_key(),
    }
    return render(request, "web/trend/trend.html", context, status=400 if form.errors else 200)


@require_safe
def show_region(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """Chart, latest point and table alone, for the page that shows them already."""
    access.check(request.user, "read")
    if not request.htmx:  # type: ignore[attr-defined]
        return move_to(request, "trend", benchmark_id)
    try:
        loaded = load(benchmark_id)
    except SourceError as error:
        return answer_no_region(error)
    form = TrendForm(request.GET)
    now = datetime.now(UTC)
    trend = trend_of(loaded, form, now)
    return answer_region(request, "web/trend/_trend_region.html", form, build_region(loaded, form, trend, now))


@require_safe
def give_figure(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """The figure of the chart for plotly.js, as JSON."""
    access.check(request.user, "read")
    try:
        loaded = load(benchmark_id)
    except SourceError as error:
        return answer_no_figure(error)
    form = TrendForm(request.GET)
    return answer_figure(trend_of(loaded, form, datetime.now(UTC)), form)


@require_safe
def move_to_trend(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """An id whose slashes were escaped only once moves to where it lives."""
    return move_to(request, "trend", benchmark_id)


def load(benchmark_id: str) -> Loaded:
    """The benchmark and every replay of it. Http404 for an unknown one; SourceError with nothing to show."""
    loop = get_loop()
    try:
        return Loaded(
            read(f"benchmark {benchmark_id}", lambda: loop.get_benchmark(benchmark_id), Benchmark),
            read(f"history {benchmark_id}", lambda: loop.get_history(benchmark_id), History),
        )
    except NotFound as error:
        raise Http404 from error


def trend_of(loaded: Loaded, form: TrendForm, now: datetime) -> Trend:
    """The trend that the form asks for. A rule that no replay names is put among the form's errors."""
    form.is_valid()
    points, benchmark = loaded.history.value.points, loaded.benchmark.value
    seen = {point.rule_id or "" for point in points}
    rule = form.cleaned_data.get("rule") if "rule" in form.data else None
    if rule is not None and rule not in seen and rule != ALL_RULES:
        if rule:
            form.add_error("rule", "No replay of this benchmark names that rule.")
        rule = None
    return build_trend(points, benchmark, now=now, rule=rule, window=form.window)


def build_region(loaded: Loaded, form: TrendForm, trend: Trend, now: datetime) -> dict[str, Any]:
    """What the region prints."""
    benchmark, query, replay = loaded.benchmark.value, form.valid_query, form.value("replay")
    table = present.find_table(trend, page=form.value("page"), replay=replay)
    title = f"{benchmark.name}: candidate and incumbent score by replay"
    chart = build_chart("trend", benchmark.id, trend, form, query, table, row="replay", title=title)
    rows = present.build_rows(table, trend, replay=replay, now=now)
    return {
        **chart,
        "benchmark": benchmark,
        "rows": render_rows(rows, with_rule=trend.overlaid),
        "latest": present.summarise_latest(trend, now),
        "legend": present.build_legend(trend),
        "legend_note": "Candidates alone. Choose one rule to see its incumbent and its deltas.",
        "caption": present.CAPTION,
        "rule_choices": present.build_rule_choices(trend, chart["here"], query),
        "axis_choices": present.build_axis_choices(form.axis_kind, chart["here"], query),
        "poll_s": present.choose_poll_s([slot.created_at for slot in trend.open_slots], now),
        "undated": present.describe_undated(trend),
        "stale": present.describe_stale(loaded.history, loaded.benchmark, now=now),
        "moved": loaded.history.value.moved,
        "missing": max(0, loaded.history.value.total - len(loaded.history.value.points)),
        "attached": None if trend.rules else list_attached(benchmark.id),
    }


def list_attached(benchmark_id: str) -> list[Rule] | None:
    """The rules that replay it; None where they could not be read."""
    loop = get_loop()
    try:
        rules = read("rules", loop.list_rules, list[Rule]).value
    except SourceError:
        return None
    return [rule for rule in rules if rule.benchmark_id == benchmark_id]
