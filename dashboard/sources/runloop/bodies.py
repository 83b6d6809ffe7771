"""The Runloop API's bodies to records. What a run was given (environment values, names of secrets) is left out here.

A body is read in the wire's own names and types, at full speed where all is well and value by value where something is
not (`decoding`). Then times become instants, and metadata loses the keys that could hold an environment.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from dashboard.sources.http.cursor import CursorPage
from dashboard.sources.http.decoding import MALFORMED, is_usable_id, one_decoder, parse_body, read_record
from dashboard.sources.http.errors import UnreadableAnswer
from dashboard.sources.http.transport import Answer
from dashboard.sources.loop.wire import Instant, Score, Unreadable
from dashboard.sources.runloop.wire import (
    MOST_OUTPUT,
    Duration,
    FunctionScore,
    RunEnvironment,
    RunloopBenchmark,
    RunloopRun,
    ScenarioRun,
)

Record = TypeVar("Record", bound=msgspec.Struct)

HIDDEN = frozenset(
    {"environment_variables", "secrets_provided", "required_environment_variables", "required_secret_names"}
)
"""Keys that are dropped wherever they stand, before anything of an odd body is kept to be shown."""
FIRST = datetime(2015, 1, 1, tzinfo=UTC)
"""No run is older. Seconds where milliseconds are due would be in January 1970."""
AHEAD = timedelta(days=1)
"""How far in the future a run may begin: clocks differ, units differ more."""
_LONGEST_MS = 10 * 365 * 86_400_000
MOST_COUNTED = 10**9
"""A count beyond this counts nothing."""


class RunBody(msgspec.Struct, frozen=True, gc=False):
    """A BenchmarkRunView, less what is hidden."""

    id: str
    benchmark_id: str | None = None
    name: str | None = None
    purpose: str | None = None
    state: str = ""
    score: Score = None
    start_time_ms: Duration = None
    duration_ms: Duration = None
    metadata: dict[str, str] = {}


class ContractBody(msgspec.Struct, frozen=True):
    score: Score = None
    scoring_function_results: tuple[FunctionScore, ...] = ()


class ScenarioBody(msgspec.Struct, frozen=True):
    """A ScenarioRunView, less what is hidden."""

    id: str
    scenario_id: str = ""
    name: str | None = None
    state: str = ""
    start_time_ms: Duration = None
    duration_ms: Duration = None
    scoring_contract_result: ContractBody | None = None
    metadata: dict[str, str] = {}
    benchmark_run_id: str | None = None


class _EnvironmentBody(msgspec.Struct, frozen=True):
    id: str = ""
    environment_variables: dict[str, str] | None = None
    secrets_provided: dict[str, str] | None = None


def decode_cursor_page(answer: Answer, name: str, record: type[Record]) -> CursorPage[Record]:
    """Read `{<name>: [record, …], has_more, remaining_count, total_count}`. Raises `UnreadableAnswer`."""
    try:
        page = _page_decoder(name, record).decode(answer.body)
        return CursorPage(page.entries, page.has_more, _as_count(page.remaining_count), _as_count(page.total_count))
    except MALFORMED:
        body = parse_body(answer, read_constant=Unreadable, without=HIDDEN)
    entries = body.get(name)
    if not isinstance(entries, list):
        raise UnreadableAnswer(f"{answer.route} was answered with something else than a page of {name}.")
    more, remaining, total = (body.get(key) for key in ("has_more", "remaining_count", "total_count"))
    return CursorPage(
        tuple(read_record(_as_object(entry), record) for entry in entries),
        more if isinstance(more, bool) else None,
        _as_count(remaining),
        _as_count(total),
    )


def decode_object(answer: Answer, record: type[Record], what: str, asked_id: str) -> Record:
    """Read a body that is the record itself. Raises `UnreadableAnswer`, also where it has not the id asked for."""
    try:
        found: Record = one_decoder("", record).decode(answer.body)
    except MALFORMED:
        found = read_record(parse_body(answer, read_constant=Unreadable, without=HIDDEN), record)
    _check_id(answer, getattr(found, "id", ""), what, asked_id)
    return found


def decode_environment(answer: Answer, run_id: str) -> RunEnvironment:
    """What a run was given: the only reading of these keys. Raises `UnreadableAnswer`, which repeats nothing of it."""
    try:
        found = one_decoder("", _EnvironmentBody).decode(answer.body)
    except MALFORMED:
        body = parse_body(answer, read_constant=Unreadable)
        given = [body.get(name) for name in ("environment_variables", "secrets_provided")]
        if not all(value is None or isinstance(value, dict) for value in given):
            raise UnreadableAnswer(f"{answer.route} was answered with an environment that cannot be read.") from None
        found = read_record(body, _EnvironmentBody)
    _check_id(answer, found.id, "run", run_id)
    return RunEnvironment(found.environment_variables or {}, found.secrets_provided or {})


def _check_id(answer: Answer, given: str, what: str, asked_id: str) -> None:
    """Raises `UnreadableAnswer` for what is not the one asked for: a page would show it under the other's name."""
    if given != asked_id:
        said = f"another {what} than the one asked for" if is_usable_id(given) else f"a {what} that has no usable id"
        raise UnreadableAnswer(f"{answer.route} was answered with {said}.")


