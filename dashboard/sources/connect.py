"""Settings to sources: the only place that chooses a transport.

Without RUNBIOS_BASE_URL the Loop API is our own service in this process. With it, the same pages show the remote
workspace that RUNBIOS_API_KEY opens.
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
from dashboard.sources.in_process import InProcessTransport
from dashboard.sources.loop import Loop
from dashboard.sources.network import open_network
from dashboard.sources.transport import Transport

LOCAL_WORKSPACE = "ws_local"
"""The embedded service's default workspace; the service makes it on first use."""
EMBEDDED_PAGE_SIZE = 2_000
"""The service in this process gives this many points of a history at once: no network stands between."""
REMOTE_WORKERS = 6


@dataclass(frozen=True)
class Connection:
    """The Loop source of this process and what a page may say about it."""

    loop: Loop
    embedded: bool
    fingerprint: str
    """Stands for origin, workspace and key together, and gives none of them away."""


def get_loop(actor: str = "") -> Loop:
    """The Loop API that the settings name. Raises `ImproperlyConfigured` when they make no sense.

    `actor`: the person in whose name it writes. The embedded service records it; a remote one goes by the key.
    """
    loop = get_connection().loop
    return loop.acting_for(actor) if actor else loop


def get_connection() -> Connection:
    """The source that the settings name, made once a process. Raises `ImproperlyConfigured`."""
    return _connect(
        settings.RUNBIOS_BASE_URL,
        settings.RUNBIOS_API_KEY,
        settings.RUNBIOS_WORKSPACE_ID,
        settings.RUNBIOS_ORG_ID,
        settings.RUNBIOS_TIMEOUT_S,
    )


@lru_cache(maxsize=4)
def _connect(base_url: str, key: str, workspace_id: str, org_id: str, timeout_s: float) -> Connection:
    if not (math.isfinite(timeout_s) and timeout_s > 0):
        raise ImproperlyConfigured("RUNBIOS_TIMEOUT_S must be a number of seconds above 0.")
    if not base_url:
        embedded = InProcessTransport(workspace_id or LOCAL_WORKSPACE)
        transport = Transport("http://localhost", lambda: embedded, deadline_s=timeout_s)
        loop = Loop(transport, workers=1, page_size=EMBEDDED_PAGE_SIZE)
        return Connection(loop, True, "embedded")
    check_base_url(base_url)
    if not key:
        raise ImproperlyConfigured("RUNBIOS_BASE_URL is set, so RUNBIOS_API_KEY must be set too.")
    headers = {"X-API-Key": key, "X-Workspace-ID": workspace_id, "X-Org-ID": org_id}
    for name, value in headers.items():
        if not (value.isascii() and value.isprintable() and value == value.strip()):
            raise ImproperlyConfigured(f"The setting behind {name} holds characters that no header can carry.")
    transport = Transport(
        base_url,
        partial(open_network, httpx.URL(base_url)),
        headers={name: value for name, value in headers.items() if value},
        request_id=current_request_id,
        deadline_s=timeout_s,
    )
    secret = "\n".join((base_url, workspace_id, org_id, key))
    fingerprint = hashlib.sha256(secret.encode()).hexdigest()
    return Connection(Loop(transport, workers=REMOTE_WORKERS), False, fingerprint)


# Two processes must not speak over one socket: a forked child opens its own connections.
os.register_at_fork(after_in_child=_connect.cache_clear)


def check_base_url(base_url: str) -> None:
    """Raises `ImproperlyConfigured` for a base URL that cannot be used, without repeating it."""
    try:
        parts = urlsplit(base_url)
        _ = parts.port  # raises for one that is no port
        httpx.URL(base_url)
    except (ValueError, httpx.InvalidURL) as error:
        raise ImproperlyConfigured("RUNBIOS_BASE_URL is not a URL.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or len(base_url.split()) != 1:
        raise ImproperlyConfigured("RUNBIOS_BASE_URL must start with https:// and name a host.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ImproperlyConfigured("RUNBIOS_BASE_URL must hold no credentials, query or fragment.")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise ImproperlyConfigured("RUNBIOS_BASE_URL must be https://: the key would travel readable by all.")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
