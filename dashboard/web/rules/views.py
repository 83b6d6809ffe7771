"""Training rules: the list, and one rule with the benchmark that it replays."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.sources import reader
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.runs import RuleDetail
from dashboard.sources.loop.wire import Benchmark, Rule, TrainingRun
from dashboard.sources.reader import Known, Reading, describe_old
from dashboard.web.common.links import link_pages
from dashboard.web.common.redirects import SeeOther
from dashboard.web.common.refusals import Refusal, choose_status, explain, focus_first_error, place_refusal
from dashboard.web.rules.change import WHAT_IT_DOES, change_benchmark
from dashboard.web.rules.forms import AttachForm, RulesForm
from dashboard.web.rules.present import (
    build_rule,
    choose_rules,
    find_benchmark,
    list_settings,
    show_run,
    why_stopped,
)
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

ROWS_A_PAGE = 25
TOGETHER = 200
"""One request for the workspace's newest runs answers for most rules; the others are asked for one by one."""
RUNS_WAIT_S = 2.0
RECENT_RUNS = 10


@require_safe
def list_rules(request: HttpRequest) -> HttpResponse:
    """Every rule as a row. A wrong query value is named on the page, with status 400."""
    access.check(request.user, "read")
    rules, benchmarks, newest = reader.together(
        reader.rules.ask(), reader.benchmarks.ask(), reader.runs.ask(limit=TOGETHER)
    )
    if not isinstance(rules, Known):
        return answer_away(request, rules.failure)
    form = RulesForm(request.GET)
    form.is_valid()
    page = Paginator(choose_rules(rules.value, benchmarks, form.value("q") or ""), ROWS_A_PAGE).get_page(
        form.value("page") or 1
    )
    runs = read_last_runs([rule.id for rule in page.object_list], newest)
    now = datetime.now(UTC)
    query, here = form.valid_query, reverse("rules")
    context = {
        "form": form,
        "page": page,
        "rows": [
            build_rule(rule, find_benchmark(rule.benchmark_id, benchmarks), runs[rule.id], now)
            for rule in page.object_list
        ],
        "any": bool(rules.value),
        **link_pages(page, here, query),
        "old": describe_old(rules, benchmarks, now=now),
    }
    return render(request, "web/rules/rules.html", context, status=400 if form.errors else 200)


def read_last_runs(
    rule_ids: Iterable[str], newest: Reading[tuple[list[TrainingRun], int]]
) -> dict[str, TrainingRun | str | None]:
    """The newest run of each rule, a sentence where it could not be read, None where there is none.

    `newest`: the workspace's newest runs.
    """
    if not isinstance(newest, Known):
        return dict.fromkeys(rule_ids, newest.failure.message)
    runs, total = newest.value
    by_rule: dict[str, TrainingRun | str | None] = {run.rule_id or "": run for run in reversed(runs)}
    all_there = len(runs) >= total
    asks = {one: reader.runs.ask(one, limit=1) for one in rule_ids if one not in by_rule and not all_there}
    for rule_id, reading in reader.each(asks, within_s=RUNS_WAIT_S).items():
        if isinstance(reading, Known):
            by_rule[rule_id] = reading.value[0][0] if reading.value[0] else None
        else:
            by_rule[rule_id] = reading.failure.message
    return {rule_id: by_rule.get(rule_id) for rule_id in rule_ids}


@require_http_methods(["GET", "HEAD", "POST"])
def show_rule(request: HttpRequest, rule_id: str) -> HttpResponse:
    """One rule. POST changes which benchmark it replays; a refusal shows the page again with the rule unchanged."""
    access.check(request.user, "attach" if request.method == "POST" else "read")
    acts = request.method == "POST"
    found, all_found, runs = reader.together(
        reader.rule.ask(rule_id), reader.benchmarks.ask(), reader.runs.ask(rule_id, limit=RECENT_RUNS), fresh=acts
    )
    try:
        rule, benchmarks = found.need(), all_found.need()
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    form = AttachForm(request.POST if acts else None, benchmarks=list_choices(rule.value.rule, benchmarks.value))
    if not acts:
        return _answer(request, rule, benchmarks, runs, form)
    if not form.is_valid():
        return _answer(request, rule, benchmarks, runs, form, status=422)
    wanted = form.cleaned_data["benchmark"] if form.cleaned_data["go"] == "attach" else None
    try:
        messages.success(request, change_benchmark(request, rule.value.rule, wanted, seen=form.cleaned_data["seen"]))
    except (SourceError, Refusal) as error:
        place_refusal(form, error, {"benchmark_id": "benchmark"})
        now = reader.rule.fresh(rule_id)
        offer_again(form)
        return _answer(
            request, now if isinstance(now, Known) else rule, benchmarks, runs, form, status=choose_status(error)
        )
    return SeeOther(reverse("rule", args=[rule_id]))


def list_choices(rule: Rule, benchmarks: Iterable[Benchmark]) -> list[tuple[str, str]]:
    """The active benchmarks that it could replay instead."""
    return [(one.id, one.name) for one in _list_others(rule, benchmarks) if one.item_count]


def _list_others(rule: Rule, benchmarks: Iterable[Benchmark]) -> list[Benchmark]:
    return [one for one in benchmarks if one.status == "active" and one.id != rule.benchmark_id]


def offer_again(form: AttachForm) -> None:
    """What was chosen is still chosen, also where it is none of the active ones any more."""
    select = form.fields["benchmark"].widget
    chosen = form.cleaned_data.get("benchmark") or form.data.get("benchmark")
    if not chosen or any(value == chosen for value, _name in select.choices):
        return
    match reader.benchmark.fresh(chosen):
        case Known(value=one):
            label = f"{one.name} ({one.status})" if one.status != "active" else one.name
            select.choices = [*select.choices, (one.id, label)]


def _answer(
    request: HttpRequest,
    found: Known[RuleDetail],
    benchmarks: Known[list[Benchmark]],
    runs: Reading[tuple[list[TrainingRun], int]],
    form: AttachForm,
    *,
    status: int = 200,
) -> HttpResponse:
    now, detail = datetime.now(UTC), found.value
    rule, benchmark_id = detail.rule, detail.rule.benchmark_id
    replays = find_benchmark(benchmark_id, benchmarks)
    if benchmark_id and not isinstance(replays, Known):
        replays = reader.benchmark(benchmark_id)
    context = {
        "row": build_rule(rule, replays, None, now),
        "settings": list_settings(detail),
        "stopped": why_stopped(rule),
        "runs": [show_run(run, now) for run in runs.value[0]] if isinstance(runs, Known) else [],
        "runs_failure": "" if isinstance(runs, Known) else explain(runs.failure),
        "form": form,
        "focus_summary": not focus_first_error(form),
        # More than "choose one": an active benchmark, or the one that was chosen and refused.
        "any_choice": len(form.fields["benchmark"].widget.choices) > 1 or "benchmark" in form.errors,
        # How many active ones are not offered because nothing of them can be replayed.
        "empty": sum(not one.item_count for one in _list_others(rule, benchmarks.value)),
        "what_it_does": WHAT_IT_DOES,
        "old": describe_old(found, replays, benchmarks, runs, now=now),
    }
    return render(request, "web/rules/rule.html", context, status=status)
