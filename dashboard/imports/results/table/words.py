"""The words of a table that are no numbers: statuses as people write them, times, and reasons of any length."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from dashboard.imports.results.types import YEARS, is_plausible, is_storable, quote

MAX_REASON = 10_000
"""The longest reason that is kept, in characters; a longer one is cut, and says so."""
_WORDS = {
    "done": "done complete completed finish finished success successful succeeded ok passed scored evaluated",
    "failed": "failed fail failure error errored crashed",
    "open": "open running pending queued started in_progress",
    "budget_stopped": "budget_stopped",
    "abandoned": "abandoned timeout timed_out expired",
}
STATUSES = {word: status for status, words in _WORDS.items() for word in words.split()}
"""Status in any letters, with _ for blanks -> the status that it is."""
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-_]?")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SLASHED = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b(.*)")


def read_status(text: str, said: Mapping[str, str]) -> str:
    """What a status word means, by `said` (word -> status) before the usual ones; a word that nobody knows as it is."""
    word = fold_word(text)
    return said.get(word) or STATUSES.get(word) or text


def fold_word(text: str) -> str:
    return re.sub(r"[\s_-]+", "_", text.strip().casefold())


def clean_reason(text: str) -> str:
    """The reason without a terminal's codes and what cannot be stored, cut at `MAX_REASON` and marked as cut."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _CONTROLS.sub("", text)
    if not is_storable(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.strip()
    if len(text) <= MAX_REASON:
        return text
    return f"{text[:MAX_REASON]}… (cut here: {len(text):,} characters in all)"


def read_time(value: Any) -> datetime | None:
    """A moment in UTC, None of an empty cell. Raises ValueError, in words that name the way on."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, AttributeError, OverflowError) as error:
        raise ValueError(
            f"created_at {quote(value)} is not a time such as 2024-05-01T10:20:30Z{_suggest(value)}"
        ) from error
    if not is_plausible(moment):
        raise ValueError(f"created_at {quote(value)} lies outside the years {YEARS[0]} to {YEARS[1]}")
    return moment


def _suggest(value: Any) -> str:
    """What a day that is written with slashes may mean."""
    found = _SLASHED.fullmatch(value.strip()) if isinstance(value, str) else None
    if not found:
        return ""
    one, two, year = int(found[1]), int(found[2]), found[3]
    ways = [f"{year}-{month:02}-{day:02}" for month, day in dict.fromkeys([(one, two), (two, one)]) if month <= 12]
    return f": nothing says which number is the month, so write {' or '.join(ways)}" if ways else ""
