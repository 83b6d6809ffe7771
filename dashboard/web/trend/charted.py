"""What the two pages with a chart do alike: its drawings and its figure, and the links that lead on from them."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString

from dashboard.charts import NARROW, WIDE, AnyTrend, build_figure, draw_trend, render_svg
from dashboard.sources.http.errors import SourceError
from dashboard.web.common.links import link_pages, with_query
from dashboard.web.trend.forms import ChartForm
from dashboard.web.trend.present import build_range_choices

CARRIED_BY_DATES = ("rule", "group", "label", "candidate", "incumbent", "axis")
"""What stays as it is when a range of days is sent."""


def build_chart(
    route: str,
    benchmark_id: str,
    trend: AnyTrend,
    form: ChartForm,
    query: dict[str, str],
    table: Page[Any],
    *,
    row: str,
    title: str,
) -> dict[str, Any]:
    """What a region prints of the chart, and its links. `route`: of the page; `query`: what its links carry on; `row`:
    what a row of its table is, which is also the parameter that finds one; `title`: of the drawings, for who hears
    them."""
    here = reverse(route, args=[benchmark_id])
    first = {"page": None, row: None}
    description = f"{trend.scored_count} {row}s with a score and {trend.gap_count} without, oldest first."
    # Made by our own charts, which escape every text that they place.
    wide, narrow = (
        SafeString(
            render_svg(draw_trend(trend, axis=form.axis_kind, frame=frame), title=title, description=description)
        )
        for frame in (WIDE, NARROW)
    )
    return {
        "wide": wide,
        "narrow": narrow,
        "form": form,
        "trend": trend,
        "table": table,
        "axis": form.axis_kind,
        "row_name": row,
        "here": here,
        "carried_by_dates": {name: query[name] for name in CARRIED_BY_DATES if name in query},
        "range_choices": build_range_choices(here, query),
        "page_url": with_query(here, query, **first),
        "all_url": with_query(here, query, **first, **{"last": None, "from": None, "to": None}),
        "region_url": with_query(reverse(f"{route}-region", args=[benchmark_id]), query),
        "figure_url": with_query(reverse(f"{route}-figure", args=[benchmark_id]), query, **first),
        **link_pages(table, here, query, **{row: None}),
    }


def answer_region(request: HttpRequest, template: str, form: ChartForm, context: dict[str, Any]) -> HttpResponse:
    """The region alone, or in words what is wrong with its query."""
    if form.errors:
        return HttpResponseBadRequest("\n".join(map(str, form.problems)), content_type="text/plain")
    return render(request, template, context)


def answer_figure(trend: AnyTrend, form: ChartForm) -> HttpResponse:
    """The figure for plotly.js, as JSON, or what is wrong with its query."""
    if form.errors:
        return JsonResponse({"error": "; ".join(map(str, form.problems))}, status=400)
    drawing = draw_trend(trend, axis=form.axis_kind, frame=NARROW if form.value("frame") == "narrow" else WIDE)
    return HttpResponse(build_figure(drawing, theme=form.chart_theme), content_type="application/json")


def answer_no_region(error: SourceError) -> HttpResponse:
    return HttpResponse(error.message, status=503, content_type="text/plain")


def answer_no_figure(error: SourceError) -> HttpResponse:
    return JsonResponse({"error": error.message}, status=503)


def move_to(request: HttpRequest, route: str, benchmark_id: str) -> HttpResponseRedirect:
    """To the page, with the query as it came."""
    return redirect(with_query(reverse(route, args=[benchmark_id]), request.GET.dict()))
