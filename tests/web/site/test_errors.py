"""The pages for what went wrong."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.test import Client, RequestFactory

from dashboard.web.site import access, errors
from tests.web.site.test_unsent import hidden_on, sign_in


@pytest.mark.django_db
def test_an_unknown_address_is_a_page_of_ours(signed_in):
    page = signed_in.get("/nowhere/")
    assert page.status_code == 404
    assert b"Nothing here" in page.content


def refuse(client: Client, **sent: Any) -> str:
    """The text of the page that refuses this form."""
    page = client.post("/sign-in/", {"username": "ada"}, **sent)
    assert page.status_code == 403
    return page.content.decode()


@pytest.fixture
def browser(db: Any) -> Client:
    """A browser that has been here and keeps cookies."""
    client = Client(enforce_csrf_checks=True)
    client.get("/sign-in/")
    return client


def test_a_form_with_no_token_says_that_it_is_too_old(browser):
    assert "too old" in refuse(browser)


def test_a_form_without_any_cookie_says_that_there_are_none(db):
    assert "sent no cookies" in refuse(Client(enforce_csrf_checks=True))


def test_a_form_whose_cookie_expired_says_that_it_is_too_old(browser):
    del browser.cookies[settings.CSRF_COOKIE_NAME]
    browser.cookies["theme"] = "dark"
    assert "too old" in refuse(browser)


@pytest.mark.parametrize(
    ("origin", "secure", "setting"),
    [
        ("https://testserver", False, "TRUSTED_ORIGINS=https://testserver and, behind a proxy that ends TLS, HTTPS=1."),
        ("https://bench.example:8443", True, "TRUSTED_ORIGINS=https://bench.example:8443."),
    ],
)
def test_a_form_from_an_origin_that_the_settings_do_not_know_names_them(browser, origin, secure, setting):
    text = refuse(browser, headers={"Origin": origin}, secure=secure)
    assert f"sent from {origin} and arrived at {'https' if secure else 'http'}://testserver." in text
    assert f"whoever runs it sets {setting}" in text


@pytest.mark.parametrize("referer", ["https://bench.example/page?private=1", "http://testserver/"])
def test_over_tls_without_an_origin_the_referer_s_is_named(browser, referer):
    text = refuse(browser, headers={"Referer": referer}, secure=True)
    assert f"sent from {referer.rsplit('/', 1)[0]} and" in text
    assert "private" not in text


@pytest.mark.parametrize(("secure", "headers"), [(True, {}), (False, {"Origin": "null"})])
def test_a_browser_that_hides_where_a_form_comes_from_is_told(browser, secure, headers):
    assert "did not say where this form comes from" in refuse(browser, headers=headers, secure=secure)


def test_what_was_typed_is_kept_although_the_settings_refuse_its_origin(person):
    known = Client(enforce_csrf_checks=True)
    sign_in(known, "ada")
    form = hidden_on(known, "/account/password/") | {"text": "forty lines"}
    headers = {"Origin": "https://testserver", "Referer": "http://testserver/account/password/"}
    page = known.post("/account/password/", form, headers=headers)
    assert page.status_code == 403
    assert b"not known" in page.content
    assert b"What you typed is kept" in page.content


@pytest.mark.parametrize(
    ("host", "secure", "told"),
    [
        ("bench.example", True, "set TRUSTED_ORIGINS=https://bench.example or, where ALLOWED_HOSTS is set, add bench."),
        ("Bench.example:8000", False, "set TRUSTED_ORIGINS=http://bench.example:8000 or"),
        ("<b>", False, "holds no name of a host"),
    ],
)
def test_a_name_that_is_not_answered_to_says_which_setting_to_change(client, settings, host, secure, told):
    settings.ALLOWED_HOSTS = ["localhost"]
    page = client.get("/", headers={"Host": host}, secure=secure)
    assert page.status_code == 400
    assert told in page.content.decode()
    assert b"<b>" not in page.content


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
