"""A benchmark's rules, changed from its own page."""

from __future__ import annotations

import pytest

from dashboard.store.attach import retire_benchmark
from dashboard.store.models import Rule
from dashboard.web.models import AuditEntry
from tests.factories import START, make_benchmark, make_rule
from tests.web.conftest import make_person
from tests.web.pages import fill, text_of

pytestmark = pytest.mark.django_db


def test_it_works(signed_in):
    mine, other = make_benchmark("Mine"), make_benchmark("Other")
    make_rule("Has mine", benchmark=mine)
    rule = make_rule("Has other", benchmark=other)
    page = signed_in.get(f"/benchmarks/{mine.pk}/attach/")
    text = text_of(page)
    attached, _, others = text.partition("Attach to another rule")
    assert "Has mine serves support enabled Detached, it replays nothing from the next run on." in attached
    assert "Has other serves support enabled Replays Other now, which this replaces" in others
    assert "consent is not touched" in others
    done = signed_in.post(f"/benchmarks/{mine.pk}/attach/", fill(page, "attach"), follow=True)
    assert "“Has other” replays “Mine” on every run from now on." in text_of(done)
    rule.refresh_from_db()
    assert rule.benchmark_id == mine.pk
    assert AuditEntry.objects.get().action == "attach"


def test_a_paused_rule_is_said_to_replay_nothing_until_it_is_resumed(signed_in):
    benchmark = make_benchmark("Mine")
    make_rule("Imported", enabled=False, paused_reason="imported results: this rule fires no training")
    here = f"/benchmarks/{benchmark.pk}/attach/"
    page = signed_in.get(here)
    assert "It is paused: attached or not, it replays nothing until it is resumed." in text_of(page)
    done = signed_in.post(here, fill(page, "attach"), follow=True)
    assert "on every run from now on. It is paused: until it is resumed it starts none." in text_of(done)
    assert "It is paused and replays nothing until it is resumed. Detached, it replays nothing" in text_of(done)


def test_detaching_from_here_leaves_the_rule_without_one(signed_in):
    mine = make_benchmark("Mine")
    make_rule("Nightly", benchmark=mine)
    page = signed_in.get(f"/benchmarks/{mine.pk}/attach/")
    done = signed_in.post(f"/benchmarks/{mine.pk}/attach/", fill(page, "detach"), follow=True)
    assert "No rule replays it yet: attach it, and its first point comes with that rule's next run." in text_of(done)
    assert Rule.objects.get().benchmark_id is None


def test_no_rule_names_the_command_that_makes_one(signed_in):
    page = signed_in.get(f"/benchmarks/{make_benchmark().pk}/attach/")
    assert 'python manage.py create_rule "Nightly"' in text_of(page)


def test_a_form_from_before_the_retirement_is_refused_with_the_rule_unchanged(signed_in):
    mine, other = make_benchmark("Mine"), make_benchmark("Other")
    rule = make_rule("Nightly", benchmark=other)
    form = fill(signed_in.get(f"/benchmarks/{mine.pk}/attach/"), "attach")
    retire_benchmark("ws_local", mine.pk, None, "grace", START)
    page = signed_in.post(f"/benchmarks/{mine.pk}/attach/", form)
    assert page.status_code == 409
    assert "The rule is unchanged. The benchmark 'Mine' is retired, so no rule can replay it." in text_of(page)
    rule.refresh_from_db()
    assert rule.benchmark_id == other.pk


def test_a_form_opened_before_the_rule_changed_is_refused_at_that_rule(signed_in):
    mine, other = make_benchmark("Mine"), make_benchmark("Other")
    rule = make_rule("Nightly")
    form = fill(signed_in.get(f"/benchmarks/{mine.pk}/attach/"), "attach")
    Rule.objects.update(benchmark=other)
    page = signed_in.post(f"/benchmarks/{mine.pk}/attach/", form)
    assert page.status_code == 409
    assert text_of(page).count("it replayed no benchmark then, and replays “Other” now.") == 2
    assert f'href="#rule-{rule.pk}"'.encode() in page.content
    signed_in.post(f"/benchmarks/{mine.pk}/attach/", fill(page, "attach"))
    rule.refresh_from_db()
    assert rule.benchmark_id == mine.pk


def test_a_rule_that_went_is_said_to_be_gone(signed_in):
    mine, rule = make_benchmark("Mine"), make_rule()
    form = fill(signed_in.get(f"/benchmarks/{mine.pk}/attach/"), "attach")
    rule.delete()
    page = signed_in.post(f"/benchmarks/{mine.pk}/attach/", form)
    assert page.status_code == 409
    assert "There is no such training rule in this workspace. Nothing was changed." in text_of(page)


def test_a_form_without_a_rule_is_refused(signed_in):
    mine = make_benchmark("Mine")
    page = signed_in.post(f"/benchmarks/{mine.pk}/attach/", {"go": "attach"})
    assert page.status_code == 422
    assert signed_in.get("/benchmarks/bm_none/attach/").status_code == 404


def test_many_rules_are_searched_and_paged(signed_in):
    mine = make_benchmark("Mine")
    for n in range(30):
        make_rule(f"Rule {n:02d}")
    url = f"/benchmarks/{mine.pk}/attach/"
    assert "1–25 of 30" in text_of(signed_in.get(url))
    assert "26–30 of 30" in text_of(signed_in.get(f"{url}?page=2"))
    assert "Rule 07 serves" in text_of(signed_in.get(f"{url}?q=07"))
    assert "No other rule fits this search." in text_of(signed_in.get(f"{url}?q=nothing"))
    done = signed_in.post(f"{url}?q=07", fill(signed_in.get(f"{url}?q=07"), "attach"))
    assert done["Location"] == f"{url}?q=07", "the search is kept"


def test_a_viewer_finds_no_button_and_no_open_door(client):
    client.force_login(make_person("vera", "viewer"))
    mine, rule = make_benchmark("Mine"), make_rule()
    page = client.get(f"/benchmarks/{mine.pk}/attach/")
    assert b"<button" not in page.content.partition(b"<main")[2]
    assert b"/attach/" not in client.get(f"/benchmarks/{mine.pk}/").content
    sent = {"go": "attach", "rule": rule.pk, "seen": ""}
    for headers in ({}, {"HX-Request": "true"}):
        assert client.post(f"/benchmarks/{mine.pk}/attach/", sent, headers=headers).status_code == 403


def test_a_benchmark_without_conversations_is_not_offered_to_a_rule_and_says_why(signed_in):
    empty, rule = make_benchmark("Imported", items=0), make_rule()
    make_rule("Tied", benchmark=empty)
    here = f"/benchmarks/{empty.pk}/attach/"
    page = signed_in.get(here)
    text = text_of(page)
    assert "imported without the conversations that they were measured on, so no rule can replay it." in text
    assert "It replays nothing: there are no conversations." in text
    assert b'value="attach"' not in page.content
    refused = signed_in.post(here, {"rule": rule.pk, "seen": "", "go": "attach"})
    assert refused.status_code == 409
    assert "The benchmark 'Imported' has no conversations, so no rule can replay it." in text_of(refused)
    signed_in.post(here, fill(page, "detach"))
    assert "No rule replays it." in text_of(signed_in.get(here))
