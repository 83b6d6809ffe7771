"""Keeps what was typed into a form that came too late: after the session ended, or after another sign-in.

Nothing of it is carried out. Every form carries a signed mark that says whose it is, on which page and since when; the
fields of one that is refused become a draft of that person, which their page fills in once they are signed in and back
on it. Nobody else is shown it, and a form without a mark of ours, so any of another site, is not kept.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.contrib.auth import get_user_model, user_logged_in, user_logged_out
from django.core import signing
from django.dispatch import receiver
from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.crypto import salted_hmac

from dashboard.web.site.addresses import find_page
from dashboard.web.site.drafts import clean
from dashboard.web.site.models import Draft

FIELD = "whose_form"
SALT = "dashboard.web.site.unsent"
KIND = "unsent"
WAITS = "unsent_form_waits"
"""In the session: that something may wait for this person."""
MARK_LASTS = timedelta(hours=12)
KEPT = timedelta(hours=4)
FORMS_KEPT = 3
LARGEST = 256 * 1024
"""Bytes of all fields together, in UTF-8; a longer form is not kept."""
SAFE = {"GET", "HEAD", "OPTIONS"}

IS_KEPT = "That form was not sent, for you were no longer signed in. What you typed is kept: sign in and it is there."
TOO_LONG = f"That form was not sent, and what you typed is not kept: it is longer than {LARGEST // 1024} KiB."
TOO_OLD = (
    "That form was not sent, and what you typed is not kept: its page was opened more than "
    f"{MARK_LASTS // timedelta(hours=1)} hours ago."
)


class Fate(NamedTuple):
    """What became of a form that was not carried out."""

    page: str = ""
    """Path and query of its page, to go back to; "" when it is not known to be a page of ours, or somebody else's."""
    kept: bool = False
    notice: str = ""
    """What to tell its writer; "" where nothing was typed or nobody of ours wrote it."""


def mark_form(request: HttpRequest) -> str:
    """The signed mark of every form in this answer: whose, and on which page. "" for a stranger."""
    if not request.user.is_authenticated:
        return ""
    page = find_page(request, request.get_full_path())
    return signing.dumps([request.user.pk, page], salt=SALT)


def read_mark(request: HttpRequest, lasts: timedelta | None = None) -> tuple[int, str] | None:
    """The id of whose form was sent, and the page it stands on; None without a mark of ours, no older than `lasts`."""
    try:
        owner, page = signing.loads(request.POST.get(FIELD, ""), salt=SALT, max_age=lasts)
    except signing.BadSignature:
        return None
    return owner, page


def keep(request: HttpRequest) -> Fate:
    """Keep the form that this request would have sent. Call it where the form will not be carried out."""
    mark = read_mark(request)
    if mark is None:
        return Fate()
    owner, marked = mark
    page = find_page(request, find_origin(request) or marked)
    signed_in = request.user.pk if request.user.is_authenticated else owner
    known = get_user_model().objects.filter(pk=owner, is_active=True).exists()
    if not page or urlsplit(page).path != urlsplit(marked).path or signed_in != owner or not known:
        return Fate()
    parts = urlsplit(page)
    page = parts.path + (f"?{parts.query}" if parts.query else "")
    fields = {clean(name): [*map(clean, values)] for name, values in request.POST.lists() if not is_secret(name)}
    if not fields:
        return Fate(page)
    if read_mark(request, MARK_LASTS) is None:
        return Fate(page, notice=TOO_OLD)
    if sum(len(text.encode()) for name, values in fields.items() for text in (name, *values)) > LARGEST:
        return Fate(page, notice=TOO_LONG)
    store(owner, page, fields)
    if request.user.is_authenticated:
        request.session[WAITS] = True
    return Fate(page, kept=True, notice=IS_KEPT)


def store(owner: int, page: str, fields: dict[str, list[str]]) -> None:
    """One draft for each page, of the last few pages."""
    body = {"page": page, "fields": fields}
    key = key_of(owner, urlsplit(page).path)
    Draft.objects.update_or_create(pk=key, defaults={"user_id": owner, "kind": KIND, "body": body})
    Draft.objects.filter(kind=KIND, updated_at__lt=timezone.now() - KEPT).delete()
    newest = Draft.objects.filter(kind=KIND, user_id=owner).order_by("-updated_at").values_list("pk", flat=True)
    Draft.objects.filter(kind=KIND, user_id=owner).exclude(pk__in=list(newest[:FORMS_KEPT])).delete()


def take(request: HttpRequest) -> QueryDict | None:
    """What this person typed on this page before, to bind its form to; None without. It stays until the page sends."""
    found = find(request)
    if found is None:
        return None
    request.unsent_taken = True  # type: ignore[attr-defined]  # the page need not list the fields for copying
    data = QueryDict(mutable=True)
    for name, values in found.items():
        data.setlist(name, values)
    return data


def find(request: HttpRequest) -> dict[str, list[str]] | None:
    """The fields that are kept of this page for this person."""
    if not request.session.get(WAITS) or not request.user.is_authenticated:
        return None
    here = list_fresh(request.user.pk).filter(pk=key_of(request.user.pk, request.path)).first()
    return here.body["fields"] if here else None


def find_newest_page(user_id: int) -> str:
    """Path and query of the page of this person's newest unsent form; "" without one."""
    newest = list_fresh(user_id).order_by("-updated_at").first()
    return newest.body["page"] if newest else ""


def list_fresh(user_id: int) -> Any:
    return Draft.objects.filter(kind=KIND, user_id=user_id, updated_at__gt=timezone.now() - KEPT)


def forget(request: HttpRequest) -> None:
    """Forget what is kept of the page whose form this request carried out."""
    mark = read_mark(request)
    if mark and mark[0] == request.user.pk:
        Draft.objects.filter(kind=KIND, pk=key_of(mark[0], urlsplit(mark[1]).path)).delete()


@receiver(user_logged_in, dispatch_uid="unsent.look")
def look(request: HttpRequest, user: Any, **_: Any) -> None:
    """Whoever comes in has their unsent forms looked for. A session without any asks the database no more."""
    if list_fresh(user.pk).exists():
        request.session[WAITS] = True


@receiver(user_logged_out, dispatch_uid="unsent.forget_all")
def forget_all(user: Any, **_: Any) -> None:
    """Whoever signs out leaves nothing behind."""
    if user:
        Draft.objects.filter(kind=KIND, user=user).delete()


def key_of(owner: int, path: str) -> str:
    """The id of the draft of one person's form on one page."""
    return salted_hmac(SALT, f"{owner} {path}", algorithm="sha256").hexdigest()[:40]


def is_secret(name: str) -> bool:
    """True for a field that is never kept."""
    return name in {"csrfmiddlewaretoken", FIELD, "sesame"} or "password" in name.lower()


def find_origin(request: HttpRequest) -> str | None:
    """The page that the browser says the form stands on; None where it does not say."""
    htmx = request.htmx  # type: ignore[attr-defined]
    return htmx.current_url if htmx else request.headers.get("Referer")
