"""Remote sources behind real servers, a reader that starts from nothing, and calls that are made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.test import override_settings

from dashboard.sources.connect import _connect, _connect_runloop, get_loop, get_runloop
from dashboard.sources.http.errors import SourceError
from dashboard.sources.reader import Ask
from tests.reads import wait_for_reads
from tests.sources.conftest import KEY
from tests.sources.faulty_server import Answer, FaultyServer, serve

AWAY = "https://api.example.test"
"""Remote sources that nothing is sent to: the calls of these tests are made up."""


@pytest.fixture
def away() -> Iterator[None]:
    both = {
        f"{source}_{what}": value
        for source in ("RUNBIOS", "RUNLOOP")
        for what, value in (("BASE_URL", AWAY), ("API_KEY", KEY))
    }
    with override_settings(**both):
        yield
        wait_for_reads()


def asking(call: Callable[[], Any], type_: Any = int, *, name: str = "k", **fields: Any) -> Ask[Any]:
    """An ask for something made up."""
    return Ask(fields.pop("source", "loop"), name, (), call, type_, **fields)


def failing(error: SourceError) -> Callable[[], Any]:
    def call() -> Any:
        raise error

    return call


@pytest.fixture
def connect_loop_to() -> Iterator[Callable[..., FaultyServer]]:
    """connect_loop_to(answer, timeout_s=…) -> the server that the Loop source is read from."""
    with ExitStack() as stack:

        def connect(answer: Answer, *, timeout_s: float = 30.0) -> FaultyServer:
            server = stack.enter_context(serve(answer))
            settings = {"RUNBIOS_BASE_URL": server.url, "RUNBIOS_API_KEY": KEY, "RUNBIOS_TIMEOUT_S": timeout_s}
            stack.enter_context(override_settings(**settings))
            stack.callback(_connect.cache_clear)
            stack.callback(get_loop()._transport.close)
            return server

        yield connect
        wait_for_reads()


@pytest.fixture
def connect_runloop_to() -> Iterator[Callable[..., FaultyServer]]:
    """Likewise Runloop."""
    with ExitStack() as stack:

        def connect(answer: Answer, *, timeout_s: float = 30.0) -> FaultyServer:
            server = stack.enter_context(serve(answer))
            settings = {"RUNLOOP_BASE_URL": server.url, "RUNLOOP_API_KEY": KEY, "RUNLOOP_TIMEOUT_S": timeout_s}
            stack.enter_context(override_settings(**settings))
            stack.callback(_connect_runloop.cache_clear)
            stack.callback(get_runloop()._transport.close)
            return server

        yield connect
        wait_for_reads()
