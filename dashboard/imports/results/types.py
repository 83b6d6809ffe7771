"""What a results file says, once read: one result a checkpoint, and what could not be read. No Django here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

DECISIONS = ("auto_promoted", "promoted", "rejected", "auto_rejected", "rolled_back")
MAX_FILE_BYTES = 64 * 1024 * 1024
YEARS = (1970, 2100)
"""The first and the last year a time may lie in, so that there is room for others before and after it."""
MAX_NAME = 200
"""The longest checkpoint, model or rule name that is stored, in characters."""


class ResultsError(Exception):
    """Nothing can be imported. The message says what is wrong and what there is instead."""


class FileError(Exception):
    """One file cannot be read. The message says why, without the file's name."""


class OtherFile(Exception):
    """One file is no file of results and does not claim to be. The message says so."""


@dataclass(frozen=True)
class Problem:
    """A file that was left out, and why."""

    path: str
    message: str


@dataclass(frozen=True)
class DimensionResult:
    """One rubric dimension of one checkpoint. A side that was not measured is None."""

    key: str
    candidate: float | None
    incumbent: float | None


@dataclass(frozen=True)
class Result:
    """One checkpoint: both scores, or neither and the reason."""

    checkpoint: str
    candidate_model: str
    incumbent_model: str
    """"" when nothing says which incumbent it was."""
    status: str
    reason: str | None
    candidate: float | None = None
    incumbent: float | None = None
    """None beside a candidate's number where nothing was measured against: a point of a benchmark of one line."""
    found: tuple[float | None, float | None] = (None, None)
    """What was read of each side where it makes no score: kept, and compared with when it comes again."""
    stderr: tuple[float | None, float | None] = (None, None)
    """The standard error of each side's number, where the files give it."""
    dimensions: tuple[DimensionResult, ...] = ()
    created_at: datetime | None = None
    """When it was measured, where the files say."""
    content: str = ""
    """Stands for what was read of the candidate: with no time of its own, it tells this result from another one."""
    candidate_version: str | None = None
    """The revision of the candidate, where the file names one."""
    incumbent_version: str | None = None
    """The revision of an incumbent that serves, where the file names one; None of a baseline run."""
    decision: str | None = None
    rule: str | None = None
    rows: int | None = None
    """How many questions were scored on each side, where the file says so."""
    identity: Any = None
    """What was measured, as JSON (`alike.Identity`). None: as the benchmark says."""
    legacy: Any = None
    """What an older import took for it."""

    @property
    def scored(self) -> bool:
        """Whether it has a score to publish: one that is done and not comparable has none."""
        return self.status == "done" and self.candidate is not None

    @property
    def numbers(self) -> tuple[float | None, float | None]:
        """What was read of candidate and incumbent, scored or not."""
        return (self.candidate, self.incumbent) if self.scored else self.found


@dataclass(frozen=True)
class Measure:
    """How the numbers came about; it becomes the benchmark's frozen judge and scoring."""

    source: str
    """Who measured: "lm-evaluation-harness" or "table"."""
    metric: str
    aggregate: str
    scale: str
    dimensions: tuple[str, ...] = ()
    lower_is_better: bool | None = None
    """None where nobody says: no difference is then better or worse."""
    standard: Any = None
    """The identity that most files share, which a new benchmark is frozen to; None of a table, which says nothing."""
    require_all_rows: bool | None = None
    """Whether a number stands for every question; None where the file does not say."""


@dataclass(frozen=True)
class ResultSet:
    """Everything that the given files say, in checkpoint order."""

    measure: Measure
    results: tuple[Result, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences about choices made while reading; each is printed."""
    incumbent_is: str = "serving"
    """`serving`, one model over many replays, or `baseline-run`, matched checkpoint by checkpoint."""
    origin: str = ""
    """The name of what was read (a folder's or file's own name): the last resort for a model's name."""


def join_names(names: Sequence[str], most: int = 5) -> str:
    """The first few, and how many more."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def describe_scale(bounds: str, lower: bool | None) -> str:
    """The scale in words, with the direction where it is not the usual one."""
    if lower is None:
        return f"{bounds}, direction unknown"
    if lower:
        return f"{bounds}, lower is better"
    return bounds


def fold_name(name: str) -> str:
    """What two names share that differ in blanks, capitals or Unicode form alone."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def is_storable(text: str) -> bool:
    """Whether a database can keep the text: no null character, no half of a surrogate pair."""
    return not any(c == "\x00" or "\ud800" <= c <= "\udfff" for c in text)


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that orders the numbers inside names as numbers: step512 before step1000.

    Total and deterministic: names that differ never have one key, as the text itself is the last part.
    """
    parts = [(0, int(p), "") if p.isdecimal() else (1, 0, p.casefold()) for p in re.findall(r"\d{1,1000}|\D+", text)]
    return (*parts, (2, 0, text))


def read_number(value: Any) -> float | None:
    """A JSON number as a finite float; None for everything else (booleans, text, NaN, Infinity, null).

    From 1e300 on it counts as infinite, so that no mean and no difference of two can overflow. An integer that no
    float holds exactly, as some beyond 2^53, is none either: it would be another number than the one that stood there.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if abs(number) < 1e300 and number == value else None


def explain_number(value: Any) -> str:
    """Why `read_number` gave None, after the name of what stood there."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1e300:
        return "is an integer beyond 2^53 that cannot be kept exactly"
    return "is not a finite number"


def quote(value: Any) -> str:
    """What stood in a file, short enough for a sentence."""
    text = "an integer beyond all bounds" if isinstance(value, int) and abs(value) > 10**20 else repr(value)
    return text if len(text) <= 40 else text[:39] + "…"


def is_plausible(moment: datetime) -> bool:
    return YEARS[0] <= moment.year <= YEARS[1]


def read_unix_seconds(value: Any) -> datetime | None:
    """Unix seconds as a moment in UTC; None unless they lie between the years 2000 and 2100 (milliseconds do not)."""
    seconds = read_number(value)
    if seconds is None or not 946_684_800 <= seconds <= 4_102_444_800:
        return None
    return datetime.fromtimestamp(seconds, UTC)
