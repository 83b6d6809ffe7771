"""Creating a benchmark: everything is copied, and a create that is refused leaves nothing behind."""

from collections.abc import Callable
from typing import Any

import pytest

from dashboard.store.digest import digest_items
from dashboard.store.models import Benchmark, BenchmarkItem, Judge, Trace
from dashboard.store.pin import can_ask, pin_messages
from tests.factories import make_benchmark, make_dataset, make_judge, make_trace, make_workspace

pytestmark = pytest.mark.django_db
URL = "/api/loop/benchmarks"


def make_draft(count: int = 10, **changes: Any) -> dict[str, Any]:
    """The body of a create over `count` new conversations; a change to ... leaves the key out."""
    traces = [make_trace(f"Question {n}") for n in range(count)]
    body = {
        "name": "Support answers",
        "judge_id": make_judge().pk,
        "source": {"kind": "traces", "trace_ids": [trace.pk for trace in traces]},
        "per_run_ceiling_cents": 500,
    } | changes
    return {key: value for key, value in body.items() if value is not ...}


@pytest.fixture
def refused(send: Any) -> Callable[..., Any]:
    """refused(body, status, code, field) -> the error, after making sure that nothing was made."""

    def check(body: Any, status: int, code: str, field: str | None) -> Any:
        before = Benchmark.objects.count()
        answer = send("post", URL, body)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error.get("field")) == (status, code, field)
        assert Benchmark.objects.count() == before
        assert BenchmarkItem.objects.count() == 0
        return error

    return check


def test_it_works(send: Any, get: Any) -> None:
    draft = make_draft(12, name="  Support answers ", judge_model="judge-small", max_tokens=300)
    Judge.objects.update(system_prompt="Be strict.")
    answer = send("post", URL, draft)
    assert answer.status_code == 201
    made = answer.json()["benchmark"]
    assert made == get(f"{URL}/{made['id']}").json()["benchmark"]
    assert (made["name"], made["status"], made["created_by"]) == ("Support answers", "active", "test")
    assert (made["judge_name"], made["judge_model"]) == ("Helpfulness", "judge-small")
    assert (made["judge_system_prompt"], made["judge_dimensions"][0]["key"]) == ("Be strict.", "helpful")
    assert made["decoding"] == {"temperature": 0.0, "max_tokens": 300, "stream": False}
    assert (made["item_count"], made["per_run_ceiling_cents"]) == (12, 500)
    rows = list(BenchmarkItem.objects.order_by("ordinal").values())
    assert [row["source_trace_id"] for row in rows] == draft["source"]["trace_ids"]
    assert rows[3]["prompt"] == [{"role": "user", "content": "Question 3"}]
    assert made["items_digest"] == digest_items(rows)


def test_what_happens_to_the_sources_afterwards_changes_nothing(send: Any, get: Any) -> None:
    made = send("post", URL, make_draft()).json()["benchmark"]
    items = get(f"{URL}/{made['id']}/items").json()["items"]
    Trace.objects.update(messages=[])
    Judge.objects.update(name="Other", model="other", instructions="Other.", dimensions=[])
    assert get(f"{URL}/{made['id']}").json()["benchmark"] == made
    assert get(f"{URL}/{made['id']}/items").json()["items"] == items


def test_the_judge_s_own_model_judges_when_none_is_named(send: Any, refused: Any) -> None:
    assert send("post", URL, make_draft(judge_model=None)).json()["benchmark"]["judge_model"] == "judge-large"
    BenchmarkItem.objects.all().delete()
    draft = make_draft(name="Other", judge_id=make_judge("Bare", model="").pk)
    refused(draft, 422, "JUDGE_MODEL_MISSING", "judge_model")


