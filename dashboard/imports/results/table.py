"""Reads a table of results: CSV or JSONL, one row a checkpoint.

Columns: `checkpoint`, `candidate_score`, `incumbent_score`; optionally `created_at` (RFC 3339, UTC where it names no
zone), `status`, `status_reason`, `decision`, `rule`. Every other column that holds numbers is a rubric dimension:
`fluency_candidate` with `fluency_incumbent` is one dimension measured on both sides, a lone `fluency` one that was
measured on the candidate only.

A score that is not a finite number makes a replay without a score. A row that cannot be placed (no checkpoint, a
time or a decision that cannot be read, a checkpoint named twice) refuses the whole table, and every such row is named.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dashboard.imports.results.types import (
    DECISIONS,
    MAX_FILE_BYTES,
    MAX_NAME,
    YEARS,
    DimensionResult,
    Measure,
    Result,
    ResultsError,
    ResultSet,
    explain_number,
    is_plausible,
    is_storable,
    natural_key,
    quote,
    read_number,
)

REQUIRED = ("checkpoint", "candidate_score", "incumbent_score")
OPTIONAL = ("created_at", "status", "status_reason", "decision", "rule")
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")

Row = Mapping[str, Any]


def read_table(path: Path) -> ResultSet:
    """The table's rows in checkpoint order. Raises ResultsError when it cannot be read whole."""
    numbered = _load(path)
    if not numbered:
        raise ResultsError(f"{path} holds no rows")
    columns = list(dict.fromkeys(key for _, row in numbered for key in row))
    if not is_storable("".join(columns)):
        raise ResultsError(f"{path}: a column's name holds a null character or half a character")
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        raise ResultsError(f"{path} lacks the column {missing[0]}; there are: {', '.join(columns) or 'none'}")
    dimensions, notes = _find_dimensions(numbered, columns)
    results, faults = [], []
    places: dict[tuple[str, str], int] = {}
    for number, row in numbered:
        try:
            result = _decode_row(row, dimensions)
            first = places.setdefault((result.rule or "", result.checkpoint), number)
            if first != number:
                raise ValueError(f"checkpoint {result.checkpoint} is there twice, first in row {first}")
            results.append(result)
        except ValueError as error:
            faults.append(f"row {number}: {error}")
    if faults:
        more = f"; and {len(faults) - 10} more" if len(faults) > 10 else ""
        raise ResultsError(f"{path}: {'; '.join(faults[:10])}{more}")
    results.sort(key=lambda r: (natural_key(r.checkpoint), r.rule or ""))
    measure = Measure("table", "score", "as the table gives it", "as the table gives it", tuple(dimensions))
    return ResultSet(measure, tuple(results), notes=tuple(notes), origin=path.stem)


def _load(path: Path) -> list[tuple[int, Row]]:
    """(line number, row) pairs; CSV cells are text, JSONL values are JSON."""
    if not path.is_file():
        raise ResultsError(f"{path} is not a file" if path.exists() else f"{path} does not exist")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ResultsError(f"{path} is larger than {MAX_FILE_BYTES // 1024 // 1024} MB")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResultsError(f"{path} is not UTF-8 text") from error
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from error
    return _load_csv(path, text) if path.suffix.lower() == ".csv" else _load_jsonl(path, text)


def _load_csv(path: Path, text: str) -> list[tuple[int, Row]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, Row]] = []
    try:
        header = [name.strip() for name in reader.fieldnames or []]
        if len({*header}) != len(header):
            raise ResultsError(f"{path} names a column twice")
        reader.fieldnames = header
        for row in reader:
            # A short row is filled with None by the reader, a long one keeps its rest under None.
            if None in row or None in row.values():
                raise ResultsError(f"{path}: row {reader.line_num} has not the {len(header)} cells of the header")
            if any(row.values()):
                rows.append((reader.line_num, {key: _Text(cell) for key, cell in row.items()}))
    except csv.Error as error:
        raise ResultsError(f"{path}: row {reader.reader.line_num} is not CSV: {error}") from error
    return rows


