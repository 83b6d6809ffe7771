"""JSON to the letter: what other readers would take in different ways, or a database cannot keep, is not taken."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

MAX_DEPTH = 50
"""How deep a value may nest; no conversation comes near it."""
MAX_DIGITS = 1000
"""How many digits a whole number may have; every float has fewer."""


class NotJson(ValueError):
    """Why a text is not taken as JSON, in words that end a sentence."""


def parse_json(raw: bytes) -> Any:
    """The value. Raises NotJson: not UTF-8, not JSON, NaN, a number out of range, a key given twice, too deep."""
    value = parse_loosely(raw)
    check_whole(value)
    return value


def parse_loosely(raw: bytes) -> Any:
    """The value, with a NotJson in the place of each number or object in it that is not taken: the rest can be used.

    Raises NotJson when there is no value at all. Whatever part is used is to be given to `check_whole`.
    """
    try:
        return json.loads(
            raw.decode(),
            object_pairs_hook=_build_object,
            parse_constant=_mark_constant,
            parse_float=_read_float,
            parse_int=_read_int,
        )
    except RecursionError as error:
        raise NotJson(f"it nests deeper than {MAX_DEPTH} levels") from error
    except UnicodeDecodeError as error:
        raise NotJson("it is not UTF-8") from error
    except ValueError as error:
        raise NotJson("it is not JSON") from error


def check_whole(value: Any) -> None:
    """Raises NotJson for a value that nests too deep, or holds a part that was not taken."""
    level, depth = [value], 0
    while level:
        for fault in level:
            if isinstance(fault, NotJson):
                raise fault
        if depth > MAX_DEPTH:
            raise NotJson(f"it nests deeper than {MAX_DEPTH} levels")
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        depth += 1


def find_unstorable(value: Any) -> str | None:
    """The first text or key in a JSON value that no database can keep: it holds NUL or half a surrogate pair."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if "\0" in value or not _is_text(value):
                return value
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
    return None


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | NotJson:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
    return NotJson(f"the key {twice[:80]!r} is given twice")


def _mark_constant(text: str) -> NotJson:
    return NotJson(f"{text} is no number")


def _read_float(text: str) -> float | NotJson:
    number = float(text)
    return NotJson("a number in it is out of range") if number in (float("inf"), float("-inf")) else number


def _read_int(text: str) -> int | NotJson:
    return int(text) if len(text) <= MAX_DIGITS else NotJson("a number in it is out of range")