def test_a_training_set_is_pinned_in_its_order_and_by_its_split(send: Any, refused: Any) -> None:
    traces = [make_trace(f"Question {n}") for n in range(24)]
    dataset = make_dataset(traces=traces[::-1])
    dataset.items.filter(ordinal__lt=12).update(split="holdout")
    source = {"kind": "dataset", "dataset_id": dataset.pk}
    refused(make_draft(0, source=source | {"split": "nothing"}), 422, "BENCHMARK_SIZE", "source.split")
    refused(make_draft(0, source=source | {"dataset_id": "ds_0"}), 422, "DATASET_NOT_FOUND", "source.dataset_id")
    made = send("post", URL, make_draft(0, source=source | {"split": "holdout"})).json()["benchmark"]
    pinned = BenchmarkItem.objects.filter(benchmark_id=made["id"]).order_by("ordinal")
    assert [item.source_trace_id for item in pinned] == [trace.pk for trace in traces[:11:-1]]
    assert send("post", URL, make_draft(0, name="Whole", source=source)).json()["benchmark"]["item_count"] == 24


@pytest.mark.parametrize("count", [0, 9, 201])
def test_fewer_than_10_or_more_than_200_are_refused(refused: Any, count: int) -> None:
    error = refused(make_draft(count), 422, "BENCHMARK_SIZE", "source.trace_ids")
    assert str(count) in error["message"]


def test_200_are_pinned(send: Any) -> None:
    assert send("post", URL, make_draft(200)).json()["benchmark"]["item_count"] == 200


def test_every_conversation_in_the_way_is_named_and_none_is_pinned(refused: Any) -> None:
    good = [make_trace(f"Question {n}").pk for n in range(10)]
    silent = make_trace(messages=[{"role": "system", "content": "Hello"}, {"role": "user", "content": " "}]).pk
    foreign = make_trace(workspace=make_workspace()).pk
    ids = [*good, silent, foreign, "tr_none", good[3]]
    error = refused(
        make_draft(0, source={"kind": "traces", "trace_ids": ids}), 422, "BENCHMARK_ROW_UNUSABLE", "source.trace_ids"
    )
    assert {detail["trace_id"]: detail["message"].partition(": ")[2] for detail in error["details"]} == {
        good[3]: "it is named 2 times.",
        silent: "it has no user turn with content.",
        foreign: "there is no such conversation in this workspace.",
        "tr_none": "there is no such conversation in this workspace.",
    }
    assert "and 1 more" in error["message"]


def test_a_name_is_taken_while_active_and_free_once_retired(send: Any, refused: Any) -> None:
    holder = make_benchmark(items=0)
    make_benchmark("Elsewhere", items=0, workspace=make_workspace())
    refused(make_draft(name=" Support answers"), 409, "BENCHMARK_NAME_TAKEN", "name")
    send("post", f"{URL}/{holder.pk}/retire", {})
    assert send("post", URL, make_draft()).json()["benchmark"]["id"] != holder.pk
    assert send("post", URL, make_draft(name="Elsewhere")).status_code == 201


def test_a_judge_of_another_workspace_is_not_found(refused: Any) -> None:
    foreign = make_judge(workspace=make_workspace()).pk
    refused(make_draft(judge_id=foreign), 422, "JUDGE_NOT_FOUND", "judge_id")


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        *[("per_run_ceiling_cents", value, "INVALID_FIELD") for value in (0, -1, True, 5.0, "500", 10**30, [])],
        *[("max_tokens", value, "INVALID_FIELD") for value in (0, False, 1.5, "300", 10**9)],
        *[("name", value, "INVALID_FIELD") for value in ("", " ", "​", "a\nb", "a\0b", "\ud800", "x" * 201, 5, None)],
        *[("judge_id", value, "INVALID_FIELD") for value in ("", "a\0", "\udfff", 5, "x" * 600)],
        *[("judge_model", value, "INVALID_FIELD") for value in ("", 5)],
        *[(name, ..., "MISSING_FIELD") for name in ("name", "judge_id", "source", "per_run_ceiling_cents")],
        ("colour", "red", "UNKNOWN_FIELD"),
        ("source", [], "INVALID_FIELD"),
    ],
)
def test_a_field_that_cannot_be_taken_is_named(refused: Any, field: str, value: Any, code: str) -> None:
    error = refused(make_draft(0, **{field: value}), 400, code, field)
    assert error["details"][0] == {"field": field, "code": code, "message": error["message"]}


