"""The overview: every benchmark as a row, and the rows that come after the page."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.records import Benchmark
from dashboard.sources.connect import get_loop
from dashboard.sources.errors import SourceError
from dashboard.sources.lastgood import Reading, read
from dashboard.web import access
from dashboard.web.forms import ROWS_A_PAGE, SORTS, OverviewForm, RowsForm
from dashboard.web.histories import read_histories
from dashboard.web.presenters.links import with_pairs, with_query
from dashboard.web.presenters.overview import Row, build_row, needs_histories, show_row, sort_rows
from dashboard.web.presenters.times import show_age
from dashboard.web.views.away import answer_away

ROWS_A_REQUEST = 25
"""Late rows ask for themselves in such groups: a server takes an address of 4,094 letters, and ids are long."""
PAGE_WAITS_S = 0.5
"""The page itself waits so long for histories; the rows that are late come in after it."""
ROWS_WAIT_S = 2.0
SORTING_WAITS_S = 5.0
"""An order that only the histories know is worth waiting for, but not for ever."""


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """The whole page. A wrong query value is named on it, with status 400."""
    access.check(request.user, "read")
    try:
        reading = list_benchmarks()
    except SourceError as error:
        return answer_away(request, error)
    benchmarks = reading.value
    form = OverviewForm(request.GET, {benchmark.status for benchmark in benchmarks})
    form.is_valid()
    now = datetime.now(UTC)
    sort = form.value("sort") or ""
    wanted = choose_benchmarks(benchmarks, form.value("q") or "", form.value("status") or "")
    rows = [Row(benchmark) for benchmark in wanted]
    unknown = 0
    if needs_histories(sort):
        rows = read_rows(wanted, within_s=SORTING_WAITS_S, now=now)
        unknown = sum(row.replays is None for row in rows)
    page = Paginator(sort_rows(rows, sort), ROWS_A_PAGE).get_page(form.value("page") or 1)
    shown = list(page.object_list)
    if not needs_histories(sort):
        shown = read_rows([row.benchmark for row in shown], within_s=PAGE_WAITS_S, now=now)
    query, here = form.valid_query, reverse("overview")
    context = {
        "form": form,
        "page": page,
        "groups": group_rows(shown, now, patient=False),
        "any": bool(benchmarks),
        "unknown": unknown,
        "columns": build_columns(sort, here, query),
        "newer_url": with_query(here, query, page=page.number - 1) if page.has_previous() else "",
        "older_url": with_query(here, query, page=page.number + 1) if page.has_next() else "",
        "all_url": here,
        "stale": f"{reading.failure.message} This list was read {show_age(reading.read_at, now)}."
        if reading.failure
        else "",
    }
    return render(request, "web/overview.html", context, status=400 if form.errors else 200)


@require_safe
def rows(request: HttpRequest) -> HttpResponse:
    """The rows of the benchmarks named by `id`, for the page that shows their names already."""
    access.check(request.user, "read")
    form = RowsForm(request.GET)
    if not request.htmx or not form.is_valid():  # type: ignore[attr-defined]
        return redirect("overview")
    ids, patient = form.cleaned_data["id"], form.cleaned_data["patient"]
    now = datetime.now(UTC)
    try:
        by_id = {benchmark.id: benchmark for benchmark in list_benchmarks().value}
    except SourceError as error:
        # Status 200, for a page puts nothing else in the place of the rows that wait. Their names are not known here.
        failed = [Row(Benchmark(id=one, name=one, status=""), failure=error.message) for one in ids]
        return render(request, "web/_rows.html", {"groups": group_rows(failed, now, patient=True)})
    wanted = [by_id[one] for one in ids if one in by_id]
    found = read_rows(wanted, within_s=settings.RUNBIOS_TIMEOUT_S + 1 if patient else ROWS_WAIT_S, now=now)
    if patient:
        found = [
            Row(row.benchmark, failure="Its history did not come in time.") if row.pending else row for row in found
        ]
    return render(request, "web/_rows.html", {"groups": group_rows(found, now, patient=True)})


def list_benchmarks() -> Reading[list[Benchmark]]:
    """Every benchmark, newest first."""
    return read("benchmarks", get_loop().list_benchmarks, list[Benchmark])


def choose_benchmarks(benchmarks: list[Benchmark], words: str, status: str) -> list[Benchmark]:
    """Those whose name, id or judge holds every word, in any case, and that have this status if one is given."""
    wanted = words.casefold().split()
    return [
        benchmark
        for benchmark in benchmarks
        if (not status or benchmark.status == status)
        and all(
            word in f"{benchmark.name} {benchmark.id} {benchmark.judge_name} {benchmark.judge_model}".casefold()
            for word in wanted
        )
    ]


def read_rows(benchmarks: list[Benchmark], *, within_s: float, now: datetime) -> list[Row]:
    """The rows of these benchmarks, in their order; one whose history is late is pending."""
    outcomes = read_histories([benchmark.id for benchmark in benchmarks], within_s=within_s)
    return [build_row(benchmark, outcomes.get(benchmark.id), now) for benchmark in benchmarks]


def group_rows(shown: list[Row], now: datetime, *, patient: bool) -> list[dict[str, Any]]:
    """Runs of rows that are there and of rows that are not; each of the latter knows where to ask for itself.

    The first time they ask together, no more than `ROWS_A_REQUEST`. The second time each asks alone and waits: one slow
    history holds nobody up.
    """
    groups: list[dict[str, Any]] = []
    for pending, run in groupby(shown, lambda row: row.pending):
        together = list(run)
        size = (1 if patient else ROWS_A_REQUEST) if pending else len(together)
        for start in range(0, len(together), size):
            batch = together[start : start + size]
            query = [("id", row.benchmark.id) for row in batch] + ([("patient", "on")] if patient else [])
            groups.append({
                "rows": [show_row(row, now) for row in batch],
                "url": with_pairs(reverse("rows"), query) if pending else "",
            })  # fmt: skip
    return groups


def build_columns(sort: str, here: str, query: dict[str, str]) -> list[dict[str, str]]:
    """The table's headings, each a link that sorts by it, and the other way round the second time."""
    headings = {"name": "Benchmark", "": "Trend", "candidate": "Candidate", "incumbent": "Incumbent", "delta": "Delta"}
    headings |= {"decision": "Last decision", "replays": "Replays", "gaps": "No score", "newest": "Last replay"}
    columns = []
    for key, label in headings.items():
        current = sort.lstrip("-") == key and key in SORTS
        first = key if key == "name" else f"-{key}"
        other = key if sort.startswith("-") else f"-{key}"
        columns.append({
            "label": label,
            "key": key or "trend",
            "url": with_query(here, query, sort=other if current else first, page=None) if key in SORTS else "",
            "order": ("descending" if sort.startswith("-") else "ascending") if current else "",
        })  # fmt: skip
    return columns
