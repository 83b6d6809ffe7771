"""What a run was given stays where it is: in no record, cache file, log or error, whatever the shape of the answer."""

from __future__ import annotations

import json
import logging
import pickle
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.cache import cache
from django.test import override_settings

from dashboard.sources import reader as lastgood
from dashboard.sources.connect import _connect_runloop, get_runloop
from dashboard.sources.http.errors import SourceError, UnreadableAnswer
from dashboard.sources.reader import read
from dashboard.sources.runloop.client import Runloop
from dashboard.sources.runloop.wire import (
    RunEnvironment,
    RunloopBenchmark,
    RunloopBenchmarks,
    RunloopRun,
    RunloopRuns,
    ScenarioRuns,
)
from tests.sources.conftest import KEY
from tests.sources.faulty_server import Answer, FaultyServer, reply, serve

VALUE, SECRET = "hunter2-value", "PROD_DATABASE_PASSWORD"
GIVEN = {"environment_variables": {"TOKEN": VALUE}, "secrets_provided": {"DB_PASS": SECRET}}
NAMES = {"required_environment_variables": [VALUE], "required_secret_names": [SECRET]}
GOOD: dict[str, Any] = {
    "id": "x1",
    "metadata": {},
    "start_time_ms": 1_740_816_000_000,
    "state": "completed",
    "score": 0.5,
}


def spoil(**fields: Any) -> str:
    return json.dumps(GOOD | GIVEN | NAMES | fields)


ENTRIES = {
    "as agreed": spoil(),
    "a score that is text": spoil(score="x"),
    "a score that holds it": spoil(score=GIVEN),
    "a score that holds it deep": spoil(score=[{"a": GIVEN}]),
    "a start that holds it": spoil(start_time_ms=GIVEN, duration_ms=GIVEN),
    "metadata that hold it": spoil(metadata=GIVEN | {"model": "m"}),
    "metadata that hold it as text": spoil(metadata={"environment_variables": VALUE, "secrets_provided": SECRET}),
    "metadata that hold it deep": spoil(metadata={"a": GIVEN}),
    "values that are no text": spoil(environment_variables={"TOKEN": [VALUE, 5]}, secrets_provided=SECRET, score="x"),
    "a result that holds it": spoil(scoring_contract_result=[GIVEN]),
    "a number beside it": spoil(score="<NaN>").replace('"<', "").replace('>"', ""),
    "an entry in a list": f"[{spoil()}]",
    "an entry in text": json.dumps(spoil()),
    "cut": spoil()[:-1],
    "half a surrogate": spoil(name="\ud800"),
}


def list_kept() -> bytes:
    """What every file of the cache holds, unpacked: Django keeps the time of its end and then the compressed value."""
    kept = b""
    for path in Path(cache._dir).rglob("*"):  # type: ignore[attr-defined]
        with path.open("rb") as file:
            pickle.load(file)
            kept += zlib.decompress(file.read())
    return kept


@contextmanager
def answering(answer: Answer) -> Iterator[tuple[Runloop, FaultyServer]]:
    """The Runloop source of the settings, before a server that answers so."""
    with serve(answer) as server, override_settings(RUNLOOP_BASE_URL=server.url, RUNLOOP_API_KEY=KEY):
        lastgood._pauses.clear()
        yield get_runloop(), server
        get_runloop()._transport.close()
    _connect_runloop.cache_clear()


@pytest.mark.parametrize("shape", ENTRIES)
def test_environment_values_and_secret_names_are_nowhere(shape: str, caplog: pytest.LogCaptureFixture) -> None:
    entry = ENTRIES[shape]
    caplog.set_level(logging.DEBUG)
    page = f'{{"runs": [{entry}], "benchmarks": [{entry}], "has_more": false}}'
    seen: list[str] = []
    with answering(lambda request: reply(200, entry if request.path.endswith("/x1") else page)) as (runloop, server):
        reads: dict[str, tuple[Callable[[], Any], Any]] = {
            "runs": (lambda: runloop.list_runs("b"), RunloopRuns),
            "run": (lambda: runloop.get_run("x1"), RunloopRun),
            "scenario runs": (lambda: runloop.list_scenario_runs("x1"), ScenarioRuns),
            "benchmarks": (runloop.list_benchmarks, RunloopBenchmarks),
            "benchmark": (lambda: runloop.get_benchmark("x1"), RunloopBenchmark),
        }
        for key, (call, kind) in reads.items():
            try:
                seen.append(repr(read(key, call, kind, source="runloop").value))
            except SourceError as error:
                seen.append(f"{error} {vars(error)} {error.__cause__}")
                logging.getLogger("test").exception("It failed")
    everything = "\n".join([*seen, caplog.text, list_kept().decode("latin-1")])
    assert len(server.requests) == len(seen) == 5
    assert VALUE not in everything
    assert SECRET not in everything


def test_what_is_kept_can_be_looked_through() -> None:
    """The test above would find a value in the cache, if it were there."""
    with answering(lambda request: reply(200, spoil(purpose=VALUE))) as (runloop, _server):
        read("run", lambda: runloop.get_run("x1"), RunloopRun, source="runloop")
    assert VALUE.encode() in list_kept()


@pytest.mark.parametrize("given", [VALUE, [VALUE], 5])
def test_an_environment_that_cannot_be_read_is_not_repeated(given: object) -> None:
    body = json.dumps(GOOD | {"environment_variables": given})
    refused = pytest.raises(UnreadableAnswer, match="an environment that cannot be read")
    with answering(lambda request: reply(200, body)) as (runloop, _server), refused as caught:
        runloop.get_environment("x1")
    assert VALUE not in f"{caught.value} {vars(caught.value)} {caught.value.__cause__}"


def test_an_environment_says_nothing_and_cannot_be_stored(caplog: pytest.LogCaptureFixture) -> None:
    found = RunEnvironment({"TOKEN": VALUE}, {"DB_PASS": SECRET})
    assert VALUE not in f"{found} {found!r}"
    with pytest.raises(TypeError):
        pickle.dumps(found)
    with pytest.raises(TypeError):
        msgspec.msgpack.encode(found)
    assert found != {"TOKEN": VALUE}
    with override_settings(RUNLOOP_BASE_URL="https://runloop.example.test", RUNLOOP_API_KEY=KEY):
        assert read("environment", lambda: found, Any, source="runloop").value is found
    assert list_kept() == b""
    assert VALUE not in caplog.text
