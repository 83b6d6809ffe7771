"""Who gets in, with what, and what everybody else is told."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from dashboard.store import key as keys
from dashboard.store.models import ApiKey
from tests.factories import make_benchmark, make_key, make_workspace

pytestmark = pytest.mark.django_db
PATH = "/api/loop/benchmarks"


def ask(client: Client, path: str = PATH, method: str = "get", **headers: str) -> Any:
    return client.generic(method.upper(), path, headers={k.replace("_", "-"): v for k, v in headers.items()})


def test_a_key_reads_as_header_or_bearer(client: Client) -> None:
    secret = make_key("loop:read")
    assert ask(client, X_API_Key=secret).status_code == 200
    assert ask(client, Authorization=f"Bearer {secret}").status_code == 200


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "MISSING_API_KEY"),
        ({"Authorization": "Basic abc"}, "MISSING_API_KEY"),
        ({"X_API_Key": "btk_nonsense"}, "INVALID_API_KEY"),
        ({"X_API_Key": "btk_" + "0" * 48}, "INVALID_API_KEY"),
    ],
)
def test_no_key_or_an_unknown_one_is_401(client: Client, headers: dict[str, str], code: str) -> None:
    answer = ask(client, **headers)
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == code
    assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(("field", "code"), [("revoked_at", "API_KEY_REVOKED"), ("expires_at", "API_KEY_EXPIRED")])
def test_a_revoked_or_expired_key_is_401(client: Client, field: str, code: str) -> None:
    secret = make_key("loop:read", **{field: timezone.now() - timedelta(seconds=1)})
    answer = ask(client, X_API_Key=secret)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, code)


def test_a_key_that_only_writes_may_not_read(client: Client) -> None:
    answer = ask(client, X_API_Key=make_key("loop:write"))
    assert answer.status_code == 403
    assert answer.json()["error"] == {
        "code": "MISSING_SCOPE",
        "message": "This key lacks the scope loop:read.",
        "scope": "loop:read",
    }


def test_a_session_of_the_website_does_not_open_the_api(client: Client) -> None:
    client.force_login(User.objects.create_superuser("admin"))
    assert ask(client).status_code == 401


def test_another_workspace_s_object_does_not_exist(client: Client) -> None:
    theirs = make_benchmark(workspace=make_workspace())
    secret = make_key()
    for tail in ("", "/items", "/history"):
        answer = ask(client, f"{PATH}/{theirs.pk}{tail}", X_API_Key=secret)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")
    assert ask(client, X_API_Key=secret).json()["benchmarks"] == []


def test_a_workspace_header_must_name_the_key_s_own(client: Client) -> None:
    secret = make_key()
    assert ask(client, X_API_Key=secret, X_Workspace_ID="ws_local").status_code == 200
    answer = ask(client, X_API_Key=secret, X_Workspace_ID="ws_other")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "WORKSPACE_MISMATCH")


def test_an_org_header_must_name_the_key_s_own(client: Client) -> None:
    secret = make_key()
    assert ask(client, X_API_Key=secret, X_Org_ID="org_local").status_code == 200
    answer = ask(client, X_API_Key=secret, X_Org_ID="org_other")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "ORG_MISMATCH")


def test_the_secret_is_stored_nowhere(client: Client) -> None:
    secret = make_key()
    stored = str(ApiKey.objects.values().get())
    assert secret not in stored
    assert secret[keys.PREFIX_LENGTH :] not in stored


def test_use_is_noted_at_most_once_a_minute(client: Client) -> None:
    secret = make_key()
    ask(client, X_API_Key=secret)
    first = ApiKey.objects.get().last_used_at
    assert first is not None
    ask(client, X_API_Key=secret)
    assert ApiKey.objects.get().last_used_at == first
    earlier = first - timedelta(seconds=61)
    ApiKey.objects.update(last_used_at=earlier)
    ask(client, X_API_Key=secret)
    assert ApiKey.objects.get().last_used_at >= first


def test_a_database_too_busy_to_note_the_use_still_answers(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = make_key()

    class Busy:
        def filter(self, *args: Any, **kwargs: Any) -> "Busy":
            return self

        def update(self, **values: Any) -> None:
            raise OperationalError("database is locked")

        select_related = ApiKey.objects.select_related

    monkeypatch.setattr(ApiKey, "objects", Busy())
    assert ask(client, X_API_Key=secret).status_code == 200


def test_a_call_in_this_process_is_trusted_and_needs_no_query_of_its_own(django_assert_num_queries: Any) -> None:
    client = Client(**{"benchtrend.workspace": "ws_local"})
    with django_assert_num_queries(2):
        assert client.get(PATH).status_code == 200


def test_a_header_cannot_pretend_to_be_in_this_process(client: Client) -> None:
    answer = client.get(PATH, headers={"benchtrend.workspace": "ws_local", "Benchtrend-Workspace": "ws_local"})
    assert answer.status_code == 401


@pytest.mark.parametrize("scopes", [("loop:read",), ("loop:write",)])
def test_introspection_needs_a_key_but_no_scope(client: Client, scopes: tuple[str, ...]) -> None:
    secret = make_key(*scopes)
    body = ask(client, "/api/api-keys/introspect", X_API_Key=secret).json()
    assert (body["auth_type"], body["status"], body["scopes"]) == ("api_key", "active", list(scopes))
    assert body["workspace"] == {"id": "ws_local", "name": "Local workspace"}
    assert body["key_prefix"] == secret[:12]
    assert secret not in str(body)
    assert ask(client, "/api/api-keys/introspect").status_code == 401


def test_introspection_in_this_process_names_the_workspace_before_it_holds_anything() -> None:
    body = Client(**{"benchtrend.workspace": "ws_local"}).get("/api/api-keys/introspect").json()
    assert (body["auth_type"], body["key_id"], body["workspace"]["id"]) == ("in_process", None, "ws_local")
    assert body["scopes"] == ["loop:read", "loop:write"]
