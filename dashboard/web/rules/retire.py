"""The end of a benchmark: what retiring does is said first; a second press changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.sources.connect import get_loop
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.client import Loop
from dashboard.sources.loop.wire import Benchmark
from dashboard.web.common.redirects import SeeOther
from dashboard.web.common.refusals import choose_status, focus_first_error, place_refusal
from dashboard.web.common.times import show_moment
from dashboard.web.pinning.successor import start_successor
from dashboard.web.rules.forms import RetireForm
from dashboard.web.site import access, unsent
from dashboard.web.site.audit import log as audit
from dashboard.web.site.away import answer_away


@require_http_methods(["GET", "HEAD", "POST"])
def show_retire(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """What retiring would do, or, of a retired one, when and by whom it was done."""
    access.check(request.user, "retire")
    loop = get_loop(actor=request.user.get_username())
    try:
        benchmark = loop.get_benchmark(benchmark_id)
        if request.method != "POST":
            return _answer(request, loop, benchmark, RetireForm(initial=dict((unsent.take(request) or {}).items())))
        form = RetireForm(request.POST)
        if not form.is_valid():
            return _answer(request, loop, benchmark, form, 422)
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    if benchmark.status == "retired":
        messages.info(request, f"“{benchmark.name}” was retired before: nothing had to be changed.")
    else:
        try:
            with audit.record(
                request, action="retire", target_kind="benchmark", target_id=benchmark_id, target_name=benchmark.name
            ) as entry:
                rules = [rule.name for rule in loop.list_rules() if rule.benchmark_id == benchmark_id]
                loop.retire_benchmark(benchmark_id, form.cleaned_data["reason"])
                entry.message = describe_retiring(rules, form.cleaned_data["reason"])
        except SourceError as error:
            place_refusal(form, error, {"reason": "reason"})
            return _answer_failure(request, loop, benchmark, form, error)
        messages.success(request, f"“{benchmark.name}” is retired and its name is free. What was measured stays.")
    if form.cleaned_data["go"] == "successor":
        return start_successor(request, benchmark_id)
    return SeeOther(reverse("retire", args=[benchmark_id]))


def describe_retiring(rules: list[str], reason: str) -> str:
    """What retiring changed, as the audit log says it. `rules`: the names of those that replayed it just before."""
    detached = f"detached from {len(rules)} rule{'' if len(rules) == 1 else 's'}"
    names = f" ({', '.join(rules)})" if rules else ""
    return f"{detached}{names}; {f'reason: {reason}' if reason else 'no reason given'}"


def _answer_failure(
    request: HttpRequest, loop: Loop, benchmark: Benchmark, form: RetireForm, error: SourceError
) -> HttpResponse:
    """The page again with the reason still there, over what the service says now, if it says anything."""
    try:
        benchmark = loop.get_benchmark(benchmark.id)
        return _answer(request, loop, benchmark, form, choose_status(error))
    except SourceError:
        return _answer(request, None, benchmark, form, choose_status(error))


def _answer(
    request: HttpRequest, loop: Loop | None, benchmark: Benchmark, form: RetireForm, status: int = 200
) -> HttpResponse:
    """Without a `loop` the rules are not known."""
    rules = loop.list_rules() if loop else None
    context = {
        "benchmark": benchmark,
        "retired": benchmark.status == "retired",
        "retired_at": show_moment(benchmark.retired_at, datetime.now(UTC)),
        "rules": None if rules is None else [rule for rule in rules if rule.benchmark_id == benchmark.id],
        "form": form,
        "focus_summary": not focus_first_error(form),
    }
    return render(request, "web/rules/retire.html", context, status=status)
