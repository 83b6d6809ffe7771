"""A new judge: its model, its instructions and what it scores. It leads back to the form that wanted one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.sources import reader
from dashboard.sources.connect import get_connection, get_loop
from dashboard.sources.http.errors import OutcomeUnknown, SourceError
from dashboard.sources.reader import Known
from dashboard.web.common.links import with_query
from dashboard.web.common.redirects import SeeOther
from dashboard.web.common.refusals import choose_status, focus_first_error, place_refusal
from dashboard.web.pinning.judge_form import LONGEST_KEY, MOST_DIMENSIONS, SENT_AS, TYPED, JudgeForm, JudgeQuery
from dashboard.web.site import access, drafts, unsent
from dashboard.web.site.audit import log as audit
from dashboard.web.site.models import Draft

FEWEST_ROWS = 3


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """A new form, under an address of its own, for the benchmark's form `draft` if one wants it."""
    access.check(request.user, "create")
    query = JudgeQuery(request.GET)
    query.is_valid()
    back = query.cleaned_data.get("draft") or None
    return redirect(with_query(reverse("new-judge-draft", args=[drafts.new_id()]), {"draft": back} if back else {}))


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, judge_draft_id: str) -> HttpResponse:
    """The form. POST adds a row, writes the judge, once, or takes back what a lost answer left unknown."""
    access.check(request.user, "create")
    draft = drafts.open_draft(request, judge_draft_id, "judge")
    query = JudgeQuery(request.GET)
    query.is_valid()
    back = query.cleaned_data.get("draft") or ""
    drafts.wait_for_outcome(draft)
    if draft.state == "made":
        return SeeOther(reverse("new-benchmark-draft", args=[draft.body["wanted_by"]]))
    if draft.state != "open":
        return follow(request, draft, back)
    if request.POST.get("go") == "reopen":  # a second press: it holds nothing that was typed
        return SeeOther(with_query(request.path, {"draft": back} if back else {}))
    if request.method != "POST":
        again = unsent.take(request)
        body = draft.body if again is None else absorb(again)
        return answer(request, draft, body, back)
    body = absorb(request.POST)
    drafts.save(draft, body)
    if request.POST.get("go") == "row":
        body["rows"] += 1
        drafts.save(draft, body)
        return SeeOther(with_query(request.path, {"draft": back} if back else {}) + "#dimensions")
    form = JudgeForm(body, with_scale=get_connection().embedded)
    if not form.is_valid():
        return answer(request, draft, body, back, form, 422)
    if drafts.claim(draft, body):
        return send(request, draft, form, back)
    return SeeOther(with_query(request.path, {"draft": back} if back else {}))


def send(request: HttpRequest, draft: Draft, form: JudgeForm, back: str) -> HttpResponse:
    data = form.cleaned_data
    loop = get_loop(actor=request.user.get_username())
    with drafts.sending(draft):
        try:
            with audit.record(request, action="create", target_kind="judge", target_name=data["name"]) as entry:
                try:
                    made = loop.create_judge(
                        name=data["name"],
                        instructions=data["instructions"],
                        dimensions=data["dimensions"],
                        model=data["model"],
                        scale=data.get("scale", ""),
                    )
                finally:
                    reader.changed(reader.judges.ask())
                entry.target_id = made.id
                entry.message = f"scores {', '.join(data['dimensions'])}"
        except OutcomeUnknown:
            drafts.settle(draft, "unknown")
            return follow(request, draft, back)
        except SourceError as error:
            drafts.settle(draft, "open")
            place_refusal(form, error, SENT_AS)
            return answer(request, draft, draft.body, back, form, choose_status(error))
        form_id = choose(request, draft, made.id, back)
    messages.success(request, f"The judge “{made.name}” is written.")
    return SeeOther(reverse("new-benchmark-draft", args=[form_id]))


def choose(request: HttpRequest, draft: Draft, judge_id: str, back: str) -> str:
    """Settle the draft, with its judge chosen in the benchmark's form `back`, where the rest stays as it was.

    A form that is gone, or somebody else's, is made up for by a new one. The id of the form, which the draft keeps.
    """
    with transaction.atomic():
        try:
            wanting = drafts.open_draft(request, back or drafts.new_id(), "benchmark", lock=True)
        except Http404:
            wanting = drafts.open_draft(request, drafts.new_id(), "benchmark")
        drafts.save(wanting, {**wanting.body, "judge": judge_id})
        drafts.settle(draft, "made", judge_id, {**draft.body, "wanted_by": wanting.pk})
    return wanting.pk


def absorb(sent: Any) -> dict[str, Any]:
    """The draft of what this form sent."""
    keys, told = sent.getlist("key"), sent.getlist("description")
    rows = [[drafts.clean(key), drafts.clean(told[n] if n < len(told) else "")] for n, key in enumerate(keys)]
    return {**drafts.read_typed(sent, TYPED), "dimensions": rows, "rows": len(rows)}


def answer(
    request: HttpRequest,
    draft: Draft,
    body: dict[str, Any],
    back: str,
    form: forms.Form | None = None,
    status: int = 200,
) -> HttpResponse:
    form = form or JudgeForm(initial=body, with_scale=get_connection().embedded)
    rows = [tuple(row) for row in body.get("dimensions", [])]
    rows += [("", "")] * (max(FEWEST_ROWS, body.get("rows", 0)) - len(rows))
    context = {
        "form": form,
        "focus_summary": not focus_first_error(form),
        "rows": rows,
        "full": len(rows) >= MOST_DIMENSIONS,
        "most": MOST_DIMENSIONS,
        "longest_key": LONGEST_KEY,
        "draft_id": draft.pk,
        "here": with_query(request.path, {"draft": back} if back else {}),
        "back": reverse("new-benchmark-draft", args=[back]) if back else reverse("overview"),
    }
    return render(request, "web/pinning/new_judge.html", context, status=status)


def follow(request: HttpRequest, draft: Draft, back: str) -> HttpResponse:
    """The answer was lost: the judges of that name, to choose from; where there is none, the form can be had back."""
    name = draft.body.get("name", "").strip()
    reading = reader.judges.fresh()
    failure = "" if isinstance(reading, Known) else reading.failure.message
    found = [judge for judge in reading.value if judge.name == name] if isinstance(reading, Known) else []
    here = with_query(request.path, {"draft": back} if back else {})
    wants_it_back = request.method == "POST" and request.POST.get("go") == "reopen"
    if wants_it_back and not found and not failure and drafts.reopen(draft):
        return SeeOther(here)
    context = {
        "name": name,
        "pending": draft.state == "sending",
        "found": found,
        "failure": failure,
        "here": here,
        "back": reverse("new-benchmark-draft", args=[back]) if back else reverse("new-benchmark"),
    }
    lost = request.method == "POST" and not wants_it_back
    return render(request, "web/pinning/judge_outcome.html", context, status=502 if lost else 200)
