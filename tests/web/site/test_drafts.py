"""What is kept of a form that two windows, or two requests of one, change at the same time."""

from __future__ import annotations

import pytest
from django.http import Http404

from dashboard.web.models import Draft
from dashboard.web.site import drafts
from tests.web.conftest import make_person

pytestmark = pytest.mark.django_db


def pick(draft: Draft, *names: str, first=lambda: None) -> None:
    """Adds picks to a draft, after `first`, which happens once what is kept was read."""

    def build(body):
        first()
        return {**body, "picks": [*body.get("picks", []), *names]}

    drafts.change(draft, build)


@pytest.mark.parametrize("is_new", [False, True], ids=["kept before", "fresh"])
def test_of_two_changes_at_the_same_time_none_is_lost(admin, is_new):
    mine = Draft(id="abc", user=admin, kind="benchmark")
    theirs = Draft(id="abc", user=admin, kind="benchmark")
    if not is_new:
        drafts.save(mine, {"name": "x"})
    interruptions = iter([lambda: pick(theirs, "tr_1", "tr_2")])
    pick(mine, "tr_3", first=lambda: next(interruptions, lambda: None)())
    assert mine.body["picks"] == ["tr_1", "tr_2", "tr_3"]
    assert Draft.objects.get().body == mine.body


def test_what_was_sent_meanwhile_is_not_changed(admin):
    mine = Draft(id="abc", user=admin, kind="benchmark")
    drafts.save(mine, {"picks": ["tr_1"]})
    pick(mine, "tr_2", first=lambda: drafts.claim(Draft.objects.get()))
    assert mine.state == "sending"
    assert Draft.objects.get().body == {"picks": ["tr_1"]}


def test_a_form_sent_in_another_window_leads_on(signed_in, admin, monkeypatch):
    draft = Draft(id="abc", user=admin, kind="benchmark")
    drafts.save(draft, {"name": "x"})
    change = drafts.change
    monkeypatch.setattr("dashboard.web.pinning.views.change", lambda *given: (drafts.claim(draft), change(*given)))
    answer = signed_in.post("/benchmarks/new/abc/", {"go": "find"})
    assert (answer.status_code, answer["Location"]) == (303, "/benchmarks/new/abc/review/")


def test_an_id_that_another_took_meanwhile_stays_theirs(admin):
    mine = Draft(id="abc", user=admin, kind="benchmark")
    drafts.save(Draft(id="abc", user=make_person("other", "admin"), kind="benchmark"), {"name": "theirs"})
    with pytest.raises(Http404):
        pick(mine, "tr_1")
    assert Draft.objects.get().body == {"name": "theirs"}
