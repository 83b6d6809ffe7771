"""JSON to the letter: what other readers would take in different ways, or a database cannot keep, is not taken."""

from __future__ import annotations

import json
from typing import Any, NoReturn

MAX_DEPTH = 50
"""How deep a value may nest; no conversation comes near it."""


class NotJson(ValueError):
    """Why a text is not taken as JSON, in words that end a sentence."""


def parse_json(raw: bytes) -> Any:
    """The value. Raises NotJson: not UTF-8, not JSON, NaN, a number out of range, a key given twice, too deep."""
    try:
        value = json.loads(
            raw.decode(), object_pairs_hook=_build_object, parse_constant=_refuse_constant, parse_float=_read_float
        )
    except NotJson:
        raise
    except RecursionError as error:
        raise NotJson(f"it nests deeper than {MAX_DEPTH} levels") from error
    except UnicodeDecodeError as error:
        raise NotJson("it is not UTF-8") from error
    except ValueError as error:  # JSONDecodeError, and int() over too many digits
        raise NotJson("it is not JSON") from error
    if _measure_depth(value) > MAX_DEPTH:
        raise NotJson(f"it nests deeper than {MAX_DEPTH} levels")
    return value


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


def _measure_depth(value: Any) -> int:
    """How deep lists and objects nest; counting stops one past MAX_DEPTH."""
    level, depth = [value], 0
    while depth <= MAX_DEPTH:
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            break
        depth += 1
    return depth


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotJson(f"the key {twice[:80]!r} is given twice")
    return found


def _refuse_constant(text: str) -> NoReturn:
    raise NotJson(f"{text} is no number")


def _read_float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise NotJson("a number in it is out of range")
    return number
