"""One replay: its numbers or why there are none, its dimensions, and the replays of its rule beside it."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.sources import reader
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.reader import Known, describe_old
from dashboard.trend import Point, read_scale
from dashboard.web.common.ids import has_page
from dashboard.web.common.links import with_query
from dashboard.web.replays import present
from dashboard.web.replays.loading import load_replay
from dashboard.web.site import access
from dashboard.web.site.away import answer_away


@require_safe
def show_replay(request: HttpRequest, replay_id: str) -> HttpResponse:
    """The page. Where only its benchmark cannot be read, it says what it can without."""
    access.check(request.user, "read")
    try:
        found = load_replay(replay_id)
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    replay, benchmark = found.replay.value, found.benchmark.value if found.benchmark else None
    incomplete = replay.candidate_score is None and found.finished
    marks = reader.replay_marks(replay_id, finished=True) if incomplete else None
    now = datetime.now(UTC)
    scale = read_scale(found.scale)
    before, after = found.find_neighbours()
    context = {
        "replay": present.build_replay(replay, benchmark, marks.value[0] if isinstance(marks, Known) else None, now),
        "benchmark_id": replay.benchmark_id if has_page(replay.benchmark_id) else "",
        "benchmark_name": (benchmark.name if benchmark else replay.benchmark_name) or replay.benchmark_id,
        "run_id": replay.run_id,
        "run_url": reverse("training-run", args=[replay.run_id]) if has_page(replay.run_id) else "",
        "benchmark_missing": benchmark is None,
        "dimensions": present.build_dimensions(replay.per_dimension, scale),
        "dots": present.draw_dimensions(replay.per_dimension, scale),
        "before": link_replay(before),
        "after": link_replay(after),
        "compare_url": with_query(reverse("compare"), {"a": before.id, "b": replay_id}) if before else "",
        "old": describe_old(found.replay, found.benchmark, found.history, now=now),
    }
    return render(request, "web/replays/replay.html", context)


def link_replay(point: Point | None) -> dict[str, str] | None:
    """The label and the page of a neighbour; None where there is none, or none that has a page."""
    if point is None or not has_page(point.id):
        return None
    return {"label": point.label, "url": reverse("replay", args=[point.id])}
