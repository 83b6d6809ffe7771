"""A page of a benchmark's pinned conversations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dashboard.sources.loop.wire import BenchmarkItem
from dashboard.web.common.links import choose_link, with_query
from dashboard.web.conversations.present import PREVIEW, Conversation, Limits, build_conversation, matches

ROWS_A_PAGE = 20


class ItemRow(NamedTuple):
    """One pinned conversation."""

    ordinal: int
    conversation: Conversation
    source_id: str
    """Empty where the conversation it was copied from is deleted."""
    source_url: str
    """Where that conversation can be read; empty where that is no page."""
    url: str
    """This conversation on a page of its own."""
    whole_url: str
    """The beginning of the address of one of its turns; ends in "&"."""


class ItemsPage(NamedTuple):
    """A page of the rows that hold the words. Pages count from 1; `first` and `last` count rows from 1, 0 for none."""

    rows: tuple[ItemRow, ...]
    number: int
    pages: int
    first: int
    last: int
    total: int

    @property
    def read(self) -> int:
        """How many rows the page has, whatever was searched for."""
        return self.last - self.first + 1 if self.last else 0

    @property
    def past_end(self) -> bool:
        return bool(self.total) and self.number > self.pages


def build_page(
    items: Iterable[BenchmarkItem], total: int, *, number: int, words: str, address: str, local: bool
) -> ItemsPage:
    """The page with this number; `address` is its own without a query, `local` as for `choose_link`."""
    items = tuple(items)
    first = (number - 1) * ROWS_A_PAGE + 1 if items else 0
    rows = tuple(
        build_row(item, address=address, local=local) for item in items if matches(item.prompt, item.tools, words)
    )
    pages = max(1, -(-total // ROWS_A_PAGE))
    return ItemsPage(rows, number, pages, first, first + len(items) - 1 if items else 0, total)


def build_row(item: BenchmarkItem, *, address: str, local: bool, limits: Limits = PREVIEW) -> ItemRow:
    url = with_query(address, {"item": item.ordinal})
    return ItemRow(
        item.ordinal,
        build_conversation(item.prompt, item.tools, limits),
        item.source_trace_id or "",
        choose_link(item.source_trace_url, local=local) if item.source_trace_id else "",
        url,
        f"{url}&",
    )
