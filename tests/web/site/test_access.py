"""Who may do what: the one rule, and what somebody is told who may not."""

from __future__ import annotations

from functools import partial
from threading import Event

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User
from django.core.exceptions import PermissionDenied

from dashboard.sources.connect import get_loop
from dashboard.sources.loop.client import Identity
from dashboard.sources.reader import nouns
from dashboard.web.models import AuditEntry, Draft
from dashboard.web.site import access
from dashboard.web.site.access import ACTIONS, ROLES, may
from tests.reads import wait_for_reads
from tests.sources.faulty_server import reply_json
from tests.web.conftest import Connect, Workspace, make_person, one_benchmark, one_point

pytestmark = pytest.mark.django_db

OF_A_MEMBER = {"create", "retire", "attach", "see_environment"}
ALLOWED = {
    None: set(),
    "viewer": {"read"},
    "member": {"read", *OF_A_MEMBER},
    "reviewer": {"read", *OF_A_MEMBER, "decide"},
    "admin": set(ACTIONS),
}


@pytest.mark.parametrize("role", ALLOWED)
def test_each_role_may_this_and_no_more(role):
    person = make_person("ada", role)
    assert {action for action in ACTIONS if may(person, action)} == ALLOWED[role]


def test_a_superuser_is_an_admin_and_a_stranger_nothing(admin):
    assert access.role_of(admin) == "admin"
    assert access.role_of(AnonymousUser()) is None
    assert not any(may(AnonymousUser(), action) for action in ACTIONS)


def test_the_highest_of_several_roles_counts():
    person = make_person("ada", "viewer")
    person.groups.add(Group.objects.get_or_create(name="reviewer")[0], Group.objects.create(name="zebras"))
    assert access.role_of(person) == "reviewer"


def test_a_changed_role_counts_from_the_next_request(client, person):
    client.force_login(person)
    assert client.get("/").status_code == 200
    person.groups.clear()
    assert client.get("/").status_code == 403
    person.groups.add(Group.objects.get(name="member"))
    assert client.get("/").status_code == 200


def test_a_role_is_asked_of_the_database_once_a_request(person, django_assert_num_queries):
    fresh = User.objects.get(pk=person.pk)
    with django_assert_num_queries(1):
        for action in ACTIONS:
            may(fresh, action)


def test_check_says_what_is_needed(person):
    with pytest.raises(PermissionDenied, match="retiring benchmarks needs the role member"):
        access.check(person, "retire")


def test_somebody_without_a_role_is_told_whom_to_ask(client, admin):
    client.force_login(make_person("new", None))
    page = client.get("/")
    assert page.status_code == 403
    assert b"Your account has no role yet" in page.content
    assert b"<nav" not in page.content
    assert b"<bdi>admin</bdi>" in page.content


def test_a_script_that_is_refused_is_told_to_load_the_page_again(client):
    client.force_login(make_person("new", None))
    assert client.get("/", headers={"HX-Request": "true"})["HX-Refresh"] == "true"


def test_where_no_admin_is_left_the_page_says_how_to_make_one(client):
    client.force_login(make_person("new", None))
    assert b"manage.py signin_link NAME" in client.get("/").content


def test_everybody_who_could_read_before_there_were_roles_still_can(admin):
    from importlib import import_module

    from django.apps import apps

    before = make_person("before", None)
    import_module("dashboard.web.migrations.0002_roles").make_roles(apps, None)
    assert access.role_of(User.objects.get(pk=before.pk)) == "viewer"
    assert not admin.groups.exists()
    assert set(ROLES) <= set(Group.objects.values_list("name", flat=True))


@pytest.fixture
def connect_patiently(connect, monkeypatch) -> Connect:
    """`connect`, where whoever asks what the key may do waits until it is known, on a busy machine too."""
    monkeypatch.setattr(nouns, "IDENTITY_WAITS_S", 60)
    return partial(connect, timeout_s=60)


