"""Guessing passwords is slow, and locks nobody out for ever."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client, RequestFactory
from django.utils import timezone

from dashboard.environment import read_networks
from dashboard.web.models import SignInFailure
from dashboard.web.site.sign_in import throttle
from tests.web.conftest import make_person
from tests.web.site.test_unsent import sign_in

pytestmark = pytest.mark.django_db


def guess(client: Client, times: int, name: str = "ada", **place: str):
    for _ in range(times):
        answer = client.post("/sign-in/", {"username": name, "password": "wrong"}, **place)
    return answer


def enter(client: Client, name: str = "ada", **place: str) -> int:
    return client.post("/sign-in/", {"username": name, "password": "correct horse"}, **place).status_code


def test_it_works(client, person):
    assert guess(client, 10).status_code == 200
    closed = client.post("/sign-in/", {"username": "ada", "password": "correct horse"})
    assert closed.status_code == 429
    assert 0 < int(closed["Retry-After"]) <= 900
    until = timezone.now() + timedelta(seconds=int(closed["Retry-After"]))
    assert f"Try again at {until:%H:%M} UTC, in 15 minutes" in closed.content.decode()
    assert b'value="ada"' in closed.content
    assert client.get("/").status_code == 302


def test_it_opens_again_by_itself_however_often_somebody_tries_meanwhile(client, person):
    guess(client, 40)
    assert SignInFailure.objects.count() == 30
    SignInFailure.objects.update(at=timezone.now() - throttle.WINDOW)
    assert enter(client) == 302


def test_old_failures_are_dropped(client, person):
    guess(client, 3)
    SignInFailure.objects.update(at=timezone.now() - throttle.WINDOW)
    guess(client, 1)
    assert SignInFailure.objects.count() == 3


def test_the_right_password_clears_the_count(client, person):
    guess(client, 9)
    assert enter(client) == 302
    client.post("/sign-out/")
    client.cookies.clear()
    guess(client, 9)
    assert enter(client) == 302


def test_a_name_in_another_case_is_the_same_name(client, person):
    guess(client, 10, "ADA")
    assert enter(client) == 429


def test_another_address_and_another_name_stay_open(client, person):
    make_person("bob", "viewer")
    guess(client, 10)
    assert enter(client, "bob") == 302
    assert enter(Client(), REMOTE_ADDR="192.0.2.9") == 302


def test_a_stranger_behind_the_same_address_closes_nothing_for_a_known_browser(person):
    known = Client(enforce_csrf_checks=True)
    sign_in(known, "ada")
    known.cookies.pop(settings.SESSION_COOKIE_NAME)
    guess(Client(), 10)
    assert enter(Client()) == 429
    assert sign_in(known, "ada").status_code == 302


def test_a_known_browser_is_slowed_down_too(person):
    known = Client()
    known.post("/sign-in/", {"username": "ada", "password": "correct horse"})
    known.get("/")
    known.cookies.pop(settings.SESSION_COOKIE_NAME)
    guess(known, 10)
    assert enter(known) == 429


def test_many_names_from_one_address_close_it_too(client, person, monkeypatch):
    monkeypatch.setattr(throttle, "MOST_FROM_A_PLACE", 5)
    for number in range(5):
        guess(client, 1, f"name{number}")
    assert enter(client) == 429


def test_an_empty_form_is_no_guess(client, person):
    client.post("/sign-in/", {"username": "ada", "password": ""})
    assert not SignInFailure.objects.exists()


def test_no_name_is_stored(client, person):
    name = "quilliam"  # no digest in hexadecimal digits can hold it by chance
    guess(client, 1, name)
    stored = str(list(SignInFailure.objects.values()))
    assert name not in stored


def guess_from_everywhere(times: int) -> None:
    for number in range(times):
        guess(Client(), 1, REMOTE_ADDR=f"198.51.100.{number}")


def test_one_name_guessed_from_many_addresses_is_slowed_down_too(person, monkeypatch):
    monkeypatch.setattr(throttle, "MOST_FOR_A_NAME_ANYWHERE", 5)
    guess_from_everywhere(5)
    assert enter(Client(), REMOTE_ADDR="203.0.113.9") == 429


def test_strangers_with_many_addresses_close_nothing_for_a_known_browser(person, monkeypatch):
    monkeypatch.setattr(throttle, "MOST_FOR_A_NAME_ANYWHERE", 5)
    known = Client(enforce_csrf_checks=True)
    sign_in(known, "ada")
    known.cookies.pop(settings.SESSION_COOKIE_NAME)
    guess_from_everywhere(5)
    assert sign_in(known, "ada").status_code == 302


@pytest.mark.parametrize(
    ("proxies", "remote", "forwarded", "found"),
    [
        ([], "192.0.2.1", "198.51.100.7", "192.0.2.1"),
        (["192.0.2.0/24"], "192.0.2.1", "203.0.113.5, 198.51.100.7", "198.51.100.7"),
        (["192.0.2.0/24"], "192.0.2.1", "203.0.113.5, 192.0.2.9", "203.0.113.5"),
        (["192.0.2.0/24"], "192.0.2.1", "192.0.2.9", "192.0.2.9"),
        (["192.0.2.0/24"], "198.51.100.7", "203.0.113.5", "198.51.100.7"),
        (["192.0.2.0/24"], "192.0.2.1", "", "192.0.2.1"),
        (["127.0.0.1"], "::ffff:127.0.0.1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ([], "2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
        ([], "::ffff:192.0.2.1", "", "192.0.2.1"),
        ([], "", "", ""),
    ],
)
def test_the_address_is_the_one_that_our_own_proxy_saw(settings, proxies, remote, forwarded, found):
    settings.TRUSTED_PROXIES = read_networks(proxies)
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    request = RequestFactory().get("/", REMOTE_ADDR=remote, headers=headers)
    assert throttle.find_address(request) == found
