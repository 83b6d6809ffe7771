"""A decision about a run: what it would do is said, it is confirmed, sent once, and kept with what was seen."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from dashboard.sources import reader
from dashboard.sources.connect import get_connection, get_loop
from dashboard.sources.http.errors import NotFound, OutcomeUnknown, SourceError
from dashboard.sources.loop.client import Loop
from dashboard.sources.loop.wire import TrainingRun
from dashboard.sources.reader import Ask
from dashboard.web.common.redirects import SeeOther
from dashboard.web.common.refusals import Failure, Refusal, choose_status, focus_first_error, place_refusal
from dashboard.web.runs.models import DecisionRecord
from dashboard.web.runs.training import present
from dashboard.web.runs.training.case import Case, load_case
from dashboard.web.runs.training.forms import DecideForm
from dashboard.web.runs.training.records import keep_record
from dashboard.web.runs.training.words import DONE, describe_standing, label_run, say_until
from dashboard.web.site import access, unsent
from dashboard.web.site.audit import log as audit
from dashboard.web.site.away import answer_away

SURE_VERDICTS = ("better", "not_better")
"""A promotion has to be forced over any other."""
SENT_AS = {"force": "force", "reason": "reason"}


class Action(NamedTuple):
    """What may be done with a run: its name on the wire, its button, and the states that it leads to."""

    name: str
    label: str
    done: tuple[str, ...]


ACTIONS = {
    "promote": Action("promote", "Promote", ("promoted", "promoting")),
    "reject": Action("reject", "Reject", ("rejected",)),
    "rollback": Action("rollback", "Roll back", ("rolled_back",)),
    "cancel": Action("cancel", "Cancel", ("cancelled",)),
}


@require_http_methods(["GET", "HEAD", "POST"])
def show_decision(request: HttpRequest, run_id: str, action: str) -> HttpResponse:
    """What the action would do, over facts that were read just now. POST sends it, once."""
    if action not in ACTIONS:
        raise Http404
    access.check(request.user, "decide")
    what = ACTIONS[action]
    typed = request.POST if request.method == "POST" else None
    form = DecideForm(typed, initial=dict((unsent.take(request) or {}).items()) if typed is None else None)
    try:
        case = load_case(run_id, fresh=True).case
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        if typed is None:
            return answer_away(request, error)
        form.is_valid()
        place_refusal(form, error, SENT_AS)
        return _answer(request, what, None, form, choose_status(error))
    if typed is None:
        return _answer(request, what, case, form)
    if not form.is_valid():
        return _answer(request, what, case, form, 422)
    return _decide(request, what, case, form)


def _decide(request: HttpRequest, what: Action, case: Case, form: DecideForm) -> HttpResponse:
    """Send it, look up what a lost answer leaves open, and keep the record: all that the one audit entry tells."""
    before, me = case.detail.run, request.user.get_username()
    loop = get_loop(actor=me)
    force, revision = _choose_terms(what, case, form)
    lost = False
    try:
        with audit.record(
            request,
            action=what.name,
            target_kind="run",
            target_id=before.id,
            target_name=f"{label_run(before)}{f' of {before.rule_name}' if before.rule_name else ''}",
        ) as entry:
            _check_form(what, case, form)
            try:
                after: TrainingRun | None = _send(loop, what, before.id, form.cleaned_data["reason"], force, revision)
            except OutcomeUnknown as error:
                lost, after = True, _look_up(loop, before.id)
                entry.code = error.code or "OutcomeUnknown"
            first = _who_was_first(what, before, after, me)
            known = not lost or (after is not None and after.state in what.done)
            entry.outcome = "done" if known else "unknown"
            record = None
            if first:
                entry.message = f"nothing changed: {first}"
            else:
                record = keep_record(
                    request.user,
                    case,
                    action=what.name,
                    reason=form.cleaned_data["reason"],
                    force=force,
                    expected_revision=revision,
                    outcome=entry.outcome,
                    after=after,
                )
                entry.message = _describe(what, case, record, force, form.cleaned_data["reason"])
    except (SourceError, Refusal) as error:
        return _answer_refusal(request, what, case, form, error)
    finally:
        _forget(before)
    if not known:
        now = timezone.now()
        context = {
            "what": what,
            "run": present.build_run(case, now),
            "found": after,
            "standing": describe_standing(after, now) if after else "",
        }
        return render(request, "web/runs/decision_unknown.html", context, status=502)
    said = f"{first} Nothing changed." if first else f"{label_run(before).capitalize()} is {DONE[what.name]}."
    if lost:
        said += " No answer came, so it was looked up; it was not sent again."
    if not (first or record):
        said += " Its record could not be kept; the server's log has it."
    messages.success(request, said)
    return SeeOther(reverse("training-run", args=[before.id]))


def _forget(run: TrainingRun) -> None:
    """What was read before the decision is not what stands now."""
    asks: list[Ask[Any]] = [reader.training_run.ask(run.id), reader.waiting_runs.ask(), reader.rules.ask()]
    reader.changed(*asks, *([reader.rule.ask(run.rule_id)] if run.rule_id else []))


def _choose_terms(what: Action, case: Case, form: DecideForm) -> tuple[bool, int | None]:
    """Whether to force, and the consent that the reviewer saw; None where no rule stands behind the run."""
    if what.name != "promote":
        return False, None
    return form.cleaned_data["force"] and needs_force(case), form.cleaned_data["revision"]


def _check_form(what: Action, case: Case, form: DecideForm) -> None:
    """Raises `Refusal` where the decision would be about something else than what was seen."""
    if form.cleaned_data["seen"] != case.key:
        raise Refusal(
            "STALE_FORM",
            "What bears on this decision changed after this page was opened. Nothing was sent; look at it again.",
        )
    if what.name == "promote" and case.detail.run.rule_id and form.cleaned_data["revision"] is None:
        raise Refusal(
            "CONSENT_UNKNOWN",
            "The rule could not be read when this page was opened, so nobody knows what was agreed to. Nothing was "
            "sent; look at it again.",
        )


def _send(loop: Loop, what: Action, run_id: str, reason: str, force: bool, revision: int | None) -> TrainingRun:
    match what.name:
        case "promote":
            return loop.promote(run_id, expected_revision=revision, force=force).run
        case "reject":
            return loop.reject(run_id, reason).run
        case "rollback":
            return loop.roll_back(run_id, reason).run
        case _:
            return loop.cancel(run_id, reason).run


def _look_up(loop: Loop, run_id: str) -> TrainingRun | None:
    """The run as it is by now; None where that cannot be read either."""
    try:
        return loop.get_run(run_id).run
    except SourceError:
        return None


def _who_was_first(what: Action, before: TrainingRun, after: TrainingRun | None, me: str) -> str:
    """Who had done it already, in a sentence; empty where it was this person, or where nothing tells.

    A remote service names whom its key stands for, so there only what stood before the sending can tell.
    """
    stands = before if before.state in what.done else after
    if stands is None or stands.state not in what.done:
        return ""
    ours = get_connection().embedded
    late = stands is before or (ours and stands.decided_by not in (None, me))
    if not late:
        return ""
    who = "You were" if ours and stands.decided_by == me else f"{stands.decided_by or 'Somebody'} was"
    return f"{who} first: the run was {DONE[what.name]} already."


def _describe(what: Action, case: Case, record: DecisionRecord | None, force: bool, reason: str) -> str:
    """What was done, as the audit log says it. The reason comes last: it may be cut."""
    candidate, incumbent = present.find_sides(case)
    parts = [
        f"{candidate} in place of {incumbent}"[:300] if what.name == "promote" else "",
        f"{incumbent} in place of {candidate}"[:300] if what.name == "rollback" else "",
        "forced" if force else "",
        f"record {record.pk}, digest {record.digest}" if record else "its record could not be kept",
        f"reason: {reason}" if reason else "no reason given",
    ]
    return "; ".join(part for part in parts if part)


def needs_force(case: Case) -> bool:
    """True where the comparison came to no verdict, so that promoting has to be forced."""
    return case.detail.run.verdict not in SURE_VERDICTS


def _answer_refusal(request: HttpRequest, what: Action, case: Case, form: DecideForm, error: Failure) -> HttpResponse:
    """The page again over the facts as they are by now, with the service's words and what was typed."""
    with suppress(SourceError):  # the facts from before the refusal are better than none
        case = load_case(case.detail.run.id, fresh=True).case
    forced = getattr(error, "code", "") == "INCONCLUSIVE_REQUIRES_FORCE"
    if forced:
        form.add_error("force", error.message)
    else:
        place_refusal(form, error, SENT_AS)
    return _answer(request, what, case, form, choose_status(error))


def _answer(request: HttpRequest, what: Action, case: Case | None, form: DecideForm, status: int = 200) -> HttpResponse:
    """`case` None: nothing could be read, so nothing can be sent; what was typed stays."""
    now = timezone.now()
    context: dict[str, Any] = {"what": what, "form": form, "focus_summary": not focus_first_error(form)}
    if case:
        run, rule = case.detail.run, case.rule.rule if case.rule else None
        offered = getattr(case.detail.available_actions, what.name)
        context |= {
            **present.build_evidence(case, now),
            "offered": offered and not (what.name == "promote" and "rule" in case.unread),
            "unread_rule": what.name == "promote" and "rule" in case.unread,
            "rule": rule,
            "serves": present.name_serving(rule),
            "serves_other": present.serves_other(case),
            "consent_moved": rule is not None and rule.revision != rule.accepted_revision,
            "needs_force": what.name == "promote" and needs_force(case),
            "seen": case.key,
            "revision": rule.accepted_revision if rule else None,
            "run_url": reverse("training-run", args=[run.id]),
            "rollback_until": say_until(run.rollback_available_until, now),
        }
    return render(request, "web/runs/decide.html", context, status=status)
