"""What another window does between the last look at a new benchmark and its freezing."""

from __future__ import annotations

import pytest

from dashboard.store.models import Benchmark
from dashboard.web.models import Draft
from dashboard.web.pinning import views as new_benchmark
from dashboard.web.site import drafts
from tests.factories import make_benchmark, make_trace
from tests.web.pages import fill, text_of

pytestmark = pytest.mark.django_db


def test_a_name_that_is_taken_after_the_last_look_is_refused_by_the_service(signed_in, ready, monkeypatch):
    review = signed_in.post(
        ready, fill(signed_in.get(ready), "review", tick=[f"tr_{n:03d}" for n in range(12)]), follow=True
    )
    claim = drafts.claim

    def claim_late(draft):
        make_benchmark("Support answers")
        return claim(draft)

    monkeypatch.setattr(drafts, "claim", claim_late)
    page = signed_in.post(f"{ready}review/", fill(review, "freeze"))
    assert page.status_code == 409
    assert "Name : An active benchmark is named 'Support answers' already." in text_of(page)
    assert "12 of 10–200" in text_of(page)


def test_a_press_that_finds_the_name_taken_by_the_press_before_it_leads_to_what_that_made(
    signed_in, ready, monkeypatch
):
    review = signed_in.post(
        ready, fill(signed_in.get(ready), "review", tick=[f"tr_{n:03d}" for n in range(12)]), follow=True
    )
    form = fill(review, "freeze")
    list_names = new_benchmark.list_names

    def list_late():
        monkeypatch.setattr(new_benchmark, "list_names", list_names)
        signed_in.post(f"{ready}review/", form)
        return list_names()

    monkeypatch.setattr(new_benchmark, "list_names", list_late)
    second = signed_in.post(f"{ready}review/", form)
    assert second["Location"] == f"/benchmarks/{Benchmark.objects.get().pk}/"


def test_what_was_picked_between_the_look_and_the_freezing_is_shown_before_it_is_frozen(signed_in, ready, monkeypatch):
    make_trace("Another", id="tr_new")
    picked = [f"tr_{n:03d}" for n in range(12)]
    review = signed_in.post(ready, fill(signed_in.get(ready), "review", tick=picked), follow=True)
    keep = fill(signed_in.get(ready), "look", tick=[*picked, "tr_new"]) | {"go": "keep"}
    claim = drafts.claim

    def claim_late(draft):
        monkeypatch.setattr(drafts, "claim", claim)
        assert signed_in.post(ready, keep).status_code == 204
        return claim(draft)

    monkeypatch.setattr(drafts, "claim", claim_late)
    page = signed_in.post(f"{ready}review/", fill(review, "freeze"))
    assert page.status_code == 409
    assert "changed after this page was opened. Look at it again." in text_of(page)
    assert "Conversations 13" in text_of(page)
    assert Benchmark.objects.count() == 0
    signed_in.post(f"{ready}review/", fill(page, "freeze"))
    assert Benchmark.objects.get().item_count == 13


def test_what_was_emptied_between_the_look_and_the_freezing_comes_back_as_the_form(signed_in, ready, monkeypatch):
    picked = [f"tr_{n:03d}" for n in range(12)]
    review = signed_in.post(ready, fill(signed_in.get(ready), "review", tick=picked), follow=True)
    claim = drafts.claim

    def claim_late(draft):
        drafts.save(Draft.objects.get(), {**draft.body, "picks": []})
        return claim(draft)

    monkeypatch.setattr(drafts, "claim", claim_late)
    page = signed_in.post(f"{ready}review/", fill(review, "freeze"))
    assert page.status_code == 422
    assert "A benchmark pins 10 to 200 conversations; 0 are picked." in text_of(page)
    assert Benchmark.objects.count() == 0
