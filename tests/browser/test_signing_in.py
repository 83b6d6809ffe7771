"""Coming in and going out, as a person's browser does it."""

import re

from playwright.sync_api import expect

from tests.running import Server


def test_a_link_signs_in_once(open_context, server: Server, witness) -> None:
    link = server.make_link()
    page = open_context(signed_in=False).new_page()
    page.goto(link)
    page.wait_for_url(f"{server.url}/")
    expect(page.get_by_role("heading", name="Benchmarks")).to_be_visible()

    again = open_context(signed_in=False).new_page()
    witness[-1].expect("status of 400")
    assert again.goto(link).status == 400
    expect(again.get_by_text("has been used")).to_be_visible()


def test_the_link_signs_in_without_script(open_context, server: Server) -> None:
    page = open_context(signed_in=False, java_script_enabled=False).new_page()
    page.goto(server.make_link())
    page.get_by_role("button", name=re.compile("Sign in")).click()
    expect(page).to_have_url(f"{server.url}/")


def test_nobody_sees_a_page_before_signing_in_and_comes_back_to_it_after(open_context, server: Server) -> None:
    server.manage("shell", "-v0", "-c", _SET_PASSWORD)
    page = open_context(signed_in=False).new_page()
    page.goto("/?sort=name")
    expect(page).to_have_url(re.compile("/sign-in/"))
    page.get_by_label("Username").fill("reader")
    page.get_by_label("Password").fill("a long enough passphrase")
    page.get_by_role("button", name=re.compile("Sign in")).click()
    expect(page).to_have_url(f"{server.url}/?sort=name")


def test_back_shows_nothing_private_after_signing_out(open_context, server: Server) -> None:
    page = open_context(signed_in=False).new_page()
    page.goto(server.make_link())
    page.wait_for_url(f"{server.url}/")
    page.get_by_role("link", name="Every kind of gap").click()
    expect(page.get_by_role("heading", name="Every kind of gap")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile("/sign-in/"))
    page.go_back()
    expect(page).to_have_url(re.compile("/sign-in/"))
    expect(page.get_by_text("Every kind of gap")).to_have_count(0)


_SET_PASSWORD = """
from django.contrib.auth.models import User
user, _ = User.objects.get_or_create(username="reader", defaults={"is_superuser": True})
user.set_password("a long enough passphrase")
user.save()
"""
