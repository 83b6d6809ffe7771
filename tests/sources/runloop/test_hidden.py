"""What a run was given stays where it is: in no record, memory, log or error, whatever the shape of the answer."""

from __future__ import annotations

import json
import logging
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from django.test import override_settings

from dashboard.sources import reader
from dashboard.sources.connect import _connect_runloop, get_runloop
from dashboard.sources.http.errors import SourceError, UnreadableAnswer
from dashboard.sources.reader import Reading
from dashboard.sources.runloop.client import Runloop
from dashboard.sources.runloop.wire import RunEnvironment
from tests.reads import list_remembered
from tests.sources.conftest import KEY
from tests.sources.faulty_server import Answer, FaultyServer, reply, serve

pytestmark = pytest.mark.django_db
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


@contextmanager
def answering(answer: Answer) -> Iterator[tuple[Runloop, FaultyServer]]:
    """The Runloop source of the settings, before a server that answers so."""
    with serve(answer) as server, override_settings(RUNLOOP_BASE_URL=server.url, RUNLOOP_API_KEY=KEY):
        yield get_runloop(), server
        get_runloop()._transport.close()
    _connect_runloop.cache_clear()


@pytest.mark.parametrize("shape", ENTRIES)
def test_environment_values_and_secret_names_are_nowhere(shape: str, caplog: pytest.LogCaptureFixture) -> None:
    entry = ENTRIES[shape]
    caplog.set_level(logging.DEBUG)
    page = f'{{"runs": [{entry}], "benchmarks": [{entry}], "has_more": false}}'
    seen: list[str] = []
    with answering(lambda request: reply(200, entry if request.path.endswith("/x1") else page)) as (_runloop, server):
        reads: list[Callable[[], Reading[Any]]] = [
            lambda: reader.runs_of("b"),
            lambda: reader.run("x1"),
            lambda: reader.scenarios("x1"),
            reader.runloop_benchmarks,
            lambda: reader.runloop_benchmark("x1"),
        ]
        for read in reads:
            try:
                seen.append(repr(read().need().value))
            except SourceError as error:
                seen.append(f"{error} {vars(error)} {error.__cause__}")
                logging.getLogger("test").exception("It failed")
    everything = "\n".join([*seen, caplog.text, list_remembered().decode("latin-1")])
    assert len(server.requests) == len(seen) == 5
    assert VALUE not in everything
    assert SECRET not in everything


def test_what_is_kept_can_be_looked_through() -> None:
    """The test above would find a value in the cache, if it were there."""
    with answering(lambda request: reply(200, spoil(purpose=VALUE))):
        reader.run("x1")
    assert VALUE.encode() in list_remembered()


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
    with answering(lambda request: reply(200, spoil())):
        assert reader.environment("x1").need().value.variables == {"TOKEN": VALUE}
    assert list_remembered() == b""
    assert VALUE not in caplog.text
