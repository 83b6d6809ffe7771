"""One way to every API: deadline, size cap, retries of reads and never of writes, one origin, and our own errors.

It drives an httpx transport directly rather than an httpx client: a client would keep cookies, read .netrc, choose
proxies and carry credentials over redirects, and none of that may happen here.
"""

from __future__ import annotations

import json
import random
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode

import httpx

from dashboard.sources.http.answers import raise_for_status
from dashboard.sources.http.errors import (
    OutcomeUnknown,
    RateLimited,
    ServerFault,
    SourceError,
    TimedOut,
    TooLarge,
    Unreachable,
    UnreadableAnswer,
)
from dashboard.sources.http.network import DEADLINE
from dashboard.sources.loop.wire import as_utc

MAX_BYTES = 32 * 1024 * 1024
"""The largest body we read, counted after decompression."""
MAX_TRIES = 3
MAX_REDIRECTS = 3
CONNECT_S = 3.0
"""A host that does not take a connection in this time is away; there is no use in spending the whole deadline on it."""
RATE_LIMIT_S = 10.0
"""How long a 429 that does not say is taken to last."""
FIRST_DELAY_S = 0.2
"""Our own delay before the second try. It doubles with each, and varies so that callers do not march in step."""


@dataclass(frozen=True)
class Answer:
    """A 2xx answer, read whole."""

    route: str
    """Method and path, for messages."""
    body: bytes


@dataclass(frozen=True)
class _Call:
    """What is asked of the service. `content` is a body of JSON, None for none."""

    method: str
    path: str
    url: str
    content: bytes | None = None
    actor: str = ""

    @property
    def route(self) -> str:
        return f"{self.method} {self.path[:120]}"


