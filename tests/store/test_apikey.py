"""`manage.py apikey`: made, listed without the secret, revoked."""

import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from dashboard.store.models import ApiKey
from tests.factories import make_workspace

pytestmark = pytest.mark.django_db


def run(*args: str) -> str:
    out = StringIO()
    call_command("apikey", *args, stdout=out)
    return out.getvalue()


def test_it_works(client: Client) -> None:
    secret = run("create", "--name", "ci", "--scopes", "loop:read").splitlines()[-1]
    assert re.fullmatch(r"btk_[0-9a-f]{48}", secret)
    assert client.get("/api/loop/benchmarks", headers={"X-API-Key": secret}).status_code == 200
    key = ApiKey.objects.get()
    listed = run("list")
    assert key.pk in listed
    assert "active" in listed
    assert secret not in listed
    run("revoke", key.pk)
    assert "revoked" in run("list")
    assert client.get("/api/loop/benchmarks", headers={"X-API-Key": secret}).status_code == 401


def test_revoking_twice_keeps_the_first_moment() -> None:
    run("create", "--name", "ci")
    key = ApiKey.objects.get()
    run("revoke", key.pk)
    first = ApiKey.objects.get().revoked_at
    run("revoke", key.pk)
    assert ApiKey.objects.get().revoked_at == first


def test_a_key_can_be_for_another_workspace_both_scopes_and_some_days() -> None:
    make_workspace("ws_other")
    run("create", "--name", "x", "--scopes", "loop:read, loop:write", "--workspace", "ws_other", "--days", "30")
    key = ApiKey.objects.get()
    assert (key.workspace_id, key.scopes) == ("ws_other", ["loop:read", "loop:write"])
    assert key.expires_at is not None
    assert timedelta(days=29) < key.expires_at - timezone.now() <= timedelta(days=30)
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(days=1), last_used_at=timezone.now())
    assert "expired" in run("list")
    assert "last used" in run("list")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("create", "--name", "x", "--scopes", "loop:admin"), "loop:admin"),
        (("create", "--name", "x", "--days", "0"), "--days"),
        (("create", "--name", "x", "--workspace", "ws_none"), "ws_none"),
        (("revoke", "key_none"), "key_none"),
    ],
)
def test_a_mistake_is_named_and_changes_nothing(args: Any, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        run(*args)
    assert not ApiKey.objects.exists()
