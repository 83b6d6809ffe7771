"""The last good value: when it is shown, when it is not, and who waits for a service that is away."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import override_settings

from dashboard.sources import reader as lastgood
from dashboard.sources.connect import get_connection
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
from dashboard.sources.loop.client import Identity
from dashboard.sources.loop.wire import History, HistoryPoint, Unreadable
from dashboard.sources.reader import Reading, read, recall
from dashboard.sources.runloop.wire import RunloopRun, RunloopRuns
from tests.sources.conftest import KEY
from tests.sources.faulty_server import FaultyServer, Request, reply_json, serve

AWAY = "https://api.example.test"


@pytest.fixture(autouse=True)
def _remote() -> Iterator[None]:
    """A remote source that nothing is sent to: `read` is given the calls."""
    with override_settings(RUNBIOS_BASE_URL=AWAY, RUNBIOS_API_KEY=KEY):
        lastgood._pauses.clear()
        yield
        lastgood._pauses.clear()


def failing(error: SourceError) -> Callable[[], Any]:
    def call() -> Any:
        raise error

    return call


def test_it_works() -> None:
    before = datetime.now(UTC)
    reading = read("k", lambda: 5, int)
    assert (reading.value, reading.failure) == (5, None)
    assert before <= reading.read_at <= datetime.now(UTC)


@pytest.mark.parametrize("kind", [Unreachable, TimedOut, ServerFault, RateLimited, UnreadableAnswer, TooLarge])
def test_without_an_answer_the_last_good_value_is_shown_with_its_age(kind: type[SourceError]) -> None:
    good = read("k", lambda: 5, int)
    failure = kind("no")
    assert read("k", failing(failure), int) == Reading(5, good.read_at, failure)


def test_what_is_remembered_can_be_had_without_asking_by_who_says_why() -> None:
    late = TimedOut("too long")
    assert recall("k", int, late) is None
    good = read("k", lambda: 5, int)
    assert recall("k", int, late) == Reading(5, good.read_at, late)
    assert recall("k", int, late, source="runloop") is None


@pytest.mark.parametrize("kind", [NotFound, Unauthorized, Refused])
def test_a_refusal_is_an_answer_and_nothing_old_is_shown(kind: type[SourceError]) -> None:
    read("k", lambda: 5, int)
    with pytest.raises(kind):
        read("k", failing(kind("no")), int)


def test_without_anything_good_the_failure_is_raised() -> None:
    with pytest.raises(ServerFault):
        read("k", failing(ServerFault("no")), int)


def test_a_history_comes_back_as_it_was() -> None:
    point = HistoryPoint("r1", created_at=datetime(2026, 3, 1, tzinfo=UTC), candidate_score=Unreadable("1e999"))
    history = History("bm", (point, HistoryPoint("r2", candidate_score=0.5, created_at=Unreadable("x"))), 2)
    read("k", lambda: history, History)
    old = read("k", failing(ServerFault("no")), History)
    assert old.value == history
    assert old.value.points[0].created_at.tzinfo is UTC  # type: ignore[union-attr]


@pytest.mark.parametrize("changed", [{"RUNBIOS_API_KEY": "other"}, {"RUNBIOS_WORKSPACE_ID": "other"}])
def test_nobody_sees_what_another_key_or_workspace_read(changed: dict[str, str]) -> None:
    read("k", lambda: 5, int)
    with override_settings(**changed), pytest.raises(ServerFault):
        read("k", failing(ServerFault("no")), int)


def test_the_key_is_in_no_name_and_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[object] = []
    monkeypatch.setattr(cache, "set", lambda *given: kept.extend(given))
    read(f"k{KEY}", lambda: 5, int)
    assert len(kept) == 2
    assert KEY not in repr(kept)


def test_what_an_older_version_kept_is_not_read_as_something_else() -> None:
    read("k", lambda: "text", str)
    with pytest.raises(ServerFault):
        read("k", failing(ServerFault("no")), int)


def test_a_cache_that_fails_costs_no_page(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(cache, "set", full)
    monkeypatch.setattr(cache, "get", full)
    assert read("k", lambda: 5, int).value == 5
    assert "could not be kept" in caplog.text
    with pytest.raises(ServerFault):
        read("k", failing(ServerFault("no")), int)


@pytest.mark.parametrize("value", [10**30, -(10**30), {"role": [10**30]}])
def test_a_number_that_cannot_be_kept_is_shown_and_what_was_kept_stays(
    value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    good = read("k", lambda: 5, Any)
    assert read("k", lambda: value, Any).value == value
    assert "cannot be kept" in caplog.text
    assert read("k", failing(ServerFault("no")), Any).read_at == good.read_at


def test_each_source_has_a_memory_and_pauses_of_its_own() -> None:
    same = {"RUNLOOP_BASE_URL": AWAY, "RUNLOOP_API_KEY": KEY}
    with override_settings(**same):
        read("k", lambda: 5, int)
        read("k", lambda: 6, int, source="runloop")
        with pytest.raises(Unreachable):
            read("new", failing(Unreachable("away")), int, source="runloop")
        assert read("k", lambda: 7, int, source="runloop").value == 6
        assert read("k", failing(ServerFault("no")), int).value == 5
        assert read("other", lambda: 8, int).failure is None


def test_runloop_is_remembered_where_the_loop_source_is_our_own() -> None:
    remote = {"RUNLOOP_BASE_URL": AWAY, "RUNLOOP_API_KEY": KEY}
    with override_settings(RUNBIOS_BASE_URL="", **remote):
        read("k", lambda: 6, int, source="runloop")
        assert read("k", failing(ServerFault("no")), int, source="runloop").value == 6
        with pytest.raises(ServerFault):
            read("k", failing(ServerFault("no")), int)


def test_runs_come_back_as_they_were() -> None:
    run = RunloopRun("r1", score=Unreadable("NaN"), started_at=datetime(2026, 3, 1, tzinfo=UTC), metadata={"a": "b"})
    runs = RunloopRuns(
        "bmd", (run, RunloopRun("r2", started_at=Unreadable("5"), duration_ms=5)), 2, cut="cut", notes=("n",)
    )
    with override_settings(RUNLOOP_BASE_URL=AWAY, RUNLOOP_API_KEY=KEY):
        read("k", lambda: runs, RunloopRuns, source="runloop")
        assert read("k", failing(ServerFault("no")), RunloopRuns, source="runloop").value == runs


def test_a_list_that_was_cut_is_shown_and_does_not_take_the_place_of_a_whole_one() -> None:
    whole = RunloopRuns("bmd", (RunloopRun("r2"), RunloopRun("r1")))
    cut, shorter = RunloopRuns("bmd", (RunloopRun("r3"),), cut="a"), RunloopRuns("bmd", (), cut="b")

    def remembered() -> RunloopRuns:
        return read("k", failing(ServerFault("no")), RunloopRuns).value  # type: ignore[no-any-return]

    assert read("k", lambda: cut, RunloopRuns).value == cut
    assert read("k", lambda: shorter, RunloopRuns).value == shorter
    assert remembered() == shorter, "where nothing whole is known, the newest is"
    read("k", lambda: whole, RunloopRuns)
    assert read("k", lambda: cut, RunloopRuns).value == cut
    assert remembered() == whole


def test_a_list_that_was_cut_for_want_of_time_is_not_waited_for_again_at_once() -> None:
    late = RunloopRuns("bmd", (RunloopRun("r1"),), cut="late", late=True)
    calls: list[int] = []

    def call() -> RunloopRuns:
        calls.append(1)
        return late

    assert read("k", call, RunloopRuns).failure is None
    again = read("k", call, RunloopRuns)
    assert (again.value, len(calls)) == (late, 1)
    assert isinstance(again.failure, TimedOut)
    assert again.failure.retry_at is not None
    read("other", call, RunloopRuns)
    assert len(calls) == 2, "only this list is late"


def test_what_may_not_be_kept_is_shown_and_not_remembered() -> None:
    assert read("k", lambda: [5, 6], list[int], keep=lambda given: given[:1]).value == [5, 6]
    assert read("k", failing(ServerFault("no")), list[int]).value == [5]


def test_our_own_service_is_asked_directly() -> None:
    with override_settings(RUNBIOS_BASE_URL=""):
        assert read("k", lambda: 5, int).value == 5
        with pytest.raises(ServerFault):
            read("k", failing(ServerFault("no")), int)


def test_a_service_that_is_away_is_not_waited_for_again() -> None:
    calls: list[int] = []
    good = read("known", lambda: 5, int)
    with pytest.raises(Unreachable) as first:
        read("new", failing(Unreachable("away")), int)
    assert first.value.retry_at is not None
    reading = read("known", lambda: calls.append(1), int)
    assert (reading.value, reading.read_at) == (5, good.read_at)
    assert isinstance(reading.failure, Unreachable)
    with pytest.raises(Unreachable):
        read("other", lambda: calls.append(1), int)
    assert calls == []


def test_a_read_that_timed_out_pauses_itself_alone() -> None:
    with pytest.raises(TimedOut):
        read("slow", failing(TimedOut("late")), int)
    with pytest.raises(TimedOut):
        read("slow", lambda: 5, int)
    assert read("quick", lambda: 6, int).value == 6


@pytest.mark.parametrize("kind", [ServerFault, UnreadableAnswer, TooLarge, NotFound])
def test_a_failure_that_comes_at_once_pauses_nothing(kind: type[SourceError]) -> None:
    with pytest.raises(kind):
        read("k", failing(kind("no")), int)
    assert read("k", lambda: 5, int).value == 5


def test_silence_is_kept_as_long_as_the_service_asks_but_not_for_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    retry_at = datetime.now(UTC) + timedelta(days=1)
    with pytest.raises(RateLimited):
        read("k", failing(RateLimited("busy", retry_at=retry_at)), int)
    with pytest.raises(RateLimited) as caught:
        read("k", lambda: 5, int)
    assert caught.value.retry_at == retry_at
    later = time.monotonic() + lastgood.LONGEST_PAUSE_S + 1
    monkeypatch.setattr(lastgood.time, "monotonic", lambda: later)
    assert read("k", lambda: 5, int).value == 5


def test_when_the_pause_is_over_one_caller_tries_and_the_others_are_told() -> None:
    with pytest.raises(Unreachable):
        read("k", failing(Unreachable("away")), int)
    for pause in lastgood._pauses.values():
        pause.until = 0
    told: list[SourceError] = []

    def probe() -> int:
        with pytest.raises(Unreachable) as caught:
            read("k", lambda: 7, int)
        told.append(caught.value)
        return 5

    assert read("k", probe, int).value == 5
    assert len(told) == 1
    assert read("k", lambda: 6, int).value == 6


def test_pauses_of_reads_that_nobody_asks_for_again_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        with pytest.raises(TimedOut):
            read(f"run {number}", failing(TimedOut("late")), int)
    assert len(lastgood._pauses) == 3
    later = time.monotonic() + lastgood.PAUSE_S + lastgood.LONGEST_PAUSE_S + 1
    monkeypatch.setattr(lastgood.time, "monotonic", lambda: later)
    read("another", lambda: 5, int)
    assert lastgood._pauses == {}


@pytest.fixture
def service() -> Iterator[FaultyServer]:
    with serve(lambda request: reply_json({"workspace": {"name": "W"}})) as server:
        yield server


def test_many_page_loads_do_not_each_wait_for_a_service_that_drips(service: FaultyServer) -> None:
    """Twenty loads on four threads; it recovers without a restart."""
    with override_settings(RUNBIOS_BASE_URL=service.url, RUNBIOS_TIMEOUT_S=2):
        loop = get_connection().loop

        def load(_: int) -> Reading[Identity]:
            return read("who", loop.introspect, Identity)

        load(0)

        def drip(request: Request) -> Iterator[bytes]:
            yield b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"
            while not service.stopping.wait(0.05):
                yield b" "

        service.answer = drip
        began = time.monotonic()
        with ThreadPoolExecutor(4) as pool:
            readings = list(pool.map(load, range(20)))
        assert time.monotonic() - began < 8, "five rounds of waiting would take ten seconds"
        assert {reading.value.workspace.name for reading in readings} == {"W"}
        assert all(isinstance(reading.failure, TimedOut) for reading in readings)

        service.answer = lambda request: reply_json({"workspace": {"name": "Back"}})
        for pause in lastgood._pauses.values():
            pause.until = 0
        assert load(0).value.workspace.name == "Back"
        loop._transport.close()
