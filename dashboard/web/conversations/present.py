"""A conversation of any shape as turns to read: roles as given, content as text, calls with their arguments.

Messages come from models, customers and tools, so nothing about them is certain. Whatever is there is shown as what
it is; null and empty show nothing; nothing is ever more than text. What is long is shown from its beginning, with its
size.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from dashboard.web.common.texts import count_characters, cut_text, indent_json, write_json
from dashboard.web.conversations.messages import Block, Turn, is_empty, list_entries, read_turns, show_label

LABEL_COSTS = 40
"""What the frame of a block counts for, so that thousands of empty ones cannot fill a page either."""


class Limits(NamedTuple):
    """How many characters are shown of one turn, of one picture or recording, and of all turns; and how many turns."""

    turn: int
    data: int
    total: int
    turns: int


PREVIEW = Limits(turn=2_000, data=120, total=16_000, turns=60)
"""For a page of many conversations."""
ALONE = Limits(turn=2_000, data=120, total=400_000, turns=500)
"""For a page of one."""
WHOLE = Limits(sys.maxsize, sys.maxsize, sys.maxsize, sys.maxsize)
"""For one turn on its own."""


@dataclass(frozen=True)
class Tool:
    """A tool that the model was offered."""

    name: str
    description: str
    signature: str
    """Its parameters in one line, the optional ones with a question mark: "card, depth?"."""
    schema: Block | None
    """Its parameters as they were declared."""


@dataclass(frozen=True)
class Conversation:
    turns: tuple[Turn, ...]
    turn_count: int
    tools: tuple[Tool, ...]
    tool_count: int
    summary: str
    """The first user turn, else the first with anything in it, in one line."""
    usable: bool

    @property
    def turns_left(self) -> int:
        return self.turn_count - len(self.turns)

    @property
    def tools_left(self) -> int:
        return self.tool_count - len(self.tools)


def build_conversation(prompt: Any, tools: Any = None, limits: Limits = PREVIEW) -> Conversation:
    """The conversation as far as `limits` go. Any JSON is taken; None is a conversation without turns."""
    entries = list_entries(prompt)
    offered = list_entries(tools)
    turns: list[Turn] = []
    left = limits.total
    for turn in read_turns(entries[: limits.turns]):
        if left <= 0:
            break
        shown, used = _clip_turn(turn, limits, min(limits.turn, left))
        turns.append(shown)
        left -= used
    shown_tools: list[Tool] = []
    left = limits.total // 2
    for given in offered[: limits.turns]:
        if left <= 0:
            break
        tool = _read_tool(given, min(limits.turn, left))
        shown_tools.append(tool)
        left -= LABEL_COSTS + len(tool.description) + (len(tool.schema.text) if tool.schema else 0)
    return Conversation(
        tuple(turns), len(entries), tuple(shown_tools), len(offered), summarise(prompt), is_usable(prompt)
    )


def build_turn(prompt: Any, place: int) -> Turn | None:
    """One whole turn; None where there is none at that place."""
    entries = list_entries(prompt)
    if not 0 <= place < len(entries):
        return None
    turn = next(turn for turn in read_turns(entries) if turn.place == place)
    return _clip_turn(turn, WHOLE, WHOLE.turn)[0]


ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function"})
ASKING = frozenset({"user", "tool", "function"})
"""The roles of a turn that a model answers."""


def is_usable(prompt: Any) -> bool:
    """Whether a benchmark can pin it, as the service asks: known roles, a user turn with content, and, once the answer
    that it ends with is cut off, a last turn that waits for one."""
    if not isinstance(prompt, list) or not all(isinstance(message, dict) for message in prompt):
        return False
    roles = [message.get("role") for message in prompt]
    if any(not isinstance(role, str) or role not in ROLES for role in roles):
        return False
    end = len(prompt)
    while end and roles[end - 1] == "assistant":
        end -= 1
    if not end or roles[end - 1] not in ASKING:
        return False
    return any(message["role"] == "user" and _can_be_asked(message.get("content")) for message in prompt[:end])


def _can_be_asked(content: Any) -> bool:
    """Text that is not blank, or a list with a part that is: a part without text (a picture) counts."""
    if isinstance(content, str):
        return bool(content.strip())
    return isinstance(content, list) and any(_part_can_be_asked(part) for part in content)


def _part_can_be_asked(part: Any) -> bool:
    if isinstance(part, str):
        return bool(part.strip())
    if not isinstance(part, dict) or not part:
        return False
    text = part.get("text")
    return bool(text.strip()) if isinstance(text, str) else text is None and part.get("type", "text") != "text"


def summarise(prompt: Any, most: int = 160) -> str:
    """One line that stands for the conversation; empty where nothing in it can be read."""
    first = ""
    for turn in read_turns(list_entries(prompt)):
        said = next((block.text if _is_said(block) else f"{block.label} {block.name}" for block in turn.blocks), "")
        line = " ".join(cut_text(said, 10 * most).text.split())
        if line and turn.role == "user":
            first = line
            break
        first = first or line
    excerpt = cut_text(first, most)
    return excerpt.text + "…" if excerpt.cut else excerpt.text


def _is_said(block: Block) -> bool:
    return block.kind != "data" and not block.call_id and bool(block.text)


def matches(prompt: Any, tools: Any, words: str) -> bool:
    """Whether every word stands in what is said, called or offered, in any case. No words: it does."""
    wanted = words.casefold().split()
    if not wanted:
        return True
    turns = read_turns(list_entries(prompt))
    said = [text for turn in turns for block in turn.blocks for text in (block.name, block.text)]
    text = "\n".join([*said, write_json(tools)]).casefold()
    return all(word in text for word in wanted)


def _clip_turn(turn: Turn, limits: Limits, most: int) -> tuple[Turn, int]:
    """The turn from its beginning, and what it counts for."""
    blocks: list[Block] = []
    left = most
    for block in turn.blocks:
        if left <= 0:
            break
        blocks.append(_clip_block(block, min(left, limits.data) if block.kind == "data" else left))
        left -= LABEL_COSTS + len(blocks[-1].text)
    cut = len(blocks) < len(turn.blocks) or any(block.size for block in blocks)
    size = count_characters(sum(len(block.text) for block in turn.blocks)) if cut else ""
    return replace(turn, blocks=tuple(blocks), size=size), LABEL_COSTS + most - left


def _clip_block(block: Block, most: int) -> Block:
    excerpt = indent_json(block.text, most) if block.kind == "json" else cut_text(block.text, most)
    return replace(block, text=excerpt.text, size=count_characters(len(block.text)) if excerpt.cut else "")


def _read_tool(given: Any, most: int) -> Tool:
    if not isinstance(given, dict):
        return Tool(show_label(given), "", "", None)
    inner = given["function"] if isinstance(given.get("function"), dict) else given
    name, description = show_label(inner.get("name") or given.get("type")), inner.get("description")
    keys = ("parameters", "input_schema", "inputSchema")
    parameters = next((inner[key] for key in keys if not is_empty(inner.get(key))), None)
    if parameters is None and not inner.get("name"):
        parameters = given  # of a shape of its own: all of it
    schema = None if parameters is None else _clip_block(Block("json", write_json(parameters)), most)
    told = description if isinstance(description, str) else "" if is_empty(description) else write_json(description)
    excerpt = cut_text(told, most)
    return Tool(name, excerpt.text + ("…" if excerpt.cut else ""), _sign(parameters), schema)


def _sign(parameters: Any) -> str:
    """The names of the parameters in one line."""
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    if not isinstance(properties, dict):
        return ""
    required = parameters.get("required")
    needed: Iterable[Any] = required if isinstance(required, list) else ()
    return show_label(", ".join(name if name in needed else f"{name}?" for name in properties))
