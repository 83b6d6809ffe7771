"""The overview: every benchmark of both sources as a row, and the rows that come after the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.sources import reader
from dashboard.sources.loop.wire import Benchmark
from dashboard.sources.reader import Ask, Known, Source
from dashboard.sources.runloop.wire import RunloopBenchmark, RunloopBenchmarks
from dashboard.web.common.links import link_pages, with_pairs, with_query
from dashboard.web.common.sources import SOURCES, AnyBenchmark, Key
from dashboard.web.overview.forms import ROWS_A_PAGE, SORTS, OverviewForm, RowsForm, SourceForm
from dashboard.web.overview.present import (
    ONLY_OF,
    Listing,
    Outcome,
    Row,
    build_row,
    can_order,
    describe_lists,
    needs_histories,
    show_row,
    sort_rows,
)
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

ROWS_A_REQUEST = 25
"""Late rows ask for themselves in such groups: a server takes an address of 4,094 letters, and ids are long."""
PAGE_WAITS_S = 0.5
"""The page itself waits so long for histories; the rows that are late come in after it."""
LIST_WAITS_S = 2.0
"""The page waits so long for one source's list once it has the other's."""
ROWS_WAIT_S = 2.0
SORTING_WAITS_S = 5.0
"""An order that only the histories know is worth waiting for, but not for ever."""

LISTS: dict[Source, Callable[[], Ask[Any]]] = {
    "loop": reader.benchmarks.ask,
    "runloop": reader.runloop_benchmarks.ask,
}
RECENT: dict[Source, Callable[[str], Ask[Any]]] = {
    "loop": reader.recent_history.ask,
    "runloop": reader.recent_runs_of.ask,
}


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """The whole page. A wrong query value is named on it, with status 400."""
    access.check(request.user, "read")
    asked = SourceForm(request.GET)
    asked.is_valid()
    lists = read_lists(asked.sources)
    benchmarks = gather(lists)
    failures = {name: outcome.failure for name, outcome in lists.items() if not isinstance(outcome, Known)}
    # An empty Loop that answers still has its page, on which a benchmark can be made; an empty Runloop has nothing.
    if failures and not benchmarks and ("loop" in failures or len(failures) == len(lists)):
        return answer_away(request, failures)
    form = OverviewForm(request.GET, {one.status for one in benchmarks if isinstance(one, Benchmark)})
    form.is_valid()
    now = datetime.now(UTC)
    sort = form.value("sort") or ""
    rows = [Row(one) for one in choose_benchmarks(benchmarks, form.value("q") or "", form.value("status") or "")]
    if needs_histories(sort):
        rows = read_rows(rows, within_s=SORTING_WAITS_S, now=now, only=sort, patient=True)
    page = Paginator(sort_rows(rows, sort), ROWS_A_PAGE).get_page(form.value("page") or 1)
    shown = read_rows(list(page.object_list), within_s=PAGE_WAITS_S, now=now)
    query, here = form.valid_query, reverse("overview")
    context = {
        "form": form,
        "page": page,
        "groups": group_rows(shown, now, patient=False),
        "any": bool(benchmarks),
        "unknown": sum(row.summary is None and can_order(sort, row.key) for row in rows)
        if needs_histories(sort)
        else 0,
        "apart": describe_apart(rows, sort),
        "no_status": bool(form.value("status")) and any(isinstance(one, RunloopBenchmark) for one in benchmarks),
        "columns": build_columns(sort, here, query),
        **link_pages(page, here, query),
        "all_url": here,
        "notes": describe_lists(lists, now),
    }
    return render(request, "web/overview/overview.html", context, status=400 if form.errors else 200)


@require_safe
def rows(request: HttpRequest) -> HttpResponse:
    """The rows of the benchmarks named by `id`, or by `runloop` for that source, for the page that shows their names
    already."""
    access.check(request.user, "read")
    form = RowsForm(request.GET)
    if not request.htmx or not form.is_valid():  # type: ignore[attr-defined]
        return redirect("overview")
    keys, patient = form.keys, form.cleaned_data["patient"]
    now = datetime.now(UTC)
    lists = read_lists({key.source: None for key in keys})
    by_key = {row.key: row for row in map(Row, gather(lists))}
    found: list[Row] = []
    for key in keys:
        outcome = lists[key.source]
        if not isinstance(outcome, Known):
            # Status 200, for a page puts nothing else in the place of the rows that wait. Their names are not known.
            nameless = RunloopBenchmark(key.id) if key.source == "runloop" else Benchmark(key.id, key.id, "")
            found.append(Row(nameless, failure=outcome.failure.message))
        elif key in by_key:
            found.append(by_key[key])
    found = read_rows(found, within_s=None if patient else ROWS_WAIT_S, now=now, patient=True)
    if patient:
        late = "Its history did not come in time."
        found = [Row(row.benchmark, failure=late) if row.pending else row for row in found]
    return render(request, "web/overview/_rows.html", {"groups": group_rows(found, now, patient=True)})


def read_lists(sources: Iterable[Source]) -> dict[Source, Listing]:
    return reader.each({name: LISTS[name]() for name in sources}, beside_s=LIST_WAITS_S)


def gather(lists: dict[Source, Listing]) -> list[AnyBenchmark]:
    """Every benchmark that could be read: Loop's, newest first, then Runloop's in its order."""
    found: list[AnyBenchmark] = []
    for outcome in lists.values():
        if isinstance(outcome, Known):
            found += outcome.value.benchmarks if isinstance(outcome.value, RunloopBenchmarks) else outcome.value
    return found


def choose_benchmarks(benchmarks: list[AnyBenchmark], words: str, status: str) -> list[AnyBenchmark]:
    """Those whose name, id or judge holds every word, in any case, and that have this status if one is given."""
    wanted = words.casefold().split()
    return [one for one in benchmarks if _has(one, status) and all(word in _text_of(one) for word in wanted)]


def _has(benchmark: AnyBenchmark, status: str) -> bool:
    """Runloop's benchmarks have no status."""
    return not status or (isinstance(benchmark, Benchmark) and benchmark.status == status)


