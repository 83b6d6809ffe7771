"""One call over a real socket: deadline, size, retries, redirects, and the error each failure becomes."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from dashboard.sources.http.errors import (
    NotFound,
    OutcomeUnknown,
    RateLimited,
    Refused,
    ServerFault,
    SourceError,
    TimedOut,
    TooLarge,
    Unauthorized,
    Unreachable,
    UnreadableAnswer,
)
from dashboard.sources.http.transport import Transport, read_retry_after
from tests.sources.conftest import AMPLE_S, KEY
from tests.sources.faulty_server import CUT, FaultyServer, Request, in_turn, reply, reply_json, serve

Connect = Callable[..., Transport]


def drip(pieces: Iterator[bytes], stopping: threading.Event, seconds: float) -> Iterator[bytes]:
    for piece in pieces:
        yield piece
        if stopping.wait(seconds):
            return


def endless(first: bytes) -> Iterator[bytes]:
    """Longer than any test waits, but not for ever: a deadline that fails shall fail the test, not hang it."""
    yield first
    yield from [b"x"] * 100


def test_it_works(connect: Connect) -> None:
    with serve(lambda request: reply_json({"total": 1})) as server:
        answer = connect(server.url, request_id=lambda: "req-12345678").get("/api/things", {"limit": 2, "q": "a b"})
    assert answer.body == b'{"total": 1}'
    assert answer.route == "GET /api/things"
    [request] = server.requests
    assert request.target == "/api/things?limit=2&q=a+b"
    assert request.headers["x-api-key"] == KEY
    assert request.headers["x-request-id"] == "req-12345678"


def test_a_base_path_is_kept(connect: Connect) -> None:
    with serve(lambda request: reply_json({})) as server:
        connect(f"{server.url}/behind/").get("/api/things")
    assert server.requests[0].path == "/behind/api/things"


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n", b"HTTP/1.1 200 OK\r\nX-Slow: "])
def test_a_drip_of_bytes_ends_at_the_deadline_of_the_call(connect: Connect, head: bytes) -> None:
    """In the body and in the headers alike: each single read would have been in time."""
    with serve(lambda request: drip(endless(head), server.stopping, 0.05)) as server:
        client = connect(server.url, deadline_s=0.5)
        began = time.monotonic()
        with pytest.raises(TimedOut):
            client.get("/api/things")
        assert time.monotonic() - began > 0.4
        # The connection was given back: the next call works.
        client.deadline_s = AMPLE_S
        server.answer = lambda request: reply_json({})
        assert client.get("/api/things").body == b"{}"


def test_connections_are_given_back_after_every_kind_of_failure(connect: Connect) -> None:
    """More failures than the pool has connections, and a call still gets one."""
    with serve(in_turn(*[reply(500), reply(200, b"x" * 300), reply(404)] * 20, reply_json({}))) as server:
        client = connect(server.url, max_bytes=200)
        for _ in range(60):
            with pytest.raises(SourceError):
                client.get("/api/things")
        assert client.get("/api/things").body == b"{}"


def test_a_connection_is_used_again(connect: Connect) -> None:
    with serve(lambda request: reply_json({})) as server:
        client = connect(server.url)
        for _ in range(3):
            client.get("/api/things")
    assert {request.connection for request in server.requests} == {1}


def test_a_body_beyond_the_cap_is_not_read_on(connect: Connect) -> None:
    with serve(lambda request: reply(200, b"x" * 2_000_000)) as server, pytest.raises(TooLarge, match="more than 1 MB"):
        connect(server.url, max_bytes=2**20).get("/api/things")


def test_a_small_body_that_unpacks_to_a_huge_one_is_not_unpacked(connect: Connect) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    with serve(lambda request: reply(200, bomb, Content_Encoding="gzip")) as server, pytest.raises(TooLarge):
        connect(server.url, max_bytes=2**20).get("/api/things")


def test_a_compressed_body_is_unpacked(connect: Connect) -> None:
    body = gzip.compress(b'{"total": 0}')
    with serve(lambda request: reply(200, body, Content_Encoding="gzip")) as server:
        assert connect(server.url).get("/api/things").body == b'{"total": 0}'
    assert server.requests[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize(
    ("body", "encoding"),
    [(b"no gzip at all", "gzip"), (gzip.compress(b"{}" * 99)[:-9], "gzip"), (b"{}", "br")],
    ids=["no gzip", "cut gzip", "no brotli"],
)
def test_a_body_that_cannot_be_unpacked_is_unreadable(connect: Connect, body: bytes, encoding: str) -> None:
    packed = reply(200, body, Content_Encoding=encoding)
    with serve(lambda request: packed) as server, pytest.raises(UnreadableAnswer):
        connect(server.url).get("/api/things")


def test_a_cut_body_is_tried_again_and_then_named(connect: Connect) -> None:
    cut = [b'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"items": [{"id": "r1"', CUT]
    with serve(in_turn(cut, reply_json({}))) as server:
        assert connect(server.url).get("/api/things").body == b"{}"
        server.answer = lambda request: cut
        with pytest.raises(UnreadableAnswer, match="cut off"):
            connect(server.url).get("/api/things")


def test_a_closed_door_is_unreachable(connect: Connect) -> None:
    with serve(lambda request: reply()) as server:
        url = server.url
    with pytest.raises(Unreachable, match="no connection") as caught:
        connect(url).get("/api/things")
    assert isinstance(caught.value.__cause__, httpx.ConnectError)


class BlackHole(httpx.BaseTransport):
    """A host that takes no connection and does not say so."""

    tries = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.tries += 1
        assert request.extensions["timeout"]["connect"] <= 3.0
        raise httpx.ConnectTimeout("nobody there")


def test_a_host_that_stays_silent_is_not_tried_until_the_deadline() -> None:
    silent = BlackHole()
    with pytest.raises(Unreachable, match="no connection"):
        Transport("https://api.example.test", lambda: silent, deadline_s=60.0).get("/api/things")
    assert silent.tries == 1


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_service_is_asked_again(connect: Connect, status: int) -> None:
    with serve(in_turn(reply(status), reply(status, Retry_After="0"), reply_json({}))) as server:
        assert connect(server.url).get("/api/things").body == b"{}"
    assert len(server.requests) == 3


def test_a_busy_service_is_not_asked_for_ever(connect: Connect) -> None:
    with serve(lambda request: reply(429)) as server, pytest.raises(RateLimited) as caught:
        connect(server.url).get("/api/things")
    assert len(server.requests) == 3
    assert caught.value.retry_at is not None, "a page can always say when to try again"


@pytest.mark.parametrize(
    "after",
    ["120", "86400", format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)],
    ids=["two minutes", "a day", "a date"],
)
def test_nobody_sleeps_past_the_deadline(connect: Connect, after: str) -> None:
    began = time.monotonic()
    with serve(lambda request: reply(429, Retry_After=after)) as server, pytest.raises(RateLimited) as caught:
        connect(server.url).get("/api/things")
    assert time.monotonic() - began < AMPLE_S, "what was asked for is longer than that"
    assert len(server.requests) == 1
    assert caught.value.retry_at is not None
    assert caught.value.retry_at > datetime.now(UTC) + timedelta(seconds=100)


def test_the_time_asked_for_is_waited_when_the_deadline_allows(connect: Connect) -> None:
    with serve(in_turn(reply(503, Retry_After="1"), reply_json({}))) as server:
        began = time.monotonic()
        connect(server.url).get("/api/things")
    assert time.monotonic() - began > 0.9


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-5",
        "soon",
        "1e9",
        "٣",
        "99999999999999999999",
        "Sat, 01 Mar 2025 10:02:00 GMT",
        "Wed, 21 Oct 99999999999999999999 07:28:00 GMT",
        "Wed, 21 Oct 2099 07:28:00 +99999999999999999999999",
        "Fri, 31 Dec 9999 23:59:59 -2359",
    ],
)
def test_nonsense_and_the_past_are_no_time_to_retry(text: str) -> None:
    assert read_retry_after(httpx.Headers({b"Retry-After": text.encode()})) is None


def test_both_forms_of_retry_after_are_read() -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    seconds = read_retry_after(httpx.Headers({"Retry-After": "90"}))
    moment = read_retry_after(httpx.Headers({"Retry-After": format_datetime(now + timedelta(hours=2), usegmt=True)}))
    assert seconds is not None
    assert abs(seconds - now - timedelta(seconds=90)) < timedelta(seconds=3)
    assert moment == now + timedelta(hours=2)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, Refused),
        (401, Unauthorized),
        (403, Unauthorized),
        (404, NotFound),
        (409, Refused),
        (422, Refused),
        (500, ServerFault),
        (502, ServerFault),
        (304, UnreadableAnswer),
    ],
)
def test_every_status_has_its_error_and_is_asked_once(connect: Connect, status: int, error: type[SourceError]) -> None:
    with serve(lambda request: reply(status)) as server, pytest.raises(error) as caught:
        connect(server.url).get("/api/things")
    assert caught.value.status == status
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ('{"error": {"code": "TAKEN", "message": "In use."}, "request_id": "r-1"}', "TAKEN", "In use."),
        ('{"error": {"code": "TAKEN", "detail": "In use."}, "request_id": "r-1"}', "TAKEN", "In use."),
        ('{"error": "In use.", "code": "TAKEN", "request_id": "r-1"}', "TAKEN", "In use."),
        ('{"detail": "In use.", "request_id": "r-1"}', None, "In use."),
        ('{"message": "In\\n use.", "request_id": "r-1"}', None, "In use."),
    ],
)
def test_a_refusal_keeps_the_services_own_words_in_every_shape(
    connect: Connect, body: str, code: str | None, message: str
) -> None:
    with serve(lambda request: reply(409, body)) as server, pytest.raises(Refused) as caught:
        connect(server.url).get("/api/things")
    assert (caught.value.code, caught.value.message, caught.value.request_id) == (code, message, "r-1")


@pytest.mark.parametrize(
    "body", ["<html>Nginx</html>", "[1]", "", '{"error": 5}', '{"error": {"message": {}}}', "[" * 99_999]
)
def test_a_refusal_without_words_gets_ours(connect: Connect, body: str) -> None:
    with serve(lambda request: reply(409, body, X_Request_ID="r-2")) as server, pytest.raises(Refused) as caught:
        connect(server.url).get("/api/things")
    assert caught.value.message == "GET /api/things was refused (status 409)."
    assert caught.value.request_id == "r-2"


def test_a_refusal_of_a_thousand_words_is_shortened(connect: Connect) -> None:
    with serve(lambda request: reply_json({"detail": "word " * 1000}, 400)) as server, pytest.raises(Refused) as caught:
        connect(server.url).get("/api/things")
    assert len(caught.value.message) <= 300


SPELLED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
"""The key, as JSON may spell it."""


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 500])
@pytest.mark.parametrize("key", [KEY, SPELLED])
@pytest.mark.parametrize(
    "body",
    [
        '{"error": {"code": "C KEY", "message": "No: KEY.", "field": "KEY"}, "request_id": "KEY"}',
        '{"error": {"details": [{"field": "KEY", "code": "KEY", "message": "KEY", "trace_id": "KEY"}]}}',
        '{"error": "Bad key KEY", "code": "KEY"}',
        '{"detail": "' + "x" * 290 + 'KEY"}',
        '{"message": "' + " " * 590 + 'KEY"}',
    ],
)
def test_a_key_that_the_service_repeats_is_in_nothing_that_is_kept(
    connect: Connect, body: str, key: str, status: int
) -> None:
    answer = reply(status, body.replace("KEY", key), X_Request_ID=KEY)
    with serve(lambda request: answer) as server, pytest.raises(SourceError) as caught:
        connect(server.url, deadline_s=0.5).get("/api/things")
    kept = repr(vars(caught.value)) + str(caught.value)
    assert KEY[:10] not in kept


def test_the_words_around_a_repeated_key_stay(connect: Connect) -> None:
    answer = reply_json({"error": f"The key {KEY} is too old."}, 409)
    with serve(lambda request: answer) as server, pytest.raises(Refused, match=r"The key \[key\] is too old\."):
        connect(server.url).get("/api/things")


@pytest.mark.parametrize(
    "answer",
    [
        reply(200, "x" * 300),
        reply(500, KEY),
        reply(401, KEY),
        reply(302, Location="http://127.0.0.1:9/"),
        [b"junk\r\n\r\n", CUT],
    ],
)
def test_no_message_holds_a_key_a_host_or_a_body(connect: Connect, answer: list[bytes]) -> None:
    with serve(lambda request: answer) as server, pytest.raises(SourceError) as caught:
        connect(server.url, max_bytes=200).get("/api/things")
    message = str(caught.value)
    assert message.startswith("GET /api/things ")
    assert "\n" not in message
    for secret in (KEY, "127.0.0.1", "xxx", "junk"):
        assert secret not in message


def test_a_read_follows_a_redirect_at_home(connect: Connect) -> None:
    def answer(request: Request) -> list[bytes]:
        return reply(307, Location="/new/place") if request.path == "/api/things" else reply_json({})

    with serve(answer) as server:
        assert connect(server.url).get("/api/things").body == b"{}"
    assert [request.path for request in server.requests] == ["/api/things", "/new/place"]


@pytest.fixture
def elsewhere() -> Iterator[FaultyServer]:
    with serve(lambda request: reply_json({})) as server:
        yield server


def test_no_credential_leaves_the_origin(connect: Connect, elsewhere: FaultyServer) -> None:
    away = reply(302, Location=f"{elsewhere.url}/b")
    with serve(lambda request: away) as server, pytest.raises(UnreadableAnswer, match="away from the configured"):
        connect(server.url).get("/api/things")
    assert elsewhere.requests == []


def test_https_never_falls_back_to_http(connect: Connect) -> None:
    client = connect("https://api.example.test")
    with pytest.raises(UnreadableAnswer, match="away"):
        client._same_origin("GET /x", "https://api.example.test/x", "http://api.example.test/x")


@pytest.mark.parametrize("host", ["xn--zzz--", "xn--a", "xn--"])
def test_a_redirect_to_a_host_that_no_name_spells_leads_away(connect: Connect, host: str) -> None:
    away = reply(302, Location=f"http://{host}/")
    with serve(lambda request: away) as server, pytest.raises(UnreadableAnswer, match="away from the configured"):
        connect(server.url).get("/api/things")


def test_a_circle_of_redirects_ends(connect: Connect) -> None:
    back = reply(302, Location="/api/things")
    with serve(lambda request: back) as server, pytest.raises(UnreadableAnswer, match="circle"):
        connect(server.url).get("/api/things")
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    "location", ["http://[", "ht!tp://x y", "//", "http://h:99999999/", "http://h:abc/", "http://[::1"]
)
def test_a_location_that_is_no_address_is_named(connect: Connect, location: str) -> None:
    with serve(lambda request: reply(302, Location=location)) as server, pytest.raises(UnreadableAnswer):
        connect(server.url).get("/api/things")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_write_is_never_sent_on_or_sent_twice(connect: Connect, status: int) -> None:
    with serve(lambda request: reply(status, Location="/elsewhere")) as server:
        client = connect(server.url)
        with pytest.raises(OutcomeUnknown) as caught:
            client.send("POST", "/api/things", {})
        assert "never sent on" in str(caught.value.__cause__)
        server.answer = lambda request: reply(503)
        with pytest.raises(OutcomeUnknown):
            client.send("POST", "/api/things", {})
    assert [request.path for request in server.requests] == ["/api/things", "/api/things"]
