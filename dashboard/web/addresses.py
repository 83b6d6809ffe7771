"""Which addresses are pages a person can be sent to, and which only parts of one."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from django.http import HttpRequest
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme

API_PREFIX = "/api/"

PAGE_OF_PART = {"rows": "overview", "trend-region": "trend", "trend-figure": "trend"}
NOT_TO_COME_BACK_TO = {"sign-in", "sign-in-link", "sign-out", "audit-export"}
"""Route name of a part of a page -> route name of its page."""


def find_page(request: HttpRequest, address: str | None) -> str:
    """The page to send a person back to: this one, or the one this address is a part of.

    "" when the address is absent, on another site, no page of ours, or one that makes no sense to come back to.
    """
    if not address or not url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return ""
    split = urlsplit(address)
    if split.path.startswith(API_PREFIX):
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
