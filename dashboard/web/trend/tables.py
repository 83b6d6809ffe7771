"""Pages of a trend's table, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.core.paginator import Page, Paginator

from dashboard.charts.numbers import choose_decimals
from dashboard.trend import RunSlot, Scale
from dashboard.trend import Slot as ReplaySlot

Slot = TypeVar("Slot", ReplaySlot, RunSlot)

ROWS_A_PAGE = 50


def find_page(slots: Sequence[Slot], *, page: int | None, place: int | None) -> Page[Slot]:
    """The page that was asked for, else the one with the slot at this place, else the first; the last page where the
    number is past it. `slots` are oldest to newest."""
    if page is None and place is not None:
        page = (len(slots) - 1 - place) // ROWS_A_PAGE + 1
    return Paginator(slots[::-1], ROWS_A_PAGE).get_page(page or 1)


def choose_table_decimals(table: Page[Slot], scale: Scale | None) -> int:
    """The decimals that tell the numbers of this page apart."""
    return choose_decimals(
        (score for slot in table.object_list for score in (slot.candidate, slot.incumbent, slot.delta)), scale
    )
