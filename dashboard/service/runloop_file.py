"""What GET /v1/benchmark_runs answered, read from a file: pages, a list of runs, or a run a line. No Django here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from dashboard.service.strict_json import NotJson, check_whole, find_unstorable, parse_loosely

LAST_MS = 253_402_300_799_999
"""The end of the year 9999."""
ENVIRONMENT = ("environment_variables", "secrets_provided")

Id = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=2000)]
Milliseconds = Annotated[int, Meta(ge=0, le=LAST_MS)]


class RunUnreadable(ValueError):
    """Why a row is no run, in words that end a sentence. It names keys and never shows what stood under them."""


class Run(msgspec.Struct, frozen=True):
    """One run, as it goes on the wire; keys that are not here are left out. A state that nobody knows stays as it is.

    `had_environment`: whether any environment value or secret name came with it, be it kept or not.
    """

    id: Id
    state: Annotated[str, Meta(min_length=1, max_length=40)]
    start_time_ms: Milliseconds
    benchmark_id: Id | None = None
    duration_ms: Milliseconds | None = None
    name: Text | None = None
    purpose: Text | None = None
    score: float | None = None
    metadata: dict[str, str] | None = None
    environment_variables: dict[str, str] | None = None
    secrets_provided: dict[str, str] | None = None
    had_environment: bool = False

    def __repr__(self) -> str:
        return f"<Run {self.id}>"


@dataclass(frozen=True)
class RunFile:
    """The rows of a file, each with its place ("line 3, run 17"). `cut`: its last page says that more runs follow."""

    rows: tuple[tuple[str, Any], ...]
    cut: bool = False


def read_file(raw: bytes) -> RunFile:
    """Every row, read or not: what `read_run` takes. Raises RunUnreadable where the file is none of the three forms."""
    pages = list(_read_pages(raw.removeprefix(b"\xef\xbb\xbf")))
    rows = [row for place, page in pages for row in _list_rows(place, page)]
    last = pages[-1][1] if pages else None
    return RunFile(tuple(rows), cut=isinstance(last, dict) and last.get("has_more") is True)


def read_run(value: Any, *, keep_environment: bool) -> Run:
    """The run in a row. Raises RunUnreadable; what is not kept of the environment cannot be the reason."""
    if isinstance(value, NotJson):
        raise RunUnreadable(str(value))
    if not isinstance(value, dict):
        raise RunUnreadable("it is no object")
    had = any(value.get(key) for key in ENVIRONMENT)
    kept = {key: value[key] for key in value if keep_environment or key not in ENVIRONMENT} | {"had_environment": had}
    try:
        check_whole(kept)
        run = msgspec.convert(kept, Run)
    except NotJson as error:
        raise RunUnreadable(str(error)) from error
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$.")
        raise RunUnreadable(f"{path.rstrip('`')}: {what}" if path else what) from error
    if find_unstorable(msgspec.to_builtins(run)) is not None:
        raise RunUnreadable("it holds a NUL or half of a surrogate pair, which cannot be stored")
    return run


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
