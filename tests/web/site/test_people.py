"""Admins add people, give roles, switch accounts off and on, and make sign-in links."""

from __future__ import annotations

import re
import threading
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.http import QueryDict
from django.test import Client

from dashboard.web.common.refusals import Refusal
from dashboard.web.models import AuditEntry
from dashboard.web.site import access, unsent
from dashboard.web.site.access import NotAllowed
from dashboard.web.site.people import change as people
from tests.web.conftest import make_person

pytestmark = pytest.mark.django_db


def link_in(page) -> str:
    return unescape(re.search(r'id="link"[^>]* value="([^"]+)"', page.content.decode())[1])


def follow(client: Client, link: str):
    return client.post("/sign-in/link/", {"sesame": parse_qs(urlsplit(link).query)["sesame"][0]})


def role_of(name: str) -> str | None:
    return access.role_of(User.objects.get(username=name))


def last_entry() -> tuple[str, str, str, str, str]:
    entry = AuditEntry.objects.order_by("id").last()
    return entry.who_name, entry.action, entry.target_name, entry.outcome, entry.message or entry.code


def test_it_works(signed_in, person):
    page = signed_in.get("/people/").content.decode()
    assert "<bdi>ada</bdi>" in page
    assert "<option selected>viewer</option>" in page
    assert "never" in page


def test_somebody_new_gets_a_link_that_is_shown_once_and_logged_never(signed_in, caplog):
    caplog.set_level(0)
    page = signed_in.post("/people/", {"name": "Zoë", "role": "member", "password": ""})
    link = link_in(page)
    assert follow(Client(), link).status_code == 302
    assert role_of("Zoë") == "member"
    assert not User.objects.get(username="Zoë").has_usable_password()
    token = parse_qs(urlsplit(link).query)["sesame"][0]
    assert token not in signed_in.get("/people/").content.decode()
    assert token not in caplog.text
    assert last_entry() == ("admin", "add_person", "Zoë", "done", "role member, by sign-in link")
    assert token not in str(AuditEntry.objects.values())


def test_somebody_new_with_a_password_can_use_it(signed_in):
    sent = signed_in.post("/people/", {"name": "bob", "role": "viewer", "password": "a long enough phrase"})
    assert (sent.status_code, sent["Location"]) == (303, "/people/")
    assert b"bob can sign in now, as viewer." in signed_in.get("/people/").content
    assert Client().login(username="bob", password="a long enough phrase")
    assert "phrase" not in str(AuditEntry.objects.values())


@pytest.mark.parametrize(
    ("name", "password", "told"),
    [
        ("two words", "", "valid username"),
        ("", "", "required"),
        ("a\u202eb", "", "valid username"),
        ("bob", "short", "too short"),
        ("bobby-tables", "bobby-tables", "similar"),
        ("b" * 151, "", "150"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_the_name_is_kept(signed_in, name, password, told):
    page = signed_in.post("/people/", {"name": name, "role": "member", "password": password})
    assert page.status_code == 422
    assert told in page.content.decode()
    assert User.objects.count() == 1
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"name": "two words", "role": "member", "password": ""}, "name"),
        ({"name": "bob", "role": "owner", "password": "short"}, "role"),
        ({"name": "bob", "role": "member", "password": "short"}, "password"),
        ({"name": "admin", "role": "member", "password": ""}, "name"),
    ],
)
def test_the_cursor_stands_in_the_first_refused_field_and_the_summary_leads_to_each(signed_in, typed, field):
    content = signed_in.post("/people/", typed).content.decode()
    assert re.findall(r'name="(\w+)"[^>]* autofocus', content) == [field]
    assert "Nobody was added." in content
    assert f'<li><a href="#id_{field}">' in content
    assert f'id="id_{field}_error"' in content


def test_without_a_refusal_the_cursor_is_left_alone(signed_in):
    content = signed_in.get("/people/").content.decode()
    assert "autofocus" not in content
    assert "Nobody was added." not in content


