"""Making a benchmark in a remote workspace that loses answers, refuses, or is away."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.http import Http404
from django.test import Client

from dashboard.store.models import Benchmark
from dashboard.web.models import AuditEntry, Draft
from dashboard.web.site import drafts
from tests.factories import make_judge, make_trace
from tests.sources.faulty_server import reply_json
from tests.web.conftest import make_person, one_benchmark
from tests.web.pages import fill, text_of

pytestmark = pytest.mark.django_db
LOST = [b"HTTP/1.1 201 Created\r\nContent-Length: 50\r\n\r\n{"]


class Remote:
    """A remote workspace with a judge and 12 conversations; `create` answers the create."""

    def __init__(self, create) -> None:
        self.create, self.sent, self.made, self.away = create, [], [], False

    def __call__(self, request):
        path = request.path.partition("?")[0]
        if request.method == "POST":
            self.sent.append(request)
            return self.create(self)
        if self.away:
            return reply_json({}, 500)
        if path.endswith("/judges"):
            return reply_json({"judges": [{"id": "jdg_1", "name": "Strict", "model": "judge-xl"}]})
        if path.endswith("/datasets"):
            return reply_json({"datasets": []})
        if path.endswith("/traces"):
            return reply_json({"traces": [one_trace(n) for n in range(12)], "total": 12})
        if "/traces/" in path:
            return reply_json({"trace": one_trace(int(path.rpartition("_")[2]))})
        if path.endswith("/benchmarks"):
            return reply_json({"benchmarks": self.made, "total": len(self.made)})
        return reply_json({"error": {"code": "NOT_FOUND", "message": "No."}}, 404)


def one_trace(number: int):
    return {"id": f"tr_{number}", "messages": [{"role": "user", "content": f"Question {number}"}]}


def open_review(client):
    """The review of a whole form."""
    page = client.get("/benchmarks/new/abc/")
    ticks = [f"tr_{n}" for n in range(12)]
    form = fill(page, "review", name="Remote", judge="jdg_1", cap="4", tick=ticks)
    return client.post("/benchmarks/new/abc/", form, follow=True)


def test_a_lost_answer_is_said_to_be_unknown_looked_up_by_name_and_never_sent_again(signed_in, connect):
    remote = Remote(lambda _remote: LOST)
    connect(remote)
    review = open_review(signed_in)
    form = fill(review, "freeze")
    page = signed_in.post("/benchmarks/new/abc/review/", form, follow=True)
    assert "Outcome unknown Remote was sent at" in text_of(page)
    assert "No active benchmark has this name now. It may still come" in text_of(page)
    remote.made = [one_benchmark(item_count=12)]
    page = signed_in.post("/benchmarks/new/abc/review/", form, follow=True)
    assert "An active benchmark has this name now: Remote 12 conversations" in text_of(page)
    assert b'href="/benchmarks/bm_1/"' in page.content
    assert b'value="reopen"' not in page.content
    signed_in.get("/benchmarks/new/abc/", follow=True)
    assert len(remote.sent) == 1
    assert [entry.outcome for entry in AuditEntry.objects.all()] == ["unknown"]


def test_a_person_who_finds_nothing_of_that_name_gets_the_form_back(signed_in, connect):
    remote = Remote(lambda _remote: LOST)
    connect(remote)
    page = signed_in.post("/benchmarks/new/abc/review/", fill(open_review(signed_in), "freeze"), follow=True)
    page = signed_in.post("/benchmarks/new/abc/review/", fill(page, "reopen"), follow=True)
    assert page.request["PATH_INFO"] == "/benchmarks/new/abc/"
    assert b'value="Remote"' in page.content
    assert "12 of 10–200" in text_of(page)
    assert len(remote.sent) == 1


@pytest.mark.parametrize("made", [{}, {"id": None}, {"id": ""}, {"id": {"a": 1}}, {"id": "x" * 3_000}])
def test_an_answer_without_a_usable_id_is_unknown_and_looked_up(signed_in, connect, made):
    remote = Remote(lambda _remote: reply_json({"benchmark": made}))
    connect(remote)
    form = fill(open_review(signed_in), "freeze")
    for _press in range(2):
        page = signed_in.post("/benchmarks/new/abc/review/", form, follow=True)
        assert page.status_code == 200
        assert "Outcome unknown Remote was sent at" in text_of(page)
    assert len(remote.sent) == 1
    assert AuditEntry.objects.get().outcome == "unknown"


def test_while_nobody_can_look_it_up_nothing_can_be_sent(signed_in, connect):
    remote = Remote(lambda _remote: LOST)
    connect(remote)
    review = open_review(signed_in)
    remote.create = lambda one: setattr(one, "away", True) or LOST
    page = signed_in.post("/benchmarks/new/abc/review/", fill(review, "freeze"), follow=True)
    assert "The benchmarks could not be looked up now." in text_of(page)
    assert b'value="reopen"' not in page.content


def test_a_refusal_without_a_field_stands_above_the_form(signed_in, connect):
    error = {"error": "Too many benchmarks in this plan."}
    connect(Remote(lambda _remote: reply_json(error, 402)))
    page = signed_in.post("/benchmarks/new/abc/review/", fill(open_review(signed_in), "freeze"))
    assert page.status_code == 422
    assert "Nothing was pinned. Too many benchmarks in this plan." in text_of(page)
    assert "12 of 10–200" in text_of(page)


def test_a_service_that_cannot_be_reached_keeps_everything(signed_in, connect):
    remote = Remote(None)
    connect(remote)
    page = signed_in.get("/benchmarks/new/abc/")
    remote.away = True
    form = fill(page, "review", name="Remote", judge="jdg_1", cap="4", tick=["tr_1", "tr_2"])
    page = signed_in.post("/benchmarks/new/abc/", form)
    text = text_of(page)
    assert "The service did not give what this form needs." in text
    assert "The conversations could not be read." in text
    assert "2 of 10–200" in text
    assert b'value="Remote"' in page.content
    remote.away = False
    page = signed_in.get("/benchmarks/new/abc/")
    assert b'value="jdg_1" checked' in page.content


def test_a_search_that_the_service_does_not_have_is_said_in_its_words(signed_in, connect):
    remote = Remote(None)

    def answer(request):
        if "/traces" in request.path and "q=" in request.target:
            return reply_json({"error": {"code": "UNKNOWN_PARAMETER", "message": "No parameter 'q'."}}, 400)
        return remote(request)

    connect(answer)
    assert "No parameter 'q'." in text_of(signed_in.get("/benchmarks/new/abc/?q=word"))


@pytest.mark.django_db(transaction=True)
def test_four_presses_at_the_same_time_make_one_benchmark_and_all_lead_to_it():
    make_judge(id="jdg_1")
    for n in range(12):
        make_trace(f"Question {n}", id=f"tr_{n}")
    user = make_person("mia", "member")
    client = Client()
    client.force_login(user)
    form = fill(open_review(client), "freeze")
    places = []

    def press():
        try:
            places.append(client_of(user).post("/benchmarks/new/abc/review/", form)["Location"])
        finally:
            connection.close()

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert places == [f"/benchmarks/{Benchmark.objects.get().pk}/"] * 4
    assert AuditEntry.objects.count() == 1


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_draft_whose_sender_broke_is_unknown(admin):
    draft = Draft(id="abc", user=admin, kind="benchmark")
    drafts.save(draft, {"name": "x"})
    assert drafts.claim(draft)
    with pytest.raises(ZeroDivisionError), drafts.sending(draft):
        raise ZeroDivisionError
    assert Draft.objects.get().state == "unknown"


def test_a_second_press_does_not_wait_for_ever(admin, monkeypatch):
    monkeypatch.setattr(drafts, "WAIT_S", 0.2)
    draft = Draft(id="abc", user=admin, kind="benchmark")
    drafts.save(draft, {"name": "x"})
    assert drafts.claim(draft)
    assert not drafts.claim(Draft.objects.get())
    drafts.wait_for_outcome(draft)
    assert draft.state == "sending"


def make_sent(user) -> Draft:
    """A form that is being sent."""
    draft = Draft(id="abc", user=user, kind="benchmark")
    drafts.save(draft, {"name": "Remote"})
    assert drafts.claim(draft)
    return draft


def test_what_is_still_being_sent_cannot_be_opened_again(signed_in, admin, connect, monkeypatch):
    monkeypatch.setattr(drafts, "WAIT_S", 0)
    connect(Remote(None))
    draft = make_sent(admin)
    page = signed_in.post("/benchmarks/new/abc/review/", {"go": "reopen"})
    assert "Being sent Remote was sent at" in text_of(page)
    assert b'value="reopen"' not in page.content
    assert Draft.objects.get().state == "sending"
    drafts.settle(draft, "made", "bm_1")
    assert signed_in.get("/benchmarks/new/abc/review/")["Location"] == "/benchmarks/bm_1/"


def test_what_no_answer_can_come_of_any_more_is_unknown(signed_in, admin, connect):
    connect(Remote(None))
    draft = make_sent(admin)
    draft.sent_at -= timedelta(minutes=1)
    draft.save()
    page = signed_in.get("/benchmarks/new/abc/review/")
    assert "no answer says whether it was pinned" in text_of(page)
    assert b'value="reopen"' in page.content
    drafts.settle(draft, "made", "bm_1")
    assert Draft.objects.get().state == "made", "the answer came after all"


def test_only_who_sent_it_says_what_became_of_it(admin):
    late = make_sent(admin)
    Draft.objects.update(state="unknown")
    assert drafts.reopen(late)
    assert not drafts.reopen(late)
    second = Draft.objects.get()
    assert drafts.claim(second)
    drafts.settle(late, "unknown")
    assert Draft.objects.get().state == "sending"


def test_two_windows_of_a_fresh_form_both_keep_what_was_typed(admin):
    first, second = (Draft(id="abc", user=admin, kind="benchmark") for _ in range(2))
    drafts.save(first, {"name": "One"})
    drafts.save(second, {"name": "Two"})
    assert Draft.objects.get().body == {"name": "Two"}
    with pytest.raises(Http404):
        drafts.save(Draft(id="abc", user=make_person("mia", "member"), kind="benchmark"), {})
