"""The end of a benchmark: what retiring does is said first; a second press changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.sources import reader
from dashboard.sources.connect import get_loop
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.wire import Benchmark, Rule
from dashboard.sources.reader import Known, Reading, describe_old
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
    acts = request.method == "POST"
    reading, rules = reader.together(reader.benchmark.ask(benchmark_id), reader.rules.ask(), fresh=acts)
    try:
        benchmark = reading.need().value
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    form = RetireForm(request.POST) if acts else RetireForm(initial=dict((unsent.take(request) or {}).items()))
    if not acts:
        return _answer(request, reading, rules, form)
    if not form.is_valid():
        return _answer(request, reading, rules, form, 422)
    if benchmark.status == "retired":
        messages.info(request, f"“{benchmark.name}” was retired before: nothing had to be changed.")
    else:
        try:
            with audit.record(
                request, action="retire", target_kind="benchmark", target_id=benchmark_id, target_name=benchmark.name
            ) as entry:
                attached = _list_attached(benchmark_id, rules.need().value)
                _retire(request, benchmark_id, form.cleaned_data["reason"], attached)
                entry.message = describe_retiring([rule.name for rule in attached], form.cleaned_data["reason"])
        except SourceError as error:
            place_refusal(form, error, {"reason": "reason"})
            # The page again with the reason still there, over what the service says now, if it says anything.
            now, rules = reader.together(reader.benchmark.ask(benchmark_id), reader.rules.ask(), fresh=True)
            known = now if isinstance(now, Known) else reading
            return _answer(request, known, rules, form, choose_status(error))
        messages.success(request, f"“{benchmark.name}” is retired and its name is free. What was measured stays.")
    if form.cleaned_data["go"] == "successor":
        return start_successor(request, benchmark_id)
    return SeeOther(reverse("retire", args=[benchmark_id]))


def describe_retiring(rules: list[str], reason: str) -> str:
    """What retiring changed, as the audit log says it. `rules`: the names of those that replayed it just before."""
    detached = f"detached from {len(rules)} rule{'' if len(rules) == 1 else 's'}"
    names = f" ({', '.join(rules)})" if rules else ""
    return f"{detached}{names}; {f'reason: {reason}' if reason else 'no reason given'}"


def _retire(request: HttpRequest, benchmark_id: str, reason: str, attached: list[Rule]) -> None:
    try:
        get_loop(actor=request.user.get_username()).retire_benchmark(benchmark_id, reason)
    finally:
        detached = (reader.rule.ask(rule.id) for rule in attached)
        reader.changed(reader.benchmark.ask(benchmark_id), reader.benchmarks.ask(), reader.rules.ask(), *detached)


def _list_attached(benchmark_id: str, rules: list[Rule]) -> list[Rule]:
    return [rule for rule in rules if rule.benchmark_id == benchmark_id]


def _answer(
    request: HttpRequest,
    reading: Reading[Benchmark],
    rules: Reading[list[Rule]],
    form: RetireForm,
    status: int = 200,
) -> HttpResponse:
    benchmark = reading.need().value
    context = {
        "benchmark": benchmark,
        "retired": benchmark.status == "retired",
        "retired_at": show_moment(benchmark.retired_at, datetime.now(UTC)),
        "rules": _list_attached(benchmark.id, rules.value) if isinstance(rules, Known) else None,
        "form": form,
        "focus_summary": not focus_first_error(form),
        "old": describe_old(reading, rules),
    }
    return render(request, "web/rules/retire.html", context, status=status)
