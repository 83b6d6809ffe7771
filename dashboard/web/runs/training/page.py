"""A training run's page: what it is, the evidence in the order in which it is read, and what may be decided."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from dashboard.charts import render_sparkline
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.runs import RunDetail, RunEvent
from dashboard.sources.reader import describe_old
from dashboard.web.common.links import choose_link
from dashboard.web.common.times import show_moment
from dashboard.web.runs.training import present
from dashboard.web.runs.training.case import load_case
from dashboard.web.runs.training.deciding import ACTIONS
from dashboard.web.runs.training.records import find_records
from dashboard.web.runs.training.words import DONE, say_until
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

LINKS = {
    "training_job_url": "training job",
    "candidate_url": "candidate",
    "dataset_url": "training set",
    "evaluation_url": "paired comparison",
    "benchmark_url": "benchmark",
}


@require_safe
def show_training_run(request: HttpRequest, run_id: str) -> HttpResponse:
    """The page. What hangs on the run and could not be read is named in its place."""
    access.check(request.user, "read")
    try:
        loaded = load_case(run_id)
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    case, now = loaded.case, datetime.now(UTC)
    run = case.detail.run
    records = find_records(run)
    context = {
        **present.build_evidence(case, now),
        "chart": SafeString(render_sparkline(loaded.stretch)) if loaded.stretch else "",  # our own, which escapes
        "stretch": loaded.stretch,
        "timeline": [build_event(event, now) for event in case.detail.timeline],
        "links": list_links(case.detail),
        "offered": [ACTIONS[name] for name in present.list_offered(case.detail.available_actions)],
        "rollback_until": say_until(run.rollback_available_until, now),
        "records": [{"record": one, "done": DONE[one.action], "at": show_moment(one.at, now)} for one in records],
        "decided": bool(run.decision),
        "old": describe_old(*loaded.readings, now=now),
    }
    return render(request, "web/runs/training_run.html", context)


def build_event(event: RunEvent, now: datetime) -> dict[str, Any]:
    """A line of the timeline as it is printed."""
    return {
        "at": show_moment(event.ts, now),
        "from_state": event.from_state or "",
        "to_state": event.to_state or "no state",
        "reason": event.reason or "",
        "code": event.error_code or "",
        "actor": event.actor or "",
        "detail": event.detail,
    }


def list_links(detail: RunDetail) -> list[tuple[str, str]]:
    """The pages behind the service's links: (what, address). An address of the API alone leads no reader anywhere."""
    given = [(words, choose_link(getattr(detail.links, name), local=False)) for name, words in LINKS.items()]
    found = [(words, url) for words, url in given if url]
    if detail.benchmark:
        found.insert(0, ("the benchmark's trend", reverse("trend", args=[detail.benchmark.benchmark_id])))
        found.insert(1, ("its pinned conversations", reverse("items", args=[detail.benchmark.benchmark_id])))
    return found
