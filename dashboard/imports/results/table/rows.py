"""Reads a table of results, one row an evaluation of a checkpoint.

Columns: `checkpoint`, `candidate_score`; optionally `incumbent_score`, `created_at` (RFC 3339, UTC where it names no
zone), `status`, `status_reason`, `decision`, `rule`, `candidate_stderr`, `incumbent_stderr`, `n`. Every other column
that holds numbers is a rubric dimension: `fluency_candidate` with `fluency_incumbent` is one dimension measured on both
sides, a lone `fluency` one that was measured on the candidate only. A column that only counts is none.

A score that is not a finite number makes a replay without a score. A row that cannot be placed (no checkpoint, a time,
a status or a decision that cannot be read) refuses the whole table, and every such row is named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from dashboard.imports.results.table.cells import Notation, find_notation
from dashboard.imports.results.table.sheet import Row, Text, load_rows
from dashboard.imports.results.table.words import STATUSES, clean_reason, fold_word, read_status, read_time
from dashboard.imports.results.types import (
    DECISIONS,
    MAX_NAME,
    DimensionResult,
    Measure,
    Result,
    ResultsError,
    ResultSet,
    describe_scale,
    is_storable,
    join_names,
    natural_key,
    quote,
)
from dashboard.store.digest import digest_json

REQUIRED = ("checkpoint", "candidate_score")
OPTIONAL = (
    "incumbent_score", "created_at", "status", "status_reason", "decision", "rule",
    "candidate_stderr", "incumbent_stderr", "n",
)  # fmt: skip
_COUNTING = {"step", "global_step", "iteration", "epoch", "index", "row", "id", "no", "nr", "seed", "run_seq"}
_UNNAMED = re.compile(r"(?i)unnamed:? ?\d+|\(column \d+, without a name\)|level_\d+|#")


@dataclass(frozen=True)
class TableOptions:
    """What a person says of a table. `statuses`: a folded word -> the status that it is."""

    statuses: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Columns:
    """How a row is read."""

    notation: Notation
    dimensions: Mapping[str, tuple[str, str | None]]
    """Dimension -> its (candidate column, incumbent column or None)."""
    has_incumbent: bool
    statuses: Mapping[str, str]


def read_table(path: Path, options: TableOptions, lower_is_better: bool | None, incumbent_is: str = "") -> ResultSet:
    """The table's rows in checkpoint order. Raises ResultsError when it cannot be read whole."""
    numbered, separator = load_rows(path, REQUIRED, _name_column)
    if not numbered:
        raise ResultsError(f"{path} holds no rows")
    names = list(dict.fromkeys(key for _, row in numbered for key in row))
    if not is_storable("".join(names)):
        raise ResultsError(f"{path}: a column's name holds a null character or half a character")
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise ResultsError(f"{path} lacks the column {missing[0]}; there are: {', '.join(names) or 'none'}")
    scores = [row.get(name) for _, row in numbered for name in ("candidate_score", "incumbent_score")]
    notation = find_notation(scores, separator == ",", str(path))
    dimensions, notes = _find_dimensions(numbered, names, notation)
    has_incumbent = any(not _is_empty(row.get("incumbent_score")) for _, row in numbered)
    columns = _Columns(notation, dimensions if has_incumbent else {}, has_incumbent, options.statuses)
    if dimensions and not has_incumbent:
        notes = [f"no incumbent score stands in it: one line, without the dimensions {join_names([*dimensions])}"]
    if notation.percent:
        notes.append("percentages are read as shares: 71.2% is 0.712")
    results = _decode_rows(path, numbered, columns)
    scale = describe_scale("as the table gives it", lower_is_better)
    if lower_is_better is False:
        scale = "as the table gives it, higher is better"
    measure = Measure("table", "score", "as the table gives it", scale, tuple(columns.dimensions), lower_is_better)
    return ResultSet(measure, results, notes=tuple(notes), incumbent_is=incumbent_is or "serving", origin=path.stem)


def _name_column(name: str) -> str:
    """The name that we know a column by, where it differs in capitals and blanks alone; else as it is."""
    folded = fold_word(name)
    return folded if folded in (*REQUIRED, *OPTIONAL) else name.strip()


