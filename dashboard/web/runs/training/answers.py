"""The paired conversations behind a verdict: both answers side by side, those that the candidate lost first to hand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.sources import reader
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.runs import EvaluationItem, Side
from dashboard.sources.reader import Known, describe_old
from dashboard.web.common.ids import has_page
from dashboard.web.common.links import link_pages, with_query
from dashboard.web.common.numbers import Number
from dashboard.web.common.texts import count_characters, cut_text, write_json
from dashboard.web.conversations.present import PREVIEW, Conversation, build_conversation
from dashboard.web.runs.training.forms import WINNERS, AnswersForm
from dashboard.web.runs.training.words import decide_decimals, label_run, show
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

ROWS_A_PAGE = 20
LONGEST = 4_000
"""Characters of one answer, or of one reason, that are shown."""


class ShownSide(NamedTuple):
    """One model's answer. `size` says how long the whole is where it was cut."""

    name: str
    text: str
    size: str
    calls: str
    score: Number
    judge: str


class Answered(NamedTuple):
    id: str
    outcome: str
    """What the candidate did: lost, won, tied, or the service's own word."""
    conversation: Conversation
    trace_url: str
    sides: tuple[ShownSide, ShownSide]
    error: str


@require_safe
def show_answers(request: HttpRequest, run_id: str) -> HttpResponse:
    """One page of them. A wrong query value is named on it, with status 400."""
    access.check(request.user, "read")
    form = AnswersForm(request.GET)
    form.is_valid()
    winner, number = form.value("winner") or "", form.value("page") or 1
    try:
        found = reader.training_run(run_id).need()
        run, evaluation_id = found.value.run, found.value.run.evaluation_id
        if not evaluation_id:
            raise Http404
        items = _read_items(evaluation_id, winner, number)
        page = Paginator(range(items.value[1]), ROWS_A_PAGE).get_page(number)
        if page.number != number:
            items = _read_items(evaluation_id, winner, page.number)
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    here = reverse("run-answers", args=[run_id])
    context = {
        "form": form,
        "run": run,
        "label": label_run(run),
        "page": page,
        "rows": [build_answered(item) for item in items.value[0]],
        "winner": winner,
        "choices": build_choices(here, winner),
        "old": describe_old(found, items, now=datetime.now(UTC)),
        **link_pages(page, here, form.valid_query),
    }
    return render(request, "web/runs/answers.html", context, status=400 if form.errors else 200)


def _read_items(evaluation_id: str, winner: str, number: int) -> Known[tuple[list[EvaluationItem], int]]:
    offset = (number - 1) * ROWS_A_PAGE
    return reader.evaluation_items(evaluation_id, winner=winner, limit=ROWS_A_PAGE, offset=offset).need()


def build_choices(here: str, winner: str) -> list[dict[str, Any]]:
    """A link for each outcome, and one for all."""
    found = [{"label": "all", "url": here, "current": not winner}]
    for value, label in WINNERS.items():
        url = with_query(here, {"winner": value})
        found.append({"label": f"the candidate {label}", "url": url, "current": value == winner})
    return found


def build_answered(item: EvaluationItem) -> Answered:
    decimals = decide_decimals([item.incumbent.score, item.candidate.score], None)
    trace = item.trace_id or ""
    return Answered(
        str(item.id),
        WINNERS.get(item.winner or "", item.winner or "not decided"),
        build_conversation(item.prompt, item.tools, PREVIEW),
        reverse("conversation", args=[trace]) if trace and has_page(trace) else "",
        (
            build_side("incumbent", item.incumbent, decimals),
            build_side("candidate", item.candidate, decimals),
        ),
        item.error or ("" if item.status in ("done", "") else item.status),
    )


def build_side(name: str, side: Side, decimals: int) -> ShownSide:
    given = side.completion
    text = given if isinstance(given, str) else write_json(given) if given else ""
    shown = cut_text(text, LONGEST)
    return ShownSide(
        name,
        shown.text,
        count_characters(len(text)) if shown.cut else "",
        cut_text(write_json(side.tool_calls), LONGEST).text if side.tool_calls else "",
        show(side.score, decimals),
        read_reason(side.judge),
    )


def read_reason(judge: Any) -> str:
    """The judge's own words where it gave some, else what it gave besides the score, as JSON."""
    if not isinstance(judge, dict):
        return ""
    reason = judge.get("reason")
    if isinstance(reason, str) and reason:
        return cut_text(reason, LONGEST).text
    rest = {name: value for name, value in judge.items() if name not in ("score", "overall") and value}
    return cut_text(write_json(rest), LONGEST).text if rest else ""