def _load_jsonl(path: Path, text: str) -> list[tuple[int, Row]]:
    rows: list[tuple[int, Row]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ResultsError(f"{path}: line {number} is not JSON") from error
        if not isinstance(row, dict):
            raise ResultsError(f"{path}: line {number} is not an object")
        rows.append((number, row))
    return rows


def _read_cell(value: Any) -> float | None:
    """A finite float of a JSON number, or of a CSV cell that is a plain decimal; None for everything else.

    Text in JSONL is text there: only CSV has no other way to write a number.
    """
    return read_number(_decode_cell(value))


def _decode_cell(value: Any) -> Any:
    """The JSON value that a cell stands for: of a CSV cell its number, or None where it is no plain decimal."""
    if not isinstance(value, _Text):
        return value
    text = value.strip()
    if not _PLAIN_NUMBER.fullmatch(text):
        return None
    try:
        return int(text)
    except ValueError:  # a fraction or an exponent, or more digits than Python reads
        return float(text)


def _explain(value: Any) -> str:
    return f"{explain_number(_decode_cell(value))}: {quote(value)}"


class _Text(str):
    """A CSV cell."""


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _find_dimensions(
    rows: list[tuple[int, Row]], columns: list[str]
) -> tuple[dict[str, tuple[str, str | None]], list[str]]:
    """Dimension -> its (candidate column, incumbent column or None), and a note for each column that is none."""
    notes, numeric = [], []
    for column in columns:
        if column in REQUIRED or column in OPTIONAL:
            continue
        filled = [(n, r[column]) for n, r in rows if not _is_empty(r.get(column))]
        other = next(((n, v) for n, v in filled if _read_cell(v) is None), None)
        if other:
            notes.append(f"column {column} is no dimension: row {other[0]} holds {quote(other[1])}")
        elif filled:
            numeric.append(column)
    dimensions: dict[str, tuple[str, str | None]] = {}
    for column in numeric:
        stem = column.removesuffix("_candidate").removesuffix("_incumbent")
        pair = (f"{stem}_candidate", f"{stem}_incumbent")
        if stem != column and pair[0] in numeric and pair[1] in numeric:
            dimensions[stem] = pair
        else:
            dimensions[column] = (column, None)
    return dimensions, notes


def _decode_row(row: Row, columns: Mapping[str, tuple[str, str | None]]) -> Result:
    """One row. Raises ValueError, without the row's number, for a row that cannot be placed."""
    checkpoint, rule = _read_text(row, "checkpoint"), _read_text(row, "rule")
    if not checkpoint:
        raise ValueError("no checkpoint")
    decision = _read_text(row, "decision") or None
    if decision is not None and decision not in DECISIONS:
        raise ValueError(f"decision {quote(decision)} is not one of {', '.join(DECISIONS)}")
    status, reason = _read_text(row, "status", 40) or "done", _read_text(row, "status_reason", 2000)
    candidate, incumbent = _read_cell(row.get("candidate_score")), _read_cell(row.get("incumbent_score"))
    if status == "done":
        faults = [
            f"no {side} score for {checkpoint}"
            if _is_empty(row.get(f"{side}_score"))
            else f"{side} score of {checkpoint} {_explain(row[f'{side}_score'])}"
            for side, number in (("candidate", candidate), ("incumbent", incumbent))
            if number is None
        ]
        if faults:
            status, reason = "failed", "; ".join([*faults, reason] if reason else faults)
    scored = status == "done"
    return Result(
        checkpoint=checkpoint,
        candidate_model="candidate",
        incumbent_model="incumbent",
        status=status,
        reason=reason or (None if scored else f"{status}; the table gives no reason"),
        candidate=candidate if scored else None,
        incumbent=incumbent if scored else None,
        dimensions=tuple(
            DimensionResult(key, _read_cell(row.get(mine)), _read_cell(row.get(other)) if other else None)
            for key, (mine, other) in columns.items()
            if not _is_empty(row.get(mine))
        )
        if scored
        else (),
        created_at=_read_time(row.get("created_at")),
        decision=decision,
        rule=rule or None,
    )


def _read_text(row: Row, column: str, longest: int = MAX_NAME) -> str:
    """A cell as text, "" when it is empty. A checkpoint such as 1000 may stand as a number in JSONL."""
    value = row.get(column)
    if _is_empty(value):
        return ""
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise ValueError(f"{column} is not text: {quote(value)}")
    text = str(value).strip()
    if len(text) > longest or not is_storable(text):
        raise ValueError(f"{column} is longer than {longest} characters or holds a null or half a character")
    return text


def _read_time(value: Any) -> datetime | None:
    if _is_empty(value):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, AttributeError, OverflowError) as error:
        raise ValueError(f"created_at {quote(value)} is not a time such as 2024-05-01T10:20:30Z") from error
    if not is_plausible(moment):
        raise ValueError(f"created_at {quote(value)} lies outside the years {YEARS[0]} to {YEARS[1]}")
    return moment
