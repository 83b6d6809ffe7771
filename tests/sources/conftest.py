"""Clients of faulty servers, closed when the test is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest

from dashboard.sources.http import transport
from dashboard.sources.http.network import open_network
from dashboard.sources.http.transport import Transport
from dashboard.sources.loop.client import Loop

KEY = "rb_key_nobody_may_see"
AMPLE_S = 60.0
"""A deadline that a busy machine does not miss. A test about deadlines gives its own."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own waits are short in tests, and no proxy of the machine stands between."""
    monkeypatch.setattr(transport, "FIRST_DELAY_S", 0.01)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def connect() -> Iterator[Callable[..., Transport]]:
    """connect(url, **options) -> a transport with a key."""
    opened: list[Transport] = []

    def connect(url: str, **options: Any) -> Transport:
        headers = {"X-API-Key": KEY, "Authorization": f"Bearer {KEY}"}
        made = Transport(
            url, partial(open_network, httpx.URL(url)), headers=headers, **{"deadline_s": AMPLE_S} | options
        )
        opened.append(made)
        return made

    yield connect
    for made in opened:
        made.close()


@pytest.fixture
def connect_loop(connect: Callable[..., Transport]) -> Callable[..., Loop]:
    return lambda url, workers=6, **options: Loop(connect(url, **options), workers=workers)
