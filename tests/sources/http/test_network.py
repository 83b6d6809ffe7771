"""Which proxy, if any, stands between, and what becomes of settings that make no sense."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from dashboard.sources.http.errors import Unreachable
from dashboard.sources.http.network import find_proxy, open_network
from dashboard.sources.http.transport import Transport
from tests.sources.conftest import KEY
from tests.sources.faulty_server import reply_json, serve

Connect = Callable[..., Transport]


@pytest.mark.parametrize(
    ("environment", "proxy"),
    [
        ({}, None),
        ({"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ({"https_proxy": "http://p:1"}, "http://p:1"),
        ({"ALL_PROXY": "http://p:1"}, "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "api.example.test"}, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": ".example.test"}, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "[::1], other"}, "http://p:1"),
    ],
)
def test_the_environment_names_the_proxy(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], proxy: str | None
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert find_proxy(httpx.URL("https://api.example.test/x")) == proxy


def test_an_address_in_brackets_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://p:1")
    monkeypatch.setenv("NO_PROXY", "[::1]")
    assert find_proxy(httpx.URL("http://[::1]:8000")) is None


def test_calls_go_through_the_proxy(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(lambda request: reply_json({"total": 7})) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert connect("http://loop.example.test").get("/api/things").body == b'{"total": 7}'
    assert proxy.requests[0].target == "http://loop.example.test/api/things"


@pytest.mark.parametrize(
    "value",
    ["socks5://127.0.0.1:9", "http://127.0.0.1:9", "://", "nonsense", "http://u:secret@[::", "ftp://x", "http://a b"],
)
def test_a_proxy_that_cannot_be_used_is_a_named_error(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", value)
    with pytest.raises(Unreachable) as caught:
        connect("https://api.example.test", deadline_s=0.5).get("/api/things")
    for secret in ("secret", KEY, "127.0.0.1"):
        assert secret not in caught.value.message


def test_certificates_that_cannot_be_read_are_a_named_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    with pytest.raises(Unreachable, match="certificate"):
        open_network(httpx.URL("https://api.example.test"))


def test_a_host_without_tls_is_unreachable_over_https(connect: Connect) -> None:
    with serve(lambda request: reply_json({})) as server, pytest.raises(Unreachable):
        connect(server.url.replace("http:", "https:"), deadline_s=1.0).get("/api/things")
