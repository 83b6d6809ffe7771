"""What was typed into a form that came too late: kept for its writer, shown to nobody else, sent by nobody."""

from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.test import Client
from django.urls import path

from dashboard.urls import handler403, handler404  # noqa: F401
from dashboard.urls import urlpatterns as real_urlpatterns
from dashboard.web.site import kept
from dashboard.web.site.people.change import make_link_path
from dashboard.web.site.sign_in.forms import LinkForm
from tests.web.conftest import make_person

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.web.site.test_kept")]

sent: list[dict[str, str]] = []
PAGE = "http://testserver/note/?from=bm_1"
TYPED = {"text": "forty lines about " + "trains " * 40, "pick": ["a", "b"], "new_password": "hunter2"}


def note(request: HttpRequest) -> HttpResponse:
    """A form's page that works with `take`."""
    if request.method == "POST":
        sent.append(request.POST.dict())
        return HttpResponse("sent")
    data = kept.take(request)
    return render(
        request, "web/site/sign_in_link.html", {"form": LinkForm(), "who": data.get("text") if data else "nobody"}
    )


def plain(request: HttpRequest) -> HttpResponse:
    """A page that does not."""
    return render(request, "web/site/sign_in_link.html", {"form": LinkForm(), "who": "nobody"})


urlpatterns = [path("note/", note), path("note/send/", note), path("plain/", plain), *real_urlpatterns]


@pytest.fixture(autouse=True)
def nothing_sent():
    sent.clear()


@pytest.fixture
def browser(person) -> Client:
    """A browser with ada signed in by password, its cookies as real ones are."""
    client = Client(enforce_csrf_checks=True)
    sign_in(client, "ada")
    return client


def token_on(client: Client, address: str = "/note/") -> str:
    return re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', client.get(address).content.decode())[1]


def sign_in(client: Client, name: str, **fields: str) -> HttpResponse:
    token = token_on(client, "/sign-in/")
    fields |= {"username": name, "password": "correct horse", "csrfmiddlewaretoken": token}
    return client.post("/sign-in/", fields)


def end_session(client: Client) -> None:
    Session.objects.all().delete()


def send(client: Client, token: str, address: str = "/note/send/", page: str = PAGE, **headers: str) -> HttpResponse:
    return client.post(address, TYPED | {"csrfmiddlewaretoken": token}, headers={"Referer": page} | headers)


def test_it_works(browser):
    token = token_on(browser)
    end_session(browser)
    moved = send(browser, token)
    assert moved.status_code == 302
    assert moved["Location"] == "/sign-in/?next=%2Fnote%2F%3Ffrom%3Dbm_1"
    assert b"What you typed is kept" in browser.get(moved["Location"]).content
    assert sign_in(browser, "ada", next="/note/?from=bm_1")["Location"] == "/note/?from=bm_1"
    page = browser.get("/note/?from=bm_1").content.decode()
    assert TYPED["text"] in page
    assert "Nothing was sent." in page
    assert "filled in again" in page
    assert sent == []


def test_passwords_and_tokens_are_never_kept(browser):
    token = token_on(browser)
    end_session(browser)
    send(browser, token)
    (session,) = Session.objects.all()
    (form,) = session.get_decoded()["kept"]
    assert set(form["fields"]) == {"text", "pick"}
    assert form["fields"]["pick"] == ["a", "b"]


def test_a_script_is_told_to_sign_in_and_what_it_sent_is_kept(browser):
    token = token_on(browser)
    end_session(browser)
    answer = send(browser, token, **{"HX-Request": "true", "HX-Current-URL": "http://testserver/note/"})
    assert answer.status_code == 401
    assert answer["HX-Redirect"] == "/sign-in/?next=%2Fnote%2F"
    sign_in(browser, "ada")
    assert TYPED["text"].encode() in browser.get("/note/").content


@pytest.mark.parametrize("script", [True, False])
def test_a_form_from_before_another_sign_in_comes_back_filled_in(browser, script):
    token = token_on(browser)
    browser.post("/sign-out/", {"csrfmiddlewaretoken": token})
    sign_in(browser, "ada")
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/note/"} if script else {}
    answer = send(browser, token, page="http://testserver/note/", **headers)
    assert (answer.status_code, answer["HX-Redirect" if script else "Location"]) == (403 if script else 302, "/note/")
    assert TYPED["text"].encode() in browser.get("/note/").content
    assert sent == []


