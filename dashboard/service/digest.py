"""The fingerprint of a benchmark: what makes two replays comparable.

SHA-256, in hexadecimal, over canonical JSON: UTF-8, keys sorted, no spaces, no NaN or Infinity. Two sets have one
digest only when every row, its order, and every key and value in it are the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any


def digest_json(value: Any) -> str:
    """The SHA-256 of any JSON value. Raises ValueError for a value that is not JSON (NaN, a set, …)."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except TypeError as error:
        raise ValueError(str(error)) from error
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_items(rows: Iterable[Mapping[str, Any]]) -> str:
    """The `items_digest` of pinned conversations, in their order. Of each row, only `prompt` and `tools` count.

    Where a conversation came from is left out: deleting a source conversation changes nothing that is measured.
    """
    return digest_json([{"prompt": row["prompt"], "tools": row.get("tools")} for row in rows])
