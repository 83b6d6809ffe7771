"""The rules that replay a benchmark, seen from the benchmark: attach it to another, or detach it."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.sources import reader
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.wire import Benchmark, Rule
from dashboard.sources.reader import Known, Reading, describe_old
from dashboard.web.common.links import link_pages, with_query
from dashboard.web.common.redirects import SeeOther
from dashboard.web.common.refusals import Refusal, choose_status, explain
from dashboard.web.rules.change import WHAT_IT_DOES, change_benchmark
from dashboard.web.rules.forms import AttachRuleForm, RulesForm
from dashboard.web.rules.present import build_rule, choose_rules, find_benchmark
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

ROWS_A_PAGE = 25


@require_http_methods(["GET", "HEAD", "POST"])
def show_attach(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """The page. POST changes one rule; a refusal shows the page again with the service's words at that rule."""
    access.check(request.user, "attach" if request.method == "POST" else "read")
    refusal: tuple[str, str] | None = None
    status = 200
    if request.method == "POST":
        form = AttachRuleForm(request.POST)
        if not form.is_valid():
            refusal, status = (request.POST.get("rule", ""), "The form does not say which rule."), 422
        else:
            rule_id = form.cleaned_data["rule"]
            try:
                said = _change(request, reader.rule.fresh(rule_id).need().value.rule, benchmark_id, form)
            except (SourceError, Refusal) as error:
                refusal, status = (rule_id, explain(error)), choose_status(error)
            else:
                messages.success(request, said)
                return SeeOther(with_query(reverse("attach", args=[benchmark_id]), request.GET.dict()))
    readings = reader.together(reader.benchmark.ask(benchmark_id), reader.rules.ask(), reader.benchmarks.ask())
    try:
        benchmark, rules = readings[0].need(), readings[1].need()
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    return _answer(request, benchmark, rules, readings[2], refusal, status)


def _change(request: HttpRequest, rule: Rule, benchmark_id: str, form: AttachRuleForm) -> str:
    wanted = benchmark_id if form.cleaned_data["go"] == "attach" else None
    return change_benchmark(request, rule, wanted, seen=form.cleaned_data["seen"])


def _answer(
    request: HttpRequest,
    reading: Known[Benchmark],
    rules: Known[list[Rule]],
    benchmarks: Reading[list[Benchmark]],
    refusal: tuple[str, str] | None,
    status: int,
) -> HttpResponse:
    """`refusal`: the rule's id and the words."""
    now = datetime.now(UTC)
    benchmark = reading.value
    form = RulesForm(request.GET)
    form.is_valid()
    attached = [rule for rule in rules.value if rule.benchmark_id == benchmark.id]
    others = [rule for rule in rules.value if rule.benchmark_id != benchmark.id]
    page = Paginator(choose_rules(others, benchmarks, form.value("q") or ""), ROWS_A_PAGE).get_page(
        form.value("page") or 1
    )
    here, query = reverse("attach", args=[benchmark.id]), form.valid_query
    context = {
        "benchmark": benchmark,
        "form": form,
        "attached": [build_rule(rule, reading, None, now) for rule in attached],
        "page": page,
        "others": [
            build_rule(rule, find_benchmark(rule.benchmark_id, benchmarks), None, now) for rule in page.object_list
        ],
        "any_rule": bool(rules.value),
        "refused_rule": refusal[0] if refusal else "",
        "refusal": refusal[1] if refusal else "",
        "what_it_does": WHAT_IT_DOES,
        "here": with_query(here, query),
        **link_pages(page, here, query),
        "old": describe_old(reading, rules, benchmarks, now=now),
    }
    return render(request, "web/rules/attach.html", context, status=status if refusal else 400 if form.errors else 200)
