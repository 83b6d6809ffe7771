"""Where this server is reached, which of its addresses are pages a person can be sent to, and which only parts."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme

from dashboard.contract import API_ROOTS
from dashboard.environment import bracket

ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared with, not bound to

PAGE_OF_PART = {
    "rows": "overview",
    "trend-region": "trend",
    "trend-figure": "trend",
    "run-trend-region": "run-trend",
    "run-trend-figure": "run-trend",
    "run-environment": "run",
}
"""Route name of a part of a page -> route name of its page."""
NOT_TO_COME_BACK_TO = {"sign-in", "sign-in-link", "sign-out", "audit-export"}


def build_origin(host: str, port: int) -> str:
    """Where a browser reaches the server that listens there: at the proxy of HTTPS=1 if it is named, else directly."""
    named = [origin for origin in settings.CSRF_TRUSTED_ORIGINS if "*" not in origin] if settings.HTTPS else []
    if named:
        return named[0]
    return f"http://{bracket(ANY_ADDRESS.get(host, host))}:{port}"


def explain_origin(origin: str) -> str:
    """What to say beside a link to `origin` that leads nowhere by itself; empty where it does."""
    if settings.HTTPS and not origin.startswith("https:"):
        return (
            f"HTTPS is on: open this link with your proxy's address in the place of {origin}, or set TRUSTED_ORIGINS."
        )
    name, _port = split_domain_port(urlsplit(origin).netloc.lower())
    if not validate_host(name, settings.ALLOWED_HOSTS):
        return f"This link is refused as it stands: ALLOWED_HOSTS does not name {name}."
    return ""


def find_page(request: HttpRequest, address: str | None) -> str:
    """The page to send a person back to: this one, or the one this address is a part of.

    "" when the address is absent, on another site, no page of ours, or one that makes no sense to come back to.
    """
    if not address or not url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return ""
    split = urlsplit(address)
    if split.path.startswith(API_ROOTS):
        return ""
    try:
        match = resolve(unquote(split.path))
    except Resolver404:
        return ""
    name = match.view_name
    if name in NOT_TO_COME_BACK_TO:
        return ""
    if name in PAGE_OF_PART:
        page = reverse(PAGE_OF_PART[name], kwargs=match.kwargs)
        return page if name == "rows" or not split.query else f"{page}?{split.query}"
    return address
