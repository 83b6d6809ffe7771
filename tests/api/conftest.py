"""A client that speaks to the API as any caller does, with a key in a header."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.factories import make_key

Get = Callable[..., HttpResponse]
Send = Callable[..., HttpResponse]


@pytest.fixture
def secret(db: Any) -> str:
    """A key that may read the default workspace."""
    return make_key("loop:read")


@pytest.fixture
def get(secret: str) -> Get:
    """GET a path of the API with that key; keywords are headers."""
    client = Client(raise_request_exception=False)

    def call(path: str, **headers: str) -> Any:
        return client.get(path, headers={"X-API-Key": secret, **{k.replace("_", "-"): v for k, v in headers.items()}})

    return call


@pytest.fixture
def send(db: Any) -> Send:
    """send("post", path, body) as JSON with a key named "test" that may write; text goes as it is."""
    client, write_key = Client(raise_request_exception=False), make_key("loop:write")

    def call(method: str, path: str, body: Any = None, **headers: str) -> Any:
        text = body if isinstance(body, (str, bytes)) else json.dumps(body)
        headers = {"X-API-Key": write_key, "Content-Type": "application/json"} | headers
        content_type = headers.pop("Content-Type")
        return getattr(client, method)(path, data=text, content_type=content_type, headers=headers)

    return call
