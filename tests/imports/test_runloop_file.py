"""Reading a saved answer of Runloop: the three forms of a file, and what makes a row unreadable."""

import json
from typing import Any

import pytest

from dashboard.imports.runloop.file import RunUnreadable, has_environment, read_file, read_run, read_scenario_run

RUN = {
    "id": "bmr_1",
    "state": "completed",
    "score": 0.8,
    "start_time_ms": 1_741_000_000_000,
    "metadata": {"model": "a"},
}
OTHER = RUN | {"id": "bmr_2"}


def ids(raw: bytes) -> list[tuple[str, str]]:
    return [(place, read_run(value, keep_environment=False).id) for place, value in read_file(raw).rows]


def as_json(value: Any, **how: Any) -> bytes:
    return json.dumps(value, **how).encode()


def test_an_answer_a_list_and_a_run_a_line_are_read() -> None:
    expected = [("run 1", "bmr_1"), ("run 2", "bmr_2")]
    assert ids(as_json({"runs": [RUN, OTHER], "has_more": False})) == expected
    assert ids(as_json({"has_more": False, "runs": [RUN, OTHER]}, indent=2)) == expected
    assert ids(as_json([RUN, OTHER])) == expected
    assert ids(as_json(RUN) + b"\n\n" + as_json(OTHER)) == [("line 1", "bmr_1"), ("line 3", "bmr_2")]
    assert ids(as_json(RUN)) == [("the file", "bmr_1")]


def test_answers_one_after_another_are_read_a_line_each() -> None:
    raw = b"\xef\xbb\xbf" + as_json({"runs": [RUN], "has_more": True}) + b"\r\n" + as_json({"runs": [OTHER]}) + b"\n"
    assert ids(raw) == [("line 1, run 1", "bmr_1"), ("line 2, run 1", "bmr_2")]


@pytest.mark.parametrize(("last", "cut"), [({"has_more": True}, True), ({"has_more": False}, False), ({}, False)])
def test_an_answer_that_more_runs_follow_says_so(last: dict[str, Any], cut: bool) -> None:
    assert read_file(as_json({"runs": [RUN], **last})).cut is cut


def test_keys_and_states_of_a_newer_api_are_no_reason() -> None:
    run = read_run(RUN | {"state": "timeout", "colour": {"any": [1]}}, keep_environment=False)
    assert (run.state, run.score, run.metadata) == ("timeout", 0.8, {"model": "a"})


