"""Messages of any shape as turns: who speaks, what is said, what is called and what answers which call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from dashboard.web.common.texts import cut_text, is_json, write_json

Kind = Literal["text", "raw", "json", "data"]

LONGEST_LABEL = 120
NOT_JSON = "not valid JSON"
TEXT_KINDS = ("text", "input_text", "output_text")
DATA_KINDS = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "video_url": "video",
    "file": "file",
    "input_file": "file",
    "document": "document",
}
WRAPPINGS = ("url", "data", "text", *DATA_KINDS)
TONES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "tool": "tool",
    "function": "tool",
}


@dataclass(frozen=True)
class Block:
    """A piece of a turn. `label` is ours and says what it is; `name` and `text` come from outside."""

    kind: Kind
    text: str
    label: str = ""
    name: str = ""
    note: str = ""
    """What is wrong with it, or what it belongs to."""
    wrong: bool = False
    """True where the note is about a fault: cut arguments, a result of no call."""
    call_id: str = ""
    size: str = ""
    """How long the whole is, in words, where `text` is only its beginning."""


@dataclass(frozen=True)
class Turn:
    """One entry of a conversation. `place` counts from 0."""

    place: int
    role: str
    """As given; empty where there is none."""
    tone: str
    """Which of the few looks it gets."""
    blocks: tuple[Block, ...]
    name: str = ""
    note: str = ""
    orphan: bool = False
    """True for a result that answers no call before it."""
    size: str = ""
    """How long the whole turn is, in words, where not all of it is here."""


def list_entries(given: Any) -> list[Any]:
    """The entries of a list; anything else stands for itself, and nothing for nothing."""
    if isinstance(given, list):
        return given
    return [] if is_empty(given) else [given]


def is_empty(value: Any) -> bool:
    """Null and what is empty; zero and false are something."""
    return value is None or value == "" or (isinstance(value, list | dict) and not value)


def read_turns(entries: list[Any]) -> Iterator[Turn]:
    """Each entry as a whole turn; calls are remembered, for the results after them."""
    calls: dict[str, str] = {}
    for place, entry in enumerate(entries):
        turn = _read_message(place, entry, calls) if isinstance(entry, dict) else _read_stray(place, entry)
        calls.update((block.call_id, block.name) for block in turn.blocks if block.call_id)
        yield turn


def _read_stray(place: int, entry: Any) -> Turn:
    return Turn(place, "", "other", tuple(_read_content(entry, {})), note="" if is_empty(entry) else "not a message")


def _read_message(place: int, message: dict[str, Any], calls: dict[str, str]) -> Turn:
    role = show_label(message.get("role"))
    tone = TONES.get(role.lower(), "other")
    blocks = [*_read_content(message.get("content"), calls)]
    blocks += _read_calls(message.get("tool_calls"))
    if not is_empty(message.get("function_call")):
        blocks += _read_calls([message["function_call"]])
    read = {"role", "content", "name", "tool_calls", "function_call", "tool_call_id"}
    blocks += _read_rest({key: value for key, value in message.items() if key not in read})
    turn = Turn(place, role, tone, tuple(blocks), name=show_label(message.get("name")))
    answered = message.get("tool_call_id")
    if is_empty(answered):
        return turn
    note, orphan = _match_call(show_label(answered), calls)
    return replace(turn, note=note, orphan=orphan)


def _match_call(call_id: str, calls: dict[str, str]) -> tuple[str, bool]:
    """Which call a result answers, in words, and whether there is none."""
    if call_id not in calls:
        return f"answers {call_id}, and no call before it has that id", True
    return f"answers {call_id}" + (f", {calls[call_id]}" if calls[call_id] else ""), False


def _read_content(content: Any, calls: dict[str, str]) -> Iterator[Block]:
    for part in content if isinstance(content, list) else [content]:
        if is_empty(part):
            continue
        if isinstance(part, str):
            yield Block("text", part)
        elif isinstance(part, dict):
            yield from _read_part(part, calls)
        else:
            yield Block("json", write_json(part))


def _read_part(part: dict[str, Any], calls: dict[str, str]) -> Iterator[Block]:
    kind = part.get("type")
    rest = {key: value for key, value in part.items() if key != "type"}
    if kind in TEXT_KINDS or (kind is None and isinstance(part.get("text"), str)):
        yield from _read_content(rest.pop("text", None), calls) if isinstance(part.get("text"), str) else ()
        yield from _read_rest(rest)
    elif kind == "tool_use":
        yield from _read_calls([part])
    elif kind == "tool_result":
        yield from _read_result(part, calls)
    elif isinstance(kind, str) and kind in DATA_KINDS:
        yield _show_value(rest, "data", label=DATA_KINDS[kind])
    elif kind is None:
        yield Block("json", write_json(part))
    else:
        yield _show_value(rest, "text", label="part of the kind", name=show_label(kind))


def _read_result(part: dict[str, Any], calls: dict[str, str]) -> Iterator[Block]:
    """A tool's result that stands among the parts of a turn."""
    note, orphan = _match_call(show_label(part.get("tool_use_id")), calls)
    label = "failed result" if part.get("is_error") is True else "result"
    inner = part.get("content")
    # One level: what is deeper is shown as the JSON that it is.
    flat = [_flatten(one) for one in (inner if isinstance(inner, list) else [inner])]
    blocks = list(_read_content(flat, {})) or [Block("text", "")]
    yield replace(blocks[0], label=label, note=note, wrong=orphan)
    yield from blocks[1:]