def _decode_rows(path: Path, numbered: Sequence[tuple[int, Row]], columns: _Columns) -> tuple[Result, ...]:
    """Every row's result, by checkpoint and time. Raises ResultsError, naming each row that cannot be placed."""
    results, faults = [], []
    places: dict[tuple[str, str], list[tuple[int, datetime | None]]] = {}
    for number, row in numbered:
        try:
            result = _decode_row(row, columns)
            earlier = places.setdefault((result.rule or "", result.checkpoint), [])
            times = [time for _, time in earlier]
            if earlier and (result.created_at is None or None in times or result.created_at in times):
                raise ValueError(
                    f"checkpoint {result.checkpoint} is there twice, first in row {earlier[0][0]}, and no created_at "
                    "tells them apart"
                )
            earlier.append((number, result.created_at))
            results.append(result)
        except ValueError as error:
            faults.append(f"row {number}: {error}")
    if faults:
        more = f"; and {len(faults) - 10} more" if len(faults) > 10 else ""
        raise ResultsError(f"{path}: {'; '.join(faults[:10])}{more}")
    return tuple(sorted(results, key=lambda r: (natural_key(r.checkpoint), r.rule or "", str(r.created_at or ""))))


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _find_dimensions(
    rows: Sequence[tuple[int, Row]], columns: Sequence[str], notation: Notation
) -> tuple[dict[str, tuple[str, str | None]], list[str]]:
    """Dimension -> its columns, and notes: which columns became dimensions, and why each other one did not."""
    notes, numeric = [], []
    for column in columns:
        if column in REQUIRED or column in OPTIONAL:
            continue
        filled = [(n, r[column]) for n, r in rows if not _is_empty(r.get(column))]
        other = next(((n, v) for n, v in filled if notation.read(v) is None), None)
        if not filled:
            continue
        if other:
            notes.append(f"column {column} is no dimension: row {other[0]} holds {quote(other[1])}")
        elif (
            _UNNAMED.fullmatch(column)
            or fold_word(column) in _COUNTING
            or _counts([notation.read(v) for _, v in filled])
        ):
            notes.append(f"column {column} is no dimension: it counts rows or steps")
        else:
            numeric.append(column)
    dimensions: dict[str, tuple[str, str | None]] = {}
    for column in numeric:
        stem = column.removesuffix("_candidate").removesuffix("_incumbent")
        pair = (f"{stem}_candidate", f"{stem}_incumbent")
        if stem != column and pair[0] in numeric and pair[1] in numeric:
            dimensions[stem] = pair
        else:
            dimensions[column] = (column, None)
    if dimensions:
        notes.append(f"rubric dimensions: {join_names([*dimensions], 12)}")
    return dimensions, notes


def _counts(values: Sequence[float | None]) -> bool:
    """Whether these are the numbers of rows: 0, 1, 2, … or 1, 2, 3, …, of at least four."""
    return len(values) > 3 and any(list(values) == list(range(start, start + len(values))) for start in (0, 1))


def _decode_row(row: Row, columns: _Columns) -> Result:
    """One row. Raises ValueError, without the row's number, for a row that cannot be placed."""
    read = columns.notation.read
    checkpoint, rule = _read_text(row, "checkpoint"), _read_text(row, "rule")
    if not checkpoint:
        raise ValueError("no checkpoint")
    decision = _read_text(row, "decision") or None
    if decision is not None and decision not in DECISIONS:
        raise ValueError(f"decision {quote(decision)} is not one of {', '.join(DECISIONS)}")
    given = _read_text(row, "status", 40) or "done"
    status = read_status(given, columns.statuses)
    reason = clean_reason(str(row["status_reason"])) if not _is_empty(row.get("status_reason")) else ""
    sides = ("candidate", "incumbent") if columns.has_incumbent else ("candidate",)
    numbers = {side: read(row.get(f"{side}_score")) for side in sides}
    known = {*STATUSES.values()}
    if status not in known and any(number is not None for number in numbers.values()):
        raise ValueError(
            f"status {quote(given)} stands beside a score, and nothing says whether it is finished: known are "
            f"{', '.join(STATUSES)}; --status-is {quote(given).strip(chr(39))}=done (or failed, …) says what it means"
        )
    if status == "done":
        faults = [
            f"no {side} score for {checkpoint}"
            if _is_empty(row.get(f"{side}_score"))
            else f"{side} score of {checkpoint} {columns.notation.explain(row[f'{side}_score'])}"
            for side, number in numbers.items()
            if number is None
        ]
        if faults:
            status, reason = "failed", "; ".join([*faults, reason] if reason else faults)
    scored, found = status == "done", (numbers["candidate"], numbers.get("incumbent"))
    stderr = (read(row.get("candidate_stderr")), read(row.get("incumbent_stderr")))
    rows = read(row.get("n"))
    return Result(
        checkpoint=checkpoint,
        candidate_model="candidate",
        incumbent_model="incumbent" if columns.has_incumbent else "",
        status=status,
        reason=reason or (None if scored else f"{status}; the table gives no reason"),
        candidate=found[0] if scored else None,
        incumbent=found[1] if scored else None,
        found=(None, None) if scored else found,
        stderr=stderr if scored else (None, None),
        dimensions=tuple(
            DimensionResult(key, read(row.get(mine)), read(row.get(other)) if other else None)
            for key, (mine, other) in columns.dimensions.items()
            if not _is_empty(row.get(mine))
        )
        if scored
        else (),
        created_at=read_time(row.get("created_at")),
        content=digest_json(json.loads(json.dumps([found, reason if not scored else ""]))),
        decision=decision,
        rule=rule or None,
        rows=int(rows) if rows is not None and rows.is_integer() and 0 < rows < 2**31 else None,
    )


def _read_text(row: Row, column: str, longest: int = MAX_NAME) -> str:
    """A cell as text, "" when it is empty. A checkpoint such as 1000, or 1000.0, may stand as a number in JSON."""
    value = row.get(column)
    if _is_empty(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise ValueError(f"{column} is not text: {quote(value)}")
    text = str(value).strip()
    if isinstance(value, Text) and column == "checkpoint":
        text = re.sub(r"^(\d+)\.0+$", r"\1", text)  # a data frame's column of steps with a gap in it
    if len(text) > longest or not is_storable(text):
        raise ValueError(f"{column} is longer than {longest} characters or holds a null or half a character")
    return text
