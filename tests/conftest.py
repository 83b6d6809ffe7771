"""Fixtures that every test may use."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from django.apps import AppConfig, apps
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models.signals import post_migrate
from django.dispatch import receiver
from django.test import Client
from hypothesis import settings as hypothesis_settings

# The same examples on every run, and no verdict on how busy the machine is.
hypothesis_settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis_settings.load_profile("repeatable")


@receiver(post_migrate)
def _give_back_the_roles(sender: AppConfig, **_: Any) -> None:
    """A test of transactions ends by emptying every table, what a migration wrote too, and then sends this signal."""
    if sender.name == "dashboard.web":
        import_module("dashboard.web.migrations.0002_roles").make_roles(apps, None)


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    """What one test remembered must not answer another."""
    yield
    cache.clear()


@pytest.fixture
def admin(db: Any) -> User:
    return User.objects.create_superuser("admin", password="correct horse battery staple")


@pytest.fixture
def signed_in(client: Client, admin: User) -> Client:
    """A client that is signed in as an admin."""
    client.force_login(admin)
    return client
