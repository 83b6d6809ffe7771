"""Is it up, and can it work?"""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.utils import OperationalError

from dashboard.sources.connect import get_loop, get_runloop
from dashboard.sources.errors import Unreachable
from dashboard.web.views import health


@pytest.fixture(autouse=True)
def _forget_the_last_look(monkeypatch):
    monkeypatch.setattr(health, "_last_look", None)


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
        assert answer.status_code == 503
        assert answer.json() == {"database": "ok", "loop": "down", "runloop": "ok"}
    assert len(calls) == 1, "strangers cannot make us ask the source again and again"


@pytest.mark.django_db
def test_one_of_two_remote_sources_is_enough(client, remote_loop, settings, monkeypatch):
    settings.RUNLOOP_API_KEY = "rl-test"
    monkeypatch.setattr(remote_loop, "introspect", lambda: None)

    def ping():
        raise Unreachable("GET /v1/benchmarks could not reach the service.")

    monkeypatch.setattr(get_runloop(), "ping", ping)
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"database": "ok", "loop": "ok", "runloop": "down"}


@pytest.mark.django_db
def test_a_source_that_is_set_up_wrong_is_down(client, settings):
    settings.RUNBIOS_BASE_URL = "https://loop.example.test"
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"database": "ok", "loop": "down", "runloop": "ok"}


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
