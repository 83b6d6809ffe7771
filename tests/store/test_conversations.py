"""Rows of files, in the shapes that people have them, become messages."""

import json
from typing import Any

import pytest

from dashboard.store.conversations.read import RowUnreadable, read_row
from dashboard.store.pin import can_ask, pin_messages

ASK = {"role": "user", "content": "Hi"}
SAY = {"role": "assistant", "content": "Hello"}


@pytest.mark.parametrize(
    ("row", "messages", "shape"),
    [
        ({"messages": [ASK, SAY]}, [ASK, SAY], "answered"),
        ({"messages": [ASK]}, [ASK], "unanswered"),
        (
            {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]},
            [ASK, SAY],
            "answered",
        ),
        ({"turns": ["Hi", "Hi"]}, [ASK, ASK], "unanswered"),
        ({"turns": [ASK, SAY]}, [ASK, SAY], "answered"),
        ({"prompt": "Hi", "completion": "Hello"}, [ASK, SAY], "answered"),
        ({"prompt": [ASK], "completion": [SAY]}, [ASK, SAY], "answered"),
        ({"question": "Hi", "answer": None}, [ASK], "unanswered"),
        ({"instruction": "Hi", "input": "", "output": "Hello"}, [ASK, SAY], "answered"),
        ({"instruction": "Say", "input": "Hi"}, [{"role": "user", "content": "Say\n\nHi"}], "unanswered"),
        ({"prompt": "Hi", "chosen": "Hello", "rejected": "No"}, [ASK, SAY], "preference"),
        ({"prompt": [ASK], "chosen": [ASK, SAY], "rejected": [ASK]}, [ASK, SAY], "preference"),
        ({"prompt": "Hi", "completion": "Hello", "label": False}, [ASK, SAY], "thumbs"),
        ({"system": "Be kind.", "messages": [ASK]}, [{"role": "system", "content": "Be kind."}, ASK], "unanswered"),
        ({"system": " ", "messages": [ASK]}, [ASK], "unanswered"),
        ({"messages": [{"role": " USER", "content": "Hi"}]}, [{"role": "user", "content": "Hi"}], "unanswered"),
        ({"messages": json.dumps([ASK, SAY])}, [ASK, SAY], "answered"),
    ],
)
def test_a_shape_is_read(row: dict[str, Any], messages: list[Any], shape: str) -> None:
    found = read_row(row)
    assert (found.messages, found.shape) == (messages, shape)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("prose", "no object"),
        ({"text": "prose"}, "none of the keys"),
        ({"messages": []}, "empty"),
        ({"messages": [ASK, {"content": "x"}]}, "turn 2 has no role"),
        ({"messages": [5]}, "turn 1 has no role"),
        ({"messages": "Hi"}, "none of the keys"),
        ({"prompt": 5}, "prompt is neither"),
        ({"prompt": "Hi", "completion": {}}, "completion is neither"),
        ({"prompt": "a\0"}, "cannot be stored"),
        ({"prompt": "a", "x\ud800": 1}, "cannot be stored"),
        ({"prompt": "a", "tools": '["\\ud800"]'}, "cannot be stored"),
        ({"prompt": "a", "tools": '[{"\\u0000": 1}]'}, "cannot be stored"),
        ({"conversations": [{"from": "function_call", "value": '{"name": "\\ud800"}'}]}, "cannot be stored"),
        (
            {"conversations": [{"from": "function_call", "value": '{"name": "f", "arguments": ["\\ud800"]}'}]},
            "cannot be stored",
        ),
    ],
)
def test_what_is_no_conversation_says_why(row: Any, why: str) -> None:
    with pytest.raises(RowUnreadable, match=why):
        read_row(row)


def test_tool_calls_and_tools_are_kept() -> None:
    call = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{"}}],
    }
    result = {"role": "tool", "tool_call_id": "1", "content": "5"}
    tools = [{"type": "function", "function": {"name": "f"}}]
    found = read_row({"messages": [ASK, call, result], "tools": tools})
    assert (found.messages, found.tools) == ([ASK, call, result], tools)
    assert read_row({"messages": [ASK], "tools": '[{"a": 1}]'}).tools == [{"a": 1}]
    assert read_row({"messages": [ASK], "functions": [{"name": "f"}]}).tools == tools
    unread = read_row({"messages": [ASK], "tools": "[{"})
    assert (unread.tools, unread.metadata) == (None, {"tools": "[{"})


@pytest.mark.parametrize("text", ["[NaN]", "[1e999]", "[" * 60 + "]" * 60, '[{"a": 1, "a": 2}]'])
def test_json_text_that_is_no_strict_json_stays_the_text_it_is(text: str) -> None:
    found = read_row({"messages": [ASK], "tools": text})
    assert (found.tools, found.metadata) == (None, {"tools": text})
    call = f'{{"name": "f", "arguments": {text}}}'
    said = read_row({"conversations": [{"from": "function_call", "value": call}]}).messages
    assert said == [{"role": "assistant", "content": call}]


def test_a_sharegpt_call_becomes_a_tool_call_and_what_cannot_be_read_stays_text() -> None:
    turns = [
        {"from": "human", "value": "Hi"},
        {"from": "function_call", "value": '{"name": "f", "arguments": {"é": 1}}'},
        {"from": "observation", "value": "5"},
        {"from": "function_call", "value": '{"name"'},
    ]
    found = read_row({"conversations": turns}).messages
    assert found[1]["tool_calls"] == [{"type": "function", "function": {"name": "f", "arguments": '{"é": 1}'}}]
    assert found[2] == {"role": "tool", "content": "5"}
    assert found[3] == {"role": "assistant", "content": '{"name"'}


def test_other_keys_are_metadata_and_the_first_id_key_is_the_id() -> None:
    found = read_row({"prompt": "Hi", "question_id": 81, "category": "writing", "model": "m"})
    assert (found.external_id, found.model) == ("81", "m")
    assert found.metadata == {"question_id": 81, "category": "writing"}
    assert read_row({"prompt": "Hi", "id": True, "uuid": ""}).external_id is None
    assert read_row({"prompt": "Hi", "model": 5}).metadata == {"model": 5}


@pytest.mark.parametrize("name", ["Assistant", " gpt ", "AI", "Bot", "ASSISTANT"])
def test_an_answer_is_an_answer_whatever_its_side_is_called(name: str) -> None:
    found = read_row({"conversations": [{"from": "Human", "value": "Hi"}, {"from": name, "value": "the answer"}]})
    assert [message["role"] for message in found.messages] == ["user", "assistant"]
    assert "the answer" not in str(pin_messages(found.messages))


def test_a_role_that_nobody_knows_refuses_its_row_and_can_be_named() -> None:
    row = {"messages": [{"role": "Critic", "content": "Hi"}]}
    with pytest.raises(RowUnreadable, match="turn 1 has the role 'Critic', and nothing says whose turn that is"):
        read_row(row)
    assert read_row(row, {"critic": "user"}).messages == [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize("last", [{"role": "Assistant", "content": "x"}, {"role": "system", "content": "x"}])
def test_what_may_hold_an_answer_cannot_be_pinned(last: dict[str, Any]) -> None:
    assert can_ask([ASK])
    assert not can_ask([ASK, SAY, last])
