"""The audit log as files: CSV that no spreadsheet runs, and JSON Lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from typing import Any

from dashboard.web.site.models import AuditEntry

COLUMNS = (
    "id", "at", "who", "who_id", "action", "target_kind", "target_id", "target_name", "outcome", "code", "message",
    "request_id",
)  # fmt: skip
STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def build_record(entry: AuditEntry) -> dict[str, Any]:
    """The entry's values by COLUMNS; the moment in ISO 8601, UTC."""
    found = {name: getattr(entry, name, None) for name in COLUMNS}
    return found | {"at": entry.at.isoformat(), "who": entry.who_name}


def write_csv(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """The lines of a CSV file, heading first."""
    writer = csv.writer(Echo())
    yield writer.writerow(COLUMNS)
    for entry in entries:
        yield writer.writerow([show_cell(value) for value in build_record(entry).values()])


def write_jsonl(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """One JSON object a line."""
    for entry in entries:
        yield json.dumps(build_record(entry), ensure_ascii=False) + "\n"


def show_cell(value: object) -> object:
    """Text that a spreadsheet would run as a formula is led by an apostrophe; None is empty."""
    text = isinstance(value, str) and value.startswith(STARTS_A_FORMULA)
    return f"'{value}" if text else value


class Echo:
    """A file that gives each line back instead of keeping it."""

    def write(self, line: str) -> str:
        return line
