"""A client that speaks to the API as any caller does, with a key in a header."""

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.factories import make_key

Get = Callable[..., HttpResponse]


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