def _as_count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_COUNTED else None


def build_benchmark(body: RunloopBenchmark) -> RunloopBenchmark:
    return msgspec.structs.replace(body, metadata=_show_metadata(body.metadata))


def build_run(body: RunBody, now: datetime) -> RunloopRun:
    return RunloopRun(
        id=body.id,
        benchmark_id=body.benchmark_id,
        name=body.name,
        purpose=body.purpose,
        state=body.state,
        score=body.score,
        started_at=read_start(body.start_time_ms, now),
        duration_ms=read_duration(body.duration_ms),
        metadata=_show_metadata(body.metadata),
    )


def build_scenario_run(body: ScenarioBody, now: datetime) -> ScenarioRun:
    result = body.scoring_contract_result or ContractBody()
    return ScenarioRun(
        id=body.id,
        scenario_id=body.scenario_id,
        name=body.name,
        state=body.state,
        started_at=read_start(body.start_time_ms, now),
        duration_ms=read_duration(body.duration_ms),
        score=result.score,
        functions=tuple(_cut_output(function) for function in result.scoring_function_results),
        metadata=_show_metadata(body.metadata),
        benchmark_run_id=body.benchmark_run_id,
    )


def _cut_output(given: FunctionScore) -> FunctionScore:
    return msgspec.structs.replace(given, output=given.output[: MOST_OUTPUT + 1], output_length=len(given.output))


def read_start(given: Duration, now: datetime) -> Instant:
    """The instant of Unix milliseconds. One before 2015 or more than a day after `now` is no time that is meant."""
    if not isinstance(given, int):
        return given
    try:
        at = datetime.fromtimestamp(given / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return Unreadable(str(given)[:80])
    return at if FIRST <= at <= now + AHEAD else Unreadable(str(given)[:80])


def read_duration(given: Duration) -> Duration:
    """Milliseconds from 0 to ten years; what is no such length is unreadable."""
    return given if not isinstance(given, int) or 0 <= given <= _LONGEST_MS else Unreadable(str(given)[:80])


def _show_metadata(given: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in given.items() if key not in HIDDEN} if HIDDEN & given.keys() else given


def _as_object(entry: Any) -> dict[str, Any]:
    """An entry to read values from. Of one that is no object nothing is repeated: it might be an environment."""
    return entry if isinstance(entry, dict) else {"score": Unreadable("something else than a run")}


@lru_cache
def _page_decoder(name: str, record: type) -> msgspec.json.Decoder[Any]:
    fields: list[Any] = [
        ("entries", tuple[record, ...]),  # type: ignore[valid-type]
        ("has_more", bool | None, None),
        ("remaining_count", int | None, None),
        ("total_count", int | None, None),
    ]
    return msgspec.json.Decoder(msgspec.defstruct("CursorBody", fields, rename={"entries": name}))
