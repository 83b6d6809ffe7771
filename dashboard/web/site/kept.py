"""Keeps what was typed into a form that was sent too late: after the session ended, or after another sign-in.

Nothing of it is carried out. The fields wait in the browser's own session on the server until the same person is signed
in and back on the form's page, whose view fills them in with `take`. They are shown to nobody else: whose form it was
is known from its CSRF token. Each sign-in makes a new CSRF secret, and a signed cookie remembers, for the last few
secrets of this browser, whose they were. A form that is not in it, so any form of another site, is not kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import user_logged_in
from django.core import signing
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, QueryDict
from django.middleware import csrf
from django.utils.crypto import salted_hmac

from dashboard.web.site.addresses import find_page

COOKIE = "benchtrend_forms"
COOKIE_AGE_S = 30 * 24 * 3600
SECRETS_REMEMBERED = 4
SESSION_KEY = "kept"
FORMS_KEPT = 3
KEPT_S = 4 * 3600
LARGEST = 256 * 1024
"""Characters of all fields together; a longer form is not kept."""
SAFE = {"GET", "HEAD", "OPTIONS"}


class Kept(TypedDict):
    """One form: whose, the path of its page, what was typed, and when (seconds since 1970)."""

    owner: int
    page: str
    fields: dict[str, list[str]]
    at: float


def keep(request: HttpRequest) -> str:
    """Keep the form that this request would have sent, and give the page to fill it in again on; "" without one.

    Call it for a request whose form will not be carried out. A form of somebody else than who is signed in now, of
    nobody known, or too long is not kept.
    """
    owner = owner_of(request)
    signed_in = request.user.pk if request.user.is_authenticated else None
    address = find_form_page(request)
    fields = {name: values for name, values in request.POST.lists() if not is_secret(name)}
    size = sum(len(name) + sum(map(len, values)) for name, values in fields.items())
    if owner is None or signed_in not in (None, owner) or not address or not fields or size > LARGEST:
        return ""
    page = urlsplit(address).path
    others = [kept for kept in list_kept(request) if kept["page"] != page or kept["owner"] != owner]
    store(request, [Kept(owner=owner, page=page, fields=fields, at=time.time()), *others][:FORMS_KEPT])
    return address


def take(request: HttpRequest) -> QueryDict | None:
    """What this person typed on this page before, to bind its form to; None without. It stays until the page sends."""
    kept = find_kept(request)
    if kept is None:
        return None
    request.kept_taken = True  # type: ignore[attr-defined]  # the page need not list the fields for copying
    data = QueryDict(mutable=True)
    for name, values in kept["fields"].items():
        data.setlist(name, values)
    return data


def find_kept(request: HttpRequest) -> Kept | None:
    """The form of this page that is kept for this person."""
    here = [kept for kept in list_kept(request) if kept["page"] == request.path]
    return next((kept for kept in here if kept["owner"] == request.user.pk), None)


def list_kept(request: HttpRequest) -> list[Kept]:
    """Every form that waits in this session, the newest first."""
    oldest = time.time() - KEPT_S
    return [kept for kept in request.session.get(SESSION_KEY, ()) if kept["at"] > oldest]


def drop(request: HttpRequest, page: str) -> None:
    """Forget the form of the page with this path."""
    if SESSION_KEY in request.session:
        store(request, [kept for kept in list_kept(request) if kept["page"] != page])


def store(request: HttpRequest, forms: list[Kept]) -> None:
    if forms:
        request.session[SESSION_KEY] = forms
    else:
        request.session.pop(SESSION_KEY, None)


@receiver(user_logged_in, dispatch_uid="kept.drop_others")
def drop_others(request: HttpRequest, user: Any, **_: Any) -> None:
    """Whoever signs in does not even carry along what others typed."""
    if SESSION_KEY in request.session:
        store(request, [kept for kept in list_kept(request) if kept["owner"] == user.pk])


def is_secret(name: str) -> bool:
    """True for a field that is never kept."""
    return name in {"csrfmiddlewaretoken", "sesame"} or "password" in name.lower()


def find_form_page(request: HttpRequest) -> str:
    """Path and query of the page that the form stands on; "" when it is none of ours."""
    htmx = request.htmx  # type: ignore[attr-defined]
    came_from = htmx.current_url if htmx else request.headers.get("Referer")
    page = find_page(request, came_from) or find_page(request, request.get_full_path())
    parts = urlsplit(page)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def mark_of(secret: str) -> str:
    """Stands for a CSRF secret and does not give it away."""
    return salted_hmac("dashboard.web.kept", secret, algorithm="sha256").hexdigest()[:16]


def read_marks(request: HttpRequest) -> list[tuple[str, int]]:
    """(mark of the CSRF secret, user id), the newest first: the last sign-ins of this browser."""
    try:
        found = signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=COOKIE_AGE_S)
    except signing.BadSignature:
        return []
    return [(mark, owner) for mark, owner in found]


def owner_of(request: HttpRequest) -> int | None:
    """Whose page the sent form stood on, by its CSRF token; None when this browser does not know."""
    token = request.POST.get("csrfmiddlewaretoken") or request.headers.get("X-CSRFToken", "")
    try:
        csrf._check_token_format(token)  # type: ignore[attr-defined]  # Django offers no public way from token to secret
    except csrf.InvalidTokenFormat:
        return None
    masked = len(token) == csrf.CSRF_TOKEN_LENGTH
    mark = mark_of(csrf._unmask_cipher_token(token) if masked else token)  # type: ignore[attr-defined]
    return next((owner for one, owner in read_marks(request) if one == mark), None)


def remember_forms(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: note whose the CSRF secret of this answer is, and forget a kept form once its page has sent one."""

    def middleware(request: HttpRequest) -> HttpResponse:
        waiting = find_form_page(request) if request.method not in SAFE and list_kept(request) else ""
        before = [kept["at"] for kept in list_kept(request)] if waiting else []
        response = get_response(request)
        if not request.user.is_authenticated:
            return response
        if (
            waiting and response.status_code < 500 and before == [kept["at"] for kept in list_kept(request)]
        ):  # else it was kept just now
            drop(request, urlsplit(waiting).path)
        secret, marks = request.META.get("CSRF_COOKIE"), read_marks(request)
        newest = (mark_of(secret), request.user.pk) if secret else None
        if newest and newest not in marks[:1]:
            marks = [newest, *(mark for mark in marks if mark != newest)][:SECRETS_REMEMBERED]
            response.set_cookie(
                COOKIE,
                signing.dumps(marks, salt=COOKIE),
                max_age=COOKIE_AGE_S,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return middleware
