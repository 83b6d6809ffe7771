"""Who waits for a source that is away, and who is told at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connections

from dashboard.sources import reader
from dashboard.sources.http.errors import (
    NotFound,
    RateLimited,
    ServerFault,
    SourceError,
    TimedOut,
    TooLarge,
    Unreachable,
    UnreadableAnswer,
)
from dashboard.sources.reader import Known, Reading, Unread, pauses
from dashboard.sources.runloop.wire import RunloopRun, RunloopRuns
from tests.reads import end_pauses, wait_for_reads
from tests.sources.faulty_server import FaultyServer, Request, reply_json
from tests.sources.reader.conftest import asking, failing

pytestmark = [pytest.mark.django_db]


def read(*given: Any, **fields: Any) -> Reading[Any]:
    return reader.each({0: asking(*given, **fields)})[0]


def failure_of(found: Reading[Any]) -> SourceError | None:
    return found.failure


@pytest.mark.usefixtures("away")
class TestPauses:
    def test_a_service_that_is_away_is_not_waited_for_again(self) -> None:
        calls: list[int] = []
        read(lambda: 5, name="known")
        first = failure_of(read(failing(Unreachable("away")), name="new"))
        assert first is not None
        assert first.retry_at is not None
        known = read(lambda: calls.append(1), name="known").need()
        assert known.value == 5
        assert isinstance(known.failure, Unreachable)
        assert isinstance(read(lambda: calls.append(1), name="other"), Unread)
        assert calls == []

    def test_each_source_has_pauses_of_its_own(self) -> None:
        read(failing(Unreachable("away")), source="runloop")
        assert isinstance(read(lambda: 5, source="runloop"), Unread)
        assert read(lambda: 5).need().value == 5

    def test_a_read_that_timed_out_pauses_itself_alone(self) -> None:
        read(failing(TimedOut("late")), name="slow")
        assert isinstance(read(lambda: 5, name="slow"), Unread)
        assert read(lambda: 6, name="quick").need().value == 6

    @pytest.mark.parametrize("kind", [ServerFault, UnreadableAnswer, TooLarge, NotFound])
    def test_a_failure_that_comes_at_once_pauses_nothing(self, kind: type[SourceError]) -> None:
        assert not isinstance(read(failing(kind("no"))), Known)
        assert read(lambda: 5).need().value == 5

    def test_silence_is_kept_as_long_as_the_service_asks_but_not_for_hours(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        retry_at = datetime.now(UTC) + timedelta(days=1)
        read(failing(RateLimited("busy", retry_at=retry_at)))
        told = failure_of(read(lambda: 5))
        assert told is not None
        assert told.retry_at == retry_at
        pause = next(iter(pauses._pauses.values()))
        assert pause.until <= time.monotonic() + pauses.LONGEST_PAUSE_S
        end_pauses()
        assert read(lambda: 5).need().value == 5

    def test_when_the_pause_is_over_one_caller_tries_and_the_others_are_told(self) -> None:
        read(failing(Unreachable("away")))
        end_pauses()
        told: list[Reading[Any]] = []

        def probe() -> int:
            told.append(read(lambda: 7, name="other"))
            return 5

        with pytest.MonkeyPatch.context() as patch:
            # The probe runs in the pool; what reads beside it has no database of its own here.
            patch.setattr(reader.memory, "look", lambda places: {})
            assert read(probe).need().value == 5
        assert isinstance(told[0], Unread)
        assert isinstance(told[0].failure, Unreachable)
        assert read(lambda: 6).need().value == 6

    def test_pauses_of_reads_that_nobody_asks_for_again_are_forgotten(self) -> None:
        for number in range(3):
            read(failing(TimedOut("late")), name=f"run {number}")
        assert len(pauses._pauses) == 3
        for pause in pauses._pauses.values():
            pause.until -= pauses.PAUSE_S + pauses.LONGEST_PAUSE_S + 1
        read(lambda: 5, name="another")
        assert pauses._pauses == {}

    def test_a_list_that_was_cut_for_want_of_time_is_not_waited_for_again_at_once(self) -> None:
        late = RunloopRuns("bmd", (RunloopRun("r1"),), cut="late", late=True)
        calls: list[int] = []

        def call() -> RunloopRuns:
            calls.append(1)
            return late

        assert read(call, RunloopRuns).failure is None
        again = read(call, RunloopRuns).need()
        assert (again.value, len(calls)) == (late, 1)
        assert isinstance(again.failure, TimedOut)
        assert again.failure.retry_at is not None
        read(call, RunloopRuns, name="other")
        assert len(calls) == 2, "only this list is late"


@pytest.mark.django_db(transaction=True)
def test_many_page_loads_do_not_each_wait_for_a_service_that_drips(
    connect_loop_to: Callable[..., FaultyServer],
) -> None:
    """Twenty loads on four threads; it recovers without a restart."""
    good = {"rule": {"id": "x", "name": "W"}}
    service = connect_loop_to(lambda request: reply_json(good), timeout_s=2)

    def load(_: int) -> Known[Any]:
        try:
            return reader.rule("x").need()
        finally:
            connections.close_all()

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
    assert {reading.value.rule.name for reading in readings} == {"W"}
    assert all(isinstance(reading.failure, TimedOut) for reading in readings)
    wait_for_reads()

    service.answer = lambda request: reply_json({"rule": {"id": "x", "name": "Back"}})
    end_pauses()
    assert load(0).value.rule.name == "Back"


@pytest.mark.usefixtures("away")
def test_a_call_that_nobody_waits_for_and_that_found_no_worker_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.sources.reader.flights.BEHIND_S", -1.0)
    released = threading.Event()
    calls: list[int] = []
    blockers = {number: asking(lambda: released.wait(30), None, name=str(number)) for number in range(12)}
    reader.each(blockers, within_s=0.0)
    reader.each({0: asking(lambda: calls.append(1), None, name="late")}, within_s=0.0)
    released.set()
    wait_for_reads()
    assert calls == []
