"""The form of a new benchmark. Every button keeps what was typed and picked, then does its own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.contract import LEAST_ITEMS, MOST_ITEMS
from dashboard.sources import reader
from dashboard.sources.http.errors import SourceError
from dashboard.sources.loop.wire import Dataset, Judge
from dashboard.sources.reader import Known
from dashboard.web.common.links import with_query
from dashboard.web.common.redirects import SeeOther
from dashboard.web.common.refusals import focus_first_error
from dashboard.web.pinning import picks as picking
from dashboard.web.pinning import present
from dashboard.web.pinning.forms import TYPED, BenchmarkForm, PickerForm
from dashboard.web.pinning.picks import Pick, read_picks, review_picks
from dashboard.web.site import access, unsent
from dashboard.web.site.drafts import change, new_id, open_draft, read_typed
from dashboard.web.site.models import Draft


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """A new form, under an address of its own."""
    access.check(request.user, "create")
    return redirect("new-benchmark-draft", new_id())


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, draft_id: str) -> HttpResponse:
    """The form, whole, as it was left. POST does what the button `go` says; a draft that was sent leads on."""
    access.check(request.user, "create")
    draft = open_draft(request, draft_id, "benchmark")
    if draft.state != "open":
        return SeeOther(reverse("review", args=[draft_id]))
    if request.method == "POST":
        return act(request, draft)
    again = unsent.take(request)
    body = draft.body if again is None else absorb(draft.body, again)
    return answer_form(request, draft.pk, body, PickerForm(request.GET))


def act(request: HttpRequest, draft: Draft) -> HttpResponse:
    go, _, value = request.POST.get("go", "").partition(":")
    query = PickerForm(request.POST)
    query.is_valid()
    step = {"all": pick_all, "clear": clear_picks, "drop": drop_bad, "paste": add_pasted}.get(go, leave_picks)
    change(draft, lambda body: step(absorb(body, request.POST), query))
    if draft.state != "open":
        return SeeOther(reverse("review", args=[draft.pk]))
    body = draft.body
    here = reverse("new-benchmark-draft", args=[draft.pk])
    if go == "keep":
        return HttpResponse(status=204)
    if go == "judge":
        return SeeOther(with_query(reverse("new-judge"), {"draft": draft.pk}))
    if go == "review":
        judges, datasets, failure = load_choices()
        form = bind(body, judges, datasets)
        if failure or not form.is_valid():
            return answer_form(request, draft.pk, body, query, form, status=422)
        return SeeOther(reverse("review", args=[draft.pk]))
    shown = dict(query.query)
    if go == "page":
        shown["page"] = value
    elif go == "show":
        shown = {"show": value}
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "web/pinning/_picker.html", build_picker(draft.pk, body, PickerForm(shown)))
    return SeeOther(with_query(here, shown) + "#id_conversations")


def absorb(body: dict[str, Any], sent: QueryDict) -> dict[str, Any]:
    """The draft with what this form sent: texts as they were typed, and the ticks of the conversations it showed."""
    picks, new = picking.change_picks(read_picks(body), sent.getlist("shown"), sent.getlist("tick"))
    new = new[: max(0, picking.MOST_KEPT - len(picks))]
    added = picking.pick_found(new, picking.look_up(new)) if new else []
    return {**body, **read_typed(sent, TYPED), "picks": [*picks, *added], "note": ""}


def pick_all(body: dict[str, Any], query: PickerForm) -> dict[str, Any]:
    """The newest that match, until a benchmark is full."""
    picks = read_picks(body)
    known, before, offset = {pick.id for pick in picks}, len(picks), 0
    try:
        while len(picks) < MOST_ITEMS:
            traces, total = list_traces(query, 100, offset)
            fresh = [trace for trace in traces if trace.id not in known][: MOST_ITEMS - len(picks)]
            picks += [picking.pick_trace(trace) for trace in fresh]
            known |= {trace.id for trace in fresh}
            offset += len(traces)
            if not traces or offset >= total:
                break
        note = f"{len(picks) - before} picked."
    except SourceError as error:
        note = f"{len(picks) - before} picked, then no more could be read. {error.message}"
    return {**body, "picks": picks, "note": note}


def leave_picks(body: dict[str, Any], query: PickerForm) -> dict[str, Any]:
    return body


def clear_picks(body: dict[str, Any], query: PickerForm) -> dict[str, Any]:
    return {**body, "picks": [], "note": "None is picked."}


def drop_bad(body: dict[str, Any], query: PickerForm) -> dict[str, Any]:
    """Leave out what cannot be pinned, and repeated conversations but the first."""
    picks = read_picks(body)
    repeats = review_picks(picks).repeats
    good = [pick for pick in picks if not pick.why and pick.id not in repeats]
    return {**body, "picks": good, "note": f"{len(picks) - len(good)} left out."}


def add_pasted(body: dict[str, Any], query: PickerForm) -> dict[str, Any]:
    """Pick the ids that were pasted; those that are nobody's are picked too, and marked."""
    picks = read_picks(body)
    known = {pick.id for pick in picks}
    pasted = picking.split_ids(body.get("paste", ""))
    new = [one for one in dict.fromkeys(pasted) if one not in known]
    room = picking.MOST_KEPT - len(picks)
    if len(new) > room:
        return {**body, "note": f"That is {len(new)} ids; {MOST_ITEMS} conversations are the most that can be pinned."}
    added = picking.pick_found(new, picking.look_up(new))
    note = picking.describe_pasted(pasted, added, known) if pasted else "Nothing was pasted."
    return {**body, "picks": [*picks, *added], "paste": "", "note": note}


