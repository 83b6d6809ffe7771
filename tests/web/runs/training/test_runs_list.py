"""The list of training runs: what needs review, soonest deadline first; and every run."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.web.runs.training import listing
from tests.factories import START, make_rule, make_run
from tests.web.pages import text_of
from tests.web.runs.training.cases import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewer():
    return client_of("rita", "reviewer")


def wait(rule=None, hours=None, **fields):
    deadline = timezone.now() + timedelta(hours=hours) if hours else None
    return make_run(rule=rule, review_deadline_at=deadline, **fields)


def test_the_soonest_deadline_comes_first(reviewer):
    rule = make_rule()
    for hours in (50, 3, None, 20):
        wait(rule, hours)
    text = text_of(reviewer.get("/runs/")).partition("Every run")[0]
    places = [text.index(f"run #{seq} ") for seq in (2, 4, 1, 3)]
    assert places == sorted(places)
    assert "none stated" in text


def test_a_count_stands_in_the_top_bar_of_who_may_decide(reviewer):
    wait(hours=3)
    assert "Runs 1 to review" in text_of(reviewer.get("/rules/"))
    assert "to review" not in text_of(client_of("vera", "viewer").get("/rules/"))


def test_no_count_where_nothing_waits(reviewer):
    assert "to review" not in text_of(reviewer.get("/rules/"))


def test_one_that_expired_is_called_that_and_waits_no_longer(reviewer):
    run = wait(hours=-2)
    text = text_of(reviewer.get("/runs/"))
    assert "No run awaits a decision." in text
    assert "expired without a decision" in text
    assert "run #1" in text_of(reviewer.get("/runs/?state=expired"))
    assert run.pk in reviewer.get("/runs/?state=expired").content.decode()


def test_it_is_filtered_by_rule_state_and_verdict(reviewer):
    one, two = make_rule("One"), make_rule("Two")
    wait(one, 5, verdict="better")
    make_run(rule=one, state="rejected", verdict="not_better")
    make_run(rule=two, state="rejected", verdict="better")

    def found(query):
        text = text_of(reviewer.get(f"/runs/?{query}"))
        return [seq for seq in (1, 2, 3) if f"run #{seq} " in text]

    assert found(f"rule={one.pk}") == [1, 2]
    assert found("state=rejected") == [2, 3]
    assert found("verdict=better") == [1, 3]
    assert found(f"rule={two.pk}&verdict=not_better") == []
    assert found("state=awaiting_review") == [1]


def test_a_wrong_filter_is_named(reviewer):
    page = reviewer.get("/runs/?state=nonsense")
    assert page.status_code == 400
    assert "state:" in text_of(page)


def test_a_rule_that_nobody_knows_stays_in_its_field(reviewer):
    page = reviewer.get("/runs/?rule=rule_gone")
    assert 'value="rule_gone" selected' in page.content.decode()
    assert "No run fits these filters." in text_of(page)


def test_many_runs_stand_on_pages(reviewer):
    for n in range(60):
        make_run(state="rejected", decision="rejected", created_at=START + timedelta(hours=n))
    assert "1–50 of 60" in text_of(reviewer.get("/runs/"))
    assert "51–60 of 60" in text_of(reviewer.get("/runs/?page=2"))
    assert "51–60 of 60" in text_of(reviewer.get("/runs/?page=9"))


def test_how_far_a_verdict_was_looked_for_is_said(reviewer, monkeypatch):
    monkeypatch.setattr(listing, "MOST_SEARCHED", 2)
    monkeypatch.setattr(listing, "TOGETHER", 2)
    for _ in range(3):
        make_run(state="rejected", verdict="better")
    text = text_of(reviewer.get("/runs/?verdict=better"))
    assert "The newest 2 runs were looked through; 1 older ones were not." in text


def test_nothing_ran_yet(reviewer):
    assert "No rule has run yet." in text_of(reviewer.get("/runs/"))


def test_a_remote_count_is_asked_for_once_a_minute(reviewer, connect):
    from tests.web.runs.training.test_deciding_remote import Remote

    server = connect(Remote())
    for _ in range(3):
        assert "Runs 1 to review" in text_of(reviewer.get("/rules/"))
    asked = [one for one in server.requests if "state=awaiting_review" in one.target]
    assert len(asked) == 1


def test_a_service_that_is_away_gives_no_count(reviewer, connect):
    from tests.web.runs.training.test_deciding_remote import Remote

    remote = Remote()
    remote.broken.add("training-runs")
    connect(remote)
    assert "to review" not in text_of(reviewer.get("/people/"))
