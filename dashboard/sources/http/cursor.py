"""Lists with a cursor, read to their end whatever the service says about it.

`has_more` and the counts can be absent, stale or wrong, a page can come twice, and a cursor can lead nowhere or on for
ever. So: go on from the last id received, know entries by their id, believe "no more" only where no count contradicts
it, end at a page that brings nothing new, and keep what was read when the time is over.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from dashboard.sources.http import paging
from dashboard.sources.http.decoding import make_name
from dashboard.sources.http.errors import TimedOut, TooLarge

Record = TypeVar("Record", bound=msgspec.Struct)

PAGE_SIZE = 5_000
"""The most that the API gives at once. A service may give less."""
CUT_AT: ContextVar[float] = ContextVar("cut_at", default=math.inf)
"""When whoever reads a list wants what came of it so far, on the clock of `time.monotonic`."""


@dataclass(frozen=True)
class CursorPage(Generic[Record]):
    """One page. What the service says of the rest is None where it says nothing that can be read."""

    entries: tuple[Record, ...]
    has_more: bool | None = None
    remaining: int | None = None
    total: int | None = None


@dataclass(frozen=True)
class Followed(Generic[Record]):
    """A list as it was read: each id once, in the order given."""

    entries: tuple[Record, ...]
    total: int | None
    """How many entries the service says there are; None where no page said."""
    cut: str
    """Why reading ended early, in one clause; empty where the list is whole."""
    late: bool
    """True where it ended because the time was over."""
    twice: int
    """How many ids came again with something else in the entry; what came first is kept."""


def follow(read_page: Callable[[str], CursorPage[Record]], *, whole: bool = False) -> Followed[Record]:
    """Read every page. `read_page` is given the last id received, "" for the first page; its entries have an `id`.

    An entry without an id is not dropped: it is named by its place, counted from the oldest that was read. A list
    beyond 100,000 entries or 2,000 pages is cut there, and so is one whose later page does not come in time or is too
    large to read; with `whole` the latter two raise. Raises whatever else `read_page` raises, and all that it raises
    for the first page.
    """
    found: list[Record] = []
    known: dict[str, Record] = {}
    twice: set[str] = set()
    late = False
    cursor, total, cut = "", None, f"the list is longer than {paging.MAX_PAGES:,} pages"
    tail: tuple[Record, ...] = ()
    for _ in range(paging.MAX_PAGES):
        try:
            page = read_page(cursor)
        except (TimedOut, TooLarge) as error:
            if not cursor or whole:
                raise
            late = isinstance(error, TimedOut)
            cut = "the rest did not come in time" if late else "the next page is too large to read"
            break
        total = page.total if page.total is not None else total
        ids = [_id_of(entry) for entry in page.entries]
        fresh = set(ids) - known.keys() - {""}
        repeated = any(ids) and not fresh
        if not repeated:
            # Entries without an id that stood behind the cursor's came with its page already.
            new = page.entries[len(tail) :] if page.entries[: len(tail)] == tail else page.entries
            for entry in new:
                name = _id_of(entry)
                if name not in known:
                    found.append(entry)
                if name:
                    known.setdefault(name, entry)
        twice |= {name for name, entry in zip(ids, page.entries, strict=True) if name and known[name] != entry}
        if not fresh or _is_last(page, total, len(found)):
            cut = _explain_end(page, total, len(found), repeated=repeated)
            break
        if len(found) >= paging.MAX_ENTRIES:
            cut = f"the list is longer than {paging.MAX_ENTRIES:,} entries"
            break
        last = max(place for place, name in enumerate(ids) if name)
        cursor, tail = ids[last], page.entries[last + 1 :]
    return Followed(tuple(_name(found)), total, cut, late, len(twice))


def _id_of(entry: msgspec.Struct) -> str:
    found: str = entry.id  # type: ignore[attr-defined]
    return found


def _is_last(page: CursorPage[Record], total: int | None, read: int) -> bool:
    """True where the service says that this was all, and no count of its own contradicts it."""
    promised = (page.remaining or 0) > 0 or (total or 0) > read
    if page.has_more is None:
        return total is not None and not promised
    return not page.has_more and not promised


def _explain_end(page: CursorPage[Record], total: int | None, read: int, *, repeated: bool) -> str:
    """Why the page at which reading ended is not the end of the list; empty where it is."""
    if (total or 0) > read:
        return f"the service speaks of {total:,} and gave {read:,}"
    if _is_last(page, total, read):
        return ""
    if repeated:
        return "the service gave the same page again"
    if page.has_more or (page.remaining or 0) > 0:
        return "the service said that there are more and gave none"
    return ""


def _name(found: list[Record]) -> list[Record]:
    return [
        entry if _id_of(entry) else msgspec.structs.replace(entry, id=make_name(len(found) - place))
        for place, entry in enumerate(found)
    ]
