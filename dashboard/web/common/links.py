"""Addresses with a query: what was asked, with a few things changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.core.paginator import Page

from dashboard.contract import API_ROOTS


def with_query(address: str, query: Mapping[str, object], **changes: object) -> str:
    """The address with this query, `changes` put over it; None drops a parameter. Nothing is left of an empty query."""
    return with_pairs(address, [(name, value) for name, value in {**query, **changes}.items() if value is not None])


def link_pages(page: Page[Any], address: str, query: Mapping[str, object], **changes: object) -> dict[str, str]:
    """The links of a pager; empty where there is no such page."""
    return {
        "newer_url": with_query(address, query, **changes, page=page.number - 1) if page.has_previous() else "",
        "older_url": with_query(address, query, **changes, page=page.number + 1) if page.has_next() else "",
    }


def with_pairs(address: str, pairs: Sequence[tuple[str, object]]) -> str:
    """The address with these parameters, among which a name may come more than once."""
    return f"{address}?{urlencode(pairs)}" if pairs else address


def choose_link(given: str | None, *, local: bool) -> str:
    """An address from outside that a reader may follow, else "": a web page, or with `local` a page of this site.

    An address of the API is no page: a browser has no key for it. What a browser would read otherwise than we do
    (control characters, backslashes, a user's name before the host) is refused.
    """
    if not given or any(character <= " " or character in "\\\x7f" for character in given):
        return ""
    try:
        split = urlsplit(given)
    except ValueError:
        return ""
    if split.scheme in ("http", "https"):
        return given if split.hostname and "@" not in split.netloc else ""
    page = not split.scheme and not split.netloc and split.path.startswith("/")
    return given if local and page and not split.path.startswith(("//", *API_ROOTS)) else ""
