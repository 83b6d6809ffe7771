"""The last look at a new benchmark: exactly what will be frozen; and the one time that it is sent."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.sources import reader
from dashboard.sources.connect import get_loop
from dashboard.sources.http.errors import OutcomeUnknown, SourceError
from dashboard.sources.loop.wire import Benchmark, Dataset, Judge, Trace
from dashboard.sources.reader import Absent, Known, Unread
from dashboard.web.common.numbers import show_cents
from dashboard.web.common.redirects import SeeOther
from dashboard.web.common.refusals import choose_status, place_refusal
from dashboard.web.conversations.present import build_conversation
from dashboard.web.pinning import picks as picking
from dashboard.web.pinning.forms import SENT_AS, BenchmarkForm, PickerForm, fingerprint, list_faults
from dashboard.web.pinning.picks import read_picks, review_picks
from dashboard.web.pinning.present import PREVIEW
from dashboard.web.pinning.terms import build_terms, list_doubts
from dashboard.web.pinning.views import answer_form, bind, load_choices
from dashboard.web.site import access, drafts
from dashboard.web.site.audit import log as audit
from dashboard.web.site.models import Draft

CHANGED = "The judge, or this form in another window, changed after this page was opened. Look at it again."


@require_http_methods(["GET", "HEAD", "POST"])
def show_review(request: HttpRequest, draft_id: str) -> HttpResponse:
    """What will be frozen. POST freezes it, once: every press after the first leads to what the first made."""
    access.check(request.user, "create")
    draft = drafts.open_draft(request, draft_id, "benchmark")
    if draft._state.adding:
        return SeeOther(reverse("new-benchmark-draft", args=[draft_id]))
    if draft.state != "open":
        return follow(request, draft)
    judges, datasets, failure = load_choices()
    form = bind(draft.body, judges, datasets)
    if failure or not form.is_valid():
        draft.refresh_from_db()
        if draft.state != "open":  # the name may be taken by what another press of this form has made meanwhile
            return follow(request, draft)
        return answer_form(request, draft.pk, draft.body, PickerForm({}), form, status=503 if failure else 422)
    if request.method != "POST":
        return answer_review(request, draft, form, find_judge(judges, form), datasets)
    if request.POST.get("seen") == see(draft, form, find_judge(judges, form)):
        if drafts.claim(draft):
            return send(request, draft, form)
        if draft.state != "open":
            return follow(request, draft)
        form = bind(draft.body, judges, datasets)
        if not form.is_valid():
            return answer_form(request, draft.pk, draft.body, PickerForm({}), form, status=422)
    return answer_review(request, draft, form, find_judge(judges, form), datasets, changed=CHANGED, status=409)


def find_judge(judges: list[Judge] | None, form: BenchmarkForm) -> Judge:
    """The chosen one: a valid form chose one of these."""
    return next(judge for judge in judges or () if judge.id == form.cleaned_data["judge"])


def send(request: HttpRequest, draft: Draft, form: BenchmarkForm) -> HttpResponse:
    """Create the benchmark of a claimed draft, and settle the draft whatever happens."""
    body = form.request_body
    if "dataset_id" not in body:
        body["trace_ids"] = [pick.id for pick in read_picks(draft.body)]
    loop = get_loop(actor=request.user.get_username())
    with drafts.sending(draft):
        try:
            with audit.record(request, action="create", target_kind="benchmark", target_name=body["name"]) as entry:
                try:
                    made = loop.create_benchmark(**body)
                finally:
                    reader.changed(reader.benchmarks.ask())
                entry.target_id = made.id
                cap = show_cents(made.per_run_ceiling_cents)
                entry.message = f"{made.item_count} conversations, judge {made.judge_name}, at most {cap} a replay"
        except OutcomeUnknown:
            drafts.settle(draft, "unknown")
            return SeeOther(reverse("review", args=[draft.pk]))
        except SourceError as error:
            return answer_refusal(request, draft, form, error)
        drafts.settle(draft, "made", made.id)
    messages.success(
        request, f"“{made.name}” is pinned: {made.item_count} conversations, with the judge {made.judge_name}."
    )
    return SeeOther(reverse("trend", args=[made.id]))


def answer_refusal(request: HttpRequest, draft: Draft, form: BenchmarkForm, error: SourceError) -> HttpResponse:
    """The form again with the service's words at the fields, and each conversation in the way marked."""
    why = {fault.trace_id: fault.message.removeprefix(f"{fault.trace_id}: ").rstrip(".") for fault in error.details}
    picks = [pick._replace(why=why.get(pick.id, pick.why)) for pick in read_picks(draft.body)]
    body = {**draft.body, "picks": picks}
    drafts.settle(draft, "open", body=body)
    place_refusal(form, error, SENT_AS)
    return answer_form(request, draft.pk, body, PickerForm({}), form, status=choose_status(error))


