"""Lists with a cursor: each id once, none lost, and an end whatever the service says of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.sources.http import paging
from dashboard.sources.http.cursor import CursorPage, Followed, follow
from dashboard.sources.http.errors import ServerFault, SourceError, TimedOut, TooLarge
from dashboard.sources.runloop.bodies import RunBody

Pages = Callable[[str], CursorPage[RunBody]]


def page(names: list[str], **said: object) -> CursorPage[RunBody]:
    return CursorPage(tuple(RunBody(name) for name in names), **said)  # type: ignore[arg-type]


def in_pages(ids: list[str], size: int, **said: object) -> Pages:
    """A service that gives `size` at a time. It tells the truth, but for what is `said` otherwise."""

    def read_page(cursor: str) -> CursorPage[RunBody]:
        start = ids.index(cursor) + 1 if cursor else 0
        rest = ids[start:]
        truth = {"has_more": len(rest) > size, "remaining": max(0, len(rest) - size), "total": len(ids)}
        return page(rest[:size], **truth | said)

    return read_page


def ids_of(found: Followed[RunBody]) -> list[str]:
    return [entry.id for entry in found.entries]


def names(count: int) -> list[str]:
    return [f"r{number}" for number in range(count, 0, -1)]


SAYINGS: list[dict[str, object]] = [
    {},
    {"has_more": True},
    {"has_more": None, "remaining": None, "total": None},
    {"has_more": True, "remaining": None, "total": None},
    {"has_more": False},
    {"has_more": False, "remaining": None},
    {"remaining": 7},
    {"total": 0},
]


@given(count=st.integers(0, 40), size=st.integers(1, 50), said=st.sampled_from(SAYINGS))
def test_any_page_size_gives_each_id_once_in_order_whatever_is_said_of_the_rest(
    count: int, size: int, said: dict[str, object]
) -> None:
    assert ids_of(follow(in_pages(names(count), size, **said))) == names(count)


def test_a_whole_list_is_not_cut_and_takes_no_request_too_many() -> None:
    asked: list[str] = []
    read_page = in_pages(names(5), 2)
    found = follow(lambda cursor: asked.append(cursor) or read_page(cursor))  # type: ignore[func-returns-value]
    assert (found.cut, found.total) == ("", 5)
    assert asked == ["", "r4", "r2"]


def test_no_more_is_not_believed_where_a_count_contradicts_it() -> None:
    for contradiction in ({"remaining": 3, "total": None}, {"remaining": None, "total": 5}):
        found = follow(in_pages(names(5), 2, has_more=False, **contradiction))
        assert ids_of(found) == names(5)


@pytest.mark.parametrize(
    ("said", "cut"),
    [
        ({"has_more": True, "total": None}, "the service said that there are more and gave none"),
        ({"has_more": False, "remaining": 2, "total": None}, "the service said that there are more and gave none"),
        ({"has_more": False, "total": 9}, "the service speaks of 9 and gave 3"),
        ({"has_more": None, "total": None, "remaining": None}, ""),
    ],
)
def test_more_that_never_comes_is_said(said: dict[str, object], cut: str) -> None:
    found = follow(in_pages(names(3), 3, **said))
    assert (ids_of(found), found.cut) == (names(3), cut)


def test_a_page_that_comes_again_ends_the_list() -> None:
    asked: list[str] = []
    found = follow(lambda cursor: asked.append(cursor) or page(["a", "b", ""], has_more=True))  # type: ignore[func-returns-value]
    assert ids_of(found) == ["a", "b", "unnamed-1"]
    assert found.cut == "the service gave the same page again"
    assert asked == ["", "b"]


def test_a_cursor_that_gives_its_own_entry_again_doubles_nothing() -> None:
    ids = names(5)

    def read_page(cursor: str) -> CursorPage[RunBody]:
        start = ids.index(cursor) if cursor else 0
        return page(ids[start : start + 2], has_more=start + 2 < len(ids))

    found = follow(read_page)
    assert (ids_of(found), found.cut) == (ids, "")


def test_a_cursor_that_never_ends_is_cut_by_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MAX_PAGES", 20)
    found = follow(lambda cursor: page([f"{cursor}x"], has_more=True))
    assert len(found.entries) == 20
    assert found.cut == "the list is longer than 20 pages"


def test_a_cursor_that_never_ends_is_cut_by_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MAX_ENTRIES", 100)
    found = follow(lambda cursor: page([f"{cursor}{number}" for number in range(40)], has_more=True))
    assert len(found.entries) == 120
    assert found.cut == "the list is longer than 100 entries"


def test_a_list_that_ends_where_reading_would_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MAX_ENTRIES", 100)
    found = follow(in_pages(names(100), 50))
    assert (len(found.entries), found.cut) == (100, "")
    assert follow(in_pages(names(101), 50)).cut == "the list is longer than 100 entries"


def test_entries_without_an_id_are_kept_once_and_named_from_the_oldest() -> None:
    ids = ["c", "", "b", "", "", "a", ""]

    def read_page(cursor: str) -> CursorPage[RunBody]:
        start = ids.index(cursor) + 1 if cursor else 0
        return page(ids[start : start + 4], has_more=start + 4 < len(ids))

    found = follow(read_page)
    assert ids_of(found) == ["c", "unnamed-6", "b", "unnamed-4", "unnamed-3", "a", "unnamed-1"]
    assert found.cut == ""


def test_a_page_of_entries_without_ids_gives_no_cursor_and_says_so() -> None:
    found = follow(lambda cursor: page(["", ""], has_more=True))
    assert ids_of(found) == ["unnamed-2", "unnamed-1"]
    assert found.cut == "the service said that there are more and gave none"


def failing_after(pages: int, error: SourceError) -> Pages:
    asked: list[str] = []

    def read_page(cursor: str) -> CursorPage[RunBody]:
        asked.append(cursor)
        if len(asked) > pages:
            raise error
        return page([f"{cursor}x"], has_more=True, total=9)

    return read_page


def test_a_failing_page_ends_the_reading() -> None:
    with pytest.raises(ServerFault):
        follow(failing_after(1, ServerFault("GET /x failed in the service (status 500).")))


@pytest.mark.parametrize(
    ("error", "cut", "late"),
    [
        (TimedOut("no"), "the rest did not come in time", True),
        (TooLarge("no"), "the next page is too large to read", False),
    ],
)
def test_what_was_read_before_the_time_or_the_room_ran_out_is_kept(error: SourceError, cut: str, late: bool) -> None:
    found = follow(failing_after(2, error))
    assert (ids_of(found), found.total, found.cut, found.late) == (["x", "xx"], 9, cut, late)
    with pytest.raises(type(error)):
        follow(failing_after(0, error))


def test_of_an_id_that_comes_again_with_something_else_the_first_is_kept_and_it_is_counted() -> None:
    first, other = RunBody("a", score=0.5), RunBody("a", score=0.9)
    apart = [CursorPage((first, RunBody("b")), has_more=True), CursorPage((other, RunBody("c")), has_more=False)]
    together = [CursorPage((first, RunBody("b"), other, other, RunBody("c")), has_more=False)]
    for pages in (apart, together):
        left = iter(pages)
        found = follow(lambda cursor, left=left: next(left))  # type: ignore[misc]
        assert found.entries == (first, RunBody("b"), RunBody("c"))
        assert (found.twice, found.cut) == (1, "")


def test_an_entry_that_comes_again_as_it_was_is_not_counted() -> None:
    assert follow(lambda cursor: page(["a", "b", "a"], has_more=False)).twice == 0