@pytest.mark.parametrize(
    ("answer", "known"),
    [
        (reply_json({"scopes": ["loop:read"]}), False),
        (reply_json({"scopes": ["loop:read", "loop:write"]}), True),
        (reply_json({}), True),
        (reply_json({"error": {"code": "X", "message": "no"}}, 404), True),
    ],
)
def test_a_key_that_is_known_to_lack_the_scope_may_not_write(connect_patiently, answer, known):
    asked = []
    connect_patiently(lambda request: asked.append(request) or answer)
    assert access.api_may_write() is known
    assert access.api_may_write() is known
    assert len(asked) == 1


@pytest.mark.parametrize("scopes", [["loop:read"], ["loop:read", "loop:write"]])
def test_a_control_that_the_key_could_only_refuse_is_explained_instead(connect_patiently, signed_in, scopes):
    workspace = Workspace([one_benchmark()], {"bm_1": [one_point(1)]})
    identity = reply_json({"scopes": scopes})
    connect_patiently(lambda request: identity if request.path.endswith("/introspect") else workspace(request))
    page = signed_in.get("/benchmarks/bm_1/").content
    may_write = "loop:write" in scopes
    assert (b"/benchmarks/bm_1/retire/" in page) == may_write
    assert (b"API key can only read" in page) != may_write


WRITE_PAGES = [
    ("GET", "/benchmarks/new/"),
    ("GET", "/benchmarks/new/abc/"),
    ("POST", "/benchmarks/new/abc/"),
    ("GET", "/benchmarks/new/abc/review/"),
    ("POST", "/benchmarks/new/abc/review/"),
    ("GET", "/judges/new/"),
    ("GET", "/judges/new/abc/"),
    ("POST", "/judges/new/abc/"),
    ("GET", "/benchmarks/bm_1/retire/"),
    ("POST", "/benchmarks/bm_1/retire/"),
    ("POST", "/benchmarks/bm_1/successor/"),
    ("POST", "/benchmarks/bm_1/attach/"),
    ("POST", "/rules/rule_1/"),
]


@pytest.mark.parametrize(("method", "address"), WRITE_PAGES)
def test_a_page_that_the_key_could_only_refuse_says_so_before_any_work(connect_patiently, client, method, address):
    """A person with the role is not told to get another; the service is asked for nothing but what the key may do."""
    asked = []
    connect_patiently(lambda request: asked.append(request.path) or reply_json({"scopes": ["loop:read"]}))
    client.force_login(make_person("mia", "member"))
    page = client.generic(method, address)
    assert page.status_code == 403
    assert b"the API key of this dashboard can only read" in page.content
    assert b"needs the role" not in page.content
    assert {path.rpartition("/")[2] for path in asked} == {"introspect"}
    assert Draft.objects.count() == 0
    codes = [(entry.outcome, entry.code) for entry in AuditEntry.objects.all()]
    assert codes == ([("refused", "KEY_MAY_NOT_WRITE")] if method == "POST" else [])


@pytest.mark.django_db(transaction=True)
def test_no_page_waits_for_what_the_key_may_do(connect, signed_in, monkeypatch):
    """The late answer is there for the next page."""
    connect(Workspace([one_benchmark()], {"bm_1": [one_point(1)]}))
    released, answered = Event(), Event()

    def introspect():
        released.wait(60)
        answered.set()
        return Identity(scopes=("loop:read",))

    monkeypatch.setattr(get_loop(), "introspect", introspect)
    for _ in range(2):
        assert b"/benchmarks/bm_1/retire/" in signed_in.get("/benchmarks/bm_1/").content
        assert not answered.is_set()
    released.set()
    wait_for_reads()
    assert b"API key can only read" in signed_in.get("/benchmarks/bm_1/").content


def test_the_embedded_service_may_write():
    assert access.api_may_write()


def test_no_entry_is_written_of_a_refused_reading(client):
    client.force_login(make_person("new", None))
    client.get("/")
    assert not AuditEntry.objects.exists()
