"""Conversations as people have them in files, read into messages: the shape of a row decides how.

    messages              OpenAI: [{"role", "content", "tool_calls"?, …}]; `tools` or `functions` beside them
    conversations         ShareGPT: [{"from", "value"}]; `system` beside them
    turns                 what a user says, turn by turn: ["…", "…"]; or messages
    prompt, and perhaps an answer under completion, response, answer, output or chosen (with rejected)
    question, query or instruction (with input), likewise

Every other key of a row is kept as metadata, a verdict too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dashboard.store.text.strict_json import NotJson, find_unstorable, parse_json

ROLES = {
    "human": "user", "prompter": "user", "customer": "user",
    "gpt": "assistant", "chatgpt": "assistant", "bot": "assistant", "model": "assistant", "ai": "assistant",
    "observation": "tool", "function_response": "tool", "tool_response": "tool",
    **{role: role for role in ("user", "assistant", "system", "developer", "tool", "function", "function_call")},
}  # fmt: skip
"""The names that exports have for the roles, in small letters. A role that nobody knows refuses its row."""
QUESTIONS = ("prompt", "question", "query", "instruction")
ANSWERS = ("completion", "response", "answer", "output", "chosen")
IDS = ("external_id", "id", "conversation_id", "question_id", "uuid")
VERDICTS = ("label", "thumbs", "thumbs_up", "rating")
MAX_ID = 200

_TEXT = {"type": "string"}
_TOOLS = {"anyOf": [{"type": "array"}, _TEXT | {"description": "the list as JSON text"}]}
_TURN = {
    "type": "object",
    "properties": {"role": _TEXT | {"minLength": 1}, "content": {}, "tool_calls": {"type": "array"}},
    "required": ["role"],
}
_SHAREGPT_TURN = {
    "type": "object",
    "properties": {
        "from": {"enum": ["system", "human", "gpt", "function_call", "observation"]},
        "value": _TEXT | {"description": "of a function_call: its name and arguments as JSON text"},
    },
    "required": ["from", "value"],
}
_SIDE = {"anyOf": [_TEXT, {"type": "array", "items": _TURN, "minItems": 1}]}


def _describe(title: str, key: str, schema: dict[str, Any], **others: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "type": "object", "properties": {key: schema, **others}, "required": [key]}


def _list_of(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"anyOf": [*entries]}, "minItems": 1}


ROW_SCHEMA: Mapping[str, Any] = {
    "anyOf": [
        _describe("OpenAI", "messages", _list_of(_TURN), tools=_TOOLS, functions={"type": "array"}),
        _describe("ShareGPT", "conversations", _list_of(_SHAREGPT_TURN), system=_TEXT, tools=_TOOLS),
        _describe("turn by turn", "turns", _list_of(_TEXT, _TURN)),
        *[
            _describe(f"{key} and answer", key, _SIDE, **dict.fromkeys((*ANSWERS, "rejected"), _SIDE))
            for key in QUESTIONS
        ],
    ]
}
"""What a row looks like, as JSON Schema. Every other key is welcome, and kept as metadata."""


class RowUnreadable(ValueError):
    """Why a row is no conversation, in words that end a sentence."""


@dataclass(frozen=True)
class Conversation:
    """One row, read. `external_id`: the row's own id, None when it names none."""

    messages: list[dict[str, Any]]
    shape: str
    """`preference` (chosen and rejected), `thumbs` (an answer with a yes or no), `answered` or `unanswered`."""
    tools: list[Any] | None = None
    model: str = ""
    external_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def read_row(row: Any, roles: Mapping[str, str] = ROLES) -> Conversation:
    """The conversation in a row, its sides named by `roles`. Raises RowUnreadable."""
    if not isinstance(row, dict):
        raise RowUnreadable("it is no object with a conversation in it")
    _refuse_unstorable(row)
    left = dict(row)
    messages = _take_messages(left, roles)
    if not messages:
        raise RowUnreadable("its conversation is empty")
    system = left.get("system")
    if isinstance(system, str) and messages[0]["role"] != "system":
        del left["system"]
        messages = [{"role": "system", "content": system}, *messages] if system.strip() else messages
    model = left.get("model")
    if isinstance(model, str) and len(model) <= MAX_ID:
        del left["model"]
    tools = _take_tools(left)
    _refuse_unstorable([messages, tools])  # JSON text that was read has brought its escapes to life
    return Conversation(
        messages=messages,
        shape=_name_shape(messages, left),
        tools=tools,
        model=model if isinstance(model, str) and len(model) <= MAX_ID else "",
        external_id=_find_id(left),
        metadata=left,
    )


