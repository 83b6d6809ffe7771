"""The memory: whose it is, what a refusal empties, what it costs when it fails, and how large it grows."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection, transaction
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from dashboard.sources import reader
from dashboard.sources.http.errors import NotFound, Refused, ServerFault, SourceError, Unauthorized
from dashboard.sources.models import Remembered
from dashboard.sources.reader import Absent, Ask, Known, Reading, Unread, memory
from dashboard.sources.runloop.wire import RunloopRun, RunloopRuns
from tests.reads import end_pauses, list_remembered, wait_for_reads
from tests.sources.conftest import KEY
from tests.sources.faulty_server import CUT, FaultyServer, Request, reply, reply_json
from tests.sources.reader.conftest import asking, failing

pytestmark = [pytest.mark.django_db]


def read(*given: Any, **fields: Any) -> Reading[Any]:
    return reader.each({0: asking(*given, **fields)})[0]


def broken(**fields: Any) -> Reading[Any]:
    """The same read when the service fails: what is remembered, if anything."""
    return read(failing(ServerFault("no")), **fields)


@pytest.mark.usefixtures("away")
class TestWhoseItIs:
    @pytest.mark.parametrize(
        "changed",
        [{"RUNBIOS_API_KEY": "other"}, {"RUNBIOS_WORKSPACE_ID": "other"}, {"RUNBIOS_BASE_URL": "https://x.test"}],
    )
    def test_what_another_key_workspace_or_address_said_leaves_it(self, changed: dict[str, str]) -> None:
        read(lambda: 5)
        read(lambda: 6, source="runloop")
        with override_settings(**changed):
            assert isinstance(broken(), Unread)
        assert [one.source for one in Remembered.objects.all()] == ["runloop"]

    def test_a_source_of_our_own_has_none(self) -> None:
        read(lambda: 5)
        with override_settings(RUNBIOS_BASE_URL="", RUNBIOS_API_KEY=""):
            read(lambda: 6)
        assert not Remembered.objects.exists()

    def test_each_source_has_one_of_its_own(self) -> None:
        read(lambda: 5)
        read(lambda: 6, source="runloop")
        assert broken().need().value == 5
        assert broken(source="runloop").need().value == 6

    def test_no_key_and_no_id_stand_in_it(self) -> None:
        read(lambda: 5, name=f"of {KEY}", about=KEY)
        assert KEY not in repr(list(Remembered.objects.values()))

    def test_what_another_version_stored_is_not_read_as_something_else(self) -> None:
        read(lambda: "text", str)
        assert isinstance(broken(), Unread)
        assert not Remembered.objects.exists(), "what cannot be read is forgotten, or nothing new could take its place"


@pytest.mark.usefixtures("away")
class TestWhatIsWritten:
    def test_the_same_answer_again_is_not_written_again(self) -> None:
        with CaptureQueriesContext(connection) as first:
            read(lambda: 5)
        with CaptureQueriesContext(connection) as second:
            read(lambda: 5)
        writes = [[one["sql"] for one in asked if one["sql"][:6] in ("INSERT", "UPDATE")] for asked in (first, second)]
        assert [len(asked) for asked in writes] == [1, 0]

    def test_the_same_answer_a_minute_later_is_noted_as_seen(self) -> None:
        read(lambda: 5)
        Remembered.objects.update(read_at=(before := Remembered.objects.get().read_at - timedelta(seconds=61)))
        read(lambda: 5)
        assert Remembered.objects.get().read_at > before + timedelta(seconds=60)

    def test_another_answer_takes_its_place(self) -> None:
        read(lambda: 5)
        read(lambda: 6)
        assert broken().need().value == 6
        assert Remembered.objects.count() == 1

    def test_a_list_that_was_cut_does_not_take_the_place_of_a_whole_one(self) -> None:
        whole = RunloopRuns("bmd", (RunloopRun("r2"), RunloopRun("r1")))
        cut, shorter = RunloopRuns("bmd", (RunloopRun("r3"),), cut="a"), RunloopRuns("bmd", (), cut="b")
        for answer, remembered in ((cut, cut), (shorter, shorter), (whole, whole), (cut, whole)):
            assert read(lambda answer=answer: answer, RunloopRuns).need().value == answer
            assert broken(type_=RunloopRuns).need().value == remembered

    def test_what_may_not_be_kept_is_shown_and_not_stored(self) -> None:
        assert read(lambda: [5, 6], list[int], keep=lambda given: given[:1]).need().value == [5, 6]
        assert broken(type_=list[int]).need().value == [5]
        assert read(lambda: 7, None, name="never").need().value == 7
        assert Remembered.objects.count() == 1

    @pytest.mark.parametrize("value", [10**30, -(10**30), {"role": [10**30]}])
    def test_what_cannot_be_stored_is_shown_and_said(self, value: Any, caplog: pytest.LogCaptureFixture) -> None:
        read(lambda: 5, Any)
        assert read(lambda: value, Any).need().value == value
        assert "cannot be kept" in caplog.text
        assert broken(type_=Any).need().value == 5

    def test_what_is_too_large_is_shown_and_said(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(memory, "MOST_BYTES_OF_ONE", 10)
        assert read(lambda: "x" * 11, str).need().value == "x" * 11
        assert "too large to be kept" in caplog.text
        assert not Remembered.objects.exists()

    @pytest.mark.parametrize(("bound", "most"), [("MOST_ROWS", 3), ("MOST_BYTES", 3 * 21)])
    def test_the_oldest_go_where_there_are_too_many(
        self, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
    ) -> None:
        monkeypatch.setattr(memory, bound, most)
        for number in range(5):
            read(lambda: "x" * 20, str, name=str(number))
        assert Remembered.objects.count() == 3
        kept = [isinstance(broken(name=str(number), type_=str), Known) for number in range(5)]
        assert kept == [False, False, True, True, True]

    def test_the_command_empties_it_and_says_how_much(self) -> None:
        read(lambda: "x" * 20, str)
        said = io.StringIO()
        call_command("forget", stdout=said)
        assert said.getvalue() == "Forgot 1 answer, 21 bytes.\n"
        assert not Remembered.objects.exists()


@pytest.mark.usefixtures("away")
class TestWhatItCostsWhenItFails:
    @pytest.fixture
    def lost(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Every statement on its table fails, as where the disk is full or the file damaged."""

        def refuse(execute: Any, sql: str, *rest: Any) -> Any:
            if "sources_remembered" in sql:
                raise OperationalError("database disk image is malformed")
            return execute(sql, *rest)

        with connection.execute_wrapper(refuse):
            yield

    @pytest.mark.usefixtures("lost")
    def test_it_costs_no_page(self, caplog: pytest.LogCaptureFixture) -> None:
        assert read(lambda: 5).need().value == 5
        assert isinstance(broken(), Unread)
        assert "could not be remembered" in caplog.text

    @pytest.mark.usefixtures("lost")
    def test_it_costs_no_transaction_of_the_page(self) -> None:
        with transaction.atomic():
            assert read(lambda: 5).need().value == 5
            assert connection.cursor().execute("SELECT 1") is not None

    def test_a_body_that_is_damaged_costs_itself(self) -> None:
        read(lambda: 5)
        Remembered.objects.update(body=b"\xc1")
        assert isinstance(broken(), Unread)
        read(lambda: 5)
        assert broken().need().value == 5

    def test_what_could_not_be_forgotten_is_not_shown_until_it_is(self) -> None:
        read(lambda: 5)
        read(lambda: 6, name="other")

        def read_only(execute: Any, sql: str, *rest: Any) -> Any:
            if sql.startswith("DELETE"):
                raise OperationalError("attempt to write a readonly database")
            return execute(sql, *rest)

        with connection.execute_wrapper(read_only):
            assert isinstance(read(failing(NotFound("no"))), Absent)
            assert isinstance(broken(), Unread)
            assert isinstance(broken(name="other"), Unread)
        assert isinstance(broken(), Unread)
        assert broken(name="other").need().value == 6


