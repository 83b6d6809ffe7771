"""Our own service through its whole HTTP path, in this process, from the middle of another request."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.core.signals import request_finished, request_started
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.test import override_settings
from django.urls import get_script_prefix, path, set_script_prefix

from dashboard.contract import WORKSPACE_KEY
from dashboard.sources.connect import get_loop
from dashboard.sources.http.errors import NotFound, ServerFault
from dashboard.sources.http.in_process import InProcessTransport
from dashboard.sources.http.transport import Transport
from dashboard.sources.loop.client import Loop
from dashboard.store.models import Workspace
from tests.factories import make_benchmark, make_history, make_replay, make_workspace

closed: list[str] = []


def echo(request: HttpRequest, rest: str = "") -> JsonResponse:
    seen = {name: value for name, value in request.META.items() if isinstance(value, str)}
    return JsonResponse({"meta": seen, "path": request.path, "rest": rest, "body": request.body.decode()})


def stream(request: HttpRequest) -> StreamingHttpResponse:
    def pieces() -> Iterator[bytes]:
        try:
            yield b'{"total":'
            yield b" 1}"
        finally:
            closed.append("stream")

    return StreamingHttpResponse(pieces(), content_type="application/json")


def fail(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("the view broke")


def fail_in_the_middle(request: HttpRequest) -> StreamingHttpResponse:
    def pieces() -> Iterator[bytes]:
        yield b"{"
        raise RuntimeError("the stream broke")

    return StreamingHttpResponse(pieces())


urlpatterns = [
    path("stream", stream),
    path("fail", fail),
    path("fail-in-the-middle", fail_in_the_middle),
    path("echo/<path:rest>", echo),
]

odd_site = override_settings(ROOT_URLCONF=__name__)


def call(path: str, **options: Any) -> httpx.Response:
    request = httpx.Request(options.pop("method", "GET"), f"http://localhost{path}", **options)
    response = InProcessTransport("ws_test").handle_request(request)
    response.read()
    return response


@pytest.fixture
def loop(db: Any) -> Loop:
    return get_loop()


@pytest.fixture
def signals() -> Iterator[list[str]]:
    sent: list[str] = []

    def note(signal: Any, **_: Any) -> None:
        sent.append("started" if signal is request_started else "finished")

    request_started.connect(note)
    request_finished.connect(note)
    yield sent
    request_started.disconnect(note)
    request_finished.disconnect(note)


def test_it_works(loop: Loop) -> None:
    benchmark = make_benchmark(items=12)
    replay = make_replay(benchmark)
    assert [one.id for one in loop.list_benchmarks()] == [benchmark.id]
    assert loop.get_benchmark(benchmark.id).name == benchmark.name
    assert loop.get_replay(replay.id).candidate_score == 0.62
    items, total = loop.list_items(benchmark.id, limit=5, offset=10)
    assert ([item.ordinal for item in items], total) == ([10, 11], 12)
    assert loop.introspect().workspace.id == "ws_local"


def test_a_history_of_many_pages_is_whole_and_in_order(loop: Loop) -> None:
    benchmark = make_benchmark()
    make_history(benchmark, 450)
    history = loop.get_history(benchmark.id)
    assert (len(history.points), history.total, history.moved) == (450, 450, False)
    moments = [point.created_at for point in history.points]
    assert moments == sorted(moments, reverse=True)  # type: ignore[type-var]


def test_a_workspace_that_nobody_made_yet_is_empty(loop: Loop) -> None:
    Workspace.objects.all().delete()
    assert loop.list_benchmarks() == []


def test_another_workspaces_benchmark_is_not_found(loop: Loop) -> None:
    benchmark = make_benchmark(workspace=make_workspace())
    with pytest.raises(NotFound):
        loop.get_history(benchmark.id)


@pytest.mark.parametrize("benchmark_id", ["bm/../x", "a b", "ü", "%2e%2e", "x?y=1", "\0", "\n"])
def test_odd_ids_are_not_found(loop: Loop, benchmark_id: str) -> None:
    with pytest.raises(NotFound):
        loop.get_benchmark(benchmark_id)


@pytest.mark.django_db(transaction=True)
def test_it_works_inside_a_transaction_and_sees_what_that_wrote() -> None:
    with transaction.atomic():
        benchmark = make_benchmark()
        assert get_loop().get_benchmark(benchmark.id).id == benchmark.id
        assert connection.in_atomic_block


@pytest.mark.django_db(transaction=True)
def test_the_database_connection_of_the_outer_request_stays_open(signals: list[str]) -> None:
    benchmark = make_benchmark()
    before = connection.connection
    get_loop().get_benchmark(benchmark.id)
    assert connection.connection is before
    assert before is not None
    assert signals == []


def test_the_script_prefix_of_the_outer_request_stays(loop: Loop) -> None:
    set_script_prefix("/behind/")
    try:
        loop.list_benchmarks()
        assert get_script_prefix() == "/behind/"
    finally:
        set_script_prefix("/")


def test_https_only_sites_are_not_redirected_from_themselves(loop: Loop) -> None:
    with override_settings(SECURE_SSL_REDIRECT=True, ALLOWED_HOSTS=["bench.example.test"]):
        assert loop.list_benchmarks() == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("ALL_PROXY", "socks5://127.0.0.1:9"), ("NO_PROXY", "[::1]"), ("HTTP_PROXY", "http://127.0.0.1:9")],
)
def test_no_proxy_stands_before_ourselves(loop: Loop, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert loop.list_benchmarks() == []


@odd_site
def test_a_request_arrives_as_it_was_sent() -> None:
    response = call(
        "/echo/a%2Fb%20%C3%BC?q=1&r=%2F", method="POST", json={"a": 1}, headers={"X-Request-ID": "req-12345678"}
    )
    seen = response.json()
    assert (seen["rest"], seen["body"]) == ("a/b ü", '{"a":1}')
    assert seen["meta"][WORKSPACE_KEY] == "ws_test"
    assert seen["meta"]["QUERY_STRING"] == "q=1&r=%2F"
    assert seen["meta"]["CONTENT_TYPE"] == "application/json"
    assert seen["meta"]["HTTP_X_REQUEST_ID"] == "req-12345678"
    assert response.headers["X-Request-ID"] == "req-12345678"


@odd_site
def test_no_header_can_name_the_workspace() -> None:
    seen = call("/echo/x", headers={"benchtrend.workspace": "ws_other", "Benchtrend-Workspace": "ws_other"}).json()
    assert seen["meta"][WORKSPACE_KEY] == "ws_test"


@odd_site
def test_a_stream_is_read_whole_and_closed(signals: list[str]) -> None:
    closed.clear()
    assert call("/stream").json() == {"total": 1}
    assert closed == ["stream"]
    assert signals == []


@odd_site
@pytest.mark.parametrize("path", ["/fail", "/fail-in-the-middle"])
def test_a_view_that_breaks_is_a_fault_of_the_service(path: str, caplog: pytest.LogCaptureFixture) -> None:
    inside = InProcessTransport("ws_test")
    with caplog.at_level(logging.CRITICAL), pytest.raises(ServerFault):
        Transport("http://localhost", lambda: inside).get(path)
