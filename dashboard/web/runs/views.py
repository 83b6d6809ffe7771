"""One run of a Runloop benchmark, and, for whoever asks, what it was given as its environment."""

from __future__ import annotations

from datetime import UTC, datetime

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.sources import reader
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.reader import Absent, Known, Unread, describe_old
from dashboard.web.common.links import link_pages
from dashboard.web.common.numbers import show_count
from dashboard.web.runs import present
from dashboard.web.runs.forms import RunForm
from dashboard.web.site import access
from dashboard.web.site.audit import log as audit
from dashboard.web.site.away import answer_away


@require_safe
def show_run(request: HttpRequest, run_id: str) -> HttpResponse:
    """The page. Where only the scenario runs cannot be read, it says so in their place."""
    access.check(request.user, "read")
    run, listed = reader.together(reader.run.ask(run_id), reader.scenarios.ask(run_id))
    match run:
        case Absent(error):
            raise Http404 from error
        case Unread(error):
            return answer_away(request, {"runloop": error})
    scenarios = listed if isinstance(listed, Known) else None
    form = RunForm(request.GET)
    form.is_valid()
    now = datetime.now(UTC)
    found = present.sort_scenarios(scenarios.value.scenarios) if scenarios else []
    cut = scenarios.value.cut if scenarios else ""
    page = Paginator(found, present.ROWS_A_PAGE).get_page(form.value("page") or 1)
    here = reverse("run", args=[run_id])
    context = {
        "form": form,
        "run": present.build_run(run.value, now),
        "what_it_is": present.MEAN,
        "mean": present.compare_means(run.value, found, cut) if scenarios else None,
        "scenarios": present.build_scenarios(list(page.object_list), now),
        "failure": "" if isinstance(listed, Known) else listed.failure.message,
        "cut": cut,
        "notes": scenarios.value.notes if scenarios else (),
        "page": page,
        **link_pages(page, here, {}),
        "old": describe_old(run, scenarios, now=now),
    }
    return render(request, "web/runs/run.html", context, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def show_environment(request: HttpRequest, run_id: str) -> HttpResponse:
    """What this run was given: shown in this answer, to this person, and kept nowhere. It is asked for, never linked.

    Reading the address leads to the run's page.
    """
    if request.method != "POST":
        access.check(request.user, "read")
        return redirect("run", run_id)
    try:
        with audit.record(request, action="see_environment", target_kind="run", target_id=run_id) as entry:
            access.check(request.user, "see_environment")
            environment = reader.environment(run_id).need().value
            entry.message = (
                f"{show_count(len(environment.variables), 'value')}, "
                f"{show_count(len(environment.secrets), 'secret name')}"
            )
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, {"runloop": error})
    context = {"run_id": run_id, "variables": environment.variables, "secrets": environment.secrets}
    answer = render(request, "web/runs/run_environment.html", context)
    answer["Cache-Control"] = "no-store, private"
    return answer