@pytest.mark.parametrize(
    ("source", "code", "field"),
    [
        ({}, "MISSING_FIELD", "source.kind"),
        ({"kind": "all"}, "INVALID_FIELD", "source.kind"),
        ({"kind": "traces"}, "INVALID_FIELD", "source.trace_ids"),
        ({"kind": "traces", "trace_ids": "tr_1"}, "INVALID_FIELD", "source.trace_ids"),
        ({"kind": "traces", "trace_ids": ["tr_1", 5]}, "INVALID_FIELD", "source.trace_ids[1]"),
        ({"kind": "traces", "trace_ids": ["tr_1"], "dataset_id": "ds_1"}, "INVALID_FIELD", "source.dataset_id"),
        ({"kind": "traces", "trace_ids": ["tr_1"], "split": "train"}, "INVALID_FIELD", "source.split"),
        ({"kind": "dataset"}, "INVALID_FIELD", "source.dataset_id"),
        ({"kind": "dataset", "dataset_id": "ds_1", "trace_ids": []}, "INVALID_FIELD", "source.trace_ids"),
        ({"kind": "dataset", "dataset_id": "ds_1", "rows": 5}, "UNKNOWN_FIELD", "source.rows"),
    ],
)
def test_a_source_that_cannot_be_read_is_named(refused: Any, source: Any, code: str, field: str) -> None:
    refused(make_draft(0, source=source), 400, code, field)


def test_every_fault_of_a_body_comes_back_at_once(refused: Any) -> None:
    error = refused({"name": "", "judge_id": "jdg_1", "x": 1}, 400, "UNKNOWN_FIELD", "x")
    assert [detail["field"] for detail in error["details"]] == ["x", "name", "source", "per_run_ceiling_cents"]


def test_of_very_many_faults_a_hundred_are_told_and_the_rest_are_counted(refused: Any) -> None:
    source = {"kind": "traces", "trace_ids": [5] * 130}
    error = refused({"source": source}, 400, "MISSING_FIELD", "name")
    assert len(error["details"]) == 100
    assert error["message"] == "name is required. And 33 more faults than are told."


def test_every_fault_of_a_list_has_its_place(refused: Any) -> None:
    source = {"kind": "traces", "trace_ids": ["tr_1", 5, "", "tr_2"]}
    error = refused(make_draft(0, source=source), 400, "INVALID_FIELD", "source.trace_ids[1]")
    assert [detail["field"] for detail in error["details"]] == ["source.trace_ids[1]", "source.trace_ids[2]"]


@pytest.mark.parametrize("messages", [None, [], "hello", [5], [{"role": "user"}], [{"role": "user", "content": None}]])
def test_what_asks_nothing_cannot_be_pinned(messages: Any) -> None:
    assert not can_ask(messages)


@pytest.mark.parametrize(
    ("content", "asks"),
    [
        ("Hello", True),
        ([{"type": "text", "text": "Hello"}], True),
        (["Hello"], True),
        ([{"type": "image_url", "image_url": {"url": "data:,"}}], True),
        ([{"type": "text", "text": "  "}], False),
        ([{"type": "text"}], False),
        ([{}, 5, None, " "], False),
        ({"text": "Hello"}, False),
    ],
)
def test_content_in_parts_counts_when_a_part_says_something(content: Any, asks: bool) -> None:
    assert can_ask([{"role": "user", "content": content}]) is asks


def test_only_the_answer_at_the_end_is_left_out_of_the_pin() -> None:
    ask = {"role": "user", "content": "Weather?"}
    call = {"role": "assistant", "tool_calls": [{"function": {"name": "weather", "arguments": "{}"}}]}
    result, answer = {"role": "tool", "content": "sun"}, {"role": "assistant", "content": "Sunny."}
    assert pin_messages([ask, call, result, answer]) == [ask, call, result]
    assert pin_messages([ask, answer, ask]) == [ask, answer, ask]
