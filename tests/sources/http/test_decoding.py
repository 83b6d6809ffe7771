"""What becomes of a body: records at full speed, or all that can be kept of it, or one short named error."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.sources.http.decoding import Page, decode_one, decode_page
from dashboard.sources.http.errors import UnreadableAnswer
from dashboard.sources.http.transport import Answer
from dashboard.sources.loop.wire import Benchmark, BenchmarkItem, HistoryPoint, ModelRef, Replay, Rule, Unreadable

GOOD = {
    "benchmark_run_id": "r1",
    "candidate_score": 0.62,
    "incumbent_score": 0.6,
    "score_delta": 0.02,
    "status": "done",
}


def decode(points: str, total: str = "1") -> Page[HistoryPoint]:
    body = f'{{"benchmark_id": "b", "points": {points}, "total": {total}}}'
    return decode_page(Answer("GET /history", body.encode()), "points", HistoryPoint)


def decode_score(text: str) -> Any:
    """The candidate score of a point whose score is that JSON text; the point beside it stays good."""
    page = decode(f'[{{"benchmark_run_id": "r2", "candidate_score": {text}}}, {json.dumps(GOOD)}]', "2")
    assert page.entries[1] == HistoryPoint(**GOOD)  # type: ignore[arg-type]
    return page.entries[0].candidate_score


def decode_time(text: str) -> Any:
    return decode(f'[{{"benchmark_run_id": "r1", "created_at": {text}}}]').entries[0].created_at


def test_it_works() -> None:
    page = decode(json.dumps([GOOD | {"run_seq": 7, "incumbent_ref": {"name": "support", "new": 1}, "new_key": {}}]))
    expected = HistoryPoint("r1", run_seq=7, candidate_score=0.62, incumbent_score=0.6, score_delta=0.02, status="done",
                            incumbent_ref=ModelRef(name="support"))  # fmt: skip
    assert page == Page((expected,), 1)


@pytest.mark.parametrize(("text", "score"), [("0", 0.0), ("-0.0", 0.0), ("1", 1.0), ("null", None), ("1e-3", 0.001)])
def test_numbers_and_null_are_read(text: str, score: float | None) -> None:
    assert decode_score(text) == score


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("1e999", "1e999"),
        ("-1e999", "-1e999"),
        ("true", "true"),
        ('"0.71"', '"0.71"'),
        ('"n/a"', '"n/a"'),
        ('{"value": 0.6}', '{"value": 0.6}'),
        ('{"value": 1e999}', '{"value": "1e999"}'),
        ("[0.5]", "[0.5]"),
        ("9" * 5000, "9" * 80),
        (json.dumps("long " * 100), '"' + ("long " * 16)[:79]),
        (json.dumps({"raw": "y" * 100}), '{"raw": "' + "y" * 71),
    ],
)
def test_a_score_that_is_no_number_costs_only_itself(text: str, raw: str) -> None:
    assert decode_score(text) == Unreadable(raw)


@pytest.mark.parametrize("text", ["1e999", "true", '"0.71"'])
def test_every_score_of_every_record_is_guarded(text: str) -> None:
    dimensions = f'[5, {{"dimension": "d", "delta": {text}}}]'
    body = f'{{"run": {{"id": "x", "benchmark_id": "b", "score_delta": {text}, "per_dimension": {dimensions}}}}}'
    replay = decode_one(Answer("GET /x", body.encode()), "run", Replay)
    assert isinstance(replay.score_delta, Unreadable)
    assert isinstance(replay.per_dimension[0].delta, Unreadable)
    assert replay.per_dimension[0].dimension == "d"


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-03-01T08:00:00Z", 8),
        ("2026-03-01T08:00:00", 8),
        ("2026-03-01T10:00:00+02:00", 8),
        ("2026-03-01T08:00:00.000000000Z", 8),
        ("2026-03-01T03:30:00-04:30", 8),
    ],
)
def test_every_form_of_a_time_is_an_instant_in_utc(text: str, hour: int) -> None:
    moment = decode_time(json.dumps(text))
    assert moment == datetime(2026, 3, 1, hour, tzinfo=UTC)
    assert moment.tzinfo is UTC


@pytest.mark.parametrize(
    "text", ['"yesterday"', "1740816000", "true", '"2026-02-30T00:00:00Z"', '"0001-01-01T00:00:00+14:00"']
)
def test_a_time_that_is_none_costs_only_itself(text: str) -> None:
    assert isinstance(decode_time(text), Unreadable)


def test_odd_optional_values_do_not_cost_the_point() -> None:
    odd = {
        "run_seq": "abc",
        "checkpoint_id": 1000,
        "rule_name": {"x": 1},
        "status": None,
        "incumbent_ref": {"name": 5, "kind": []},
    }
    [point] = decode(json.dumps([GOOD | odd])).entries
    assert point.candidate_score == 0.62
    assert (point.run_seq, point.checkpoint_id, point.rule_name, point.status) == (None, "1000", None, "")
    assert point.incumbent_ref == ModelRef(name="5")


@pytest.mark.parametrize("entry", [{"status": "done"}, {"benchmark_run_id": None}, {"benchmark_run_id": []}])
def test_an_entry_without_an_id_is_kept(entry: dict[str, Any]) -> None:
    assert [point.benchmark_run_id for point in decode(json.dumps([entry])).entries] == [""]


def test_an_entry_that_is_no_object_is_kept_as_unreadable() -> None:
    [point, _] = decode(json.dumps(["what?", GOOD])).entries
    assert point == HistoryPoint("", candidate_score=Unreadable('"what?"'), incumbent_score=Unreadable('"what?"'),
                                 score_delta=Unreadable('"what?"'))  # fmt: skip


def test_half_a_surrogate_pair_does_not_reach_a_page() -> None:
    [point] = decode(
        r'[{"benchmark_run_id": "r1", "checkpoint_id": "a\ud800b \ud83d\ude00", "\udc00": ["\udc00"]}]'
    ).entries
    assert point.checkpoint_id == "a�b 😀"


def test_a_conversation_keeps_its_shape_when_a_number_in_it_is_odd() -> None:
    prompt = [{"role": "user", "content": None, "weight": 5}, "text"]
    body = json.dumps({"items": [{"id": 1, "prompt": prompt, "tools": "X"}], "total": 1}).replace('"X"', "[1e999]")
    page = decode_page(Answer("GET /items", body.encode()), "items", BenchmarkItem)
    assert page.entries == (BenchmarkItem(1, prompt=prompt, tools=["1e999"]),)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"5",
        b"{}",
        b"<html><title>Sign in</title></html>",
        b'{"points": [{"benchmark_run_id": "r1"',
        b'{"points": {}, "total": 1}',
        b'{"points": [], "total": -1}',
        b'{"points": [], "total": true}',
        b'{"points": [], "total": "1"}',
        b'{"points": []}',
        b'{"points": [{"benchmark_run_id": "r", "candidate_score": NaN}], "total": 1}',
        b'{"points": [{"benchmark_run_id": "r", "candidate_score": -Infinity}], "total": 1}',
        b'{"points": [], "total": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"points": ' + b"[" * 100_000,
        b'{"points": [{"\\ud800": ' + b"[" * 600 + b"]" * 600 + b', "benchmark_run_id": 5}], "total": "x"}',
        b"\xff\xfe\xfa",
        b'{"points": [{"benchmark_run_id": "\xff"}], "total": 1}',
    ],
)
def test_what_is_not_the_agreed_answer_is_one_short_error(body: bytes) -> None:
    for read in (
        lambda: decode_page(Answer("GET /history", body), "points", HistoryPoint),
        lambda: decode_one(Answer("GET /history", body), "benchmark", Benchmark),
    ):
        with pytest.raises(UnreadableAnswer) as caught:
            read()
        assert caught.value.message.startswith("GET /history was answered ")
        assert len(caught.value.message) < 120


def test_a_record_that_lacks_its_required_parts_is_kept() -> None:
    rule = decode_one(Answer("GET /x", b'{"rule": {"id": "rule-1", "name": 5, "enabled": "yes"}}'), "rule", Rule)
    assert rule == Rule("rule-1", "5", enabled=True)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.dictionaries(st.sampled_from(HistoryPoint.__struct_fields__), json_values), max_size=4))
def test_no_entry_is_ever_lost_whatever_its_values(entries: list[dict[str, Any]]) -> None:
    page = decode(json.dumps(entries), "9")
    assert len(page.entries) == len(entries)
    for point, entry in zip(page.entries, entries, strict=True):
        given = entry.get("candidate_score")
        if isinstance(given, int | float) and not isinstance(given, bool):
            assert point.candidate_score == float(given)
        else:
            assert given is None if point.candidate_score is None else isinstance(point.candidate_score, Unreadable)


def test_a_long_history_is_decoded_in_no_time() -> None:
    """A generous bound, to notice when the fast path is no longer taken."""
    body = json.dumps({"points": [GOOD | {"created_at": "2026-03-01T08:00:00Z"}] * 200, "total": 10_000}).encode()
    decode_page(Answer("GET /x", body), "points", HistoryPoint)
    began = time.process_time()
    for _ in range(50):
        decode_page(Answer("GET /x", body), "points", HistoryPoint)
    assert time.process_time() - began < 0.15
