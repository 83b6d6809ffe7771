"""Fixtures that every test may use."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from hypothesis import settings as hypothesis_settings

from tests.reads import start_anew

# The same examples on every run, and no verdict on how busy the machine is.
hypothesis_settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis_settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _start_anew() -> Iterator[None]:
    """What one test remembered must not answer another."""
    yield
    start_anew()


@pytest.fixture
def admin(db: Any) -> User:
    return User.objects.create_superuser("admin", password="correct horse battery staple")


@pytest.fixture
def signed_in(client: Client, admin: User) -> Client:
    """A client that is signed in as an admin."""
    client.force_login(admin)
    return client
