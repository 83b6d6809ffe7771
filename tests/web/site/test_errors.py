"""The pages for what went wrong."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client, RequestFactory

from dashboard.web.site import access, errors


@pytest.mark.django_db
def test_an_unknown_address_is_a_page_of_ours(signed_in):
    page = signed_in.get("/nowhere/")
    assert page.status_code == 404
    assert b"Nothing here" in page.content


@pytest.mark.django_db
def test_a_form_with_no_token_says_that_it_is_too_old():
    page = Client(enforce_csrf_checks=True).post("/sign-in/", {"username": "ada"})
    assert page.status_code == 403
    assert b"too old" in page.content


def test_a_bad_request_has_its_page():
    assert errors.bad_request(RequestFactory().get("/"), Exception("secret inside")).status_code == 400


def test_the_fault_page_needs_no_database_and_tells_nothing():
    page = errors.fault(RequestFactory().get("/"))
    assert page.status_code == 500
    assert b"Something broke here" in page.content


@pytest.mark.django_db
def test_a_person_who_was_switched_off_may_do_nothing(signed_in, admin):
    assert access.may(admin, "read")
    admin.is_active = False
    assert not access.may(admin, "read")
    with pytest.raises(PermissionDenied):
        access.check(admin, "read")
    admin.save()
    assert signed_in.get("/").status_code == 302
