"""The rows of a table file, whatever wrote it: CSV with any separator, JSONL, a JSON list; UTF-8 or UTF-16."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dashboard.imports.results.types import MAX_FILE_BYTES, ResultsError, quote

Row = Mapping[str, Any]
SEPARATED = (".csv", ".tsv", ".txt", ".tab")
BINARY = (".parquet", ".xlsx", ".xls", ".ods", ".feather", ".arrow", ".pkl", ".gz", ".zip")
_FORMATS = {
    b"PAR1": "a Parquet file: save it as CSV, as with pandas' read_parquet(…).to_csv(…, index=False)",
    b"PK\x03\x04": "a spreadsheet or an archive: save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet: save the sheet as CSV",
    b"\x1f\x8b": "compressed: unpack it with gunzip",
    b"ARROW1": "an Arrow file: save it as CSV",
}


class Text(str):
    """A cell of a CSV file: the only way to write a number there."""


def is_table(path: Path) -> bool:
    """Whether a path names a table, by its ending; a JSON file by its list of rows."""
    suffix = path.suffix.casefold()
    if suffix == ".json" and path.is_file():
        with path.open("rb") as file:
            return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    return suffix in (*SEPARATED, *BINARY, ".jsonl", ".ndjson")


class Sheet(NamedTuple):
    """(line number, row) pairs, and what stood between the cells: "" in JSON."""

    rows: Sequence[tuple[int, Row]]
    separator: str = ""


def load_rows(path: Path, required: Sequence[str], name_column: Callable[[str], str]) -> Sheet:
    """The rows under the names that `name_column` gives each column. Raises ResultsError.

    CSV cells are `Text`, those of JSON are JSON. A CSV column without a name and without a value is left out.
    """
    text = _decode(path)
    if path.suffix.casefold() in SEPARATED:
        return _load_csv(path, text, required, name_column)
    numbered = _load_list(text) or _load_jsonl(path, text)
    rows = []
    for number, row in numbered:
        if not isinstance(row, dict):
            raise ResultsError(f"{path}: line {number} is not an object")
        if {"doc_id", "resps"} <= {*row} or {"doc_id", "filtered_resps"} <= {*row}:
            raise ResultsError(
                f"{path} is a samples file of lm-evaluation-harness, a row a question: "
                "give the results_*.json beside it"
            )
        rows.append((number, {name_column(key): value for key, value in row.items()}))
    return Sheet(rows)


def _decode(path: Path) -> str:
    if not path.is_file():
        raise ResultsError(f"{path} is not a file" if path.exists() else f"{path} does not exist")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ResultsError(f"{path} is larger than {MAX_FILE_BYTES // 1024 // 1024} MB")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from error
    for magic, what in _FORMATS.items():
        if raw.startswith(magic):
            raise ResultsError(f"{path} is {what}")
    try:
        return raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResultsError(f"{path} is not UTF-8 text, and not UTF-16 with its mark: save it as UTF-8") from error


def _load_csv(path: Path, text: str, required: Sequence[str], name_column: Callable[[str], str]) -> Sheet:
    separator, skipped = _find_separator(text, required, name_column)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    try:
        for _ in range(skipped):
            next(reader)
        header = [name.strip() for name in next(reader, [])]
        cells: list[tuple[int, list[str]]] = []
        for row in reader:
            if any(cell.strip() for cell in row):
                if len(row) != len(header):
                    raise ResultsError(f"{path}: row {reader.line_num} has not the {len(header)} cells of the header")
                cells.append((reader.line_num, row))
    except csv.Error as error:
        raise ResultsError(f"{path}: row {reader.line_num} is not CSV: {error}") from error
    used = [n for n, name in enumerate(header) if name or any(row[n].strip() for _, row in cells)]
    names = [name_column(header[n]) if header[n] else f"(column {n + 1}, without a name)" for n in used]
    if twice := next((name for name, count in Counter(names).items() if count > 1), None):
        raise ResultsError(f"{path} names a column twice: {twice}")
    rows = [(n, {name: Text(row[at]) for name, at in zip(names, used, strict=True)}) for n, row in cells]
    if not rows and separator == "," and (missing := [name for name in required if name not in names]):
        raise ResultsError(f"{path} lacks the column {missing[0]}; there are: {', '.join(names) or 'none'}")
    return Sheet(rows, separator)


def _find_separator(text: str, required: Sequence[str], name_column: Callable[[str], str]) -> tuple[str, int]:
    """(what stands between cells, how many lines come before the header). A spreadsheet's "sep=;" line says it."""
    first = text.partition("\n")[0].strip().strip('"')
    if found := re.fullmatch(r"(?i)sep=(.)", first):
        return found[1], 1
    for separator in (",", ";", "\t", "|"):
        try:
            header = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])
        except csv.Error:
            continue
        if {*required} <= {name_column(name.strip()) for name in header}:
            return separator, 0
    return max(",;\t|", key=first.count) if any(c in first for c in ",;\t|") else ",", 0


def _load_list(text: str) -> list[tuple[int, Any]]:
    """The rows of a file that is one JSON list; none of any other file."""
    if not text.lstrip().startswith("["):
        return []
    try:
        return list(enumerate(json.loads(text), 1))
    except (ValueError, RecursionError):
        return []


def _load_jsonl(path: Path, text: str) -> list[tuple[int, Any]]:
    rows: list[tuple[int, Any]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append((number, json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise ResultsError(f"{path}: line {number} is not JSON: {quote(line.strip())}") from error
    return rows
