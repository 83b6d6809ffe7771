"""The fingerprint of a benchmark: what makes two replays comparable.

SHA-256, in hexadecimal, over one JSON array in canonical form. Each conversation, in its order, is an object of two
keys: `prompt` (its messages) and `tools` (null when none are offered). Canonical means:

- UTF-8, no space between tokens, the keys of every object sorted by code point, no character escaped that JSON lets
  stand for itself;
- a number that is whole is its digits, without point or exponent (1.0 and 1 are 1, 1e3 is 1000, -0.0 is 0); any other
  is the shortest text that reads back as the same 64-bit float, as Python's `repr` and JSON's grammar both have it;
- no NaN and no Infinity.

Two sets have one digest only when every row, its order, and every key and value in it are the same. Numbers are
written that way because databases keep JSON numbers in forms of their own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any


def digest_json(value: Any) -> str:
    """The SHA-256 of any JSON value. Raises ValueError for a value that is not JSON (NaN, a set, …)."""
    try:
        text = json.dumps(_settle(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except TypeError as error:
        raise ValueError(str(error)) from error
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_items(rows: Iterable[Mapping[str, Any]]) -> str:
    """The `items_digest` of pinned conversations, in their order. Of each row, only `prompt` and `tools` count.

    Where a conversation came from is left out: deleting a source conversation changes nothing that is measured.
    """
    return digest_json([{"prompt": row["prompt"], "tools": row.get("tools")} for row in rows])


def _settle(value: Any) -> Any:
    """The value with whole floats as integers."""
    if isinstance(value, float) and value.is_integer():
        return int(Decimal(repr(value)))
    if isinstance(value, dict):
        return {key: _settle(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_settle(inner) for inner in value]
    return value
