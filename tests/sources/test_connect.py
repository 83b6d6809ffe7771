"""From settings to a source, and what settings are refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from dashboard.sources import connect
from dashboard.sources.connect import get_connection, get_loop, get_runloop, get_runloop_connection
from tests.factories import make_benchmark, make_runloop_benchmark, make_workspace
from tests.sources.conftest import KEY
from tests.sources.faulty_server import reply_json, serve


def remote(base_url: str = "https://api.example.test", **settings: Any) -> Any:
    return override_settings(**{"RUNBIOS_BASE_URL": base_url, "RUNBIOS_API_KEY": KEY} | settings)


def remote_runloop(base_url: str = "https://runloop.example.test", **settings: Any) -> Any:
    return override_settings(**{"RUNLOOP_BASE_URL": base_url, "RUNLOOP_API_KEY": KEY} | settings)


@pytest.fixture(autouse=True)
def _no_leftovers() -> Iterator[None]:
    yield
    connect._forget_connections()


def test_without_a_base_url_the_source_is_our_own() -> None:
    connection = get_connection()
    assert connection.embedded
    assert get_loop() is get_loop() is connection.loop


def test_with_a_base_url_the_source_is_remote_and_sends_what_is_set() -> None:
    ids = {"RUNBIOS_WORKSPACE_ID": "ws-1", "RUNBIOS_ORG_ID": "org-1"}
    with serve(lambda request: reply_json({"workspace": {"name": "W"}})) as server, remote(server.url, **ids):
        connection = get_connection()
        assert not connection.embedded
        assert connection.loop.introspect().workspace.name == "W"
        connection.loop._transport.close()
    headers = server.requests[0].headers
    assert (headers["x-api-key"], headers["x-workspace-id"], headers["x-org-id"]) == (KEY, "ws-1", "org-1")


def test_optional_settings_that_are_empty_are_not_sent() -> None:
    with serve(lambda request: reply_json({})) as server, remote(server.url):
        get_loop().introspect()
        get_connection().loop._transport.close()
    assert "x-workspace-id" not in server.requests[0].headers
    assert "x-org-id" not in server.requests[0].headers


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.test",
        "https://api.example.test:8443/base/",
        "http://127.0.0.1:1",
        "http://localhost",
        "http://[::1]:8",
    ],
)
def test_these_addresses_are_fine(url: str) -> None:
    with remote(url):
        assert not get_connection().embedded


@pytest.mark.parametrize(
    "url",
    [
        "api.example.test",
        "ftp://api.example.test",
        "https://",
        "https://[",
        "https://h:99999999",
        "https://user:secret@api.example.test",
        "https://api.example.test/?q=1",
        "https://api.example.test/#x",
        "http://api.example.test",
        "http://10.0.0.1",
        "https://a b",
        "https://api.example.test/api",
    ],
)
def test_these_addresses_are_refused_without_being_repeated(url: str) -> None:
    with remote(url), pytest.raises(ImproperlyConfigured, match="RUNBIOS_BASE_URL") as caught:
        get_loop()
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["", "two\nlines", " spaced ", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_repeated(key: str) -> None:
    with remote(RUNBIOS_API_KEY=key), pytest.raises(ImproperlyConfigured) as caught:
        get_loop()
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_timeout_that_is_no_time_is_refused(seconds: float) -> None:
    with override_settings(RUNBIOS_TIMEOUT_S=seconds), pytest.raises(ImproperlyConfigured, match="RUNBIOS_TIMEOUT_S"):
        get_loop()


def test_another_key_or_workspace_has_another_fingerprint() -> None:
    seen = set()
    for settings in ({}, {"RUNBIOS_API_KEY": "other"}, {"RUNBIOS_WORKSPACE_ID": "w"}, {"RUNBIOS_ORG_ID": "w"}):
        with remote(**settings):
            seen.add(get_connection().fingerprint)
            assert KEY not in get_connection().fingerprint
    assert len(seen) == 4


def test_a_forked_child_opens_its_own_connections() -> None:
    with remote():
        mine = get_loop()
        with remote_runloop():
            ours = get_runloop()
            child = os.fork()
            if child == 0:  # pragma: no cover - another process
                os._exit(7 if get_loop() is not mine and get_runloop() is not ours else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            assert get_loop() is mine
            assert get_runloop() is ours


def test_runloop_is_our_own_whatever_the_loop_source_is() -> None:
    with remote():
        connection = get_runloop_connection()
        assert connection.embedded
        assert get_runloop() is get_runloop() is connection.runloop
        assert not get_connection().embedded
    assert get_runloop_connection() is connection


@pytest.mark.django_db
def test_of_our_own_service_the_pages_show_what_the_commands_fill() -> None:
    """A workspace that a remote Loop knows by an id is none of ours."""
    make_benchmark("Here")
    make_runloop_benchmark("Here too")
    elsewhere = make_workspace("ws_x")
    make_benchmark("There", workspace=elsewhere)
    make_runloop_benchmark("There too", workspace=elsewhere)
    with override_settings(RUNBIOS_WORKSPACE_ID="ws_x"):
        assert [one.name for one in get_loop().list_benchmarks()] == ["Here"]
        assert [one.name for one in get_runloop().list_benchmarks().benchmarks] == ["Here too"]


def test_a_remote_runloop_leaves_the_loop_source_as_it_is() -> None:
    with remote_runloop():
        assert not get_runloop_connection().embedded
        assert get_connection().embedded


def test_the_runloop_key_is_sent_as_a_bearer_and_as_nothing_else() -> None:
    with serve(lambda request: reply_json({"benchmarks": []})) as server, remote_runloop(server.url):
        assert get_runloop().list_benchmarks().benchmarks == ()
        get_runloop()._transport.close()
    headers = server.requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert "x-api-key" not in headers


def test_a_runloop_key_without_a_base_url_goes_to_runloop_itself() -> None:
    with remote_runloop(""):
        assert str(get_runloop()._transport._base) == "https://api.runloop.ai"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"RUNLOOP_API_KEY": ""}, "RUNLOOP_BASE_URL is set, so RUNLOOP_API_KEY must be set too"),
        ({"RUNLOOP_BASE_URL": "http://runloop.example.test"}, "RUNLOOP_BASE_URL must be https"),
        ({"RUNLOOP_BASE_URL": "https://user:secret@h"}, "RUNLOOP_BASE_URL must hold no credentials"),
        ({"RUNLOOP_BASE_URL": "https://runloop.example.test/v1/"}, "RUNLOOP_BASE_URL must not end in /v1"),
        ({"RUNLOOP_API_KEY": "two\nlines"}, "characters that no header can carry"),
        ({"RUNLOOP_TIMEOUT_S": 0.0}, "RUNLOOP_TIMEOUT_S"),
    ],
)
def test_runloop_settings_that_make_no_sense_are_refused(settings: dict[str, Any], said: str) -> None:
    with remote_runloop(**settings), pytest.raises(ImproperlyConfigured, match=said) as caught:
        get_runloop()
    assert "secret" not in str(caught.value)
    assert "two" not in str(caught.value)


def test_another_runloop_key_or_address_has_another_fingerprint() -> None:
    seen = set()
    for settings in ({}, {"RUNLOOP_API_KEY": "other"}, {"RUNLOOP_BASE_URL": "https://other.example.test"}):
        with remote_runloop(**settings):
            seen.add(get_runloop_connection().fingerprint)
            assert KEY not in get_runloop_connection().fingerprint
    assert len(seen) == 3
