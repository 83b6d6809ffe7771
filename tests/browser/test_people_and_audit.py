"""What admins see, and what becomes of a form whose session ended, in a person's browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import looking
from tests.browser.conftest import PHONE
from tests.running import Server


@pytest.mark.parametrize("address", ["/people/", "/audit/", "/account/password/"])
def test_the_pages_fit_a_phone(open_context: Callable[..., BrowserContext], address: str) -> None:
    page = open_context(viewport=PHONE).new_page()
    page.goto(address)
    assert not looking.overflows_sideways(page)


def sign_in_anew(open_context: Callable[..., BrowserContext], server: Server) -> Page:
    """A page of a session of its own, which a test may end."""
    page = open_context(signed_in=False).new_page()
    page.goto(server.make_link())
    page.wait_for_url(f"{server.url}/")
    return page


def test_what_was_typed_outlives_the_session_and_is_not_sent(open_context, server: Server) -> None:
    page = sign_in_anew(open_context, server)
    page.goto("/people/")
    page.get_by_label("Name", exact=True).fill("typed.too.late")
    page.get_by_label("Role", exact=True).select_option("reviewer")
    page.context.clear_cookies(name=re.compile("session"))
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page).to_have_url(re.compile("/sign-in/"))
    expect(page.get_by_text("What you typed is kept")).to_be_visible()
    page.goto(server.make_link())
    expect(page).to_have_url(f"{server.url}/people/")
    expect(page.get_by_text("Nothing was sent.")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("typed.too.late")
    expect(page.get_by_label("Role", exact=True)).to_have_value("reviewer")
    expect(page.get_by_role("rowheader", name="typed.too.late")).to_have_count(0)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", name="Sign-in link for typed.too.late")).to_be_visible()


def test_back_shows_no_people_and_no_log_after_signing_out(open_context, server: Server) -> None:
    page = sign_in_anew(open_context, server)
    for address in ("/people/", "/audit/"):
        page.goto(address)
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile("/sign-in/"))
    for _step in range(2):
        page.go_back()
        expect(page).to_have_url(re.compile("/sign-in/"))
        expect(page.get_by_role("table")).to_have_count(0)
