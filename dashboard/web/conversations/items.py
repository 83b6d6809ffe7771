"""A benchmark's pinned conversations: a page of them, one of them, or one turn of one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.sources.connect import get_connection
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.wire import Benchmark, BenchmarkItem
from dashboard.sources.reader import Reading, read
from dashboard.web.common.links import with_query
from dashboard.web.common.times import show_age
from dashboard.web.conversations.forms import ItemsForm
from dashboard.web.conversations.present import ALONE, build_turn
from dashboard.web.conversations.present_items import ROWS_A_PAGE, build_page, build_row
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

Items = tuple[list[BenchmarkItem], int]


@require_safe
def show_items(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """A page of the conversations; with `item` that one alone. A wrong query value is named, with status 400."""
    access.check(request.user, "read")
    form = ItemsForm(request.GET)
    form.is_valid()
    ordinal = form.cleaned_data.get("item")
    try:
        benchmark = _read_benchmark(benchmark_id)
        if ordinal is not None:
            return _show_item(request, benchmark, form, ordinal)
        number = form.value("page") or 1
        items = _read_items(benchmark_id, (number - 1) * ROWS_A_PAGE, ROWS_A_PAGE)
    except SourceError as error:
        return answer_away(request, error)
    rows, total = items.value
    here, query = reverse("items", args=[benchmark_id]), form.valid_query
    page = build_page(
        rows,
        total,
        number=number,
        words=form.value("q") or "",
        address=here,
        local=get_connection().embedded,
    )
    context = {
        "benchmark": benchmark.value,
        "form": form,
        "page": page,
        "searched": bool(form.value("q")),
        "here": here,
        "clear_url": with_query(here, query, q=None),
        "last_url": with_query(here, query, page=page.pages),
        "earlier_url": with_query(here, query, page=number - 1) if 1 < number <= page.pages else "",
        "later_url": with_query(here, query, page=number + 1) if number < page.pages else "",
        "stale": _describe_stale(items, benchmark),
    }
    return render(request, "web/conversations/items.html", context, status=400 if form.errors else 200)


def _show_item(request: HttpRequest, benchmark: Reading[Benchmark], form: ItemsForm, ordinal: int) -> HttpResponse:
    """One conversation on a page of its own, or one turn of it whole; a script gets the turn without the page."""
    here = reverse("items", args=[benchmark.value.id])
    items = _read_items(benchmark.value.id, max(0, ordinal - 1), 2)  # a service may count from 1
    item = next((item for item in items.value[0] if item.ordinal == ordinal), None)
    if item is None:
        raise Http404
    row = build_row(item, address=here, local=get_connection().embedded, limits=ALONE)
    place = form.cleaned_data.get("turn")
    turn = None if place is None else build_turn(item.prompt, place)
    if place is not None and turn is None:
        raise Http404
    if turn and request.htmx:  # type: ignore[attr-defined]
        return render(request, "web/conversations/_turn.html", {"turn": turn})
    context = {
        "benchmark": benchmark.value,
        "form": form,
        "row": row,
        "turn": turn,
        "number": None if place is None else place + 1,
        "earlier_url": f"{row.whole_url}turn={place - 1}" if place else "",
        "later_url": f"{row.whole_url}turn={place + 1}"
        if place is not None and place + 1 < row.conversation.turn_count
        else "",
        "list_url": with_query(here, {"page": (items.value[0].index(item) + max(0, ordinal - 1)) // ROWS_A_PAGE + 1})
        + f"#item-{ordinal}",
        "stale": _describe_stale(items, benchmark),
    }
    return render(request, "web/conversations/item.html", context, status=400 if form.errors else 200)


def _read_benchmark(benchmark_id: str) -> Reading[Benchmark]:
    loop = get_connection().loop
    try:
        return read(f"benchmark {benchmark_id}", lambda: loop.get_benchmark(benchmark_id), Benchmark)
    except NotFound as error:
        raise Http404 from error


def _read_items(benchmark_id: str, offset: int, most: int) -> Reading[Items]:
    """So many rows from there on, or all that are left; and how many the set has. Http404 for an unknown benchmark."""
    loop = get_connection().loop

    def gather() -> Items:
        rows: list[BenchmarkItem] = []
        while True:  # a service may give fewer than it was asked for
            more, total = loop.list_items(benchmark_id, limit=most - len(rows), offset=offset + len(rows))
            rows += more
            if not more or len(rows) >= most or offset + len(rows) >= total:
                return rows[:most], total

    try:
        return read(f"items {benchmark_id} {offset} {most}", gather, Items)
    except NotFound as error:
        raise Http404 from error


def _describe_stale(*readings: Reading[Any]) -> str:
    """How old what is shown is, and why; empty where it is of this moment."""
    for reading in readings:
        if reading.failure:
            return f"{reading.failure.message} This was read {show_age(reading.read_at, datetime.now(UTC))}."
    return ""
