"""Every failure under /api/ has one shape and an id that is also in the log."""

import json
import logging
from typing import Any
from urllib.parse import quote

import pytest
from django.db import OperationalError
from django.test import Client

from dashboard.api.http.shapes import encode
from dashboard.api.loop import benchmarks
from dashboard.request_id import RequestIdFilter
from tests.factories import make_benchmark, make_key

pytestmark = pytest.mark.django_db
METHODS = ["post", "put", "patch", "delete", "options"]


def is_error(answer: Any, status: int, code: str) -> bool:
    body = answer.json()
    assert answer["Content-Type"] == "application/json"
    assert body["request_id"] == answer["X-Request-ID"]
    assert isinstance(body["error"]["message"], str)
    return (answer.status_code, body["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    "path", ["/api/", "/api/nothing", "/api/loop/benchmarks/", "/api/loop", "/api/loop/benchmarks/a%00b", "/api//"]
)
@pytest.mark.parametrize("method", ["get", *METHODS])
def test_an_unknown_address_is_404_in_the_api_s_shape(client: Client, path: str, method: str) -> None:
    assert is_error(getattr(client, method)(path), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    "benchmark_id", ["bm%2F1", "a/b", "%3Fq", "%25", "%E2%98%83", "%0A", "..%2F..", "%FF", "a" * 5000]
)
def test_an_unknown_id_is_404_whatever_it_holds(get: Any, benchmark_id: str) -> None:
    for tail in ("", "/history", "/items"):
        assert is_error(get(f"/api/loop/benchmarks/{benchmark_id}{tail}"), 404, "NOT_FOUND")


@pytest.mark.parametrize("benchmark_id", ["bm/1", "a?b", "100%", "snow☃", "a b", "x/history"])
def test_an_id_with_odd_characters_finds_its_row(get: Any, benchmark_id: str) -> None:
    make_benchmark(id=benchmark_id)
    encoded = quote(benchmark_id, safe="")
    assert get(f"/api/loop/benchmarks/{encoded}/history").json()["benchmark_id"] == benchmark_id
    if not benchmark_id.endswith("/history"):  # a server sees no difference between / and %2F in a path
        assert get(f"/api/loop/benchmarks/{encoded}").json()["benchmark"]["id"] == benchmark_id


@pytest.mark.parametrize("tail", ["", "/x", "/x/items", "/x/history", "/x/retire"])
@pytest.mark.parametrize("method", METHODS)
def test_a_method_that_a_route_lacks_is_405(client: Client, secret: str, method: str, tail: str) -> None:
    if method == "post" and tail in ("", "/x/retire"):
        method = "get" if tail else "put"
    make_benchmark(id="x")
    answer = getattr(client, method)(f"/api/loop/benchmarks{tail}", headers={"X-API-Key": secret})
    assert is_error(answer, 405, "METHOD_NOT_ALLOWED")


def test_head_answers_like_get_without_a_body(client: Client) -> None:
    inside = Client(**{"benchtrend.workspace": "ws_local"})
    answer = inside.head("/api/loop/benchmarks")
    assert (answer.status_code, answer.content) == (200, b"")


def test_json_comes_back_whatever_is_accepted(get: Any) -> None:
    for accept in ("text/html", "image/png", "nonsense"):
        answer = get("/api/loop/benchmarks", Accept=accept)
        assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")


def test_what_nobody_foresaw_is_500_without_a_trace_and_in_the_log(
    get: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*args: Any) -> None:
        raise RuntimeError("a secret detail")

    monkeypatch.setattr(benchmarks, "list_page", break_down)
    answer = get("/api/loop/benchmarks")
    assert is_error(answer, 500, "INTERNAL")
    assert "secret detail" not in answer.content.decode()
    assert "a secret detail" in caplog.text


def test_a_database_that_is_busy_or_away_is_503_and_says_when_to_try_again(
    get: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait_in_vain(*args: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(benchmarks, "list_page", wait_in_vain)
    answer = get("/api/loop/benchmarks")
    assert is_error(answer, 503, "DATABASE_BUSY")
    assert answer["Retry-After"] == "1"


def test_a_wrong_host_is_refused_in_the_api_s_shape(client: Client, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    answer = client.get("/api/loop/benchmarks", headers={"Host": "evil.example"})
    assert is_error(answer, 400, "BAD_REQUEST")
    assert "see ALLOWED_HOSTS" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "root"), [("/api/api/loop/benchmarks", "api"), ("/v1/v1/benchmarks", "v1"), ("/api/v1/benchmarks", "api")]
)
def test_a_base_url_that_holds_the_root_is_named(get: Any, path: str, root: str) -> None:
    answer = get(path)
    assert is_error(answer, 404, "NOT_FOUND")
    assert f"leave /{root} out of the base URL" in answer.json()["error"]["message"]


def test_a_sane_request_id_is_kept_and_another_is_replaced(get: Any) -> None:
    assert get("/api/loop/benchmarks", X_Request_ID="abc-12345")["X-Request-ID"] == "abc-12345"
    for odd in ("short", "x" * 65, "with space", "line\nbreak"):
        assert get("/api/loop/benchmarks", X_Request_ID=odd)["X-Request-ID"] != odd


def test_log_lines_of_a_refusal_carry_its_request_id(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.handler.addFilter(RequestIdFilter())
    answer = client.get("/api/loop/benchmarks", headers={"X-Request-ID": "trace-me-1"})
    assert answer.status_code == 401
    assert {record.request_id for record in caplog.records} == {"trace-me-1"}  # type: ignore[attr-defined]


def test_a_log_line_outside_a_request_has_a_dash() -> None:
    record = logging.makeLogRecord({"msg": "hello"})
    assert RequestIdFilter().filter(record)
    assert record.request_id == "-"  # type: ignore[attr-defined]


def test_the_api_sets_and_reads_no_cookie_and_is_not_stored(get: Any) -> None:
    answer = get("/api/loop/benchmarks")
    assert not answer.cookies
    assert "Cookie" not in answer.get("Vary", "")
    assert answer["Cache-Control"] == "no-store"


def test_every_number_that_is_not_finite_leaves_as_null() -> None:
    assert json.loads(encode({"score": float("nan"), "other": float("inf")})) == {"score": None, "other": None}


def test_odd_values_in_stored_conversations_do_not_break_the_answer() -> None:
    assert json.loads(encode({"content": "half \ud83d pair", "id": 10**30})) == {"content": "half � pair", "id": 10**30}
    assert json.loads(encode({"content": "a pair \ud83d\ude00"})) == {"content": "a pair 😀"}


@pytest.mark.parametrize("path", ["/api/loop/benchmarks/x/retire", "/sign-in/"])
def test_a_body_sent_in_chunks_is_refused_before_anything_is_done(client: Client, path: str) -> None:
    benchmark = make_benchmark(id="x")
    meta = {"HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": "", "HTTP_X_API_KEY": make_key("loop:write")}
    answer = client.post(path, **meta)
    assert answer.status_code == 411
    if path.startswith("/api/"):
        assert is_error(answer, 411, "LENGTH_REQUIRED")
    benchmark.refresh_from_db()
    assert benchmark.status == "active"
