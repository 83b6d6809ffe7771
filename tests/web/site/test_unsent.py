"""What was typed into a form that came too late: kept for its writer, shown to nobody else, sent by nobody."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.sessions.models import Session
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.test import Client
from django.urls import path
from django.utils import timezone

from dashboard.urls import handler403, handler404  # noqa: F401
from dashboard.urls import urlpatterns as real_urlpatterns
from dashboard.web.models import Draft
from dashboard.web.site import unsent
from dashboard.web.site.people.change import make_link_path
from dashboard.web.site.sign_in.forms import LinkForm
from tests.web.conftest import make_person

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.web.site.test_unsent")]

sent: list[dict[str, str]] = []
PAGE = "http://testserver/note/?from=bm_1"
TYPED = {"text": "forty lines about " + "trains " * 40, "pick": ["a", "b"], "new_password": "hunter2"}


def note(request: HttpRequest) -> HttpResponse:
    """A form's page that works with `take`."""
    if request.method == "POST":
        sent.append(request.POST.dict())
        return HttpResponse("sent")
    data = unsent.take(request)
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


def hidden_on(client: Client, address: str = "/note/") -> dict[str, str]:
    """The hidden fields that every form of the page has."""
    fields = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', client.get(address).content.decode())
    return {name: value for name, value in fields if name in {"csrfmiddlewaretoken", unsent.FIELD}}


def sign_in(client: Client, name: str, **fields: str) -> HttpResponse:
    fields |= {"username": name, "password": "correct horse"}
    return client.post("/sign-in/", fields | hidden_on(client, "/sign-in/"))


def end_session(client: Client) -> None:
    Session.objects.all().delete()


def send(client: Client, hidden: dict[str, str], page: str = PAGE, **headers: str) -> HttpResponse:
    return client.post("/note/send/", TYPED | hidden, headers={"Referer": page} | headers)


def test_it_works(browser):
    hidden = hidden_on(browser)
    end_session(browser)
    moved = send(browser, hidden)
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
    hidden = hidden_on(browser)
    end_session(browser)
    send(browser, hidden)
    fields = Draft.objects.get().body["fields"]
    assert set(fields) == {"text", "pick"}
    assert fields["pick"] == ["a", "b"]


def test_a_script_is_told_to_sign_in_and_what_it_sent_is_kept(browser):
    hidden = hidden_on(browser)
    end_session(browser)
    answer = send(browser, hidden, **{"HX-Request": "true", "HX-Current-URL": "http://testserver/note/"})
    assert answer.status_code == 401
    assert answer["HX-Redirect"] == "/sign-in/?next=%2Fnote%2F"
    sign_in(browser, "ada")
    assert TYPED["text"].encode() in browser.get("/note/").content


@pytest.mark.parametrize("script", [True, False])
def test_a_form_from_before_another_sign_in_comes_back_filled_in(browser, script):
    hidden = hidden_on(browser)
    browser.post("/sign-out/", hidden)
    sign_in(browser, "ada")
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/note/"} if script else {}
    answer = send(browser, hidden, page="http://testserver/note/", **headers)
    assert (answer.status_code, answer["HX-Redirect" if script else "Location"]) == (403 if script else 302, "/note/")
    assert TYPED["text"].encode() in browser.get("/note/").content
    assert sent == []


def test_a_stale_form_of_somebody_signed_out_leads_through_sign_in(browser):
    hidden = hidden_on(browser)
    browser.post("/sign-out/", hidden)
    sign_in(browser, "ada")
    end_session(browser)
    assert send(browser, hidden)["Location"].startswith("/sign-in/?next=")


def test_nobody_else_sees_it(browser):
    make_person("bob", "member")
    hidden = hidden_on(browser)
    end_session(browser)
    send(browser, hidden)
    sign_in(browser, "bob")
    assert b"trains" not in browser.get("/note/").content


def test_a_form_of_somebody_else_is_not_kept_for_who_is_signed_in_now(browser):
    make_person("bob", "member")
    hidden = hidden_on(browser)
    browser.post("/sign-out/", hidden)
    sign_in(browser, "bob")
    answer = send(browser, hidden)
    assert answer.status_code == 403
    assert b"too old" in answer.content
    assert b"trains" not in browser.get("/note/").content


@pytest.mark.parametrize("signed_out", [True, False])
def test_another_sites_form_is_not_kept_whatever_mark_it_brings(browser, signed_out):
    mark = hidden_on(browser)[unsent.FIELD]
    if signed_out:
        end_session(browser)
    assert send(browser, {unsent.FIELD: mark}, page="https://evil.example/").status_code == 403
    assert not Draft.objects.exists()


MARKS = {
    "none": "",
    "forged": "W1siYSIsMV1d:forged:forged",
    "of another salt": signing.dumps([1, "/note/"], salt="another"),
}


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
def test_a_mark_that_somebody_wrote_counts_for_nothing(browser, mark):
    hidden = hidden_on(browser) | {unsent.FIELD: mark}
    end_session(browser)
    moved = send(browser, hidden)
    assert moved["Location"] == "/sign-in/?next=%2Fnote%2Fsend%2F"
    assert b"what you typed" not in browser.get(moved["Location"]).content.lower()
    assert not Draft.objects.exists()


def test_a_mark_of_another_page_is_refused(browser):
    hidden = hidden_on(browser, "/plain/")
    end_session(browser)
    send(browser, hidden)
    assert not Draft.objects.exists()