def _flatten(part: Any) -> Any:
    nested = isinstance(part, dict) and part.get("type") in ("tool_result", "tool_use")
    return write_json(part) if nested else part


def _read_calls(given: Any) -> Iterator[Block]:
    """Tool calls in their order, whichever of the usual shapes they have."""
    for call in list_entries(given):
        if not isinstance(call, dict):
            if not is_empty(call):
                yield _show_value(call, "text", label="calls")
            continue
        inner = call["function"] if isinstance(call.get("function"), dict) else call
        arguments = next((inner[key] for key in ("arguments", "input", "args") if not is_empty(inner.get(key))), None)
        block = _show_arguments(arguments)
        yield replace(block, label="calls", name=show_label(inner.get("name")), call_id=show_label(call.get("id")))


def _show_arguments(arguments: Any) -> Block:
    if is_empty(arguments):
        return Block("json", "")
    if not isinstance(arguments, str):
        return Block("json", write_json(arguments))
    return Block("json", arguments) if is_json(arguments) else Block("raw", arguments, note=NOT_JSON, wrong=True)


def _read_rest(rest: dict[str, Any]) -> Iterator[Block]:
    """The keys that nobody knows, each under its own name."""
    for key, value in rest.items():
        if not is_empty(value):
            yield _show_value(value, "text", name=show_label(key))


def _show_value(value: Any, kind: Kind, *, label: str = "", name: str = "") -> Block:
    """A value as the text in it, where a wrapping that says nothing is all there is around it, else as JSON."""
    while isinstance(value, dict):
        value = {key: inner for key, inner in value.items() if not is_empty(inner)}
        key = next(iter(value), "")
        if len(value) != 1 or key not in (*WRAPPINGS, name) or not isinstance(value[key], str | dict):
            break
        value = value[key]
    if isinstance(value, str):
        return Block(kind, value, label, name)
    if kind == "data" and isinstance(value, dict):  # what is short says the most, and would be cut off behind the data
        value = dict(sorted(value.items(), key=lambda pair: len(pair[1]) if isinstance(pair[1], str) else 0))
    text = "" if is_empty(value) else write_json(value)
    return Block("data" if kind == "data" else "json", text, label, name)


def show_label(value: Any) -> str:
    """A role, name or id on one line, as given; empty for none."""
    if is_empty(value):
        return ""
    text = value if isinstance(value, str) else write_json(value)
    excerpt = cut_text(text, LONGEST_LABEL)
    return excerpt.text + "…" if excerpt.cut else excerpt.text