def test_a_stale_form_of_somebody_signed_out_leads_through_sign_in(browser):
    token = token_on(browser)
    browser.post("/sign-out/", {"csrfmiddlewaretoken": token})
    sign_in(browser, "ada")
    end_session(browser)
    assert send(browser, token)["Location"].startswith("/sign-in/?next=")


def test_nobody_else_sees_it(browser):
    make_person("bob", "member")
    token = token_on(browser)
    end_session(browser)
    send(browser, token)
    sign_in(browser, "bob")
    assert b"trains" not in browser.get("/note/").content
    assert "trains" not in str([session.get_decoded() for session in Session.objects.all()])


def test_a_form_of_somebody_else_is_not_kept_for_who_is_signed_in_now(browser):
    make_person("bob", "member")
    token = token_on(browser)
    browser.post("/sign-out/", {"csrfmiddlewaretoken": token})
    sign_in(browser, "bob")
    answer = send(browser, token)
    assert answer.status_code == 403
    assert b"too old" in answer.content
    assert b"trains" not in browser.get("/note/").content


@pytest.mark.parametrize("token", ["", "short", "a" * 64, "é" * 32])
def test_another_sites_form_is_not_kept(browser, token):
    assert send(browser, token, page="https://evil.example/").status_code == 403
    assert b"trains" not in browser.get("/note/send/").content


def test_a_cookie_that_somebody_wrote_counts_for_nothing(browser):
    token = token_on(browser)
    browser.cookies[kept.COOKIE] = "W1siYSIsMV1d:forged:forged"
    end_session(browser)
    assert send(browser, token)["Location"].startswith("/sign-in/")
    assert not Session.objects.exists()


def test_too_much_is_not_kept(browser, monkeypatch):
    monkeypatch.setattr(kept, "LARGEST", 100)
    token = token_on(browser)
    end_session(browser)
    send(browser, token)
    assert not Session.objects.exists()


def test_it_is_gone_once_the_page_has_sent_a_form(browser):
    token = token_on(browser)
    end_session(browser)
    send(browser, token)
    sign_in(browser, "ada")
    for _reload in range(2):
        assert b"trains" in browser.get("/note/").content
    assert send(browser, token_on(browser)).content == b"sent"
    assert b"trains" not in browser.get("/note/").content


def test_it_is_gone_after_some_hours(browser, monkeypatch):
    token = token_on(browser)
    end_session(browser)
    send(browser, token)
    sign_in(browser, "ada")
    later = kept.time.time() + timedelta(hours=5).total_seconds()
    monkeypatch.setattr(kept.time, "time", lambda: later)
    assert b"trains" not in browser.get("/note/").content


def test_the_forms_of_the_last_few_pages_are_kept(browser):
    token = token_on(browser)
    end_session(browser)
    for name in ("plain/", "", "note/", "note/", "note/send/"):
        send(browser, token, page=f"http://testserver/{name}")
    sign_in(browser, "ada")
    pages = ("/plain/", "/", "/note/", "/note/send/")
    assert [b"trains" in browser.get(page).content for page in pages] == [False, True, True, True]


def test_a_page_that_cannot_fill_it_in_lists_it_for_copying(browser):
    token = token_on(browser)
    end_session(browser)
    send(browser, token, page="http://testserver/plain/")
    sign_in(browser, "ada")
    page = browser.get("/plain/").content.decode()
    assert "This is what you typed" in page
    assert TYPED["text"] in page
    assert "hunter2" not in page


def test_after_sign_out_nothing_of_it_is_left(browser):
    token = token_on(browser)
    end_session(browser)
    send(browser, token)
    sign_in(browser, "ada")
    browser.post("/sign-out/", {"csrfmiddlewaretoken": token_on(browser)})
    assert "trains" not in str([session.get_decoded() for session in Session.objects.all()])


def test_a_sign_in_link_leads_back_to_the_form_too(browser, person):
    token = token_on(browser)
    end_session(browser)
    send(browser, token)
    person.refresh_from_db()
    link = {"sesame": parse_qs(urlsplit(make_link_path(person)).query)["sesame"][0]}
    token = token_on(browser, make_link_path(person))
    assert browser.post("/sign-in/link/", link | {"csrfmiddlewaretoken": token})["Location"] == "/note/"
    assert b"trains" in browser.get("/note/").content
