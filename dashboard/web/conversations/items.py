"""A benchmark's pinned conversations: a page of them, one of them, or one turn of one."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.sources import reader
from dashboard.sources.connect import get_connection
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.wire import Benchmark, BenchmarkItem
from dashboard.sources.reader import Known, describe_old
from dashboard.web.common.links import with_query
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
    number = form.value("page") or 1
    # A service may count its conversations from 1: the one asked for is the first or the second of these.
    offset, most = ((number - 1) * ROWS_A_PAGE, ROWS_A_PAGE) if ordinal is None else (max(0, ordinal - 1), 2)
    readings = reader.together(
        reader.benchmark.ask(benchmark_id), reader.items.ask(benchmark_id, offset=offset, limit=most)
    )
    try:
        benchmark, items = readings[0].need(), readings[1].need()
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    if ordinal is not None:
        return _show_item(request, benchmark, items, form, ordinal)
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
        "old": describe_old(items, benchmark),
    }
    return render(request, "web/conversations/items.html", context, status=400 if form.errors else 200)


def _show_item(
    request: HttpRequest, benchmark: Known[Benchmark], items: Known[Items], form: ItemsForm, ordinal: int
) -> HttpResponse:
    """One conversation on a page of its own, or one turn of it whole; a script gets the turn without the page."""
    here = reverse("items", args=[benchmark.value.id])
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
        "old": describe_old(items, benchmark),
    }
    return render(request, "web/conversations/item.html", context, status=400 if form.errors else 200)
