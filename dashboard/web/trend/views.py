"""A benchmark's trend, of either API: the page, the region of it that refreshes itself, and the figure of its chart."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.charts import NARROW, WIDE, build_figure, draw_trend
from dashboard.sources.http.errors import SourceError
from dashboard.sources.reader import Source
from dashboard.trend import Trend, build_trend
from dashboard.web.common.links import with_query
from dashboard.web.common.redirects import SeeOther
from dashboard.web.site import access
from dashboard.web.site.away import answer_away
from dashboard.web.trend import present
from dashboard.web.trend.forms import RunTrendForm
from dashboard.web.trend.loop import read_loop
from dashboard.web.trend.runloop import RunloopSeries, read_runloop
from dashboard.web.trend.series import Asked, Series

if TYPE_CHECKING:
    from django.contrib.auth.models import User

READERS: dict[Source, Callable[[str], Series]] = {"loop": read_loop, "runloop": read_runloop}


@require_safe
def show_trend(request: HttpRequest, benchmark_id: str, source: Source) -> HttpResponse:
    """The whole page. A wrong query value is named on it, with status 400."""
    access.check(request.user, "read")
    try:
        series = read_loop(benchmark_id)
    except SourceError as error:
        return answer_away(request, error)
    return answer_page(request, series, request.GET.dict())


@require_http_methods(["GET", "HEAD", "POST"])
def show_run_trend(request: HttpRequest, benchmark_id: str, source: Source) -> HttpResponse:
    """The same of a benchmark whose points a person groups. POST keeps a choice and leads to it.

    Without a choice in its address, a remembered one that fits leads to the address that carries it, so that whoever
    is sent that address sees the same picture.
    """
    access.check(request.user, "read")
    try:
        series = read_runloop(benchmark_id)
    except SourceError as error:
        return answer_away(request, {source: error})
    user, here, query = _user(request), reverse(RunloopSeries.route, args=[benchmark_id]), request.GET.dict()
    if request.method == "POST":
        sent = series.keep_choice(user, request.POST.dict())
        query = sent.query
        if not sent.too_long:
            return SeeOther(with_query(here, query))
    elif not RunTrendForm(query).chooses:
        recalled, misfits = series.look_back(user)
        if recalled and not misfits:
            return redirect(with_query(here, query, **recalled))
    return answer_page(request, series, query)


@require_safe
def show_region(request: HttpRequest, benchmark_id: str, source: Source) -> HttpResponse:
    """Chart, latest point and table alone, for the page that shows them already."""
    access.check(request.user, "read")
    if not request.htmx:  # type: ignore[attr-defined]
        page = "trend" if source == "loop" else "run-trend"
        return redirect(with_query(reverse(page, args=[benchmark_id]), request.GET.dict()))
    try:
        series = READERS[source](benchmark_id)
    except SourceError as error:
        return HttpResponse(error.message, status=503, content_type="text/plain")
    now = datetime.now(UTC)
    asked = series.ask(_user(request), request.GET.dict())
    if asked.form.errors:
        return HttpResponseBadRequest("\n".join(map(str, asked.form.problems)), content_type="text/plain")
    trend = build(series, asked, now)
    return render(request, "web/trend/_trend_region.html", present.build_region(series, asked, trend, now))


@require_safe
def give_figure(request: HttpRequest, benchmark_id: str, source: Source) -> HttpResponse:
    """The figure of the chart for plotly.js, as JSON."""
    access.check(request.user, "read")
    try:
        series = READERS[source](benchmark_id)
    except SourceError as error:
        return JsonResponse({"error": error.message}, status=503)
    asked = series.ask(_user(request), request.GET.dict())
    form = asked.form
    if form.errors:
        return JsonResponse({"error": "; ".join(map(str, form.problems))}, status=400)
    trend = build(series, asked, datetime.now(UTC))
    drawing = draw_trend(trend, axis=form.axis_kind, frame=NARROW if form.value("frame") == "narrow" else WIDE)
    return HttpResponse(build_figure(drawing, theme=form.chart_theme), content_type="application/json")


def answer_page(request: HttpRequest, series: Series, query: dict[str, str]) -> HttpResponse:
    """The page of a series as this query asks for it."""
    now = datetime.now(UTC)
    asked = series.ask(_user(request), query)
    trend = build(series, asked, now)
    context = present.build_page(series, asked, trend, now)
    return render(request, "web/trend/trend.html", context, status=400 if asked.form.errors else 200)


def build(series: Series, asked: Asked, now: datetime) -> Trend:
    return build_trend(asked.points, series.words, asked.grouping, asked.form.window, now=now)


def _user(request: HttpRequest) -> User:
    return cast("User", request.user)