class Transport:
    """Calls to one origin with one credential. Shared by threads.

    `open_transport` makes the httpx transport on first use; it may raise a `SourceError`. `request_id` gives the id of
    the request that we are answering ourselves, "" outside one; it travels along as X-Request-ID. `deadline_s` bounds a
    call in full: connecting, every try, every wait between tries and the last byte.
    """

    def __init__(
        self,
        base_url: str,
        open_transport: Callable[[], httpx.BaseTransport],
        *,
        headers: Mapping[str, str] | None = None,
        request_id: Callable[[], str] = str,
        deadline_s: float = 10.0,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._base = httpx.URL(base_url.rstrip("/"))
        self._open_transport = open_transport
        self._transport: httpx.BaseTransport | None = None
        self._lock = threading.Lock()
        self._headers = {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "benchtrend"} | dict(
            headers or {}
        )
        self._secret = self._headers.get("X-API-Key") or self._headers.get("Authorization", "").removeprefix("Bearer ")
        self._request_id = request_id
        self.deadline_s = deadline_s
        self._max_bytes = max_bytes

    def get(self, path: str, params: Mapping[str, str | int] | None = None, *, until: float | None = None) -> Answer:
        """Read one route. `until` (monotonic seconds) ends the call earlier than its own deadline would."""
        url = f"{self._base}{path}" + (f"?{urlencode(params, errors='replace')}" if params else "")
        deadline = time.monotonic() + self.deadline_s
        return self._send(_Call("GET", path, url), deadline if until is None else min(deadline, until))

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None, *, actor: str = "") -> Answer:
        """Make one write, once: it is never sent again. `actor` reaches our own service alone.

        Raises `OutcomeUnknown` when it was sent and nothing readable says how it went.
        """
        content = None if body is None else json.dumps(body).encode()
        call = _Call(method, path, f"{self._base}{path}", content, actor)
        try:
            return self._send(call, time.monotonic() + self.deadline_s)
        except (TimedOut, TooLarge, UnreadableAnswer, ServerFault) as error:
            if isinstance(error.__cause__, httpx.PoolTimeout):  # it never left
                raise
            raise outcome_unknown(call.route, error) from error

    def close(self) -> None:
        """Close the connections that are kept open. The next call opens new ones."""
        with self._lock:
            if self._transport:
                self._transport.close()
            self._transport = None

    def _send(self, call: _Call, deadline: float) -> Answer:
        token = DEADLINE.set(deadline)
        attempt = 0
        try:
            while True:
                try:
                    return Answer(call.route, self._try_once(call, deadline))
                except (Unreachable, UnreadableAnswer, RateLimited, ServerFault) as error:
                    # Only a read may be sent twice, only where that can help, and never past the deadline.
                    delay = _delay_before(attempt, error)
                    last = attempt == MAX_TRIES - 1 or time.monotonic() + delay >= deadline
                    if call.method != "GET" or last or not _may_pass(error):
                        if isinstance(error, RateLimited) and error.retry_at is None:
                            error.retry_at = datetime.now(UTC) + timedelta(seconds=RATE_LIMIT_S)
                        raise
                time.sleep(delay)
                attempt += 1
        finally:
            DEADLINE.reset(token)

    def _try_once(self, call: _Call, deadline: float) -> bytes:
        route, url = call.route, call.url
        for _ in range(MAX_REDIRECTS + 1):
            with self._exchange(call, url, deadline) as response:
                if not response.has_redirect_location:
                    body = self._read_body(route, response)
                    if not response.is_success:
                        retry_at = read_retry_after(response.headers)
                        raise_for_status(route, response, body, retry_at=retry_at, secret=self._secret)
                    return body
                if call.method != "GET":
                    raise UnreadableAnswer(f"{route} was redirected, and a write is never sent on.")
                url = self._same_origin(route, url, response.headers["Location"])
        raise UnreadableAnswer(f"{route} was redirected in a circle.")

    @contextmanager
    def _exchange(self, call: _Call, url: str, deadline: float) -> Iterator[httpx.Response]:
        """One request on the wire. The connection is given back whatever happens; httpx's errors end here."""
        left = max(deadline - time.monotonic(), 0.001)
        timeout = {"connect": min(left, CONNECT_S), "read": left, "write": left, "pool": left}
        request_id = self._request_id()
        headers = self._headers | ({"X-Request-ID": request_id} if request_id else {})
        if call.content is not None:
            headers["Content-Type"] = "application/json"
        try:
            extensions = {"timeout": timeout, "actor": call.actor}
            request = httpx.Request(call.method, url, headers=headers, content=call.content, extensions=extensions)
            response = self._get_transport().handle_request(request)
            try:
                yield response
            finally:
                response.close()
        except (httpx.ConnectTimeout, httpx.ConnectError, httpx.ProxyError) as error:
            raise Unreachable(f"{call.route} could not be sent: no connection to the service.") from error
        except httpx.TimeoutException as error:
            raise TimedOut(f"{call.route} was not answered in time.") from error
        except httpx.TransportError as error:
            raise UnreadableAnswer(
                f"{call.route} was answered with something that was cut off or is not HTTP."
            ) from error
        except httpx.InvalidURL as error:
            raise UnreadableAnswer(f"{call.route} was redirected to something that is no address.") from error

    def _get_transport(self) -> httpx.BaseTransport:
        with self._lock:
            self._transport = self._transport or self._open_transport()
            return self._transport

    def _same_origin(self, route: str, url: str, location: str) -> str:
        """Where a redirected read goes next. Only the configured origin ever sees the credential."""
        target = httpx.URL(url).join(location)
        try:
            origin = target.scheme, target.host, target.port
        except UnicodeError:  # the host is spelled as an international name and is none
            origin = None
        if origin != (self._base.scheme, self._base.host, self._base.port):
            raise UnreadableAnswer(f"{route} was redirected away from the configured address.")
        return str(target)

    def _read_body(self, route: str, response: httpx.Response) -> bytes:
        """The whole body, decompressed, at most `max_bytes`: a small body may unpack to a huge one."""
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding not in ("identity", "", "gzip"):
            raise UnreadableAnswer(f"{route} was answered in an encoding that was not asked for.")
        unpack = zlib.decompressobj(wbits=31) if encoding == "gzip" else None
        body = bytearray()
        for chunk in response.iter_raw():
            room = self._max_bytes - len(body) + 1
            try:
                body += unpack.decompress(chunk, room) if unpack else chunk[:room]
            except zlib.error as error:
                raise UnreadableAnswer(f"{route} was answered with a body that cannot be decompressed.") from error
            if len(body) > self._max_bytes:
                raise TooLarge(f"{route} was answered with more than {self._max_bytes // 2**20} MB.")
        if unpack and body and not unpack.eof:
            raise UnreadableAnswer(f"{route} was answered with a body that was cut off.")
        return bytes(body)


def outcome_unknown(route: str, error: SourceError) -> OutcomeUnknown:
    """What becomes of an error that leaves open whether a write was done."""
    message = f"{route} was sent, but no answer says whether it was done."
    return OutcomeUnknown(message, status=error.status, code=error.code, request_id=error.request_id)


def read_retry_after(headers: httpx.Headers) -> datetime | None:
    """When the service wants to be asked again: seconds or an HTTP date; None for nothing, nonsense or the past."""
    text = headers.get("Retry-After", "").strip()
    now = datetime.now(UTC)
    if text.isascii() and text.isdigit():
        return now + timedelta(seconds=int(text)) if len(text) <= 7 else None
    try:
        moment = as_utc(parsedate_to_datetime(text))
    except (ValueError, OverflowError):  # the latter of a year, or an offset, that no clock has
        return None
    return moment if moment > now else None


def _may_pass(error: SourceError) -> bool:
    """True when the same read may succeed a moment later. A connect that timed out has had its time already."""
    cause = error.__cause__
    if isinstance(cause, httpx.TransportError):
        return not isinstance(cause, httpx.ConnectTimeout)
    return error.status in (429, 503)


def _delay_before(attempt: int, error: SourceError) -> float:
    """Seconds before the next try: what the service asked for, else our own, growing."""
    own: float = FIRST_DELAY_S * 2**attempt * random.uniform(0.75, 1.25)  # noqa: S311 - not a secret
    if error.retry_at is None:
        return own
    return max((error.retry_at - datetime.now(UTC)).total_seconds(), FIRST_DELAY_S)
