"""The Loop client's writes: sent once, refused by field, and unknown when no answer says how they went."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from dashboard.sources.connect import get_loop
from dashboard.sources.http.errors import (
    FieldFault,
    NotFound,
    OutcomeUnknown,
    RateLimited,
    Refused,
    Unauthorized,
    Unreachable,
    UnreadableAnswer,
)
from dashboard.sources.loop.client import Loop
from dashboard.sources.loop.wire import Benchmark, Dataset, Judge, Rule, Trace
from dashboard.store.models import Benchmark as StoredBenchmark
from tests.factories import make_benchmark, make_dataset, make_judge, make_rule, make_trace
from tests.sources.faulty_server import CUT, reply, reply_json, serve

ConnectLoop = Callable[..., Loop]
MADE = {"benchmark": {"id": "bm", "name": "B", "status": "active"}}


WITHOUT_ID: list[dict[str, Any]] = [
    {},
    {"id": None},
    {"id": ""},
    {"id": {"a": 1}},
    {"id": True},
    {"id": "x" * 3_000},
    {"id": ".."},
]


def create(loop: Loop, **changes: Any) -> Benchmark:
    values: dict[str, Any] = {"name": "B", "judge_id": "j", "per_run_ceiling_cents": 5, "trace_ids": ["t"]}
    return loop.create_benchmark(**(values | changes))


def test_each_write_is_what_the_contract_says(connect_loop: ConnectLoop) -> None:
    answers = {
        "/api/loop/benchmarks": MADE,
        "/api/loop/benchmarks/b%2F1/retire": {"benchmark": {"id": "b/1", "name": "B", "status": "retired"}},
        "/api/loop/training-rules/ru/benchmark": {"rule": {"id": "ru", "name": "R"}, "consent_required": False},
        "/api/loop/judges": {"judge": {"id": "j", "name": "J"}},
    }
    with serve(lambda request: reply_json(answers[request.path])) as server:
        loop = connect_loop(server.url)
        assert create(loop) == Benchmark("bm", "B", "active")
        create(loop, trace_ids=None, dataset_id="d", split="train", judge_model="m", max_tokens=7)
        assert loop.retire_benchmark("b/1").status == "retired"
        loop.retire_benchmark("b/1", "Old.")
        assert loop.set_rule_benchmark("ru", None) == Rule("ru", "R")
        assert loop.create_judge(name="J", instructions="I", dimensions={"a": "A"}) == Judge("j", "J")
    sent = [(request.method, request.body and json.loads(request.body)) for request in server.requests]
    base = {"name": "B", "judge_id": "j", "per_run_ceiling_cents": 5}
    of_a_split = {"kind": "dataset", "dataset_id": "d", "split": "train"}
    assert sent == [
        ("POST", base | {"source": {"kind": "traces", "trace_ids": ["t"]}}),
        ("POST", base | {"source": of_a_split, "judge_model": "m", "max_tokens": 7}),
        ("POST", {}),
        ("POST", {"reason": "Old."}),
        ("PUT", {"benchmark_id": None}),
        ("POST", {"name": "J", "instructions": "I", "dimensions": [{"key": "a", "description": "A"}]}),
    ]  # fmt: skip
    assert server.requests[0].headers["content-type"] == "application/json"


def test_a_refusal_carries_its_fields(connect_loop: ConnectLoop) -> None:
    fault = {"field": "name", "code": "BENCHMARK_NAME_TAKEN", "message": "Taken."}
    body = {
        "error": fault | {"details": [fault, fault | {"trace_id": "t"}, 5, {"field": "x"}, {"field": 1}]},
        "request_id": "r-1",
    }
    with serve(lambda request: reply_json(body, 409)) as server, pytest.raises(Refused) as caught:
        create(connect_loop(server.url))
    error = caught.value
    assert (error.status, error.code, error.field, error.message) == (409, "BENCHMARK_NAME_TAKEN", "name", "Taken.")
    known = FieldFault("name", "BENCHMARK_NAME_TAKEN", "Taken.")
    assert error.details == (known, FieldFault("name", "BENCHMARK_NAME_TAKEN", "Taken.", "t"))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "kind"), [(404, NotFound), (403, Unauthorized), (422, Refused), (400, Refused), (429, RateLimited)]
)
def test_a_no_is_a_no_whatever_its_shape(connect_loop: ConnectLoop, status: int, kind: type[Exception]) -> None:
    with serve(lambda request: reply_json({"error": "No."}, status)) as server:
        with pytest.raises(kind) as caught:
            create(connect_loop(server.url))
        assert not isinstance(caught.value, OutcomeUnknown)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        [CUT],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{", CUT],
        reply(200, "<p>Sign in</p>"),
        reply_json({"other": 1}),
        reply(502, "<p>Bad gateway</p>"),
        reply_json({"error": {"code": "INTERNAL", "message": "x"}}, 500),
        reply(303, Location="/elsewhere"),
    ],
)
def test_a_write_without_a_readable_answer_is_unknown_and_is_not_sent_again(
    connect_loop: ConnectLoop, answer: list[bytes]
) -> None:
    with serve(lambda request: answer) as server, pytest.raises(OutcomeUnknown) as caught:
        create(connect_loop(server.url))
    assert caught.value.__cause__ is not None
    assert "no answer says" in caught.value.message
    assert len(server.requests) == 1


@pytest.mark.parametrize("made", WITHOUT_ID)
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("benchmark", create),
        ("benchmark", lambda loop: loop.retire_benchmark("bm")),
        ("rule", lambda loop: loop.set_rule_benchmark("ru", "bm")),
        ("judge", lambda loop: loop.create_judge(name="J", instructions="I", dimensions={"a": "A"})),
    ],
)
def test_a_write_whose_answer_has_no_usable_id_is_unknown(
    connect_loop: ConnectLoop, name: str, write: Callable[[Loop], Any], made: dict[str, Any]
) -> None:
    with serve(lambda request: reply_json({name: made | {"name": "B"}})) as server, pytest.raises(OutcomeUnknown):
        write(connect_loop(server.url))
    assert len(server.requests) == 1


@pytest.mark.parametrize("found", WITHOUT_ID)
def test_what_is_read_without_a_usable_id_is_unreadable(connect_loop: ConnectLoop, found: dict[str, Any]) -> None:
    with serve(lambda request: reply_json({"rule": found, "benchmark": found})) as server:
        loop = connect_loop(server.url)
        for read in (loop.get_rule, loop.get_benchmark):
            with pytest.raises(UnreadableAnswer, match="no usable id"):
                read("one")


def test_a_write_that_is_not_answered_in_time_is_unknown(connect_loop: ConnectLoop) -> None:
    def wait(request: Any) -> list[bytes]:
        server.stopping.wait(60)
        return reply_json(MADE)

    with serve(wait) as server, pytest.raises(OutcomeUnknown):
        create(connect_loop(server.url, deadline_s=1))


def test_a_write_that_never_left_is_known_not_to_be_done(connect_loop: ConnectLoop) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Unreachable):
        create(connect_loop(f"http://127.0.0.1:{port}"))


def test_lists_without_a_total_are_read_whole(connect_loop: ConnectLoop) -> None:
    def answer(request: Any) -> list[bytes]:
        if request.path.endswith("judges"):
            return reply_json({"judges": [{"id": "j", "name": "J"}, {"id": 5, "name": None}]})
        offset = request.number("offset")
        return reply_json({"datasets": [{"id": f"d{n}", "name": "D"} for n in range(offset, min(offset + 50, 120))]})

    with serve(answer) as server:
        loop = connect_loop(server.url)
        assert [judge.id for judge in loop.list_judges()] == ["j", "5"]
        assert loop.list_datasets() == [Dataset(f"d{n}", "D") for n in range(120)]


@pytest.mark.django_db
def test_our_own_service_is_written_to_in_a_person_s_name() -> None:
    loop = get_loop(actor="ana")
    traces = [make_trace(f"Question {n}").pk for n in range(12)]
    judge, rule = make_judge(), make_rule()
    made = create(loop, judge_id=judge.pk, trace_ids=traces)
    assert (made.created_by, made.item_count) == ("ana", 12)
    assert loop.set_rule_benchmark(rule.pk, made.id).benchmark_id == made.id
    retired = loop.retire_benchmark(made.id, "Old.")
    assert (retired.retired_by, retired.retired_reason) == ("ana", "Old.")
    assert get_loop().retire_benchmark(made.id) == retired
    assert loop.get_rule(rule.pk).rule.benchmark_id is None
    assert StoredBenchmark.objects.get().created_by == "ana"


@pytest.mark.django_db
def test_our_own_service_says_which_field_it_refuses() -> None:
    loop, judge = get_loop(), make_judge()
    make_benchmark("B")
    traces = [make_trace(f"Question {n}").pk for n in range(10)]
    with pytest.raises(Refused) as caught:
        create(loop, judge_id=judge.pk, trace_ids=traces)
    assert (caught.value.code, caught.value.field) == ("BENCHMARK_NAME_TAKEN", "name")
    with pytest.raises(Refused) as caught:
        create(loop, name="C", judge_id=judge.pk, trace_ids=[*traces, "tr_none"])
    assert caught.value.details[0].trace_id == "tr_none"
    with pytest.raises(Refused) as caught:
        create(loop, name="half \ud800")
    assert caught.value.field == "name"
    with pytest.raises(NotFound) as missing:
        loop.set_rule_benchmark(make_rule().pk, "bm_none")
    assert missing.value.field == "benchmark_id"


@pytest.mark.django_db
def test_what_a_benchmark_is_made_from_is_read() -> None:
    loop = get_loop()
    trace = make_trace("Where is it?")
    make_trace("Hello", source="other", model="acme/other")
    dataset = make_dataset(traces=[trace])
    judge = loop.create_judge(name="J", instructions="I", dimensions={"a": "A"}, model="m")
    assert loop.list_judges() == [judge]
    assert [(one.id, one.item_count) for one in loop.list_datasets()] == [(dataset.pk, 1)]
    found = loop.get_trace(trace.pk)
    assert isinstance(found, Trace)
    assert found.messages == trace.messages
    page = {"limit": 10, "offset": 0}
    assert loop.list_traces(search="WHERE", **page) == ([found], 1)
    assert loop.list_traces(source="support", model="acme/base-7b", **page)[1] == 1
    assert loop.list_traces(limit=1, offset=1)[1] == 2
