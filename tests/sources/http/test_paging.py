"""Whole lists: nothing twice, nothing lost, and an end whatever the service says."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.sources.http import paging
from dashboard.sources.http.decoding import Page
from dashboard.sources.http.errors import ServerFault, TooLarge
from dashboard.sources.http.paging import Gathered, gather
from dashboard.sources.loop.wire import HistoryPoint

ReadPage = Callable[[int, int], Page[HistoryPoint]]


class List:
    """A service's list, newest first. It caps pages, and changes before the requests that `changes` names."""

    def __init__(self, ids: list[str], cap: int, changes: dict[int, Callable[[list[str]], None]] | None = None) -> None:
        self.ids, self.cap, self.changes = ids, cap, changes or {}
        self.asked: list[tuple[int, int]] = []

    def read_page(self, limit: int, offset: int) -> Page[HistoryPoint]:
        self.changes.get(len(self.asked), lambda ids: None)(self.ids)
        self.asked.append((limit, offset))
        ids = self.ids[offset : offset + min(limit, self.cap)]
        return Page(tuple(HistoryPoint(name) for name in ids), len(self.ids))


def read(read_page: ReadPage, workers: int = 1) -> Gathered[HistoryPoint]:
    return gather(read_page, id_field="benchmark_run_id", workers=workers)


def ids_of(found: Gathered[HistoryPoint]) -> list[str]:
    return [point.benchmark_run_id for point in found.entries]


def names(count: int) -> list[str]:
    return [f"r{n}" for n in range(count, 0, -1)]


@given(count=st.integers(0, 60), cap=st.integers(1, 70), workers=st.sampled_from([1, 3]))
def test_any_page_size_gives_each_id_once_in_order(count: int, cap: int, workers: int) -> None:
    found = read(List(names(count), cap).read_page, workers)
    assert ids_of(found) == names(count)
    assert (found.total, found.moved) == (count, False)


@given(
    count=st.integers(0, 30),
    cap=st.integers(1, 8),
    moments=st.lists(st.integers(0, 40), max_size=6),
)
def test_any_order_of_arrivals_gives_each_older_id_once(count: int, cap: int, moments: list[int]) -> None:
    arrivals: dict[int, Callable[[list[str]], None]] = {
        moment: lambda ids, moment=moment: ids.insert(0, f"new{moment}") for moment in moments
    }
    service = List(names(count), cap, arrivals)
    found = ids_of(result := read(service.read_page))
    assert len(found) == len(set(found))
    assert set(names(count)) <= set(found)
    assert result.moved or found == service.ids[len(service.ids) - len(found) :]


@given(count=st.integers(2, 30), cap=st.integers(1, 8), moment=st.integers(1, 10), place=st.integers(0, 29))
def test_a_deletion_between_pages_loses_no_other(count: int, cap: int, moment: int, place: int) -> None:
    service = List(names(count), cap, {moment: lambda ids: ids.pop(place % len(ids)) and None})
    found = read(service.read_page)
    assert set(service.ids) <= set(ids_of(found))
    assert not found.moved


def test_an_arrival_between_pages_is_noticed_and_read_again() -> None:
    service = List(names(4), 2, {1: lambda ids: ids.insert(0, "r5")})
    found = read(service.read_page)
    assert ids_of(found) == names(5)
    assert not found.moved


def test_a_list_that_never_rests_is_said_to_have_moved() -> None:
    service = List(names(4), 2, {n: lambda ids: ids.insert(0, f"r{len(ids) + 1}") for n in range(1, 99)})
    found = read(service.read_page)
    assert found.moved
    assert len(service.asked) < 30
    assert set(names(4)) <= set(ids_of(found))


def test_pages_shorter_than_the_first_leave_no_hole() -> None:
    ids = names(10)

    def read_page(limit: int, offset: int) -> Page[HistoryPoint]:
        size = min(limit, 4 if offset == 0 else 1)
        return Page(tuple(HistoryPoint(name) for name in ids[offset : offset + size]), 10)

    assert ids_of(read(read_page)) == ids


@pytest.mark.parametrize("given_by_page", [0, 3])
def test_a_total_that_lies_ends(given_by_page: int) -> None:
    """The service speaks of a thousand and gives three: no loop, and the total shows that some are missing."""
    asked = []

    def read_page(limit: int, offset: int) -> Page[HistoryPoint]:
        asked.append(offset)
        return Page(tuple(HistoryPoint(f"r{n}") for n in range(given_by_page if offset == 0 else 0)), 1000)

    found = read(read_page)
    assert len(found.entries) == given_by_page
    assert (found.total, found.moved) == (1000, False)
    assert len(asked) <= 334


def test_a_service_that_gives_the_same_page_for_ever_ends() -> None:
    found = read(lambda limit, offset: Page((HistoryPoint("a"), HistoryPoint("b")), 100))
    assert ids_of(found) == ["a", "b"]


@pytest.mark.parametrize(("entries", "total"), [(200, 100_001), (1, 2_001), (1, 10**15)])
def test_a_list_without_end_is_a_named_error(entries: int, total: int) -> None:
    page = Page(tuple(HistoryPoint(f"r{n}") for n in range(entries)), total)
    with pytest.raises(TooLarge, match=f"{total} entries"):
        read(lambda limit, offset: page)


def test_entries_without_an_id_are_told_apart_and_keep_their_names_when_newer_arrive() -> None:
    ids = ["r3", "", "r2", "", "r1"]
    assert ids_of(read(List(list(ids), 2).read_page)) == ["r3", "unnamed-4", "r2", "unnamed-2", "r1"]
    assert ids_of(read(List(["r4", *ids], 2).read_page)) == ["r4", "r3", "unnamed-4", "r2", "unnamed-2", "r1"]


@pytest.mark.parametrize("workers", [1, 6])
def test_a_page_that_fails_ends_the_reading(workers: int) -> None:
    service = List(names(60), 1)

    def read_page(limit: int, offset: int) -> Page[HistoryPoint]:
        if offset == 2:
            raise ServerFault("GET /x failed in the service (status 500).")
        return service.read_page(limit, offset)

    with pytest.raises(ServerFault):
        read(read_page, workers)
    assert len(service.asked) < 60


def test_the_first_page_says_how_large_pages_are() -> None:
    service = List(names(120), 50)
    read(service.read_page)
    assert service.asked == [(paging.PAGE_SIZE, 0), (50, 50), (20, 100)]
