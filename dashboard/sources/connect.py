"""Settings to sources: the only place that chooses a transport.

Without RUNBIOS_BASE_URL the Loop API is our own service in this process. With it, the same pages show the remote
workspace that RUNBIOS_API_KEY opens. So it is with Runloop, by settings of its own: each source is remote or our own,
whatever the other is.
"""

from __future__ import annotations

import hashlib
import math
import os
from dataclasses import dataclass
from functools import lru_cache, partial
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from dashboard.request_id import current_request_id
from dashboard.sources.http.in_process import InProcessTransport
from dashboard.sources.http.network import open_network
from dashboard.sources.http.transport import Transport
from dashboard.sources.loop.client import Loop
from dashboard.sources.runloop.client import Runloop

LOCAL_WORKSPACE = "ws_local"
"""The workspace of the embedded service that these pages show and its commands fill; it is made on first use."""
EMBEDDED_PAGE_SIZE = 2_000
"""The service in this process gives this many points of a history at once: no network stands between."""
REMOTE_WORKERS = 6
RUNLOOP_URL = "https://api.runloop.ai"
"""Where Runloop is, for a key without a base URL."""
EMBEDDED = "embedded"
ROOTS = {"RUNBIOS": "/api", "RUNLOOP": "/v1"}
"""What the addresses of each API begin with, after the base URL."""


@dataclass(frozen=True)
class Connection:
    """The Loop source of this process and what a page may say about it."""

    loop: Loop
    embedded: bool
    fingerprint: str
    """Stands for origin, workspace and key together, and gives none of them away."""


@dataclass(frozen=True)
class RunloopConnection:
    """The Runloop source of this process, likewise."""

    runloop: Runloop
    embedded: bool
    fingerprint: str


def get_loop(actor: str = "") -> Loop:
    """The Loop API that the settings name. Raises `ImproperlyConfigured` when they make no sense.

    `actor`: the person in whose name it writes. The embedded service records it; a remote one goes by the key.
    """
    loop = get_connection().loop
    return loop.acting_for(actor) if actor else loop


def get_runloop() -> Runloop:
    """The Runloop API that the settings name. Raises `ImproperlyConfigured` when they make no sense."""
    return get_runloop_connection().runloop


def get_connection() -> Connection:
    """The Loop source that the settings name, made once a process. Raises `ImproperlyConfigured`."""
    return _connect(
        settings.RUNBIOS_BASE_URL,
        settings.RUNBIOS_API_KEY,
        settings.RUNBIOS_WORKSPACE_ID,
        settings.RUNBIOS_ORG_ID,
        settings.RUNBIOS_TIMEOUT_S,
    )


def get_runloop_connection() -> RunloopConnection:
    """The Runloop source that the settings name, made once a process. Raises `ImproperlyConfigured`."""
    return _connect_runloop(settings.RUNLOOP_BASE_URL, settings.RUNLOOP_API_KEY, settings.RUNLOOP_TIMEOUT_S)


@lru_cache(maxsize=4)
def _connect(base_url: str, key: str, workspace_id: str, org_id: str, timeout_s: float) -> Connection:
    _check_timeout("RUNBIOS_TIMEOUT_S", timeout_s)
    if not base_url:
        loop = Loop(_open_embedded(timeout_s), workers=1, page_size=EMBEDDED_PAGE_SIZE)
        return Connection(loop, True, EMBEDDED)
    _check_base_url("RUNBIOS", base_url, key)
    headers = {"X-API-Key": key, "X-Workspace-ID": workspace_id, "X-Org-ID": org_id}
    transport = _open_remote(base_url, headers, timeout_s)
    fingerprint = _fingerprint(base_url, workspace_id, org_id, key)
    return Connection(Loop(transport, workers=REMOTE_WORKERS), False, fingerprint)


@lru_cache(maxsize=4)
def _connect_runloop(base_url: str, key: str, timeout_s: float) -> RunloopConnection:
    _check_timeout("RUNLOOP_TIMEOUT_S", timeout_s)
    if not base_url and not key:
        return RunloopConnection(Runloop(_open_embedded(timeout_s)), True, EMBEDDED)
    base_url = base_url or RUNLOOP_URL
    _check_base_url("RUNLOOP", base_url, key)
    transport = _open_remote(base_url, {"Authorization": f"Bearer {key}"}, timeout_s)
    return RunloopConnection(Runloop(transport), False, _fingerprint(base_url, key))


def _forget_connections() -> None:
    _connect.cache_clear()
    _connect_runloop.cache_clear()


# Two processes must not speak over one socket: a forked child opens its own connections.
os.register_at_fork(after_in_child=_forget_connections)


def _open_embedded(timeout_s: float) -> Transport:
    embedded = InProcessTransport(LOCAL_WORKSPACE)
    return Transport("http://localhost", lambda: embedded, deadline_s=timeout_s)


def _open_remote(base_url: str, headers: dict[str, str], timeout_s: float) -> Transport:
    """A transport over the network. Headers without a value are not sent."""
    for name, value in headers.items():
        if not (value.isascii() and value.isprintable() and value == value.strip()):
            raise ImproperlyConfigured(f"The setting behind {name} holds characters that no header can carry.")
    return Transport(
        base_url,
        partial(open_network, httpx.URL(base_url)),
        headers={name: value for name, value in headers.items() if value},
        request_id=current_request_id,
        deadline_s=timeout_s,
    )


def _fingerprint(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _check_timeout(setting: str, timeout_s: float) -> None:
    if not (math.isfinite(timeout_s) and timeout_s > 0):
        raise ImproperlyConfigured(f"{setting} must be a number of seconds above 0.")


def _check_base_url(source: str, base_url: str, key: str) -> None:
    """Raises `ImproperlyConfigured` for a base URL that cannot be used or has no key, without repeating it."""
    setting = f"{source}_BASE_URL"
    try:
        parts = urlsplit(base_url)
        _ = parts.port  # raises for one that is no port
        httpx.URL(base_url)
    except (ValueError, httpx.InvalidURL) as error:
        raise ImproperlyConfigured(f"{setting} is not a URL.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or len(base_url.split()) != 1:
        raise ImproperlyConfigured(f"{setting} must start with https:// and name a host.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ImproperlyConfigured(f"{setting} must hold no credentials, query or fragment.")
    root = ROOTS[source]
    if parts.path.rstrip("/").endswith(root):
        raise ImproperlyConfigured(f"{setting} must not end in {root}: every call adds it.")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise ImproperlyConfigured(f"{setting} must be https://: the key would travel readable by all.")
    if not key:
        raise ImproperlyConfigured(f"{setting} is set, so {source}_API_KEY must be set too.")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