def answer_review(
    request: HttpRequest,
    draft: Draft,
    form: BenchmarkForm,
    judge: Judge,
    datasets: list[Dataset] | None,
    *,
    changed: str = "",
    status: int = 200,
) -> HttpResponse:
    data = form.cleaned_data
    by_trace = data["source"] == "traces"
    rows = look_again(draft) if by_trace else []
    review = review_picks([row["pick"] for row in rows])
    context = {
        "draft_id": draft.pk,
        "data": data,
        "judge": judge,
        "terms": build_terms(judge, judge_model=data["judge_model"], max_tokens=data["max_tokens"]),
        "doubts": list_doubts(judge),
        "cap": show_cents(data["cap"]),
        "dataset": next((one for one in datasets or () if one.id == data["dataset"]), None),
        "by_trace": by_trace,
        "rows": [row | {"repeats": review.repeats.get(row["pick"].id, "")} for row in rows],
        "faults": list_faults(review) if by_trace else [],
        "repeat_count": len(review.repeats),
        "seen": see(draft, form, judge),
        "changed": changed,
    }
    return render(request, "web/pinning/review.html", context, status=status)


def look_again(draft: Draft) -> list[dict[str, Any]]:
    """Every picked conversation as the service has it now."""
    picks = read_picks(draft.body)
    found = picking.look_up([pick.id for pick in picks])
    fresh = picking.pick_found([pick.id for pick in picks], found)
    rows = []
    for before, pick in zip(picks, fresh, strict=True):
        trace = found[pick.id]
        rows.append({
            # What could not be read now is still what it was when it was picked.
            "pick": pick if isinstance(trace, Trace) or pick.why else before,
            "conversation": build_conversation(trace.messages, trace.tools, PREVIEW)
            if isinstance(trace, Trace)
            else None,
        })  # fmt: skip
    return rows


def see(draft: Draft, form: BenchmarkForm, judge: Judge) -> str:
    picks = [pick.id for pick in read_picks(draft.body)] if form.cleaned_data["source"] == "traces" else []
    return fingerprint(form.request_body, judge, picks)


def follow(request: HttpRequest, draft: Draft) -> HttpResponse:
    """Where a draft leads that was sent: to what it made, to the form it came back to, or to what is known of it."""
    drafts.wait_for_outcome(draft)
    if draft.state == "made":
        return SeeOther(reverse("trend", args=[draft.made_id]))
    form_url = reverse("new-benchmark-draft", args=[draft.pk])
    if draft.state == "open":
        return SeeOther(form_url)
    found, failure = find_made(draft)
    wants_it_back = request.method == "POST" and request.POST.get("go") == "reopen"
    if wants_it_back and not found and not failure and drafts.reopen(draft):
        return SeeOther(form_url)
    context = {"draft": draft, "name": draft.body.get("name", ""), "found": found, "failure": failure}
    return render(request, "web/pinning/outcome.html", context)


def find_made(draft: Draft) -> tuple[list[Benchmark], str]:
    """The active benchmarks of this name, by which a lost answer is made up for; and why they could not be read."""
    name = draft.body.get("name", "").strip()
    match reader.benchmarks.fresh():
        case Known(value=benchmarks):
            return [one for one in benchmarks if one.status == "active" and one.name == name], ""
        case Absent(failure=error) | Unread(failure=error):
            return [], error.message