def count_shapes(conversations: list[Conversation]) -> dict[str, int]:
    return dict(Counter(conversation.shape for conversation in conversations))


def _refuse_unstorable(value: Any) -> None:
    if find_unstorable(value) is not None:
        raise RowUnreadable("it holds a NUL or half of a surrogate pair, which cannot be stored")


def _take_messages(row: dict[str, Any], roles: Mapping[str, str]) -> list[dict[str, Any]]:
    """The messages, whose keys leave the row. They may stand there as JSON text."""
    for key in ("messages", "conversations", "conversation", "turns"):
        turns = _read_text_list(row.get(key))
        if isinstance(turns, list):
            del row[key]
            return [_read_message(turn, n, roles) for n, turn in enumerate(turns, 1)]
    question = next((key for key in QUESTIONS if key in row), None)
    if question is None:
        raise RowUnreadable("it has none of the keys messages, conversations, turns, prompt or question")
    messages = _read_side(row.pop(question), "user", question, roles)
    if question == "instruction" and isinstance(row.get("input"), str) and len(messages) == 1:
        more = row.pop("input")
        messages = [{"role": "user", "content": f"{messages[0].get('content')}\n\n{more}".strip()}]
    answer = next((key for key in ANSWERS if row.get(key) is not None), None)
    if answer is None:
        return messages
    said = _read_side(row.pop(answer), "assistant", answer, roles)
    # A preference pair may repeat the whole conversation on each side.
    return said if said[: len(messages)] == messages else messages + said


def _read_text_list(value: Any) -> Any:
    """The list in a JSON text; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    try:
        return parse_json(value.encode())
    except NotJson:
        return value


def _read_side(value: Any, role: str, key: str, roles: Mapping[str, str]) -> list[dict[str, Any]]:
    """A question or an answer: text, or messages."""
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    if isinstance(value, list) and value:
        return [_read_message(turn, n, roles) for n, turn in enumerate(value, 1)]
    raise RowUnreadable(f"its {key} is neither text nor messages")


def _read_message(turn: Any, number: int, roles: Mapping[str, str]) -> dict[str, Any]:
    if isinstance(turn, str):
        return {"role": "user", "content": turn}
    role = turn.get("role", turn.get("from")) if isinstance(turn, dict) else None
    if not isinstance(role, str) or not role.strip():
        raise RowUnreadable(f"turn {number} has no role")
    known = roles.get(role.strip().casefold())
    if known is None:
        raise RowUnreadable(f"turn {number} has the role {role.strip()[:80]!r}, and nothing says whose turn that is")
    message = {"role": known} | {k: v for k, v in turn.items() if k not in ("role", "from")}
    if "value" in message and "content" not in message:
        message["content"] = message.pop("value")
    return _read_call(message) if known == "function_call" else message


def _read_call(message: dict[str, Any]) -> dict[str, Any]:
    """ShareGPT's turn for a tool call, `{"name", "arguments"}` as JSON text. What cannot be read stays text."""
    try:
        call = parse_json(message["content"].encode())
        name, arguments = str(call["name"]), call.get("arguments", {})
    except (KeyError, TypeError, NotJson, AttributeError):
        return message | {"role": "assistant"}
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": name, "arguments": text}}]}


def _take_tools(row: dict[str, Any]) -> list[Any] | None:
    """The tools offered: a list, or a list as JSON text; `functions` is what they were called once."""
    tools = row.get("tools")
    if isinstance(tools, str):
        try:
            tools = parse_json(tools.encode())
        except NotJson:
            return None  # stays in the metadata as it is
    if isinstance(tools, list):
        del row["tools"]
        return tools
    functions = row.get("functions")
    if isinstance(functions, list):
        del row["functions"]
        return [{"type": "function", "function": function} for function in functions]
    return None


def _name_shape(messages: list[dict[str, Any]], left: Mapping[str, Any]) -> str:
    if "rejected" in left:
        return "preference"
    if messages[-1]["role"] != "assistant":
        return "unanswered"
    return "thumbs" if any(isinstance(left.get(key), bool) for key in VERDICTS) else "answered"


def _find_id(row: Mapping[str, Any]) -> str | None:
    for key in IDS:
        value = row.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)) <= MAX_ID:
            return str(value)
    return None
