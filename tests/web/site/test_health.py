"""Is it up, and can it work?"""

from __future__ import annotations

from collections.abc import Iterator
from threading import Barrier, Event, Thread

import pytest
from django.db import connection, connections
from django.db.utils import OperationalError

from dashboard.sources.connect import get_loop, get_runloop
from dashboard.sources.http.errors import Unreachable
from dashboard.web.site import health


@pytest.fixture(autouse=True)
def _forget_the_last_look(monkeypatch):
    monkeypatch.setattr(health, "_last_look", None)
    monkeypatch.setattr(health, "WAITS_S", 30)


def test_the_process_says_ok_to_anybody(client):
    assert client.get("/healthz").content == b"ok\n"


@pytest.mark.django_db
def test_database_and_source_answer(client):
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"database": "ok", "loop": "ok", "runloop": "ok"}


@pytest.fixture
def remote_loop(settings):
    settings.RUNBIOS_BASE_URL, settings.RUNBIOS_API_KEY = "https://loop.example.test", "bt-test"
    return get_loop()


@pytest.mark.django_db
def test_a_source_that_is_away_is_said_and_nothing_else_is(client, remote_loop, monkeypatch):
    calls = []

    def introspect():
        calls.append(1)
        raise Unreachable("GET /api/api-keys/introspect could not reach the service.")

    monkeypatch.setattr(remote_loop, "introspect", introspect)
    for _probe in range(3):
        answer = client.get("/readyz")
        assert answer.status_code == 200, "the pages show what was read last"
        assert answer.json() == {"database": "ok", "loop": "down", "runloop": "ok"}
    assert len(calls) == 1, "strangers cannot make us ask the source again and again"


@pytest.mark.django_db
def test_it_is_the_source_that_is_away_that_is_named(client, remote_loop, settings, monkeypatch):
    settings.RUNLOOP_API_KEY = "rl-test"
    monkeypatch.setattr(remote_loop, "introspect", lambda: None)

    def ping():
        raise Unreachable("GET /v1/benchmarks could not reach the service.")

    monkeypatch.setattr(get_runloop(), "ping", ping)
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"database": "ok", "loop": "ok", "runloop": "down"}


@pytest.fixture
def both_remote(remote_loop, settings):
    settings.RUNLOOP_API_KEY = "rl-test"
    return remote_loop, get_runloop()


@pytest.fixture
def stuck() -> Iterator[Event]:
    """What a source waits for that does not answer; it is let go in the end."""
    event = Event()
    yield event
    event.set()


@pytest.mark.django_db
def test_remote_sources_are_asked_at_the_same_time(client, both_remote, monkeypatch):
    together = Barrier(2, timeout=10)
    monkeypatch.setattr(both_remote[0], "introspect", together.wait)
    monkeypatch.setattr(both_remote[1], "ping", together.wait)
    assert client.get("/readyz").json() == {"database": "ok", "loop": "ok", "runloop": "ok"}


@pytest.mark.django_db(transaction=True)
def test_a_source_that_is_late_is_down_and_is_not_asked_again_until_it_answered(
    client, both_remote, stuck, monkeypatch
):
    calls, asked = [], Event()
    monkeypatch.setattr(both_remote[0], "introspect", lambda: (calls.append(1), asked.set(), stuck.wait(60)))
    monkeypatch.setattr(both_remote[1], "ping", lambda: None)
    monkeypatch.setattr(health, "WAITS_S", 0)
    for _ in range(2):
        assert client.get("/readyz").json()["loop"] == "down"
        assert asked.wait(30)
        monkeypatch.setattr(health, "_last_look", None)
    assert len(calls) == 1
    stuck.set()
    monkeypatch.setattr(health, "WAITS_S", 30)
    assert client.get("/readyz").json() == {"database": "ok", "loop": "ok", "runloop": "ok"}


@pytest.mark.django_db(transaction=True)
def test_of_several_probes_at_once_one_asks_and_all_are_told(both_remote, stuck, monkeypatch):
    calls, asked = [], Event()

    def introspect():
        calls.append(1)
        asked.set()
        stuck.wait(60)

    monkeypatch.setattr(both_remote[0], "introspect", introspect)
    monkeypatch.setattr(both_remote[1], "ping", lambda: None)
    told: list[object] = []

    def probe_it():
        told.append(health._look_at_sources())
        connections.close_all()

    probes = [Thread(target=probe_it) for _ in range(3)]
    for probe in probes:
        probe.start()
    assert asked.wait(30)
    stuck.set()
    for probe in probes:
        probe.join(30)
    assert told == [{"loop": "ok", "runloop": "ok"}] * 3
    assert len(calls) == 1


@pytest.mark.django_db
def test_with_a_source_that_is_set_up_wrong_no_page_can_be_shown(client, settings):
    settings.RUNBIOS_BASE_URL = "https://loop.example.test"
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"database": "ok", "loop": "misconfigured", "runloop": "ok"}


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
@pytest.mark.parametrize("method", ["get", "head"])
def test_a_probe_is_answered_by_whatever_name_it_asks(client, settings, path, method):
    settings.ALLOWED_HOSTS = ["bench.example"]
    for name in ("10.0.0.7:8000", "not_a name"):
        answer = getattr(client, method)(path, headers={"Host": name})
        assert answer.status_code == 200
        assert answer["Cache-Control"] == "no-store"
    assert client.post(path).status_code == 405


@pytest.mark.django_db
def test_a_probe_past_the_proxy_is_answered_and_not_redirected(client, settings):
    settings.SECURE_SSL_REDIRECT = True
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 200
    assert client.get("/").status_code == 301


def test_a_database_that_is_away_is_said(client, monkeypatch):
    def cursor():
        raise OperationalError("no such file /secret/place")

    monkeypatch.setattr(connection, "cursor", cursor)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"database": "down", "loop": "down", "runloop": "down"}
