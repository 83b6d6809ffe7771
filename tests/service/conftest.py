"""A client that speaks to the API as any caller does, with a key in a header."""

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.factories import make_key

Get = Callable[..., HttpResponse]


@pytest.fixture
def get(db: Any) -> Get:
    """GET a path of the API with a key that may read the default workspace; keywords are headers."""
    secret = make_key()
    client = Client(raise_request_exception=False)

    def call(path: str, **headers: str) -> Any:
        return client.get(path, headers={"X-API-Key": secret, **{k.replace("_", "-"): v for k, v in headers.items()}})

    return call