@pytest.mark.usefixtures("away")
class TestWhatARefusalEmpties:
    def test_an_invalid_key_empties_the_whole_workspace(self) -> None:
        read(lambda: 5)
        read(lambda: 6, source="runloop")
        assert isinstance(read(failing(Unauthorized("no", status=401)), name="other"), Unread)
        assert isinstance(broken(), Unread)
        assert broken(source="runloop").need().value == 6, "the other source said nothing of the kind"

    @pytest.mark.parametrize("refusal", [NotFound("no"), Unauthorized("no", status=403)])
    def test_a_refused_thing_takes_with_it_all_that_was_read_of_it(
        self, refusal: SourceError, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("dashboard.sources.reader.flights._is_locked_out", lambda source: False)
        read(lambda: 5, name="history", about="benchmark x")
        read(lambda: 6, name="other", about="benchmark y")
        read(failing(refusal), name="benchmark", about="benchmark x")
        assert isinstance(broken(name="history", about="benchmark x"), Unread)
        assert broken(name="other", about="benchmark y").need().value == 6

    def test_another_refusal_takes_its_own_answer_alone(self) -> None:
        read(lambda: 5, about="benchmark x")
        read(lambda: 6, name="other", about="benchmark x")
        read(failing(Refused("no", status=400)), about="benchmark x")
        assert isinstance(broken(about="benchmark x"), Unread)
        assert broken(name="other", about="benchmark x").need().value == 6

    def test_what_was_under_way_before_a_refusal_is_not_remembered_after_it(self) -> None:
        released = threading.Event()
        reader.each({0: asking(lambda: released.wait(30) and 5)}, within_s=0.0)
        read(failing(Unauthorized("no", status=401)), name="other")
        released.set()
        wait_for_reads()
        assert isinstance(broken(), Unread)


LOOP: dict[str, tuple[Callable[[], Ask[Any]], Any]] = {
    "benchmark": (lambda: reader.benchmark.ask("x"), {"benchmark": {"id": "x", "name": "n", "status": "active"}}),
    "benchmarks": (reader.benchmarks.ask, {"benchmarks": [], "total": 0}),
    "history": (lambda: reader.history.ask("x"), {"points": [], "total": 0}),
    "recent history": (lambda: reader.recent_history.ask("x"), {"points": [], "total": 0}),
    "items": (lambda: reader.items.ask("x", limit=5), {"items": [], "total": 0}),
    "replay": (lambda: reader.replay.ask("x"), {"benchmark_run": {"id": "x", "benchmark_id": "b"}}),
    "rules": (reader.rules.ask, {"rules": [], "total": 0}),
    "rule": (lambda: reader.rule.ask("x"), {"rule": {"id": "x", "name": "n"}}),
    "runs": (lambda: reader.runs.ask("x", limit=5), {"runs": [], "total": 0}),
    "judges": (reader.judges.ask, {"judges": []}),
    "traces": (lambda: reader.traces.ask(limit=5), {"traces": [], "total": 0}),
    "trace": (lambda: reader.trace.ask("x"), {"trace": {"id": "x"}}),
    "datasets": (reader.datasets.ask, {"datasets": []}),
}
RUNLOOP: dict[str, tuple[Callable[[], Ask[Any]], Any]] = {
    "benchmark": (lambda: reader.runloop_benchmark.ask("x"), {"id": "x", "name": "n"}),
    "benchmarks": (reader.runloop_benchmarks.ask, {"benchmarks": [], "has_more": False}),
    "runs": (lambda: reader.runs_of.ask("x"), {"runs": [], "has_more": False}),
    "recent runs": (lambda: reader.recent_runs_of.ask("x"), {"runs": [], "has_more": False}),
    "run": (lambda: reader.run.ask("x"), {"id": "x", "state": "running", "start_time_ms": 1_740_816_000_000}),
    "scenarios": (lambda: reader.scenarios.ask("x"), {"runs": [], "has_more": False}),
}
READS = {f"loop {name}": one for name, one in LOOP.items()} | {f"runloop {name}": one for name, one in RUNLOOP.items()}


def drop(request: Request) -> list[bytes]:
    return [b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", CUT]


@pytest.mark.parametrize("status", [401, 403, 404])
@pytest.mark.parametrize("name", READS)
def test_what_was_refused_never_comes_back(
    name: str,
    status: int,
    connect_loop_to: Callable[..., FaultyServer],
    connect_runloop_to: Callable[..., FaultyServer],
) -> None:
    """Read, refused, then broken, for every kind of read: the old answer is gone."""
    ask, body = READS[name]
    server = (connect_runloop_to if name.startswith("runloop") else connect_loop_to)(lambda request: reply_json(body))

    def now() -> Reading[Any]:
        end_pauses()
        return reader.each({0: ask()})[0]

    good = now()
    assert isinstance(good, Known)
    assert good.failure is None
    server.answer = lambda request: reply(500)
    old = now()
    assert isinstance(old, Known)
    assert old.value == good.value
    assert old.failure is not None
    server.answer = lambda request: reply_json({"message": "no"}, status)
    assert isinstance(now(), Absent if status == 404 else Unread)
    for answer in (lambda request: reply(500), drop):
        server.answer = answer
        assert isinstance(now(), Unread)
    assert list_remembered() == b""


def test_a_thing_that_is_forbidden_leaves_the_rest_where_the_key_is_still_good(
    connect_loop_to: Callable[..., FaultyServer],
) -> None:
    good = {"rule": {"id": "x", "name": "n"}, "scopes": ["loop:read"]}
    server = connect_loop_to(lambda request: reply_json(good))
    reader.rule("x")
    reader.rule("y")
    for introspection, left in ((200, True), (403, False)):

        def answer(request: Request, status: int = introspection) -> list[bytes]:
            return reply_json(good, status if request.path.endswith("/introspect") else 403)

        server.answer = answer
        assert isinstance(reader.rule("x"), Unread)
        server.answer = lambda request: reply(500)
        assert isinstance(reader.rule("y"), Known) == left


@pytest.mark.django_db(transaction=True)
def test_a_database_that_somebody_writes_to_is_not_waited_for(
    connect_loop_to: Callable[..., FaultyServer],
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite has one lock for all")
    connect_loop_to(lambda request: reply_json({"rule": {"id": "x", "name": "n"}}))
    locked, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            locked.set()
            done.wait(30)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert locked.wait(30)
    try:
        assert isinstance(reader.rule("x"), Known)
        assert not done.is_set()
        assert list_remembered() == b""
    finally:
        done.set()
        holder.join()
    assert connection.cursor().execute("PRAGMA busy_timeout").fetchone() == (20_000,)
    reader.rule("x")
    assert list_remembered() != b""


@pytest.mark.django_db(transaction=True)
def test_what_comes_after_its_page_is_there_for_the_next(connect_loop_to: Callable[..., FaultyServer]) -> None:
    released = threading.Event()
    good = reply_json({"rule": {"id": "x", "name": "n"}})
    server = connect_loop_to(lambda request: released.wait(30) and good)
    late = reader.each({0: reader.rule.ask("x")}, within_s=0.05)[0]
    assert isinstance(late, Unread)
    released.set()
    wait_for_reads()
    server.answer = lambda request: reply(500)
    assert isinstance(reader.rule("x"), Known)
