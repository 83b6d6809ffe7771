"""The picker of a run trend's page: what it offers, what is remembered of a choice, and what is refused."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from dashboard.web.models import Grouping
from tests.factories import HOUR_MS, START_MS, make_runloop_benchmark, make_runloop_run
from tests.web.conftest import make_person
from tests.web.pages import text_of
from tests.web.trend.run_trends import BOTH, HTMX, make_two_models, page_of, selects_of
from tests.web.trend.test_trend_page import rows_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def benchmark(db):
    return make_two_models()


def test_the_picker_offers_the_keys_that_runs_have_and_the_groups_of_the_chosen_one(signed_in, benchmark):
    make_runloop_run(benchmark, metadata={"branch": "main"}, start_time_ms=START_MS + 9 * HOUR_MS)
    alone = selects_of(page_of(signed_in, benchmark))
    assert alone["group"] == {
        "": "nothing: one line",
        "checkpoint": "checkpoint (3 values, 5 runs)",
        "model": "model (2 values, 5 runs)",
        "branch": "branch (1 value, 1 run)",
        "chosen": "",
    }
    assert "candidate" not in alone, "there are no groups to choose from"
    grouped = selects_of(page_of(signed_in, benchmark, group="model"))
    assert grouped["group"]["chosen"] == "model"
    assert grouped["candidate"] == {"": "none", "a": "a (3 runs)", "b": "b (2 runs)", "chosen": ""}
    assert "no model" in text_of(page_of(signed_in, benchmark, group="model"))


def choose(client, benchmark, **sent):
    return client.post(f"/runloop/benchmarks/{benchmark.pk}/", sent)


def test_a_choice_is_kept_and_leads_to_the_address_that_carries_it(signed_in, benchmark):
    answer = choose(signed_in, benchmark, of="model", **BOTH, last="30", axis="time")
    assert answer.status_code == 303
    assert sorted(answer["Location"].partition("?")[2].split("&")) == [
        "axis=time", "candidate=b", "group=model", "incumbent=a", "label=checkpoint", "last=30",
    ]  # fmt: skip
    assert Grouping.objects.values(*BOTH).get() == BOTH
    assert signed_in.get(answer["Location"]).status_code == 200
    page = page_of(signed_in, benchmark)
    assert "candidate: b incumbent: a" in text_of(page), "opened without a choice, it takes the last one"
    assert "candidate=b&amp;incumbent=a" in page.content.decode(), "and so do its links"


def test_what_an_address_says_wins_over_what_is_remembered_and_is_not_remembered(signed_in, benchmark):
    choose(signed_in, benchmark, of="model", **BOTH)
    page = page_of(signed_in, benchmark, group="")
    assert selects_of(page)["group"]["chosen"] == ""
    assert b"?group=&amp;last=30" in page.content
    page_of(signed_in, benchmark, group="checkpoint")
    assert Grouping.objects.get().group == "model", "reading stores nothing"


def test_choosing_one_line_again_is_remembered_too(signed_in, benchmark):
    choose(signed_in, benchmark, of="model", **BOTH)
    assert choose(signed_in, benchmark, of="model", group="")["Location"].endswith("?group=")
    assert Grouping.objects.values(*BOTH).get() == dict.fromkeys(BOTH, "")
    assert selects_of(page_of(signed_in, benchmark))["group"]["chosen"] == ""


def test_groups_of_another_key_are_dropped_when_the_key_changes(signed_in, benchmark):
    sent = BOTH | {"group": "checkpoint"}
    assert choose(signed_in, benchmark, of="model", **sent)["Location"].endswith("?group=checkpoint&label=checkpoint")


def test_each_person_and_each_benchmark_has_a_choice_of_its_own(signed_in, benchmark):
    choose(signed_in, benchmark, of="model", **BOTH)
    other = make_runloop_benchmark("Other")
    make_runloop_run(other)
    assert selects_of(page_of(signed_in, other))["group"]["chosen"] == ""
    theirs = Client()
    theirs.force_login(make_person("ada", "viewer"))
    assert selects_of(page_of(theirs, benchmark))["group"]["chosen"] == ""
    choose(theirs, benchmark, group="checkpoint")
    assert sorted(Grouping.objects.values_list("user__username", "group")) == [
        ("ada", "checkpoint"), ("admin", "model"),
    ]  # fmt: skip


def test_a_remembered_choice_that_no_longer_fits_is_said_and_is_no_error(signed_in, benchmark):
    choose(signed_in, benchmark, of="model", **BOTH)
    benchmark.runs.filter(metadata__model="b").delete()
    page = page_of(signed_in, benchmark)
    assert page.status_code == 200
    assert "no longer fits it: No run has “b” as its model." in text_of(page)
    assert selects_of(page)["group"]["chosen"] == "model", "the rest of it still holds"
    assert [row[1] for row in rows_of(page)] == ["a", "a", "a"]


WRONG = [
    ({"group": "colour"}, "group: No run has the metadata key “colour”."),
    ({"label": "colour"}, "label: No run has the metadata key “colour”."),
    (BOTH | {"candidate": "z"}, "candidate: No run has “z” as its model."),
    (BOTH | {"incumbent": "b"}, "incumbent: It is the same group as the candidate."),
    ({"group": "model", "candidate": "a"}, "incumbent: Choose one to set beside the candidate, or leave both."),
    ({"group": "model", "incumbent": "a"}, "candidate: Choose one to set beside the incumbent, or leave both."),
    ({"candidate": "a", "incumbent": "b"}, "candidate: Choose by which key the runs are grouped first."),
    ({"group": "x" * 600}, "group: Ensure this value has at most"),
    ({"last": "31"}, "last: "),
    ({"page": "0"}, "page: "),
    ({"run": "\0"}, "run: "),
]


@pytest.mark.parametrize(("query", "said"), WRONG, ids=lambda value: "-".join(value) if isinstance(value, dict) else "")
def test_a_wrong_value_is_named_and_nothing_else_is_lost(signed_in, benchmark, query, said):
    page = page_of(signed_in, benchmark, **query)
    assert page.status_code == 400
    assert said in text_of(page)
    assert len(rows_of(page)) == 5
    for part in ("region/", "figure.json"):
        assert signed_in.get(f"/runloop/benchmarks/{benchmark.pk}/{part}", query, headers=HTMX).status_code == 400


@pytest.mark.parametrize(("query", "said"), WRONG[:8], ids=lambda value: "")
def test_a_wrong_choice_is_not_kept_and_the_page_that_it_leads_to_names_it(signed_in, benchmark, query, said):
    answer = choose(signed_in, benchmark, of=query.get("group", ""), **query)
    assert not Grouping.objects.exists()
    page = signed_in.get(answer["Location"])
    assert page.status_code == 400
    assert said in text_of(page)


def test_half_a_pair_keeps_what_was_right_and_no_link_repeats_the_mistake(signed_in, benchmark):
    page = page_of(signed_in, benchmark, **(BOTH | {"candidate": "z"}))
    assert selects_of(page)["incumbent"]["chosen"] == "a"
    assert '?group=model&amp;label=checkpoint&amp;last=90"' in page.content.decode()


def test_a_key_that_no_address_carries_is_not_offered(signed_in):
    benchmark = make_runloop_benchmark()
    make_runloop_run(benchmark, metadata={"k" * 600: "v", "model": "m" * 600})
    assert set(selects_of(page_of(signed_in, benchmark))["group"]) == {"", "model", "chosen"}
    assert set(selects_of(page_of(signed_in, benchmark, group="model"))["candidate"]) == {"", "chosen"}


@pytest.mark.parametrize("method", ["get", "head"])
def test_a_remembered_choice_leads_to_the_address_that_carries_it_and_storing_is_left_to_the_picker(
    signed_in, benchmark, method
):
    here = f"/runloop/benchmarks/{benchmark.pk}/"
    assert getattr(signed_in, method)(here).status_code == 200, "nothing is remembered yet"
    choose(signed_in, benchmark, of="model", **BOTH)
    before = Grouping.objects.values().get()
    answer = getattr(signed_in, method)(here, {"last": "30", "run": "bmr_a1"}, headers=HTMX)
    assert answer.status_code == 302
    assert answer["Location"] == f"{here}?last=30&run=bmr_a1&group=model&label=checkpoint&candidate=b&incumbent=a"
    assert Grouping.objects.values().get() == before
    for part in ("region/", "figure.json"):
        assert signed_in.get(here + part, headers=HTMX).status_code == 200, "the parts of a page stay where they are"


LONG = "漢" * 134
"""Fewer letters than an id may have, and 1,206 once they are escaped."""


def test_a_key_or_value_that_is_long_once_escaped_is_not_offered(signed_in):
    benchmark = make_runloop_benchmark()
    make_runloop_run(benchmark, metadata={LONG: "v", "model": LONG, LONG[:133]: "v"})
    assert set(selects_of(page_of(signed_in, benchmark))["group"]) == {"", "model", LONG[:133], "chosen"}
    assert set(selects_of(page_of(signed_in, benchmark, group="model"))["candidate"]) == {"", "chosen"}


@pytest.mark.parametrize("value", [LONG, "x" * 5_000], ids=["escaped", "plain"])
def test_a_choice_that_no_address_carries_is_refused_by_name_where_it_was_sent(signed_in, benchmark, value):
    make_runloop_run(benchmark, metadata={"model": value}, start_time_ms=START_MS + 9 * HOUR_MS)
    page = choose(signed_in, benchmark, of="model", last="30", **(BOTH | {"candidate": value}))
    assert (page.status_code, page.has_header("Location")) == (400, False)
    assert not Grouping.objects.exists()
    assert "candidate: It is too long for an address to carry." in text_of(page)
    assert selects_of(page)["incumbent"]["chosen"] == "a", "nothing else is lost"
    link = re.search(r'href="([^"]*last=90[^"]*)"', page.content.decode())[1]
    assert sorted(unescape(link).partition("?")[2].split("&")) == ["group=model", "label=checkpoint", "last=90"]


def test_a_remembered_choice_that_is_too_long_leads_nowhere_and_is_said(signed_in, benchmark):
    make_runloop_run(benchmark, metadata={"model": LONG}, start_time_ms=START_MS + 9 * HOUR_MS)
    choose(signed_in, benchmark, of="model", **BOTH)
    Grouping.objects.update(candidate=LONG)
    page = signed_in.get(f"/runloop/benchmarks/{benchmark.pk}/")
    assert page.status_code == 200
    assert "no longer fits it: It is too long for an address to carry." in text_of(page)