def test_a_run_need_not_say_more_than_its_state_and_its_start() -> None:
    run = read_run({"id": "x", "state": "running", "start_time_ms": 0, "metadata": None}, keep_environment=False)
    assert (run.score, run.name, run.benchmark_id, run.metadata) == (None, None, None, None)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"id": ""}, "id"),
        ({"id": 7}, "id"),
        ({"id": "x" * 201}, "id"),
        ({"state": None}, "state"),
        ({"start_time_ms": "1741000000000"}, "start_time_ms"),
        ({"start_time_ms": 1.5}, "start_time_ms"),
        ({"start_time_ms": True}, "start_time_ms"),
        ({"start_time_ms": 10**18}, "start_time_ms"),
        ({"start_time_ms": -1}, "start_time_ms"),
        ({"score": "0.8"}, "score"),
        ({"score": True}, "score"),
        ({"score": 10**400}, "score"),
        ({"duration_ms": -5}, "duration_ms"),
        ({"metadata": {"step": 100}}, "metadata"),
        ({"metadata": ["a"]}, "metadata"),
        ({"name": "a\0b"}, "NUL"),
        ({"name": "\ud800"}, "surrogate"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_value_that_is_none_of_its_kind_is_named(change: dict[str, Any], why: str) -> None:
    with pytest.raises(RunUnreadable, match=why):
        read_run(RUN | change, keep_environment=False)


@pytest.mark.parametrize("missing", ["id", "state", "start_time_ms"])
def test_a_key_that_is_missing_is_named(missing: str) -> None:
    with pytest.raises(RunUnreadable, match=missing):
        read_run({key: value for key, value in RUN.items() if key != missing}, keep_environment=False)


@pytest.mark.parametrize("value", [None, 5, "run", [], True])
def test_what_is_no_object_is_no_run(value: Any) -> None:
    with pytest.raises(RunUnreadable, match="no object"):
        read_run(value, keep_environment=False)


@pytest.mark.parametrize(
    ("score", "why"),
    [
        ("NaN", "NaN is no number"),
        ("-Infinity", "Infinity is no number"),
        ("1e999", "out of range"),
        ("9" * 5000, "out of range"),
        ("[" * 60 + "]" * 60, "deeper"),
        ('{"a": 1, "a": 2}', "given twice"),
    ],
    ids=["nan", "infinity", "1e999", "5000 digits", "deep", "a key twice"],
)
def test_a_part_that_is_no_json_spoils_its_own_run_and_no_other(score: str, why: str) -> None:
    good = json.dumps(OTHER)
    bad = json.dumps(RUN).replace("0.8", score)
    (_, spoiled), (_, whole) = read_file(f'{{"runs": [{bad}, {good}]}}'.encode()).rows
    assert read_run(whole, keep_environment=False).id == "bmr_2"
    with pytest.raises(RunUnreadable, match=why):
        read_run(spoiled, keep_environment=False)


@pytest.mark.parametrize("bad", [b"{", b'{"id": "\xff"}', b"[" * 100_000], ids=["cut", "not UTF-8", "deep"])
def test_a_line_that_is_no_json_spoils_no_other_line(bad: bytes) -> None:
    (_, first), (_, second) = read_file(bad + b"\n" + as_json(RUN)).rows
    assert read_run(second, keep_environment=False).id == "bmr_1"
    with pytest.raises(RunUnreadable, match="it "):
        read_run(first, keep_environment=False)


@pytest.mark.parametrize(
    ("raw", "why"),
    [(b"", "not JSON"), (b"<html>", "not JSON"), (b'{\n"runs": [', "not JSON"), (b"\xff\xfe{", "not UTF-8")],
    ids=["nothing", "a page", "cut", "another encoding"],
)
def test_a_file_without_a_row_is_refused_once(raw: bytes, why: str) -> None:
    with pytest.raises(RunUnreadable, match=why):
        read_file(raw)


def test_an_environment_is_left_out_unless_asked_for_and_never_shown() -> None:
    value = RUN | {"environment_variables": {"TOKEN": "hunter2"}, "secrets_provided": {"DB": "DATABASE_PASSWORD"}}
    left = read_run(value, keep_environment=False)
    assert (left.environment_variables, left.secrets_provided, has_environment(value)) == (None, None, True)
    kept = read_run(value, keep_environment=True)
    assert (kept.environment_variables, kept.secrets_provided) == ({"TOKEN": "hunter2"}, {"DB": "DATABASE_PASSWORD"})
    assert "hunter2" not in repr(kept)
    assert not has_environment(RUN | {"environment_variables": {}})


def test_an_odd_environment_is_a_reason_only_where_it_is_kept_and_its_values_are_not_said() -> None:
    value = RUN | {"environment_variables": {"TOKEN": ["hunter2"]}}
    assert read_run(value, keep_environment=False).id == "bmr_1"
    with pytest.raises(RunUnreadable, match="environment_variables") as caught:
        read_run(value, keep_environment=True)
    assert "hunter2" not in str(caught.value)


def test_a_scenario_run_is_read_with_its_functions() -> None:
    function = {"scoring_function_name": "tests", "score": 0.5, "state": "complete", "output": "1 of 2", "more": 1}
    row = read_scenario_run(
        {
            "id": "scr_1",
            "scenario_id": "scn_1",
            "state": "completed",
            "scoring_contract_result": {"score": 0.5, "scoring_function_results": [function]},
            "environment_variables": 5,
        }
    )
    assert row.scoring_contract_result
    assert row.scoring_contract_result.scoring_function_results[0].output == "1 of 2"
    with pytest.raises(RunUnreadable, match=r"scoring_contract_result\.score"):
        read_scenario_run({"id": "a", "scenario_id": "b", "state": "c", "scoring_contract_result": {"score": "1"}})
