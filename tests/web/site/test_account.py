"""Changing one's own password."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.web.models import AuditEntry
from tests.web.conftest import make_person

pytestmark = pytest.mark.django_db

NEW = "a much longer phrase"


def test_it_works_and_ends_the_other_sessions(client, person):
    elsewhere = Client()
    elsewhere.force_login(person)
    client.force_login(person)
    data = {"old_password": "correct horse", "new_password1": NEW, "new_password2": NEW}
    sent = client.post("/account/password/", data)
    assert (sent.status_code, sent["Location"]) == (303, "/account/password/")
    assert b"Your password is changed" in client.get("/account/password/").content
    assert elsewhere.get("/").status_code == 302
    assert Client().login(username="ada", password=NEW)
    entry = AuditEntry.objects.get()
    assert (entry.who_name, entry.action, entry.target_name, entry.outcome) == ("ada", "change_password", "ada", "done")


def test_the_old_password_is_asked_for(client, person):
    client.force_login(person)
    page = client.post("/account/password/", {"old_password": "wrong", "new_password1": NEW, "new_password2": NEW})
    assert page.status_code == 200
    assert b"entered incorrectly" in page.content
    assert not AuditEntry.objects.exists()


def test_somebody_who_came_by_link_sets_a_first_one(client):
    user = User.objects.create_user("linked")
    client.force_login(user)
    assert b"old_password" not in client.get("/account/password/").content
    client.post("/account/password/", {"new_password1": NEW, "new_password2": NEW})
    assert Client().login(username="linked", password=NEW)


def test_a_person_without_a_role_can_change_it_too(client):
    client.force_login(make_person("new", None))
    assert b"no role yet" in client.get("/account/password/").content
