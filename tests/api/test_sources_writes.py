"""Judges, imports and deletions: what benchmarks are made from, brought in and taken out."""

from typing import Any

import pytest

from dashboard.store.models import BenchmarkItem, Judge, Trace, Workspace
from tests.factories import make_benchmark, make_dataset, make_trace, make_workspace

pytestmark = pytest.mark.django_db
DIMENSIONS = [{"key": "helpful", "description": "Does it help?"}, {"key": "true"}]


def test_a_judge_is_written(send: Any, get: Any) -> None:
    body = {"name": " Strict ", "instructions": "Line one.\nLine two.", "dimensions": DIMENSIONS, "model": "judge-1"}
    answer = send("post", "/api/loop/judges", body | {"system_prompt": "Be strict.", "enabled": True})
    judge = answer.json()["judge"]
    assert answer.status_code == 201
    assert judge["dimensions"][1] == {"key": "true", "description": ""}
    assert (judge["name"], judge["model"], judge["system_prompt"]) == ("Strict", "judge-1", "Be strict.")
    assert get("/api/loop/judges").json()["judges"] == [judge]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"instructions": "  "}, "instructions"),
        ({"instructions": "x" * 50_001}, "instructions"),
        ({"dimensions": []}, "dimensions"),
        ({"dimensions": [{"key": "a"}] * 21}, "dimensions"),
        ({"dimensions": [{"key": "a"}, {"key": "a"}]}, "dimensions[1].key"),
        ({"dimensions": [{"key": "a"}, {"key": " "}]}, "dimensions[1].key"),
        ({"dimensions": [{"key": "a", "weight": 2}]}, "dimensions[0].weight"),
        ({"dimensions": ["a"]}, "dimensions[0]"),
        ({"selection": {"model": "x"}}, "selection"),
        ({"auto": True}, "auto"),
        ({"enabled": 1}, "enabled"),
    ],
)
def test_a_judge_that_cannot_be_kept_or_run_is_refused(send: Any, change: dict[str, Any], field: str) -> None:
    answer = send("post", "/api/loop/judges", {"name": "A", "instructions": "B", "dimensions": DIMENSIONS} | change)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert not Judge.objects.exists()


def bring(send: Any, rows: list[Any], **more: Any) -> Any:
    answer = send("post", "/api/loop/import", {"source": "export", "rows": rows} | more)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def test_rows_become_conversations_in_their_order(send: Any, get: Any) -> None:
    rows = [{"prompt": f"Question {n}", "completion": "Answer", "team": "billing"} for n in range(3)]
    answer = bring(send, rows, model="acme/one", labels=["old"], attributes={"language": "es"})
    assert (answer["imported"], answer["needs_review"], answer["by_shape"]) == (3, 3, {"answered": 3})
    listed = get("/api/loop/traces").json()["traces"]
    assert [trace["id"] for trace in listed] == answer["trace_ids"]
    assert listed[1]["messages"][0] == {"role": "user", "content": "Question 1"}
    assert listed[1]["metadata"] == {"team": "billing", "labels": ["old"], "attributes": {"language": "es"}}
    assert (listed[1]["model"], listed[1]["deployment_id"]) == ("acme/one", "export")


def test_a_row_that_is_no_conversation_is_refused_by_its_number(send: Any) -> None:
    rows = ["prose", {"prompt": "Hello"}, {"prompt": "a\0b"}, {"text": "x"}, {"messages": [{"content": "x"}]}, None]
    answer = bring(send, rows)
    assert (answer["imported"], answer["refused"]) == (1, 5)
    assert [why.partition(":")[0] for why in answer["refused_why"]] == ["row 1", "row 3", "row 4", "row 5", "row 6"]


def test_the_same_call_again_adds_nothing_and_another_call_does(send: Any) -> None:
    rows = [{"prompt": "Hello"}, {"prompt": "Hello"}]
    first = bring(send, rows)
    again = bring(send, rows, import_id=first["import_id"])
    assert (first["imported"], again["imported"], again["already_present"]) == (2, 0, 2)
    assert bring(send, rows, import_id=first["import_id"], row_offset=2)["imported"] == 2
    assert bring(send, rows)["imported"] == 2


