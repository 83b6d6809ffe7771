"""What GET /v1/benchmark_runs answered, or …/{id}/scenario_runs: pages, a list, or a row a line. No Django here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from dashboard.store.text.strict_json import NotJson, check_whole, find_unstorable, parse_loosely

LAST_MS = 253_402_300_799_999
"""The end of the year 9999."""
ENVIRONMENT = ("environment_variables", "secrets_provided")

Id = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=2000)]
State = Annotated[str, Meta(min_length=1, max_length=40)]
Milliseconds = Annotated[int, Meta(ge=0, le=LAST_MS)]
Row = TypeVar("Row", bound=msgspec.Struct)


class RunUnreadable(ValueError):
    """Why a row is no run, in words that end a sentence. It names keys and never shows what stood under them."""


class Run(msgspec.Struct, frozen=True):
    """One run, as it goes on the wire; other keys are left out. A state that nobody knows stays as it is."""

    id: Id
    state: State
    start_time_ms: Milliseconds
    benchmark_id: Id | None = None
    duration_ms: Milliseconds | None = None
    name: Text | None = None
    purpose: Text | None = None
    score: float | None = None
    metadata: dict[str, str] | None = None
    environment_variables: dict[str, str] | None = None
    secrets_provided: dict[str, str] | None = None

    def __repr__(self) -> str:
        return f"<Run {self.id}>"


class ScoringFunctionResult(msgspec.Struct, frozen=True):
    scoring_function_name: str
    score: float
    state: str
    output: str


class ScoringContractResult(msgspec.Struct, frozen=True):
    """What a scenario run scored, 0 to 1, and what each scoring function gave."""

    score: float
    scoring_function_results: list[ScoringFunctionResult]


class ScenarioRun(msgspec.Struct, frozen=True):
    """What one scenario of a run came to. Its environment is none of these keys."""

    id: Id
    scenario_id: Id
    state: State
    benchmark_run_id: Id | None = None
    devbox_id: Annotated[str, Meta(max_length=200)] = ""
    name: Text | None = None
    start_time_ms: Milliseconds | None = None
    duration_ms: Milliseconds | None = None
    metadata: dict[str, str] | None = None
    scoring_contract_result: ScoringContractResult | None = None


@dataclass(frozen=True)
class RunFile:
    """The rows of a file, each with its place ("line 3, run 17"). `cut`: its last page says that more runs follow."""

    rows: tuple[tuple[str, Any], ...]
    cut: bool = False


def read_file(raw: bytes) -> RunFile:
    """Every row, read or not: what `read_run` takes. Raises RunUnreadable where the file is none of the three forms."""
    pages = list(_read_pages(raw.removeprefix(b"\xef\xbb\xbf")))
    if len(pages) == 1 and (said := _find_error(pages[0][1])):
        raise RunUnreadable(f"it is an error that the API answered, and holds no runs: {said}")
    rows = [row for place, page in pages for row in _list_rows(place, page)]
    last = pages[-1][1] if pages else None
    return RunFile(tuple(rows), cut=isinstance(last, dict) and last.get("has_more") is True)


def read_run(value: Any, *, keep_environment: bool) -> Run:
    """The run in a row. Raises RunUnreadable; an environment that is not kept cannot be the reason."""
    return _read_row(value, Run, left_out=() if keep_environment else ENVIRONMENT)


def read_scenario_run(value: Any) -> ScenarioRun:
    """The scenario run in a row. Raises RunUnreadable."""
    return _read_row(value, ScenarioRun)


def has_environment(value: Any) -> bool:
    """Whether any environment value or secret name stands in a row."""
    return isinstance(value, dict) and any(value.get(key) for key in ENVIRONMENT)


def _read_row(value: Any, shape: type[Row], left_out: Sequence[str] = ()) -> Row:
    if isinstance(value, NotJson):
        raise RunUnreadable(str(value))
    if not isinstance(value, dict):
        raise RunUnreadable("it is no object")
    known = {key: value[key] for key in shape.__struct_fields__ if key in value and key not in left_out}
    for key in ("start_time_ms", "duration_ms"):
        if type(number := known.get(key)) is float and number.is_integer():
            known[key] = int(number)  # some writers of JSON spell every number as a float
    try:
        check_whole(known)
        row = msgspec.convert(known, shape)
    except NotJson as error:
        raise RunUnreadable(str(error)) from error
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$.")
        raise RunUnreadable(f"{path.rstrip('`')}: {what}" if path else what) from error
    if find_unstorable(msgspec.to_builtins(row)) is not None:
        raise RunUnreadable("it holds a NUL or half of a surrogate pair, which cannot be stored")
    return row


def _find_error(page: Any) -> str:
    """What a saved refusal says (a 401 for want of a key); "" of any other value."""
    if not isinstance(page, dict) or "runs" in page or "id" in page:
        return ""
    said = next((page[key] for key in ("error", "message", "detail") if page.get(key)), "")
    said = said.get("message", said) if isinstance(said, dict) else said
    return str(said)[:200]


def _read_pages(raw: bytes) -> Iterator[tuple[str, Any]]:
    """The file's one value, else that of each line, be it read or not."""
    try:
        yield "", parse_loosely(raw)
        return
    except NotJson as error:
        lines = [(f"line {n}", _read_line(line)) for n, line in enumerate(raw.split(b"\n"), 1) if line.strip()]
        if not any(isinstance(value, dict | list) for _, value in lines):
            raise RunUnreadable(str(error)) from error
    yield from lines


def _read_line(line: bytes) -> Any:
    try:
        return parse_loosely(line)
    except NotJson as error:
        return error


def _list_rows(place: str, page: Any) -> Iterator[tuple[str, Any]]:
    runs = page["runs"] if isinstance(page, dict) and isinstance(page.get("runs"), list) else page
    if not isinstance(runs, list):
        yield place or "the file", runs
        return
    for n, run in enumerate(runs, 1):
        yield f"{place}, run {n}" if place else f"run {n}", run
