"""A reading: what is known, what there is none of, what nobody could look at; and when what is remembered is shown."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import override_settings

from dashboard.sources import reader
from dashboard.sources.http.errors import (
    NotFound,
    RateLimited,
    Refused,
    ServerFault,
    SourceError,
    TimedOut,
    TooLarge,
    Unauthorized,
    Unreachable,
    UnreadableAnswer,
)
from dashboard.sources.loop.wire import History, HistoryPoint, Unreadable
from dashboard.sources.reader import Absent, Known, Late, Reading, Unread, describe_old, reading
from dashboard.sources.reader.page import one_deadline
from dashboard.sources.runloop.wire import RunloopRun, RunloopRuns
from tests.reads import wait_for_reads
from tests.sources.reader.conftest import asking, failing

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("away")]


def read(*given: Any, **fields: Any) -> Reading[Any]:
    return reader.each({0: asking(*given, **fields)})[0]


def test_it_works() -> None:
    before = datetime.now(UTC)
    found = read(lambda: 5)
    assert isinstance(found, Known)
    assert (found.value, found.failure) == (5, None)
    assert before <= found.read_at <= datetime.now(UTC)


@pytest.mark.parametrize("kind", [Unreachable, TimedOut, ServerFault, RateLimited, UnreadableAnswer, TooLarge])
def test_without_an_answer_the_last_good_value_is_shown_with_its_age(kind: type[SourceError]) -> None:
    good = read(lambda: 5).need()
    failure = kind("no")
    old = read(failing(failure)).need()
    assert (old.value, old.failure) == (5, failure)
    assert abs(old.read_at - good.read_at) < timedelta(seconds=1)


def test_what_the_service_has_not_is_told_from_what_was_not_read() -> None:
    missing, failure = NotFound("none"), ServerFault("no")
    assert read(failing(missing)) == Absent(missing)
    assert read(failing(failure)) == Unread(failure)


@pytest.mark.parametrize("kind", [Absent, Unread])
def test_a_reading_without_a_value_gives_none(kind: Any) -> None:
    found = kind(NotFound("none"))
    with pytest.raises(NotFound):
        found.need()
    assert not hasattr(found, "value")


@pytest.mark.parametrize("kind", [Unauthorized, Refused])
def test_a_refusal_is_an_answer_and_nothing_old_is_shown(kind: type[SourceError]) -> None:
    read(lambda: 5)
    assert isinstance(read(failing(kind("no"))), Unread)


def test_a_history_comes_back_as_it_was() -> None:
    point = HistoryPoint("r1", created_at=datetime(2026, 3, 1, tzinfo=UTC), candidate_score=Unreadable("1e999"))
    history = History("bm", (point, HistoryPoint("r2", candidate_score=0.5, created_at=Unreadable("x"))), 2)
    read(lambda: history, History)
    old = read(failing(ServerFault("no")), History).need().value
    assert old == history
    assert old.points[0].created_at.tzinfo is UTC


def test_runs_come_back_as_they_were() -> None:
    run = RunloopRun("r1", score=Unreadable("NaN"), started_at=datetime(2026, 3, 1, tzinfo=UTC), metadata={"a": "b"})
    odd = RunloopRun("r2", started_at=Unreadable("5"), duration_ms=5)
    runs = RunloopRuns("bmd", (run, odd), 2, cut="cut", notes=("n",))
    read(lambda: runs, RunloopRuns, source="runloop")
    assert read(failing(ServerFault("no")), RunloopRuns, source="runloop").need().value == runs


def test_our_own_service_is_asked_directly_and_in_this_thread() -> None:
    with override_settings(RUNBIOS_BASE_URL="", RUNBIOS_API_KEY=""):
        assert read(threading.get_ident).need().value == threading.get_ident()
        assert isinstance(read(failing(ServerFault("no"))), Unread)
        assert isinstance(read(failing(NotFound("no"))), Absent)


def test_of_our_own_service_the_first_is_read_however_late_it_is() -> None:
    with override_settings(RUNBIOS_BASE_URL="", RUNBIOS_API_KEY=""):
        found = reader.each({n: asking(lambda: 5) for n in range(3)}, within_s=-1)
    assert [type(one) for one in found.values()] == [Known, Unread, Unread]
    assert isinstance(found[1].failure, Late)


def test_several_are_read_at_the_same_time_and_come_in_the_order_asked() -> None:
    meeting = threading.Barrier(3, timeout=30)

    def meet(number: int) -> int:
        meeting.wait()
        return number

    one, two, three = (asking(lambda n=n: meet(n), name=str(n)) for n in range(3))
    found = reader.together(one, two, three)
    assert [known.need().value for known in found] == [0, 1, 2]


def test_what_is_remembered_is_shown_soon_while_the_read_goes_on_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SHOWS_OLD_S", 0.05)
    released = threading.Event()
    read(lambda: 5)

    def slow() -> int:
        released.wait(30)
        return 6

    old = read(slow).need()
    assert (old.value, type(old.failure)) == (5, Late)
    released.set()
    again = read(lambda: 7)
    assert again.need().value == 6, "who comes while it is under way shares the answer"


def test_what_is_not_remembered_is_waited_for_until_the_deadline() -> None:
    released = threading.Event()
    with override_settings(RUNBIOS_TIMEOUT_S=0.1):
        from dashboard.sources.reader import page

        began = time.monotonic()
        late = read(lambda: released.wait(30))
        assert isinstance(late, Unread)
        assert isinstance(late.failure, Late)
        assert 0.1 <= time.monotonic() - began < page.GRACE_S + 10
    released.set()


def test_one_page_has_one_deadline_for_all_that_it_reads(monkeypatch: pytest.MonkeyPatch, rf: Any) -> None:
    monkeypatch.setattr("dashboard.sources.reader.page.GRACE_S", 0.2)
    released = threading.Event()

    def page(request: Any) -> Any:
        return [read(lambda: released.wait(30), name=str(n)) for n in range(8)]

    with override_settings(RUNBIOS_TIMEOUT_S=0.3):
        began = time.monotonic()
        found: Any = one_deadline(page)(rf.get("/"))
        took = time.monotonic() - began
    released.set()
    assert all(isinstance(one, Unread) for one in found)
    assert took < 2, "eight reads of half a second each would take four"


def test_what_is_read_after_a_write_has_a_time_of_its_own(monkeypatch: pytest.MonkeyPatch, rf: Any) -> None:
    monkeypatch.setattr("dashboard.sources.reader.page.GRACE_S", 0.0)
    released = threading.Event()

    def page(request: Any) -> Any:
        late = read(lambda: released.wait(30), name="before")
        reader.changed(asking(lambda: 5, name="written"))
        return late, read(lambda: 5, name="after")

    with override_settings(RUNBIOS_TIMEOUT_S=0.3):
        late, after = one_deadline(page)(rf.get("/"))
    released.set()
    assert isinstance(late, Unread)
    assert after.need().value == 5


def test_who_needs_what_the_service_says_now_is_shown_nothing_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SHOWS_OLD_S", 0.0)
    read(lambda: 5)
    failure = ServerFault("no")
    assert reader.each({0: asking(failing(failure))}, fresh=True)[0] == Unread(failure)
    slow = asking(lambda: time.sleep(0.1) or 6)
    assert reader.each({0: slow}, fresh=True)[0].need().value == 6


def test_once_one_gave_something_the_other_is_not_waited_for_beyond_that() -> None:
    released = threading.Event()
    asks = {"good": asking(lambda: 5, name="a"), "slow": asking(lambda: released.wait(30), name="b")}
    found = reader.each(asks, beside_s=0.1)
    released.set()
    assert found["good"].need().value == 5
    assert isinstance(found["slow"].failure, Late)


def test_while_none_gave_anything_the_other_is_waited_for() -> None:
    def slow() -> int:
        time.sleep(0.2)
        return 6

    asks = {"bad": asking(failing(ServerFault("no")), name="a"), "slow": asking(slow, name="b")}
    assert reader.each(asks, beside_s=0.0)["slow"].need().value == 6


def test_what_stands_for_a_while_is_not_asked_for_again() -> None:
    calls: list[int] = []
    for _ in range(3):
        assert read(lambda: calls.append(1) or len(calls), fresh_s=60).need().value == 1
    for _ in range(3):
        assert isinstance(read(lambda: calls.append(1) or failing(NotFound("no"))(), name="b", fresh_s=60), Absent)
    assert len(calls) == 2


def test_a_fault_of_our_own_is_raised_to_who_waits_and_blocks_nobody() -> None:
    def broken() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        read(broken)
    assert read(lambda: 5).need().value == 5


def test_a_fault_that_nobody_waits_for_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    released = threading.Event()

    def broken() -> int:
        released.wait(30)
        raise ZeroDivisionError

    reader.each({0: asking(broken)}, within_s=0.0)
    released.set()
    wait_for_reads()
    assert "nobody waited for broke" in caplog.text


def test_after_a_write_the_next_page_is_shown_nothing_older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SHOWS_OLD_S", 0.0)
    released = threading.Event()

    def before() -> int:
        released.wait(30)
        return 5

    read(lambda: 4)
    assert read(before).need().value == 4
    reader.changed(asking(before))
    assert read(lambda: 6).need().value == 6
    released.set()
    wait_for_reads()
    assert read(failing(ServerFault("no"))).need().value == 6, "what was under way at the write is not remembered"


def test_one_sentence_says_what_is_old() -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    today = Known(5, now)
    failure = ServerFault("GET /x failed.", retry_at=now + timedelta(seconds=30))
    old = Known(4, now - timedelta(hours=2), failure)
    assert describe_old(today, Absent(NotFound("no")), None, now=now) == ""
    assert describe_old(today, old, now=now) == (
        "GET /x failed. This was read 2 hours ago. Another try makes sense after 12:00:30 UTC."
    )
    assert describe_old(old, now=now + timedelta(minutes=1)).endswith("2 hours ago.")
