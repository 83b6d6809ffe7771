"""Coming in by password or one-time link, being sent to sign in and back, and going out."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client

pytestmark = pytest.mark.django_db


def make_link(name: str, capsys, *options: str) -> str:
    call_command("signin_link", name, *options)
    printed = capsys.readouterr()
    assert not printed.err, "whoever starts the server sees nothing that looks like trouble"
    return printed.out.splitlines()[-1]


def local(link: str) -> str:
    split = urlsplit(link)
    return f"{split.path}?{split.query}"


def press(client: Client, link: str):
    return client.post("/sign-in/link/", {"sesame": parse_qs(urlsplit(link).query)["sesame"][0]})


def test_it_works(client, person):
    sent = client.post("/sign-in/", {"username": "ada", "password": "correct horse"})
    assert sent.status_code == 302
    assert sent["Location"] == "/"
    assert client.get("/").status_code == 200


def test_a_wrong_password_says_so_and_keeps_the_name(client, person):
    page = client.post("/sign-in/", {"username": "ada", "password": "wrong"})
    assert page.status_code == 200
    assert b"correct username and password" in page.content
    assert b'value="ada"' in page.content


def test_a_stranger_goes_to_sign_in_and_back_to_the_whole_address(client, person):
    moved = client.get("/?q=a%26b&sort=name")
    assert moved.status_code == 302
    split = urlsplit(moved["Location"])
    assert split.path == "/sign-in/"
    assert parse_qs(split.query) == {"next": ["/?q=a%26b&sort=name"]}
    page = client.get(moved["Location"]).content.decode()
    back = re.search(r'name="next" value="([^"]+)"', page)[1].replace("&amp;", "&")
    done = client.post("/sign-in/", {"username": "ada", "password": "correct horse", "next": back})
    assert done["Location"] == "/?q=a%26b&sort=name"


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/api/loop/benchmarks", "/nowhere/"],
)
def test_nobody_is_sent_to_another_site_or_to_no_page(client, person, elsewhere):
    done = client.post("/sign-in/", {"username": "ada", "password": "correct horse", "next": elsewhere})
    assert done["Location"] == "/"


def test_whoever_is_signed_in_is_sent_on(signed_in):
    assert signed_in.get("/sign-in/")["Location"] == "/"


def test_a_script_gets_a_401_with_the_page_it_was_on(client):
    answer = client.get("/?q=x", headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/?q=x&sort=name"})
    assert answer.status_code == 401
    assert answer["HX-Redirect"] == "/sign-in/?next=%2F%3Fq%3Dx%26sort%3Dname"
    assert not answer.content


def test_a_script_on_a_page_of_another_site_is_only_told_to_sign_in(client):
    answer = client.get("/", headers={"HX-Request": "true", "HX-Current-URL": "https://evil.example/"})
    assert answer["HX-Redirect"] == "/sign-in/"


def test_a_link_shows_who_would_sign_in_and_the_button_signs_in(client, person, capsys):
    link = make_link("ada", capsys)
    page = client.get(local(link))
    assert page.status_code == 200
    assert b"Sign in as ada" in page.content
    assert client.get("/").status_code == 302, "looking at the link signs nobody in"
    assert press(client, link)["Location"] == "/"
    assert client.get("/").status_code == 200


def test_looking_does_not_use_a_link_up(person, capsys):
    link = make_link("ada", capsys)
    for _scanner in range(3):
        assert Client().get(local(link)).status_code == 200
    assert press(Client(), link).status_code == 302


def test_a_used_link_is_dead_and_offers_the_password(person, capsys):
    link = make_link("ada", capsys)
    press(Client(), link)
    for answer in (Client().get(local(link)), press(Client(), link)):
        assert answer.status_code == 400
        assert b"has been used, has expired or is not whole" in answer.content
        assert b'name="password"' in answer.content


def test_using_one_link_kills_the_others_of_that_person(person, capsys):
    first, second = make_link("ada", capsys), make_link("ada", capsys)
    press(Client(), first)
    assert press(Client(), second).status_code == 400


@pytest.mark.parametrize("query", ["", "?sesame=", "?sesame=nonsense", "?sesame=%00", "?sesame=" + "a" * 5000])
def test_a_link_that_is_not_whole_says_so(client, query):
    assert client.get("/sign-in/link/" + query).status_code == 400


def test_an_old_link_is_dead(client, person, capsys, settings):
    link = make_link("ada", capsys)
    settings.SESAME_MAX_AGE = -1
    assert press(client, link).status_code == 400


def test_the_command_makes_an_administrator_where_that_is_asked_for(client, capsys, settings):
    settings.HOST, settings.PORT = "0.0.0.0", 8123
    link = make_link("grace", capsys, "--create-admin")
    assert link.startswith("http://127.0.0.1:8123/sign-in/link/?sesame=")
    grace = User.objects.get(username="grace")
    assert grace.is_superuser
    assert not grace.has_usable_password()
    assert press(client, link).status_code == 302


def test_the_command_leaves_a_user_as_they_are(person, capsys):
    make_link("ada", capsys)
    person.refresh_from_db()
    assert not person.is_superuser
    assert person.check_password("correct horse")


@pytest.mark.parametrize(
    ("host", "base"), [("::1", "http://[::1]:8000"), ("::", "http://[::1]:8000"), ("box", "http://box:8000")]
)
def test_the_link_names_the_host_as_a_browser_does(host, base, person, capsys, settings):
    settings.HOST, settings.PORT = host, 8000
    assert make_link("ada", capsys).startswith(base + "/sign-in/link/")


def test_the_link_stands_on_the_given_address(person, capsys):
    link = make_link("ada", capsys, "--base-url", "https://bench.example/")
    assert link.startswith("https://bench.example/sign-in/link/")


def test_a_name_no_user_can_have_is_refused():
    with pytest.raises(CommandError, match="valid username"):
        call_command("signin_link", "two words", create_admin=True)


def test_a_name_that_nobody_has_makes_no_administrator_by_mistake():
    with pytest.raises(CommandError, match=r"nobody called grcae\. With --create-admin"):
        call_command("signin_link", "grcae")
    assert not User.objects.exists()


def test_whoever_signs_in_takes_the_expired_sessions_along(client, person):
    old, kept = SessionStore(), SessionStore()
    old.set_expiry(-1)
    old.save()
    kept.save()
    client.post("/sign-in/", {"username": "ada", "password": "correct horse"})
    keys = set(Session.objects.values_list("session_key", flat=True))
    assert old.session_key not in keys
    assert kept.session_key in keys


def test_a_user_who_is_switched_off_gets_no_link(person):
    User.objects.update(is_active=False)
    with pytest.raises(CommandError, match="switched off"):
        call_command("signin_link", "ada")


def test_sign_out_is_a_post_and_ends_it(signed_in):
    assert signed_in.get("/sign-out/").status_code == 405
    assert signed_in.post("/sign-out/")["Location"] == "/sign-in/"
    assert signed_in.get("/").status_code == 302


def test_no_cache_keeps_a_page(signed_in):
    page = signed_in.get("/")
    assert "no-store" in page["Cache-Control"]
    assert {"Cookie", "HX-Request"} <= {name.strip() for name in page["Vary"].split(",")}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address", ["http://[", "http://[::1", "//[x]/", "http://testserver]/", "http://testserver/[", "\\\\["]
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_page_whose_address_is_none_is_signed_in_without_it(client, address, method):
    answer = getattr(client, method)("/", headers={"HX-Request": "true", "HX-Current-URL": address})
    assert answer.status_code == 401
    assert answer["HX-Redirect"].startswith("/sign-in/")
