"""The training runs: those that await a decision, soonest deadline first; and every run, newest first."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.sources import reader
from dashboard.sources.http.errors import SourceError
from dashboard.sources.loop.wire import Rule, TrainingRun
from dashboard.sources.reader import Known, describe_old
from dashboard.web.common.ids import has_page
from dashboard.web.common.links import link_pages
from dashboard.web.common.numbers import NOTHING, show_cents
from dashboard.web.common.times import Moment, show_moment
from dashboard.web.runs.training.forms import RunsForm
from dashboard.web.runs.training.words import AWAITING, DECIDED, label_run, say_moment
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

ROWS_A_PAGE = 50
TOGETHER = 200
MOST_WAITING = 200
"""So many runs that await a decision are read and put in order; there are rarely ten."""
MOST_SEARCHED = 1_000
"""The service does not choose by verdict, so that many of the newest runs are looked through for it."""

Runs = tuple[list[TrainingRun], int]
"""A page of them and how many there are."""
Listed = tuple[Known[Runs], list[TrainingRun], Page[Any], str]
"""How the runs were read, those of the page, the page, and what was not looked through; "" where all was."""


class RunRow(NamedTuple):
    """A run in one line."""

    url: str
    label: str
    id: str
    rule: str
    rule_url: str
    state: str
    verdict: str
    standing: str
    """What was decided, or that nobody did before the deadline."""
    deadline: str
    cost: str
    reason: str
    at: Moment


@require_safe
def list_training_runs(request: HttpRequest) -> HttpResponse:
    """The page. A wrong query value is named on it, with status 400."""
    access.check(request.user, "read")
    try:
        rules = _read_rules()
        form = RunsForm(request.GET, [(rule.id, rule.name) for rule in rules])
        form.is_valid()
        rule, state, verdict = (form.value(name) or "" for name in ("rule", "state", "verdict"))
        waits = None if state not in ("", AWAITING) else _read_runs(rule, AWAITING, MOST_WAITING, 0)
        others, found, page, searched = _read_page(rule, state, verdict, form.value("page") or 1)
    except SourceError as error:
        return answer_away(request, error)
    now = datetime.now(UTC)
    waiting = [run for run in (waits.value[0] if waits else []) if not verdict or run.verdict == verdict]
    query, here = form.valid_query, reverse("runs")
    context = {
        "form": form,
        "filtered": any(name != "page" for name in query),
        "waiting": [build_row(run, now) for run in sort_by_deadline(waiting)],
        "asked_for_waiting": state in ("", AWAITING),
        "waiting_left": max(0, waits.value[1] - len(waits.value[0])) if waits else 0,
        "rows": [] if state == AWAITING else [build_row(run, now) for run in found],
        "only_waiting": state == AWAITING,
        "page": page,
        "searched": searched,
        "old": describe_old(*filter(None, (waits, others)), now=now),
        **link_pages(page, here, query),
    }
    return render(request, "web/runs/runs.html", context, status=400 if form.errors else 200)


def _read_rules() -> list[Rule]:
    """The rules to choose from; none where they cannot be read, for the runs may be."""
    found = reader.rules()
    return found.value if isinstance(found, Known) else []


def _read_runs(rule: str, state: str, limit: int, offset: int) -> Known[Runs]:
    return reader.runs(rule, state=state, limit=limit, offset=offset).need()


def _read_page(rule: str, state: str, verdict: str, number: int) -> Listed:
    """A page of the runs of this rule, state and verdict, each "" for any."""
    if verdict:
        return _search(rule, state, verdict, number)
    reading = _read_runs(rule, state, ROWS_A_PAGE, (number - 1) * ROWS_A_PAGE)
    page = Paginator(range(reading.value[1]), ROWS_A_PAGE).get_page(number)
    if page.number != number:
        reading = _read_runs(rule, state, ROWS_A_PAGE, (page.number - 1) * ROWS_A_PAGE)
    return reading, reading.value[0], page, ""


def _search(rule: str, state: str, verdict: str, number: int) -> Listed:
    found: dict[str, TrainingRun] = {}
    asked = 0
    while True:
        reading = _read_runs(rule, state, TOGETHER, asked)
        runs, total = reading.value
        asked += len(runs)
        found |= {run.id: run for run in runs}
        if not runs or asked >= min(total, MOST_SEARCHED):
            break
    page = Paginator([run for run in found.values() if run.verdict == verdict], ROWS_A_PAGE).get_page(number)
    left = total - asked
    note = f"The newest {asked:,} runs were looked through; {left:,} older ones were not." if left > 0 else ""
    return reading, list(page.object_list), page, note


def sort_by_deadline(runs: Iterable[TrainingRun]) -> list[TrainingRun]:
    """Soonest deadline first; those without one come last, the oldest first."""
    last = datetime.max.replace(tzinfo=UTC)

    def key(run: TrainingRun) -> tuple[datetime, datetime, str]:
        moments = (run.review_deadline_at, run.created_at)
        deadline, created = (moment if isinstance(moment, datetime) else last for moment in moments)
        return deadline, created, run.id

    return sorted(runs, key=key)


def build_row(run: TrainingRun, now: datetime) -> RunRow:
    deadline = run.review_deadline_at
    if run.decision:
        standing = DECIDED.get(run.decision, run.decision)
    elif run.state == "expired":
        standing = "expired without a decision"
    elif run.state == AWAITING and isinstance(deadline, datetime) and deadline <= now:
        standing = "its deadline passed without a decision"
    else:
        standing = ""
    costs = (
        run.billed_training_cents, run.billed_candidate_cents, run.spent_eval_cents, run.benchmark_spent_cents,
    )  # fmt: skip
    return RunRow(
        reverse("training-run", args=[run.id]) if has_page(run.id) else "",
        label_run(run),
        run.id,
        run.rule_name or run.rule_id or NOTHING,
        reverse("rule", args=[run.rule_id]) if run.rule_id and has_page(run.rule_id) else "",
        run.state or "no state",
        run.verdict or NOTHING,
        standing if standing != run.state else "",
        say_moment(deadline, now) if isinstance(deadline, datetime) and run.state == AWAITING else "",
        NOTHING if None in costs else show_cents(sum(cents or 0 for cents in costs)),
        run.last_reason or run.error_code or "",
        show_moment(run.created_at, now, undated=run.undated),
    )