def _text_of(benchmark: AnyBenchmark) -> str:
    judge = f"{benchmark.judge_name} {benchmark.judge_model}" if isinstance(benchmark, Benchmark) else ""
    return f"{benchmark.name} {benchmark.id} {judge}".casefold()


def read_rows(
    rows: list[Row], *, within_s: float | None, now: datetime, only: str = "", patient: bool = False
) -> list[Row]:
    """The rows, in their order, those that wait filled in; one whose history is late still waits.

    `only`: an order; rows that it does not concern are left as they are. `patient`: as of `build_row`.
    """
    keys = [row.key for row in rows if row.pending and can_order(only, row.key)]
    found = read_recent(keys, within_s=within_s)
    return [build_row(row.benchmark, found[row.key], now, patient=patient) if row.key in found else row for row in rows]


def read_recent(keys: Iterable[Key], *, within_s: float | None) -> dict[Key, Outcome]:
    """The newest replays or runs of these benchmarks."""
    return reader.each({key: RECENT[key.source](key.id) for key in keys}, within_s=within_s)


def describe_apart(rows: list[Row], sort: str) -> str:
    """What to say where the rows of one source stand after the other's because the order is not theirs."""
    apart = [row for row in rows if not can_order(sort, row.key)]
    if not apart:
        return ""
    key = sort.lstrip("-")
    other = SOURCES[apart[0].key.source]
    if len(apart) == len(rows):
        return f"{other}'s benchmarks have no {SORTS[key]}, so they stand in {other}'s own order."
    ours = SOURCES[ONLY_OF[key]]
    return (
        f"Sorted by the {SORTS[key]} of {ours}'s benchmarks. {other}'s scores are on a scale of their own and are not "
        f"compared with them: its benchmarks come after, in {other}'s own order."
    )


def group_rows(shown: list[Row], now: datetime, *, patient: bool) -> list[dict[str, Any]]:
    """Runs of rows that are there and of rows that are not; each of the latter knows where to ask for itself.

    The first time they ask together, no more than `ROWS_A_REQUEST` and of one source. The second time each asks alone
    and waits: one slow history holds nobody up.
    """
    groups: list[dict[str, Any]] = []
    for waits_for, run in groupby(shown, lambda row: row.key.source if row.pending else ""):
        together = list(run)
        size = (1 if patient else ROWS_A_REQUEST) if waits_for else len(together)
        name = "runloop" if waits_for == "runloop" else "id"
        for start in range(0, len(together), size):
            batch = together[start : start + size]
            query = [(name, row.benchmark.id) for row in batch] + ([("patient", "on")] if patient else [])
            groups.append({
                "rows": [show_row(row, now) for row in batch],
                "url": with_pairs(reverse("rows"), query) if waits_for else "",
            })  # fmt: skip
    return groups


def build_columns(sort: str, here: str, query: dict[str, str]) -> list[dict[str, str]]:
    """The table's headings, each a link that sorts by it, and the other way round the second time."""
    headings = {"name": "Benchmark", "source": "Source", "trend": "Trend"}
    headings |= {"candidate": "Candidate", "incumbent": "Incumbent", "delta": "Delta", "decision": "Last decision"}
    headings |= {"replays": "Replays, runs", "gaps": "No score", "newest": "Last one"}
    columns = []
    for key, label in headings.items():
        current = sort.lstrip("-") == key and key in SORTS
        first = key if key == "name" else f"-{key}"
        other = key if sort.startswith("-") else f"-{key}"
        columns.append({
            "label": label,
            "key": key,
            "url": with_query(here, query, sort=other if current else first, page=None) if key in SORTS else "",
            "order": ("descending" if sort.startswith("-") else "ascending") if current else "",
        })  # fmt: skip
    return columns
