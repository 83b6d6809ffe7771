"""The rows of a replay: a page of those that are asked for, or one of them alone."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.sources import reader
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.rows import mark_row
from dashboard.sources.reader import Known, describe_old
from dashboard.trend.rows import Mark
from dashboard.web.common.links import link_pages, with_query
from dashboard.web.replays.answers import build_row, choose_rows, count_rows
from dashboard.web.replays.forms import ONLY, RowsForm
from dashboard.web.replays.loading import NOT_LISTED, LoadedReplay, build_marks, is_not_listed, load_replay
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

ROWS_A_PAGE = 10


@require_safe
def show_rows(request: HttpRequest, replay_id: str) -> HttpResponse:
    """The page. A wrong query value is named on it, with status 400."""
    access.check(request.user, "read")
    form = RowsForm(request.GET)
    form.is_valid()
    try:
        found = load_replay(replay_id)
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    reading = reader.replay_rows(replay_id, finished=found.finished)
    rows, total = reading.value if isinstance(reading, Known) else ([], 0)
    scale, only, ordinal = found.scale, form.value("only") or "", form.cleaned_data.get("row")
    marks = build_marks(map(mark_row, rows), scale)
    before = read_before(found) if marks else {}
    if ordinal is None:
        chosen = choose_rows(rows, marks, before, only, scale)
    else:
        chosen = [row for row in rows if row.ordinal == ordinal]
    page = Paginator(chosen, ROWS_A_PAGE).get_page(form.value("page") or 1)
    here = reverse("replay-rows", args=[replay_id])
    choices = [{"label": f"all {len(rows)}", "url": here, "current": not only and ordinal is None}]
    for value, label in ONLY.items():
        count = count_rows(marks, before, value)
        choices.append(
            {"label": f"{label} {count}", "url": with_query(here, {"only": value}), "current": value == only}
        )
    context = {
        "form": form,
        "replay": found.replay.value,
        "benchmark": found.benchmark.value if found.benchmark else None,
        "choices": choices,
        "only": ONLY.get(only, ""),
        "ordinal": ordinal,
        "page": page,
        "rows": [build_row(row, marks[row.ordinal], before.get(row.ordinal), scale) for row in page.object_list],
        "unread": "" if rows else describe_none(found, reading),
        "left_out": total - len(rows) if rows else 0,
        "old": describe_old(found.replay, found.benchmark, reading),
        **link_pages(page, here, form.valid_query),
    }
    return render(request, "web/replays/rows.html", context, status=400 if form.errors else 200)


def read_before(found: LoadedReplay) -> dict[int, Mark]:
    """What the rows of the rule's replay before this one came to; empty where nobody can say."""
    before = found.find_before()[-1:]
    reading = reader.replay_marks(before[0].id, finished=True) if before else None
    return build_marks(reading.value[0], found.scale) if isinstance(reading, Known) else {}


def describe_none(found: LoadedReplay, reading: reader.Reading[object]) -> str:
    """Why there are no rows to show."""
    if is_not_listed(reading):
        return NOT_LISTED
    if not isinstance(reading, Known):
        return f"Its rows could not be read: {reading.failure.message}"
    if not found.finished:
        return "No row of it is there yet."
    return "The service has no row of this replay: scores that were computed elsewhere can come without them."