def test_a_browser_that_names_no_page_is_led_back_to_the_one_that_is_signed(browser):
    hidden = hidden_on(browser, "/note/?from=bm_2")
    end_session(browser)
    assert send(browser, hidden, page="")["Location"] == "/sign-in/?next=%2Fnote%2F%3Ffrom%3Dbm_2"
    assert Draft.objects.get().body["page"] == "/note/?from=bm_2"


@pytest.mark.parametrize("gone", [True, False])
def test_nothing_is_kept_for_an_account_that_is_gone_or_off(browser, person, gone):
    hidden = hidden_on(browser)
    end_session(browser)
    if gone:
        person.delete()
    else:
        person.is_active = False
        person.save()
    assert send(browser, hidden)["Location"].startswith("/sign-in/")
    assert not Draft.objects.exists()


def test_a_form_in_which_nothing_was_typed_leads_back_to_its_page_without_a_word(browser):
    hidden = hidden_on(browser)
    end_session(browser)
    moved = browser.post("/note/send/", hidden, headers={"Referer": PAGE})
    assert moved["Location"] == "/sign-in/?next=%2Fnote%2F%3Ffrom%3Dbm_1"
    assert b"what you typed" not in browser.get(moved["Location"]).content.lower()


def test_a_form_of_256_kib_is_kept_and_a_longer_one_is_not_which_is_said(browser):
    hidden = hidden_on(browser)
    end_session(browser)
    browser.post("/note/send/", hidden | {"text": "é" * (unsent.LARGEST // 2 - 2)})
    assert Draft.objects.count() == 1
    Draft.objects.all().delete()
    moved = browser.post("/note/send/", hidden | {"text": "é" * (unsent.LARGEST // 2 - 1)})
    assert b"not kept: it is longer than 256 KiB" in browser.get(moved["Location"]).content
    assert not Draft.objects.exists()


def test_a_stale_form_that_is_too_long_is_refused_with_that_reason(browser):
    hidden = hidden_on(browser)
    browser.post("/sign-out/", hidden)
    sign_in(browser, "ada")
    answer = browser.post("/note/send/", hidden | {"text": "x" * unsent.LARGEST})
    assert answer.status_code == 403
    assert b"not kept: it is longer than 256 KiB" in answer.content


def test_a_form_whose_page_was_opened_too_long_ago_is_not_kept_which_is_said(browser, monkeypatch):
    hidden = hidden_on(browser)
    end_session(browser)
    later = time.time() + timedelta(hours=13).total_seconds()
    monkeypatch.setattr(signing.time, "time", lambda: later)
    moved = send(browser, hidden)
    assert moved["Location"] == "/sign-in/?next=%2Fnote%2F%3Ffrom%3Dbm_1"
    assert b"opened more than 12 hours ago" in browser.get(moved["Location"]).content
    assert not Draft.objects.exists()


def test_a_nul_which_no_database_takes_is_left_out(browser):
    hidden = hidden_on(browser)
    end_session(browser)
    browser.post("/note/send/", hidden | {"text\0": "trains\0"})
    assert Draft.objects.get().body["fields"] == {"text": ["trains"]}


def test_it_is_gone_once_the_page_has_sent_a_form(browser):
    hidden = hidden_on(browser)
    end_session(browser)
    send(browser, hidden)
    sign_in(browser, "ada")
    for _reload in range(2):
        assert b"trains" in browser.get("/note/").content
    assert send(browser, hidden_on(browser)).content == b"sent"
    assert b"trains" not in browser.get("/note/").content


def test_it_is_gone_after_some_hours(browser):
    old, new = hidden_on(browser), hidden_on(browser, "/plain/")
    end_session(browser)
    send(browser, old)
    sign_in(browser, "ada")
    Draft.objects.update(updated_at=timezone.now() - timedelta(hours=5))
    assert b"trains" not in browser.get("/note/").content
    end_session(browser)
    send(browser, new, page="http://testserver/plain/")
    assert [draft.body["page"] for draft in Draft.objects.all()] == ["/plain/"]


def test_the_forms_of_the_last_few_pages_are_kept(browser):
    pages = ("/plain/", "/", "/note/", "/note/send/")
    hidden = [hidden_on(browser, page) for page in pages]
    end_session(browser)
    for page, fields in zip(pages, hidden, strict=True):
        send(browser, fields, page=f"http://testserver{page}")
    sign_in(browser, "ada")
    assert [b"trains" in browser.get(page).content for page in pages] == [False, True, True, True]


def test_a_page_that_cannot_fill_it_in_lists_it_for_copying(browser):
    hidden = hidden_on(browser, "/plain/")
    end_session(browser)
    send(browser, hidden, page="http://testserver/plain/")
    sign_in(browser, "ada")
    page = browser.get("/plain/").content.decode()
    assert "This is what you typed" in page
    assert TYPED["text"] in page
    assert "hunter2" not in page


def test_after_sign_out_nothing_of_it_is_left(browser):
    hidden = hidden_on(browser)
    end_session(browser)
    send(browser, hidden)
    sign_in(browser, "ada")
    browser.post("/sign-out/", hidden_on(browser))
    assert not Draft.objects.exists()


def test_a_sign_in_link_leads_back_to_the_form_too(browser, person):
    hidden = hidden_on(browser)
    end_session(browser)
    send(browser, hidden)
    person.refresh_from_db()
    link = {"sesame": parse_qs(urlsplit(make_link_path(person)).query)["sesame"][0]}
    token = hidden_on(browser, make_link_path(person))
    assert browser.post("/sign-in/link/", link | token)["Location"] == "/note/?from=bm_1"
    assert b"trains" in browser.get("/note/").content
