"""Lists that are longer than a page, read whole while they may be changing.

A page can hold fewer entries than were asked for, `total` can move or be wrong, and an entry that arrives between two
requests pushes another from one page to the next, where it is seen twice. So: go on from what came back, know entries
by their id, notice that the list moved, and then read it again, a few times at most.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from itertools import chain
from typing import Generic, TypeVar

import msgspec

from dashboard.sources.http.decoding import Page, make_name
from dashboard.sources.http.errors import TooLarge

Record = TypeVar("Record", bound=msgspec.Struct)
ReadPage = Callable[[int, int], Page[Record]]
"""(limit, offset) -> page."""

PAGE_SIZE = 200
"""What is asked for at once over the network. A service may give less."""
MAX_ENTRIES = 100_000
MAX_PAGES = 2_000
"""A service that gives one entry a page would otherwise be asked a hundred thousand times."""
MAX_READS = 3
"""How often a list is read before we settle for one that moved."""


@dataclass(frozen=True)
class Gathered(Generic[Record]):
    """A list as it was read: each id once, in the order given."""

    entries: tuple[Record, ...]
    total: int
    moved: bool
    """True when the list still changed while it was read for the last time."""


@dataclass(frozen=True)
class Placed(Generic[Record]):
    """A page and where in the list it begins."""

    offset: int
    page: Page[Record]


def gather(read_page: ReadPage[Record], *, id_field: str, workers: int, page_size: int = PAGE_SIZE) -> Gathered[Record]:
    """Read every page; page 1 first, then the rest with `workers` requests at a time (1: in this thread).

    Raises `TooLarge` for a list beyond 100,000 entries or 2,000 pages, and whatever `read_page` raises.
    """
    for _ in range(MAX_READS):
        pages = _read_pages(read_page, workers, page_size)
        total = pages[-1].page.total
        entries, doubled = unite(pages, id_field)
        moved = any(placed.page.total != total for placed in pages)
        if not moved and not doubled:
            break
    return Gathered(entries, total, moved)


def _read_pages(read_page: ReadPage[Record], workers: int, page_size: int) -> list[Placed[Record]]:
    """All pages with their offsets, in the order of the list."""
    first = read_page(page_size, 0)
    size = len(first.entries)
    if size == 0 or size >= first.total:
        return [Placed(0, first)]
    if first.total > MAX_ENTRIES or first.total > MAX_PAGES * size:
        raise TooLarge(f"A list of {first.total} entries, {size} a page, is longer than we read.")

    def read_stretch(offset: int) -> list[Placed[Record]]:
        """As many entries as page 1 had, in more than one request where less comes back."""
        pages = []
        end = min(offset + size, first.total)
        while offset < end:
            page = read_page(end - offset, offset)
            pages.append(Placed(offset, page))
            if not page.entries:
                break
            offset += len(page.entries)
        return pages

    offsets = range(size, first.total, size)
    if workers == 1:
        stretches = [read_stretch(offset) for offset in offsets]
    else:
        jobs = [(copy_context(), offset) for offset in offsets]
        with ThreadPoolExecutor(min(workers, len(jobs)), "read-pages") as pool:
            # A page that fails ends the whole: what has not begun is cancelled.
            stretches = list(pool.map(lambda job: job[0].run(read_stretch, job[1]), jobs))
    pages = [Placed(0, first), *chain.from_iterable(stretches)]
    # What arrived meanwhile pushed as many of the oldest beyond the end that page 1 gave.
    offset = first.total
    for _ in range(len(pages)):
        if offset >= pages[-1].page.total or not pages[-1].page.entries:
            break
        pages.append(Placed(offset, read_page(size, offset)))
        offset += len(pages[-1].page.entries)
    return pages


def unite(pages: list[Placed[Record]], id_field: str) -> tuple[tuple[Record, ...], bool]:
    """Every entry once, and whether any came twice.

    An entry without an id is not dropped: it gets one from its place, counted from the oldest, so that it keeps the
    name while newer entries arrive.
    """
    known: dict[str, Record] = {}
    seen = 0
    for placed in pages:
        for position, entry in enumerate(placed.page.entries, placed.offset):
            key = getattr(entry, id_field)
            if not key:
                key = make_name(placed.page.total - position)
                entry = msgspec.structs.replace(entry, **{id_field: key})
            known.setdefault(key, entry)
            seen += 1
    return tuple(known.values()), seen > len(known)
