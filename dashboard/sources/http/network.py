"""The real network: a total deadline under every socket operation, and the proxy that the environment names.

httpx bounds each read, not the call: a server that sends one byte now and then holds a call for ever, even inside the
headers. So every connect, handshake, read and write below gets at most what is left of the call's own time.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

import httpcore
import httpx

from dashboard.sources.http.errors import Unreachable

DEADLINE: ContextVar[float] = ContextVar("deadline")
"""When the call that runs in this thread has to be over, on the clock of `time.monotonic`."""


def _left(timeout: float | None, error: type[httpcore.TimeoutException]) -> float:
    """Seconds for the next socket operation: `timeout`, or less when the call has less left."""
    left = DEADLINE.get() - time.monotonic()
    if left <= 0:
        raise error("the deadline of the call has passed")
    return left if timeout is None else min(left, timeout)


class _DeadlineStream(httpcore.NetworkStream):
    """A connection whose every operation ends with the call."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _DeadlineStream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _DeadlineBackend(httpcore.NetworkBackend):
    """Opens connections that end with the call. (Looking up a host's name is the system's and has its own limit.)"""

    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _DeadlineStream(self._inner.connect_tcp(host, port, left, local_address, socket_options))


def find_proxy(base_url: httpx.URL) -> str | None:
    """The proxy that the environment names for this one address, None for a direct connection.

    Read with the standard library, because httpx refuses values of NO_PROXY such as "[::1]" that others accept.
    """
    proxies = getproxies_environment()
    bypass = [name.strip().strip("[]") for name in proxies.get("no", "").split(",")]
    if base_url.host in bypass or proxy_bypass_environment(base_url.host, proxies):
        return None
    return proxies.get(base_url.scheme) or proxies.get("all") or None


def open_network(base_url: httpx.URL) -> httpx.HTTPTransport:
    """A pool of connections for one origin, shared by threads.

    Raises `Unreachable` when the environment names a proxy or certificates that cannot be used.
    """
    proxy = find_proxy(base_url)
    try:
        transport = httpx.HTTPTransport(
            proxy=proxy, limits=httpx.Limits(max_connections=32, max_keepalive_connections=8)
        )
    except (ImportError, ValueError, TypeError, httpx.InvalidURL) as error:
        # The value may hold a password, so it is not repeated.
        raise Unreachable("The proxy settings of the environment cannot be used.") from error
    except OSError as error:
        raise Unreachable("The certificate settings of the environment cannot be used.") from error
    # httpx has no argument for the backend; a test with a dripping header fails should this stop working.
    transport._pool._network_backend = _DeadlineBackend()
    return transport
