"""Training rules: the list, and one rule with the benchmark that it replays."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.sources.connect import get_loop
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.client import Loop
from dashboard.sources.loop.wire import Benchmark, Rule
from dashboard.sources.reader import read
from dashboard.web.common.links import link_pages
from dashboard.web.common.redirects import SeeOther
from dashboard.web.common.refusals import Failure, Refusal, choose_status, explain, focus_first_error, place_refusal
from dashboard.web.common.times import show_age
from dashboard.web.rules.change import WHAT_IT_DOES, change_benchmark, find_benchmark
from dashboard.web.rules.forms import AttachForm, RulesForm
from dashboard.web.rules.last_runs import read_last_runs
from dashboard.web.rules.present import build_rule, choose_rules, show_run
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

ROWS_A_PAGE = 25
RUNS_WAIT_S = 2.0
RECENT_RUNS = 10


@require_safe
def list_rules(request: HttpRequest) -> HttpResponse:
    """Every rule as a row. A wrong query value is named on the page, with status 400."""
    access.check(request.user, "read")
    loop = get_loop()
    try:
        reading = read("rules", loop.list_rules, list[Rule])
        benchmarks = read("benchmarks", loop.list_benchmarks, list[Benchmark]).value
    except SourceError as error:
        return answer_away(request, error)
    form = RulesForm(request.GET)
    form.is_valid()
    by_id = {benchmark.id: benchmark for benchmark in benchmarks}
    page = Paginator(choose_rules(reading.value, by_id, form.value("q") or ""), ROWS_A_PAGE).get_page(
        form.value("page") or 1
    )
    runs = read_last_runs([rule.id for rule in page.object_list], within_s=RUNS_WAIT_S)
    now = datetime.now(UTC)
    query, here = form.valid_query, reverse("rules")
    context = {
        "form": form,
        "page": page,
        "rows": [build_rule(rule, by_id, runs.get(rule.id), now) for rule in page.object_list],
        "any": bool(reading.value),
        **link_pages(page, here, query),
        "stale": f"{reading.failure.message} This list was read {show_age(reading.read_at, now)}."
        if reading.failure
        else "",
    }
    return render(request, "web/rules/rules.html", context, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def show_rule(request: HttpRequest, rule_id: str) -> HttpResponse:
    """One rule. POST changes which benchmark it replays; a refusal shows the page again with the rule unchanged."""
    access.check(request.user, "attach" if request.method == "POST" else "read")
    loop = get_loop()
    try:
        rule = loop.get_rule(rule_id)
        active = loop.list_benchmarks(status="active")
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    others = [benchmark for benchmark in active if benchmark.id != rule.benchmark_id]
    choices = [(benchmark.id, benchmark.name) for benchmark in others if benchmark.item_count]
    empty = len(others) - len(choices)
    if request.method != "POST":
        form = AttachForm(benchmarks=choices)
        return _answer(request, loop, rule, form, empty)
    form = AttachForm(request.POST, benchmarks=choices)
    if not form.is_valid():
        return _answer(request, loop, rule, form, empty, status=422)
    wanted = form.cleaned_data["benchmark"] if form.cleaned_data["go"] == "attach" else None
    try:
        messages.success(request, change_benchmark(request, rule, wanted, seen=form.cleaned_data["seen"]))
    except (SourceError, Refusal) as error:
        place_refusal(form, error, {"benchmark_id": "benchmark"})
        return _answer_refusal(request, loop, rule, form, empty, error)
    return SeeOther(reverse("rule", args=[rule_id]))


def _answer_refusal(
    request: HttpRequest, loop: Loop, rule: Rule, form: AttachForm, empty: int, error: Failure
) -> HttpResponse:
    """The page again, over the rule as it is by now; what was chosen is still chosen."""
    try:
        rule = loop.get_rule(rule.id)
        chosen = find_benchmark(loop, form.cleaned_data.get("benchmark") or form.data.get("benchmark"))
    except SourceError:
        chosen = None
    select = form.fields["benchmark"].widget
    if chosen and all(value != chosen.id for value, _name in select.choices):
        label = f"{chosen.name} ({chosen.status})" if chosen.status != "active" else chosen.name
        select.choices = [*select.choices, (chosen.id, label)]
    return _answer(request, loop, rule, form, empty, status=choose_status(error))


def _answer(
    request: HttpRequest, loop: Loop, rule: Rule, form: AttachForm, empty: int, *, status: int = 200
) -> HttpResponse:
    """`empty`: how many active benchmarks are not offered because nothing of them can be replayed."""
    now = datetime.now(UTC)
    runs, runs_failure, benchmark = [], "", None
    try:
        benchmark = find_benchmark(loop, rule.benchmark_id)
        runs = loop.list_runs(rule_id=rule.id, limit=RECENT_RUNS)[0]
    except SourceError as error:
        runs_failure = explain(error)
    context = {
        "row": build_rule(rule, {benchmark.id: benchmark} if benchmark else {}, None, now),
        "runs": [show_run(run, now) for run in runs],
        "runs_failure": runs_failure,
        "form": form,
        "focus_summary": not focus_first_error(form),
        # More than "choose one": an active benchmark, or the one that was chosen and refused.
        "any_choice": len(form.fields["benchmark"].widget.choices) > 1 or "benchmark" in form.errors,
        "empty": empty,
        "what_it_does": WHAT_IT_DOES,
    }
    return render(request, "web/rules/rule.html", context, status=status)
