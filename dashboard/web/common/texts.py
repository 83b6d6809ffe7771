"""Texts of any length and JSON of any kind, as much of them as is to be shown. Numbers are never localised."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, NamedTuple, NoReturn

ZWJ = "\u200d"
LONGEST_STEP = 64
"""How far a cut moves back at most; a longer pile of marks is cut through."""
DEEPEST_INDENT = 12
"""Deeper than this, JSON is not indented further: it would be mostly spaces."""
TOO_DEEP = "nested too deeply to show"

_PIECES = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)
_PICTURE_JOINS = ("\ufe0e", "\ufe0f", ZWJ)


class Excerpt(NamedTuple):
    """The beginning of a text; `cut` when there is more of it."""

    text: str
    cut: bool


def count_characters(size: int) -> str:
    """412,310 characters."""
    return f"{size:,} character{'' if size == 1 else 's'}"


def cut_text(text: str, most: int) -> Excerpt:
    """At most so many characters, cut between two of what a reader takes for characters."""
    if len(text) <= most:
        return Excerpt(text, False)
    end = most
    while end > max(0, most - LONGEST_STEP) and _belongs_together(text, end):
        end -= 1
    return Excerpt(text[: end if end > max(0, most - LONGEST_STEP) else most], True)


def _belongs_together(text: str, at: int) -> bool:
    """Whether the characters before and after this place are one to a reader. An approximation of UAX 29."""
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return True
    if after in _PICTURE_JOINS or before == ZWJ or unicodedata.category(after).startswith("M"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":  # skin tones, tags of flags
        return True
    if "\u1160" <= after <= "\u11ff":  # the later parts of a Korean syllable
        return True
    if _is_flag_letter(after):
        start = at
        while start and at - start < LONGEST_STEP and _is_flag_letter(text[start - 1]):
            start -= 1
        return (at - start) % 2 == 1
    return False


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def write_json(value: Any) -> str:
    """The value as JSON on one line."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError, TypeError):
        return TOO_DEEP


def is_json(text: str) -> bool:
    """Whether this is JSON as the standard has it: NaN and Infinity are not."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(constant)

    try:
        json.loads(text, parse_constant=refuse, parse_int=str)  # a number may have any number of digits
    except (ValueError, RecursionError):
        return False
    return True


def indent_json(text: str, most: int) -> Excerpt:
    """JSON laid out over lines, with every number and repeated key as it was written; at most so many characters.

    It works on the text: read and written again, 1e400 would become infinite and a key given twice would be gone.
    """
    parts: list[str] = []
    size, depth, before = 0, 0, ""
    for found in _PIECES.finditer(text):
        if size > most:
            break
        piece = found[0]
        if piece in "}]":
            depth -= 1
            part = piece if before in ("{", "[") else _break(depth) + piece
        elif before in ("{", "[", ","):
            part = _break(depth) + _show_piece(piece)
        else:
            part = (" " if before == ":" else "") + _show_piece(piece)
        depth += piece in ("{", "[")
        before = piece
        parts.append(part)
        size += len(part)
    return cut_text("".join(parts), most)


def _break(depth: int) -> str:
    return "\n" + "  " * depth if depth <= DEEPEST_INDENT else " "


def _show_piece(piece: str) -> str:
    """A string with its letters in place of their escapes; all else as it is."""
    return json.dumps(json.loads(piece), ensure_ascii=False) if "\\u" in piece else piece
