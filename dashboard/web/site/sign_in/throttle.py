"""Slows the guessing of passwords down, without letting a stranger lock anybody out.

Ten wrong passwords for one name from one place close the password form for that name there, until the oldest of them is
a quarter of an hour old; so do a hundred from one place for any names, and a hundred for one name from any addresses. A
place is a network address, or, better, a browser in which that person has signed in before: it counts for itself, so
strangers, behind the same address or behind many, close nothing for it. Tries while it is closed count no further, and
a sign-in link works all the time.

Counted in the database: a cache on files loses counts between processes and drops them when it is full. django-axes
would bring its own models, middleware and log of names for these two rules, and no notion of a known browser.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from dashboard.web.site.models import SignInFailure
from dashboard.web.site.people.change import fold_name

MOST_FOR_A_NAME = 10
MOST_FROM_A_PLACE = 100
MOST_FOR_A_NAME_ANYWHERE = 100
BROWSER = "browser "
WINDOW = timedelta(minutes=15)
COOKIE = "benchtrend_browser_"
COOKIE_LASTS = timedelta(days=30)


def closed_until(request: HttpRequest, name: str) -> datetime | None:
    """When a password for this name may be tried again from there; None when now."""
    since = timezone.now() - WINDOW
    ends = []
    for key, most in build_keys(request, name).items():
        newest = SignInFailure.objects.filter(key=key, at__gt=since).order_by("-at").values_list("at", flat=True)
        times = list(newest[:most])
        if len(times) == most:
            ends.append(times[-1] + WINDOW)
    return max(ends, default=None)


def note_failure(request: HttpRequest, name: str) -> None:
    """Count a wrong password, and drop those that are too old to count."""
    now = timezone.now()
    SignInFailure.objects.filter(at__lte=now - WINDOW).delete()
    SignInFailure.objects.bulk_create(SignInFailure(key=key, at=now) for key in build_keys(request, name))


def forgive(request: HttpRequest, name: str) -> None:
    """Forget the wrong passwords for this name from there: the right one came."""
    key = next(iter(build_keys(request, name)))
    SignInFailure.objects.filter(key=key).delete()


def build_keys(request: HttpRequest, name: str) -> dict[str, int]:
    """What the try counts for, with how many are one too many: first the name there, then the place, then the name."""
    place = find_place(request, name)
    keys = {_hash("name", fold_name(name), place): MOST_FOR_A_NAME, _hash("place", place): MOST_FROM_A_PLACE}
    return keys if place.startswith(BROWSER) else keys | {_hash("name", fold_name(name)): MOST_FOR_A_NAME_ANYWHERE}


def find_place(request: HttpRequest, name: str) -> str:
    """The browser, where that person has signed in with it before, else the network address."""
    user = get_user_model().objects.filter(username=name).only("pk").first()
    if user is None:
        return find_address(request)
    browser = request.get_signed_cookie(f"{COOKIE}{user.pk}", None, salt=COOKIE, max_age=COOKIE_LASTS)
    return f"{BROWSER}{browser}" if browser else find_address(request)


def remember_browser(response: HttpResponse, user_id: int) -> None:
    """Let this browser, in which that person just signed in, count for itself from now on: OWASP's device cookie."""
    response.set_signed_cookie(
        f"{COOKIE}{user_id}",
        secrets.token_urlsafe(12),
        salt=COOKIE,
        max_age=COOKIE_LASTS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def find_address(request: HttpRequest) -> str:
    """The address that the request came from; of IPv6 the /64, for one subscriber has all of it.

    X-Forwarded-For is believed of the proxies that TRUSTED_PROXIES names, and of each only what it says of the one that
    spoke to it: the address is the last one that is no proxy of ours.
    """
    forwarded = request.headers.get("X-Forwarded-For", "").split(",")
    address = str(request.META.get("REMOTE_ADDR", ""))
    while forwarded and (said := forwarded.pop().strip()) and is_proxy(address):
        address = said
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network(f"{parsed}/64", strict=False))
    return address if parsed is None else str(parsed)


def is_proxy(address: str) -> bool:
    """Whether the settings name this address as a proxy of ours."""
    parsed = parse_address(address)
    return parsed is not None and any(parsed in network for network in settings.TRUSTED_PROXIES)


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """The address, an IPv4 one also where IPv6 wraps it; None for what is none."""
    try:
        parsed = ip_address(text)
    except ValueError:
        return None
    return parsed.ipv4_mapped or parsed if isinstance(parsed, IPv6Address) else parsed


def _hash(*parts: str) -> str:
    return salted_hmac("dashboard.web.throttle", "\0".join(parts), algorithm="sha256").hexdigest()
