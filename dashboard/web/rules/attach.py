"""The rules that replay a benchmark, seen from the benchmark: attach it to another, or detach it."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.sources.connect import get_loop
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.wire import Benchmark, Rule
from dashboard.web.common.links import link_pages, with_query
from dashboard.web.common.redirects import SeeOther
from dashboard.web.common.refusals import Refusal, choose_status, explain
from dashboard.web.rules.change import WHAT_IT_DOES, change_benchmark
from dashboard.web.rules.forms import AttachRuleForm, RulesForm
from dashboard.web.rules.present import build_rule, choose_rules
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

ROWS_A_PAGE = 25


@require_http_methods(["GET", "HEAD", "POST"])
def show_attach(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """The page. POST changes one rule; a refusal shows the page again with the service's words at that rule."""
    access.check(request.user, "attach" if request.method == "POST" else "read")
    loop = get_loop()
    refusal: tuple[str, str] | None = None
    status = 200
    try:
        benchmark = loop.get_benchmark(benchmark_id)
        if request.method == "POST":
            form = AttachRuleForm(request.POST)
            if not form.is_valid():
                refusal, status = (request.POST.get("rule", ""), "The form does not say which rule."), 422
            else:
                rule_id = form.cleaned_data["rule"]
                try:
                    said = _change(request, loop.get_rule(rule_id), benchmark_id, form)
                except (SourceError, Refusal) as error:
                    refusal, status = (rule_id, explain(error)), choose_status(error)
                else:
                    messages.success(request, said)
                    return SeeOther(with_query(reverse("attach", args=[benchmark_id]), request.GET.dict()))
        rules = loop.list_rules()
        benchmarks = loop.list_benchmarks()
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    return _answer(request, benchmark, rules, benchmarks, refusal, status)


def _change(request: HttpRequest, rule: Rule, benchmark_id: str, form: AttachRuleForm) -> str:
    wanted = benchmark_id if form.cleaned_data["go"] == "attach" else None
    return change_benchmark(request, rule, wanted, seen=form.cleaned_data["seen"])


def _answer(
    request: HttpRequest,
    benchmark: Benchmark,
    rules: list[Rule],
    benchmarks: list[Benchmark],
    refusal: tuple[str, str] | None,
    status: int,
) -> HttpResponse:
    """`refusal`: the rule's id and the words."""
    now = datetime.now(UTC)
    by_id = {one.id: one for one in benchmarks} | {benchmark.id: benchmark}
    form = RulesForm(request.GET)
    form.is_valid()
    others = [rule for rule in rules if rule.benchmark_id != benchmark.id]
    page = Paginator(choose_rules(others, by_id, form.value("q") or ""), ROWS_A_PAGE).get_page(form.value("page") or 1)
    here, query = reverse("attach", args=[benchmark.id]), form.valid_query
    context = {
        "benchmark": benchmark,
        "form": form,
        "attached": [build_rule(rule, by_id, None, now) for rule in rules if rule.benchmark_id == benchmark.id],
        "page": page,
        "others": [build_rule(rule, by_id, None, now) for rule in page.object_list],
        "any_rule": bool(rules),
        "refused_rule": refusal[0] if refusal else "",
        "refusal": refusal[1] if refusal else "",
        "what_it_does": WHAT_IT_DOES,
        "here": with_query(here, query),
        **link_pages(page, here, query),
    }
    return render(request, "web/rules/attach.html", context, status=status if refusal else 400 if form.errors else 200)
