"""Replays whose time an import invented: no page shows that time or an age made of it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.store.models import BenchmarkRun
from tests.factories import START, make_benchmark, make_replay, make_rule, make_run
from tests.web.conftest import figure_of
from tests.web.pages import text_of

pytestmark = pytest.mark.django_db
TITLED = 'title="it stands in the order of its checkpoint">no date</span>'


@pytest.fixture
def imported(db) -> str:
    """The id of a benchmark with a dated replay, an undated one and an undated open one, in this order."""
    benchmark, rule = make_benchmark("Imported"), make_rule("Nightly")
    for n in (0, 1, 2):
        at = START + timedelta(days=n)
        run = make_run(rule=rule, seq=n, state="reported", checkpoint_id=f"step-{n}", created_at=at)
        make_replay(benchmark, run=run, created_at=at, undated=n > 0, status="open" if n == 2 else "done")
    return benchmark.pk


def test_it_works(signed_in, imported):
    page = signed_in.get(f"/benchmarks/{imported}/")
    text = text_of(page)
    assert "delta +0.04 no date 3 replays" in text
    assert page.content.decode().count(f'<td class="when"><span class="soft" {TITLED}</td>') == 2
    assert "undecided 2026-01-05 09:00 UTC" in text
    assert "2026-01-06" not in page.content.decode()
    assert "Without a date of their own: 2 of 3 replays shown. They stand in the order of import" in text


def test_an_open_one_has_no_age(signed_in, imported):
    text = text_of(signed_in.get(f"/benchmarks/{imported}/"))
    assert "still running" in text
    assert "still running, started" not in text


def test_its_hover_says_no_date(signed_in, imported):
    slots = figure_of(signed_in.get(f"/benchmarks/{imported}/figure.json"))["slots"]
    assert slots["note"] == ["", "no date", "open: still running<br>no date"]
    assert slots["at"] == [int(START.timestamp()), False, False]


def test_dated_replays_have_no_note_of_it(signed_in):
    benchmark = make_benchmark()
    make_replay(benchmark)
    assert "date of their own" not in text_of(signed_in.get(f"/benchmarks/{benchmark.pk}/"))


def test_the_overview_s_last_replay_has_no_age(signed_in, imported):
    page = signed_in.get("/")
    assert text_of(page).count("no date") == 1
    assert TITLED in page.content.decode()
    assert " ago" not in text_of(page)


def test_the_overview_gives_the_age_of_a_dated_one_after_it(signed_in):
    benchmark = make_benchmark()
    for days in (9, 1):
        at = timezone.now() - timedelta(days=days)
        make_replay(benchmark, run=make_run(), created_at=at, undated=days == 9)
    text = text_of(signed_in.get("/"))
    assert "1 day ago" in text
    assert "no date" not in text


def test_the_run_under_it_has_no_date_either(signed_in, imported):
    assert "#2 , no date" in text_of(signed_in.get("/rules/"))
    rule = signed_in.get("/rules/").context["rows"][0].rule
    assert "#1 reported no date" in text_of(signed_in.get(f"/rules/{rule.id}/"))
    assert "#0 reported 2026-" in text_of(signed_in.get(f"/rules/{rule.id}/"))


def test_where_nothing_shown_is_dated_no_time_is_offered(signed_in, imported):
    BenchmarkRun.objects.update(undated=True)
    page = signed_in.get(f"/benchmarks/{imported}/").content.decode()
    assert 'type="date"' not in page
    assert "axis=time" not in page
    assert "3 of 3 replays shown" in page
    for asked in ("axis=time", "from=2026-01-01", "from=soon"):
        assert 'type="date"' in signed_in.get(f"/benchmarks/{imported}/?{asked}").content.decode()


def test_what_an_import_does_not_know_is_called_unknown(signed_in):
    scoring = {"temperature": 0.0, "max_tokens": 0, "stream": False}
    page = text_of(signed_in.get(f"/benchmarks/{make_benchmark('Imported', decoding=scoring).pk}/"))
    assert "Conversations none pinned: its numbers were imported" in page
    assert "Decoding unknown Cap for one replay unknown" in page
    assert "a replay" not in page.partition("Frozen to")[2].partition("Range")[0]