@pytest.mark.parametrize("name", ["ADA", "Ada", "\uff41da"])
def test_a_name_that_differs_only_in_case_or_form_is_taken(signed_in, person, name):
    page = signed_in.post("/people/", {"name": name, "role": "viewer", "password": ""})
    assert page.status_code == 409
    assert b"somebody called ada already" in page.content
    assert last_entry()[3:] == ("refused", "There is somebody called ada already.")


def test_the_command_finds_a_person_in_any_case(person):
    call_command("signin_link", "ADA")
    assert User.objects.count() == 1
    assert last_entry() == ("command line", "make_link", "ada", "done", "")


def test_the_command_notes_the_administrator_it_makes():
    call_command("signin_link", "grace", create_admin=True)
    entries = AuditEntry.objects.order_by("id").values_list("who_name", "action", "target_name", "outcome", "message")
    assert list(entries) == [
        ("command line", "add_person", "grace", "done", "role admin, by sign-in link"),
        ("command line", "make_link", "grace", "done", ""),
    ]


@pytest.mark.parametrize("name", ["محمد", "Ярослава", "李小龙"])
def test_names_of_any_script_stand_apart_from_the_text_around_them(signed_in, name):
    signed_in.post("/people/", {"name": name, "role": "viewer", "password": ""})
    assert f"<bdi>{name}</bdi>" in signed_in.get("/people/").content.decode()


@pytest.mark.parametrize("role", ["viewer", "member", "reviewer", "admin"])
def test_a_role_is_changed(signed_in, role):
    person = make_person("bob", None)
    assert signed_in.post(f"/people/{person.pk}/role/", {"role": role})["Location"] == "/people/"
    assert role_of("bob") == role
    assert last_entry() == ("admin", "change_role", "bob", "done", f"no role to {role}")


def test_a_changed_role_counts_from_the_next_request(signed_in, client, person):
    reader = Client()
    reader.force_login(person)
    assert reader.get("/audit/").status_code == 403
    signed_in.post(f"/people/{person.pk}/role/", {"role": "admin"})
    assert reader.get("/audit/").status_code == 200


def test_a_superuser_who_gets_another_role_is_none_any_more(signed_in):
    other = User.objects.create_superuser("other")
    signed_in.post(f"/people/{other.pk}/role/", {"role": "member"})
    other = User.objects.get(pk=other.pk)
    assert (other.is_superuser, other.is_staff, access.role_of(other)) == (False, False, "member")


def test_switching_off_ends_the_sessions_and_on_again_lets_in(signed_in, person):
    theirs = Client()
    theirs.force_login(person)
    signed_in.post(f"/people/{person.pk}/active/", {"active": "no"})
    assert theirs.get("/").status_code == 302
    assert not Client().login(username="ada", password="correct horse")
    assert b"switched off" in signed_in.get("/people/").content
    signed_in.post(f"/people/{person.pk}/active/", {"active": "yes"})
    assert Client().login(username="ada", password="correct horse")
    actions = AuditEntry.objects.order_by("id").values_list("action", flat=True)
    assert list(actions) == ["deactivate", "reactivate"]


def test_a_new_link_signs_in_and_is_noted(signed_in, person):
    link = link_in(signed_in.post(f"/people/{person.pk}/link/"))
    assert link.startswith("http://testserver/sign-in/link/?sesame=")
    assert follow(Client(), link).status_code == 302
    assert last_entry()[:4] == ("admin", "make_link", "ada", "done")


def test_somebody_switched_off_gets_no_link_and_an_old_one_is_dead(signed_in, person):
    old = link_in(signed_in.post(f"/people/{person.pk}/link/"))
    signed_in.post(f"/people/{person.pk}/active/", {"active": "no"})
    assert signed_in.post(f"/people/{person.pk}/link/").status_code == 409
    assert last_entry()[3:] == ("refused", "ada is switched off and cannot sign in.")
    assert follow(Client(), old).status_code == 400