def load_choices() -> tuple[list[Judge] | None, list[Dataset] | None, str]:
    """Judges and datasets; None for what could not be read, with the reason."""
    judges, datasets = reader.together(reader.judges.ask(), reader.datasets.ask(), fresh=True)
    if not isinstance(judges, Known):
        return None, None, judges.failure.message
    if not isinstance(datasets, Known):
        return judges.value, None, datasets.failure.message
    return judges.value, datasets.value, ""


def list_traces(query: PickerForm, limit: int, offset: int) -> tuple[list[Any], int]:
    value = query.value
    found = reader.traces.fresh(
        search=value("q"), source=value("filed"), model=value("model"), limit=limit, offset=offset
    )
    return found.need().value


def bind(body: dict[str, Any], judges: list[Judge] | None, datasets: list[Dataset] | None) -> BenchmarkForm:
    """The form over what the draft holds."""
    data = {"source": "traces"} | {name: body[name] for name in TYPED if body.get(name)}
    picks = review_picks(read_picks(body))
    return BenchmarkForm(data, judges=judges, datasets=datasets, picks=picks, taken=list_names())


def list_names() -> set[str]:
    """The names of the active benchmarks, none where they cannot be read."""
    match reader.benchmarks.fresh():
        case Known(value=benchmarks):
            return {one.name for one in benchmarks if one.status == "active"}
        case _:
            return set()


def answer_form(
    request: HttpRequest,
    draft_id: str,
    body: dict[str, Any],
    query: PickerForm,
    form: BenchmarkForm | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    """The whole page. With a bound `form` its faults are shown, at the fields."""
    judges, datasets, failure = load_choices()
    if form is None:
        initial = {"source": "traces"} | {name: body[name] for name in TYPED if body.get(name)}
        picks = review_picks(read_picks(body))
        form = BenchmarkForm(judges=judges, datasets=datasets, picks=picks, initial=initial)
    context = {
        **build_picker(draft_id, body, query),
        "form": form,
        "focus_summary": not focus_first_error(form),
        "judges": judges,
        "failure": failure,
        "paste": body.get("paste", ""),
    }
    return render(
        request, "web/pinning/new_benchmark.html", context, status=503 if failure and status == 200 else status
    )


def build_picker(draft_id: str, body: dict[str, Any], query: PickerForm) -> dict[str, Any]:
    """What the region of the conversations prints."""
    query.is_valid()
    picks = read_picks(body)
    review = review_picks(picks)
    number = query.cleaned_data.get("page") or 1
    page = read_page(picks, query, number)
    return {
        "draft_id": draft_id,
        "query": query,
        "showing": query.value("show") or "all",
        "page": page,
        "review": review,
        "elsewhere": review.total - sum(row.picked for row in page.rows),
        "least": LEAST_ITEMS,
        "most": MOST_ITEMS,
        "all_label": present.label_all(page.total, review.total) if query.value("show") != "picked" else "",
        "filtered": any(query.value(name) for name in ("q", "filed", "model")),
        "note": body.get("note", ""),
        "bad_count": len({pick.id for pick in review.unusable} | set(review.repeats)),
    }


def read_page(picks: list[Pick], query: PickerForm, number: int) -> present.PickPage:
    """One page of the list, or what could not be read of it."""
    now, size, review = datetime.now(UTC), present.ROWS_A_PAGE, review_picks(picks)
    if query.value("show") == "picked":
        number = min(number, max(1, -(-len(picks) // size)))
        shown = picks[(number - 1) * size : number * size]
        found = picking.look_up([pick.id for pick in shown])
        return present.build_picked_page(shown, found, review, number, len(picks), now)
    try:
        traces, total = list_traces(query, size, (number - 1) * size)
        if not traces and total:
            number = -(-total // size)
            traces, total = list_traces(query, size, (number - 1) * size)
    except SourceError as error:
        return present.PickPage((), 1, 1, 0, 0, 0, error.message)
    return present.build_page(traces, picks, review, number, total, now)
