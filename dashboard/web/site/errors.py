"""The pages for what went wrong. They say nothing about the inside, and but for "not allowed" need no database."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string

from dashboard.web.site import access, unsent
from dashboard.web.site.audit import log as audit
from dashboard.web.site.middleware import lead_to_sign_in

ADMINS_NAMED = 5


class Wrong(NamedTuple):
    status: int
    title: str
    text: str


BAD_REQUEST = Wrong(400, "That request makes no sense", "The address or the form could not be read.")
STALE_FORM = Wrong(
    403,
    "This form is too old",
    "It was opened before the last sign-in, or cookies are off. Go back, load the page again and send it once more.",
)
NOT_FOUND = Wrong(404, "Nothing here", "There is no page, and no benchmark, at this address.")
FAULT = Wrong(500, "Something broke here", "The fault is ours and is in the server's log. Try again in a moment.")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, BAD_REQUEST)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What was needed, and who can give it. A refused write is in the audit log, whichever page it was sent to."""
    action = exception.action if isinstance(exception, access.NotAllowed) else None
    if action and request.method not in unsent.SAFE and not exception.recorded:  # type: ignore[attr-defined]
        path = request.path_info
        with suppress(access.NotAllowed), audit.record(request, action=action, target_kind="page", target_id=path):
            raise exception
    admins = access.list_admins().values_list("username", flat=True)[: ADMINS_NAMED + 1]
    context = {
        "doing": access.WORDS[action] if action else "this",
        "needed": access.NEEDED_ROLE[action] if action else "",
        "key_refuses": isinstance(exception, access.KeyMayNotWrite),
        "admins": admins[:ADMINS_NAMED],
        "more": len(admins) > ADMINS_NAMED,
    }
    answer = render(request, "web/site/forbidden.html", context, status=403)
    if request.htmx:  # type: ignore[attr-defined]
        answer["HX-Refresh"] = "true"  # a script swaps no refusal in: the page loads again and says it whole
    return answer


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF_FAILURE_VIEW. A form of ours leads back to its page, filled in, by way of sign-in if need be."""
    fate = unsent.keep(request)
    if not fate.page or (request.user.is_authenticated and not fate.kept):
        return _answer(request, STALE_FORM._replace(text=f"{fate.notice} {STALE_FORM.text}".lstrip()))
    address = fate.page if request.user.is_authenticated else lead_to_sign_in(request, fate)
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(status=403, headers={"HX-Redirect": address})
    return redirect(address)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, NOT_FOUND)


def fault(request: HttpRequest) -> HttpResponse:
    return _answer(request, FAULT)


def _answer(request: HttpRequest, wrong: Wrong) -> HttpResponse:
    # Rendered without the request: its context processors would ask the database who is signed in.
    return HttpResponse(render_to_string("web/site/error.html", {"wrong": wrong}), status=wrong.status)