@pytest.mark.parametrize(("path", "data"), [("role", {"role": "member"}), ("active", {"active": "no"})])
def test_the_last_active_admin_stays(signed_in, admin, path, data):
    User.objects.create_superuser("gone", is_active=False)
    page = signed_in.post(f"/people/{admin.pk}/{path}/", data | {"sure": "on"})
    assert page.status_code == 409
    assert b"admin is the last active administrator" in page.content
    assert access.may(User.objects.get(pk=admin.pk), "manage_people")
    assert last_entry()[3] == "refused"


@pytest.mark.parametrize(
    ("path", "data", "goes_to"), [("role", {"role": "viewer"}, "/"), ("active", {"active": "no"}, "/people/")]
)
def test_nobody_gives_up_their_own_rights_without_being_told(signed_in, admin, path, data, goes_to):
    make_person("other", "admin")
    page = signed_in.post(f"/people/{admin.pk}/{path}/", data)
    assert b"You are about to" in page.content
    assert access.may(User.objects.get(pk=admin.pk), "manage_people")
    assert not AuditEntry.objects.exists()
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="(\w+)">', page.content.decode()))
    sent = signed_in.post(f"/people/{admin.pk}/{path}/", fields)
    assert sent["Location"] == goes_to
    assert not access.may(User.objects.get(pk=admin.pk), "manage_people")


@pytest.mark.parametrize(("path", "data"), [("role", {"role": "king"}), ("active", {"active": "maybe"})])
def test_a_value_that_makes_no_sense_changes_nothing(signed_in, person, path, data):
    assert signed_in.post(f"/people/{person.pk}/{path}/", data).status_code == 422
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("path", ["role", "active", "link"])
def test_the_address_of_a_change_leads_back_to_the_page(signed_in, person, path):
    assert signed_in.get(f"/people/{person.pk}/{path}/")["Location"] == "/people/"
    assert signed_in.post(f"/people/987654/{path}/", {"role": "viewer", "active": "no"}).status_code == 404


def test_somebody_who_is_no_admin_any_more_changes_nothing(admin, person):
    loaded = User.objects.get(pk=admin.pk)
    make_person("other", "admin")
    people.change_role(admin, admin.pk, "member")
    with pytest.raises(NotAllowed):
        people.change_role(loaded, person.pk, "admin")
    assert role_of("ada") == "viewer"


@pytest.mark.django_db(transaction=True)
def test_two_admins_who_demote_each_other_at_once_leave_one():
    outcomes: list[str] = []

    def demote(actor: User, other: User, start: threading.Barrier) -> None:
        start.wait()
        try:
            people.change_role(actor, other.pk, "member")
            outcomes.append("done")
        except (Refusal, NotAllowed) as refused:
            outcomes.append(type(refused).__name__)
        finally:
            connection.close()

    for turn in range(10):
        outcomes.clear()
        User.objects.all().delete()
        one, two = make_person(f"one{turn}", "admin"), make_person(f"two{turn}", "admin")
        start = threading.Barrier(2)
        racers = [threading.Thread(target=demote, args=(*pair, start)) for pair in ((one, two), (two, one))]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        assert sorted(outcomes) == ["NotAllowed", "done"]
        assert access.list_admins().count() == 1


def test_many_people_are_searched_and_paged_with_as_many_queries(signed_in, django_assert_max_num_queries):
    User.objects.bulk_create(User(username=f"person{number:03d}") for number in range(120))
    with django_assert_max_num_queries(10):
        page = signed_in.get("/people/").content.decode()
    assert "1–50 of 121" in page
    assert signed_in.get("/people/?q=N007").content.decode().count("<bdi>person") == 1
    assert b"fits this search" in signed_in.get("/people/?q=nobody").content
    assert signed_in.get("/people/?page=x").status_code == 400


def test_a_form_that_came_too_late_comes_back_without_its_password(signed_in, monkeypatch):
    monkeypatch.setattr(unsent, "take", lambda request: QueryDict("name=late&role=reviewer"))
    page = signed_in.get("/people/").content.decode()
    assert 'value="late"' in page
    assert '<option value="reviewer" selected>' in page
