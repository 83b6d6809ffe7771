"""The pages for what went wrong. They say nothing about the inside, and but for "not allowed" need no database."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.middleware import csrf
from django.shortcuts import redirect, render
from django.template.loader import render_to_string

from dashboard.web.site import access, unsent
from dashboard.web.site.audit import log as audit
from dashboard.web.site.middleware import lead_to_sign_in

ADMINS_NAMED = 5
ORIGIN_LENGTH = 200
FROM_ELSEWHERE = ("Origin checking failed", "Referer checking failed")
"""How Django's reasons begin where a form came from an address that is not known."""


class Wrong(NamedTuple):
    status: int
    title: str
    text: str


BAD_REQUEST = Wrong(400, "That request makes no sense", "The address or the form could not be read.")
STALE_FORM = Wrong(
    403,
    "This form is too old",
    "It was opened before the last sign-in. Go back, load the page again and send it once more.",
)
NO_COOKIES = Wrong(
    403,
    "Your browser sent no cookies",
    "Without them nobody can be signed in here. Allow cookies for this site, load the page again and send the form "
    "once more.",
)
NO_ORIGIN = Wrong(
    403,
    "Your browser did not say where this form comes from",
    "It hides the Origin or the Referer, so the form cannot be told from another site's. Allow it to send them to this "
    "site, load the page again and send the form once more.",
)
NOT_FOUND = Wrong(404, "Nothing here", "There is no page, and no benchmark, at this address.")
FAULT = Wrong(500, "Something broke here", "The fault is ours and is in the server's log. Try again in a moment.")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, unknown_name(request) if isinstance(exception, DisallowedHost) else BAD_REQUEST)


def unknown_name(request: HttpRequest) -> Wrong:
    """Which setting lets the name in that this request was sent to; a name that is none is not repeated."""
    host = request._get_raw_host()  # type: ignore[attr-defined]  # the public one refuses it
    name, port = split_domain_port(host)
    if not name:
        return Wrong(400, "That request makes no sense", "Its Host header holds no name of a host.")
    scheme = "https" if request.is_secure() else "http"
    text = (
        f"It was asked for as {name}. If you run it: set TRUSTED_ORIGINS={scheme}://{name}{port and ':' + port} or, "
        f"where ALLOWED_HOSTS is set, add {name} to it, and start it again."
    )
    return Wrong(400, "This dashboard does not answer to that name", text)


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
    """Django's CSRF_FAILURE_VIEW. A form of ours leads back to its page, filled in, by way of sign-in if need be.

    Not where sending it again would be refused again: for what the browser or the settings lack.
    """
    wrong, fate = find_cause(request, reason), unsent.keep(request)
    if wrong is not STALE_FORM or not fate.page or (request.user.is_authenticated and not fate.kept):
        waits = "What you typed is kept and waits on the form's page." if fate.kept else ""
        return _answer(request, wrong._replace(text=f"{fate.notice} {wrong.text} {waits}".strip()))
    address = fate.page if request.user.is_authenticated else lead_to_sign_in(request, fate)
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(status=403, headers={"HX-Redirect": address})
    return redirect(address)


def find_cause(request: HttpRequest, reason: str) -> Wrong:
    """Why a form was refused, by what Django says of it and what the browser sent."""
    if reason == csrf.REASON_NO_CSRF_COOKIE and not request.COOKIES:
        return NO_COOKIES
    sent = request.headers.get("Origin") or request.headers.get("Referer", "")
    if reason == csrf.REASON_NO_REFERER or (reason.startswith(FROM_ELSEWHERE) and "://" not in sent):
        return NO_ORIGIN
    return build_unknown_origin(request, sent) if reason.startswith(FROM_ELSEWHERE) else STALE_FORM


def build_unknown_origin(request: HttpRequest, sent: str) -> Wrong:
    """The form came from an origin or over a scheme that the settings do not know: both, and the settings."""
    origin = "/".join(sent.split("/")[:3])[:ORIGIN_LENGTH]
    here = f"{request.scheme}://{request.get_host()}"
    setting = f"TRUSTED_ORIGINS={origin}"
    if origin.startswith("https:") and not request.is_secure():
        setting += " and, behind a proxy that ends TLS, HTTPS=1"
    text = (
        f"It was sent from {origin} and arrived at {here}. If people reach this dashboard at {origin}, whoever runs it "
        f"sets {setting}. If that is another site, it has no business here, and nothing was done."
    )
    return Wrong(403, "This form comes from an address that is not known", text)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, NOT_FOUND)


def fault(request: HttpRequest) -> HttpResponse:
    return _answer(request, FAULT)


def _answer(request: HttpRequest, wrong: Wrong) -> HttpResponse:
    # Rendered without the request: its context processors would ask the database who is signed in.
    return HttpResponse(render_to_string("web/site/error.html", {"wrong": wrong}), status=wrong.status)