def test_with_row_ids_the_id_alone_is_the_identity(send: Any) -> None:
    assert bring(send, [{"prompt": "A"}, {"prompt": "B"}], row_ids=["1", "2"])["imported"] == 2
    again = bring(send, [{"prompt": "B, corrected"}, {"prompt": "C"}], row_ids=["2", "3"])
    assert (again["imported"], again["already_present"]) == (1, 1)
    assert Trace.objects.get(external_id="2").messages[0]["content"] == "B"


def test_a_verdict_is_kept_but_is_no_review(send: Any) -> None:
    answer = bring(
        send, [{"prompt": "A", "chosen": "B", "rejected": "C"}, {"prompt": "A", "output": "B", "label": True}]
    )
    assert answer["by_shape"] == {"preference": 1, "thumbs": 1}
    assert answer["reviewed"] == 0
    assert "2 rows" in answer["notes"][0]
    assert Trace.objects.filter(metadata__rejected="C").exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rows": []}, "rows"),
        ({"rows": {}}, "rows"),
        ({"rows": [{}] * 5001}, "rows"),
        ({"source": " "}, "source"),
        ({"row_ids": ["1"]}, "row_ids"),
        ({"row_ids": ["1", "1"]}, "row_ids"),
        ({"row_ids": ["1", ""]}, "row_ids[1]"),
        ({"row_offset": -1}, "row_offset"),
        ({"attributes": {"a": 1}}, "attributes"),
        ({"attributes": []}, "attributes"),
        ({"labels": "x"}, "labels"),
    ],
)
def test_an_import_that_cannot_be_read_is_refused(send: Any, change: dict[str, Any], field: str) -> None:
    answer = send("post", "/api/loop/import", {"source": "export", "rows": [{"prompt": "A"}] * 2} | change)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert not Trace.objects.exists()


def test_deleting_a_conversation_cuts_the_link_of_its_pin_and_nothing_else(send: Any, get: Any) -> None:
    traces = [make_trace(f"Question {n}") for n in range(3)]
    dataset = make_dataset(traces=traces)
    benchmark = make_benchmark(items=3)
    for trace, item in zip(traces, benchmark.items.order_by("ordinal"), strict=True):
        BenchmarkItem.objects.filter(pk=item.pk).update(source_trace=trace)
    url = f"/api/loop/benchmarks/{benchmark.pk}"
    before, items = get(url).json(), get(f"{url}/items").json()["items"]
    answer = send("delete", f"/api/loop/traces/{traces[1].pk}")
    assert (answer.status_code, answer.json()) == (200, {"trace_id": traces[1].pk, "deleted": True})
    assert get(url).json() == before
    after = get(f"{url}/items").json()["items"]
    assert after[1] == items[1] | {"source_trace_id": None, "source_trace_url": None}
    assert [after[0], after[2]] == [items[0], items[2]]
    assert dataset.items.count() == 2
    assert get(f"/api/loop/traces/{traces[1].pk}").status_code == 404
    assert send("delete", f"/api/loop/traces/{traces[1].pk}").status_code == 404


def test_another_workspace_s_conversation_is_not_found(send: Any) -> None:
    theirs = make_trace(workspace=make_workspace())
    assert send("delete", f"/api/loop/traces/{theirs.pk}").status_code == 404
    assert Trace.objects.exists()


def test_conversations_are_found_by_what_is_said_in_any_case(get: Any) -> None:
    found = make_trace("Straße ÉCOLE 100%_x", created_at="2026-02-01T00:00:00Z")
    make_trace(messages=[{"role": "user", "content": [{"type": "text", "text": "école in parts"}, {"type": "x"}, 5]}])
    make_trace(messages="odd")
    assert get("/api/loop/traces?q=%C3%89cole").json()["total"] == 2
    for text in ("STRASSE", "100%25_", "straße"):
        assert [row["id"] for row in get(f"/api/loop/traces?q={text}").json()["traces"]] == [found.pk], text
    assert get("/api/loop/traces?q=role").json()["total"] == 0


def test_a_call_in_this_process_may_be_the_first_thing_in_its_workspace(client: Any) -> None:
    inside = {"benchtrend.workspace": "ws_new"}
    body = '{"source": "a", "rows": [{"prompt": "Hello"}]}'
    assert client.post("/api/loop/import", body, "application/json", **inside).status_code == 200
    assert Workspace.objects.filter(pk="ws_new").exists()
