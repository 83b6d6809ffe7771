"""Retiring from its page: what is said before, what is done, and that a second press is harmless."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client

from dashboard.store.models import Benchmark, Rule
from dashboard.web.models import AuditEntry
from tests.factories import START, make_benchmark, make_rule
from tests.sources.faulty_server import reply_json
from tests.web.conftest import Workspace, make_person, one_benchmark
from tests.web.pages import fill, text_of
from tests.web.site.test_unsent import sign_in

pytestmark = pytest.mark.django_db


def test_it_works(signed_in):
    benchmark = make_benchmark("Support answers")
    make_rule("Nightly", benchmark=benchmark)
    url = f"/benchmarks/{benchmark.pk}/retire/"
    page = signed_in.get(url)
    text = text_of(page)
    assert "It is detached from 1 rule, which replays nothing from the next run on: Nightly" in text
    assert "Nothing that it measured is removed" in text
    assert "The name Support answers is released" in text
    done = signed_in.post(url, fill(page, "retire", reason="Two questions were wrong."), follow=True)
    assert done.redirect_chain[0] == (url, 303)
    text = text_of(done)
    assert "“Support answers” is retired and its name is free. What was measured stays." in text
    assert "by admin" in text
    assert "Two questions were wrong." in text
    assert Rule.objects.get().benchmark_id is None
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.outcome, entry.target_name) == ("retire", "done", "Support answers")
    assert entry.message == "detached from 1 rule (Nightly); reason: Two questions were wrong."


def test_the_second_press_is_harmless_and_says_by_whom_it_was_done(signed_in):
    benchmark = make_benchmark("Old")
    url = f"/benchmarks/{benchmark.pk}/retire/"
    form = fill(signed_in.get(url), "retire", reason="First.")
    signed_in.post(url, form)
    before = Benchmark.objects.values().get()
    again = signed_in.post(url, form | {"reason": ["Second."]}, follow=True)
    assert "was retired before: nothing had to be changed." in text_of(again)
    assert "by admin" in text_of(again)
    assert Benchmark.objects.values().get() == before


def test_a_benchmark_that_no_rule_replays_says_so(signed_in):
    text = text_of(signed_in.get(f"/benchmarks/{make_benchmark().pk}/retire/"))
    assert "No rule replays it, so none is detached." in text


def test_a_reason_that_is_too_long_is_refused_at_its_field_and_kept(signed_in):
    url = f"/benchmarks/{make_benchmark().pk}/retire/"
    page = signed_in.post(url, fill(signed_in.get(url), "retire", reason="x" * 2001))
    assert page.status_code == 422
    assert "At most 2000 characters; this has 2001." in text_of(page)
    assert b"x" * 2001 in page.content
    assert b"autofocus" in page.content
    assert Benchmark.objects.get().status == "active"


def test_nobody_has_it_404(signed_in):
    assert signed_in.get("/benchmarks/bm_none/retire/").status_code == 404


def test_a_viewer_finds_no_button_and_no_open_door(client):
    client.force_login(make_person("vera", "viewer"))
    benchmark = make_benchmark()
    assert b"/retire/" not in client.get(f"/benchmarks/{benchmark.pk}/").content
    for headers in ({}, {"HX-Request": "true"}):
        assert client.post(f"/benchmarks/{benchmark.pk}/retire/", {"go": "retire"}, headers=headers).status_code == 403
    assert Benchmark.objects.get().status == "active"


class Remote:
    """A remote workspace with one benchmark; `post` answers the retire, `away` stops it from answering at all."""

    def __init__(self, post) -> None:
        self.post, self.away, self.status = post, False, "active"

    def __call__(self, request):
        if request.method == "POST":
            return self.post(self)
        if self.away:
            return reply_json({}, 500)
        if request.path.endswith("/training-rules"):
            return reply_json({"rules": [], "total": 0})
        return reply_json({"benchmark": one_benchmark(status=self.status, retired_at=START.isoformat())})


def test_a_refusal_is_in_the_service_s_words_with_the_reason_still_there(signed_in, connect):
    error = {"error": {"code": "LOCKED", "message": "A replay is closing; wait a minute."}}
    connect(Remote(lambda _remote: reply_json(error, 409)))
    page = signed_in.post("/benchmarks/bm_1/retire/", {"go": "retire", "reason": "It is old."})
    assert page.status_code == 409
    assert "A replay is closing; wait a minute." in text_of(page)
    assert "It is old." in text_of(page)


def test_a_lost_answer_shows_what_the_service_says_now(signed_in, connect):
    def lose(remote):
        remote.status = "retired"
        return [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"]

    connect(Remote(lose))
    page = signed_in.post("/benchmarks/bm_1/retire/", {"go": "retire"})
    assert page.status_code == 502
    assert "Outcome unknown:" in text_of(page)
    assert "Remote is retired" in text_of(page)


def test_a_service_that_goes_away_keeps_the_reason(signed_in, connect):
    def go_away(remote):
        remote.away = True
        return reply_json({"error": {"message": "Busy."}}, 429)

    connect(Remote(go_away))
    page = signed_in.post("/benchmarks/bm_1/retire/", {"go": "retire", "reason": "It is old."})
    assert page.status_code == 503
    assert "what you typed is still here" in text_of(page)
    assert "It is old." in text_of(page)
    assert "The rules that replay it could not be read" in text_of(page)


def test_a_reason_sent_after_the_session_ended_is_filled_in_again():
    make_person("mia", "member")
    browser = Client(enforce_csrf_checks=True)
    sign_in(browser, "mia")
    url = f"/benchmarks/{make_benchmark().pk}/retire/"
    form = fill(browser.get(url), "retire", reason="It is old.")
    del browser.cookies[settings.SESSION_COOKIE_NAME]
    browser.post(url, form, headers={"Referer": f"http://testserver{url}"})
    assert Benchmark.objects.get().status == "active"
    sign_in(browser, "mia")
    text = text_of(browser.get(url))
    assert "What you typed is filled in again: check it and send it." in text
    assert "It is old." in text


def test_the_trend_of_a_service_that_says_no_more_is_called_retired_all_the_same(signed_in, connect):
    connect(Workspace([one_benchmark(status="retired")], {}))
    assert b"<bdi>Retired</bdi>" in signed_in.get("/benchmarks/bm_1/").content


def test_the_trend_of_one_that_is_not_retired_says_nothing_of_it(signed_in):
    assert "Retired" not in text_of(signed_in.get(f"/benchmarks/{make_benchmark().id}/"))
