"""The trend page of a Runloop benchmark: groups, and two of them side by side."""

from __future__ import annotations

import re
from datetime import timedelta
from html import escape, unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone

from tests.factories import (
    HOUR_MS,
    START_MS,
    make_runloop_benchmark,
    make_runloop_run,
    make_runloop_runs,
    make_workspace,
)
from tests.web.conftest import figure_of
from tests.web.pages import text_of
from tests.web.trend.run_trends import BOTH, HTMX, make_two_models, page_of, selects_of
from tests.web.trend.test_trend_page import rows_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def benchmark(db):
    return make_two_models()


def test_it_works(signed_in, benchmark):
    page = page_of(signed_in, benchmark)
    assert page.status_code == 200
    assert rows_of(page)[:2] == [
        ["a 3", "0.00", "completed", "", "2026-01-05 13:00 UTC", "1 h 0 min", "bmr_a3"],
        ["b 2", "—", "canceled", "the run was canceled", "2026-01-05 12:00 UTC", "1 h 0 min", "bmr_b2"],
    ]
    text = text_of(page)
    for said in (
        "Repairs Runloop",
        "Mends <b>things</b>.",
        "Latest score a 3 score 0.00 of 0–1",
        "5 runs, 1 without a score",
        "The score is the mean of the scenario scores, as Runloop gives it.",
        "Runloop has no candidate or incumbent of its own",
        "Scenarios 2",
        "Attribution Us",
        "Seen by its account alone" if benchmark.is_public is False else "Seen by —",
        "team agents",
    ):
        assert said in text, said
    assert page.content.count(b'class="chart"') == 2, "one drawing for a wide screen and one for a phone"
    assert 'href="/runloop/runs/bmr_a3/"' in page.content.decode()


def test_the_key_explains_the_glyphs_of_runs(signed_in, benchmark):
    def key_of(page):
        return text_of(page).partition(" Key ")[2].partition("About this benchmark")[0]

    alone, paired = key_of(page_of(signed_in, benchmark)), key_of(page_of(signed_in, benchmark, **BOTH))
    for label in ("running", "canceled", "unreadable score", "no score", "any other"):
        assert label in alone
        assert label in paired
    for label in ("no baseline", "no candidate"):
        assert label not in alone
        assert label in paired
    assert "promoted" not in alone + paired


def test_a_group_is_a_line_with_its_name_and_a_label_a_key_of_the_metadata(signed_in, benchmark):
    page = page_of(signed_in, benchmark, group="model", label="checkpoint")
    assert [(row[0], row[1]) for row in rows_of(page)][:3] == [("step-3", "a"), ("step-2", "b"), ("step-2", "a")]
    legend = page.content.decode().partition('class="rule-key small"')[2].partition("</ul>")[0]
    assert re.findall(r"rule-\d|<bdi>.</bdi>", legend) == ["rule-1", "<bdi>a</bdi>", "rule-2", "<bdi>b</bdi>"]
    assert "Latest score step-3 of a score 0.00" in text_of(page)


def test_more_groups_than_lines_stand_together_as_points(signed_in):
    benchmark = make_runloop_benchmark()
    make_runloop_runs(benchmark, 15, models=[f"m{n}" for n in range(15)])
    page = page_of(signed_in, benchmark, group="model").content.decode()
    legend = page.partition('class="rule-key small"')[2].partition("</ul>")[0]
    assert legend.count('class="line rule-') == 12
    assert re.search(r'class="dot others".*<bdi>3 other values</bdi>', legend)


def test_two_groups_side_by_side_pair_the_runs_of_each_label(signed_in, benchmark):
    page = page_of(signed_in, benchmark, **BOTH)
    assert page.status_code == 200
    assert [row[:6] for row in rows_of(page)] == [
        ["step-3", "—", "0.00", "—", "no candidate", "no run of b is labelled step-3"],
        ["step-2", "—", "0.25", "—", "canceled", "b: the run was canceled"],
        ["step-1", "0.75", "0.50", "+0.25", "completed", ""],
    ]
    assert rows_of(page)[2][-1] == "bmr_b1 beside bmr_a1"
    text = text_of(page)
    for said in (
        "Latest score step-1 candidate 0.75 incumbent 0.50 difference, computed here +0.25",
        "Difference, computed here State",
        "the two groups were set side by side on this page, and the difference is computed here",
        "candidate: b incumbent: a",
        "5 runs, 1 without a score",
    ):
        assert said in text, said
    assert b'<data value="0.25">' in page.content, "no class judges it (T12)"


def test_the_newest_score_says_why_nothing_stands_beside_it(signed_in, benchmark):
    make_runloop_run(benchmark, start_time_ms=START_MS + 9 * HOUR_MS, metadata={"model": "b", "checkpoint": "step-9"})
    text = text_of(page_of(signed_in, benchmark, **BOTH))
    assert "Latest score step-9 candidate 0.75 incumbent — difference, computed here —" in text
    assert "no run of a is labelled step-9 6 runs, 1 without a score" in text
    assert "Time and length are of the run that is named first." in text


def test_the_links_of_the_page_carry_the_choice(signed_in, benchmark):
    page = page_of(signed_in, benchmark, **BOTH, last="30")
    found = page.content.decode()
    for pattern in (
        r'<a href="([^"]+)"[^>]*><bdi>last 90',
        r'<a href="([^"]+)"[^>]*><bdi>time',
        r'data-figure="([^"]+)"',
    ):
        query = parse_qs(urlsplit(unescape(re.search(pattern, found)[1])).query)
        assert {name: query[name][0] for name in BOTH} == BOTH
    assert '<input type="hidden" name="candidate" value="b">' in found, "the range's form carries it on"


def test_the_range_takes_the_newest_or_whole_days(signed_in):
    benchmark = make_runloop_benchmark()
    make_runloop_runs(benchmark, 100)
    assert "30 of 100 runs" in text_of(page_of(signed_in, benchmark, last="30"))
    assert "24 of 100 runs" in text_of(page_of(signed_in, benchmark, **{"from": "2026-01-06", "to": "2026-01-06"}))
    nothing = page_of(signed_in, benchmark, **{"from": "2030-01-01"}, group="model")
    assert "None of the 100 runs lies in this range." in text_of(nothing)
    assert f'href="/runloop/benchmarks/{benchmark.pk}/?group=model">Show all' in nothing.content.decode()


def test_time_can_be_chosen_for_the_axis(signed_in, benchmark):
    address = f"/runloop/benchmarks/{benchmark.pk}/figure.json"
    assert figure_of(signed_in.get(address, {"axis": "time"}))["layout"]["xaxis"]["type"] == "date"
    assert figure_of(signed_in.get(address))["layout"]["xaxis"]["type"] == "linear"


def test_fifty_runs_make_a_page_and_a_run_finds_its_own(signed_in):
    benchmark = make_runloop_benchmark(id="bmd_2")
    make_runloop_runs(benchmark, 120)
    page = page_of(signed_in, benchmark)
    assert "Runs 1–50 of 120" in text_of(page)
    assert "1–50 of 120 Older" in text_of(page)
    found = page_of(signed_in, benchmark, run="bmd_2-000005")
    assert "101–120 of 120 Newer" in text_of(found)
    assert 'id="run-bmd_2-000005" class="addressed"' in found.content.decode()


def test_six_thousand_runs_are_all_there(signed_in):
    benchmark = make_runloop_benchmark(id="bmd_6")
    make_runloop_runs(benchmark, 6_000, models=("a", "b", "c"))
    page = page_of(signed_in, benchmark, **BOTH)
    assert page.status_code == 200
    assert "4,000 runs, 200 without a score" in text_of(page)
    assert len(rows_of(page)) == 50


def test_zero_runs_say_how_the_first_will_come(signed_in):
    benchmark = make_runloop_benchmark("Empty")
    page = page_of(signed_in, benchmark)
    assert "No run yet" in text_of(page)
    assert "import_runloop" in text_of(page)
    assert "<select" not in page.content.decode()
    assert figure_of(signed_in.get(f"/runloop/benchmarks/{benchmark.pk}/figure.json"))["slots"]["id"] == []


def test_another_workspace_or_nobody_has_it_404(signed_in):
    theirs = make_runloop_benchmark(workspace=make_workspace())
    for benchmark_id in (theirs.pk, "nope"):
        for part in ("", "region/", "figure.json"):
            address = f"/runloop/benchmarks/{benchmark_id}/{part}"
            assert signed_in.get(address, headers=HTMX).status_code == 404
    assert signed_in.post(f"/runloop/benchmarks/{theirs.pk}/", {"group": ""}).status_code == 404


def test_the_region_alone_is_no_page_and_looks_again_only_while_a_run_goes_on(signed_in, benchmark):
    address = f"/runloop/benchmarks/{benchmark.pk}/region/"
    assert signed_in.get(address + "?group=model")["Location"] == f"/runloop/benchmarks/{benchmark.pk}/?group=model"
    region = signed_in.get(address, {"group": "model"}, headers=HTMX)
    assert b"<html" not in region.content
    assert b"hx-get" not in region.content
    now = int((timezone.now() - timedelta(minutes=5)).timestamp() * 1000)
    make_runloop_run(benchmark, state="running", start_time_ms=now)
    region = signed_in.get(address, {"group": "model"}, headers=HTMX).content.decode()
    assert f'hx-get="{address}?group=model" hx-trigger="every 15s"' in region
    assert "1 still running" in region


def test_the_page_looks_again_for_a_running_incumbent_beside_a_candidate_that_ended_long_ago(signed_in, benchmark):
    now = int((timezone.now() - timedelta(minutes=5)).timestamp() * 1000)
    metadata = {"model": "a", "checkpoint": "step-9"}
    make_runloop_run(benchmark, state="running", score=None, start_time_ms=now, metadata=metadata)
    make_runloop_run(benchmark, start_time_ms=START_MS, metadata=metadata | {"model": "b"})
    page = page_of(signed_in, benchmark, **BOTH)
    assert 'hx-trigger="every 15s"' in page.content.decode()
    assert "1 still running" in text_of(page)


@pytest.mark.parametrize("run", ["bmr_b1", "bmr_a1"])
def test_the_link_of_a_runs_own_page_finds_either_run_of_a_pair(signed_in, benchmark, run):
    found = page_of(signed_in, benchmark, **BOTH, run=run).content.decode()
    row = found.partition('<tr id="run-bmr_b1"')[2].partition("</tr>")[0]
    assert row.startswith(' class="addressed"')
    assert found.count(f'id="run-{run}"') == 1
    assert 'id="run-bmr_a1"' in row


@pytest.mark.parametrize("text", ["</script><img src=x onerror=alert(1)>", '" hx-get="/x'])
def test_text_from_outside_is_only_ever_text(signed_in, text):
    benchmark = make_runloop_benchmark(text, description=text, attribution=text, metadata={text: text})
    for model in (text, "b"):
        make_runloop_run(benchmark, name=text, metadata={"model": model, text: text})
    found = page_of(signed_in, benchmark, group="model").content.decode()
    for piece in ("<img src=x", 'hx-get="/x'):
        assert piece not in found
    for around in ("<h1><bdi>{}</bdi></h1>", "<dt><bdi>{}</bdi></dt><dd><bdi>{}</bdi></dd>", ">{}</bdi></th>"):
        assert around.replace("{}", escape(text)) in found
    figure = signed_in.get(f"/runloop/benchmarks/{benchmark.pk}/figure.json", {"group": "model"})
    assert "<img" not in figure.content.decode()
    read = figure_of(figure)
    assert text in [unescape(trace["name"]) for trace in read["data"]], "plotly reads HTML, so it is escaped"
    assert [unescape(label) for label in read["slots"]["label"]] == [text, text]


def test_long_text_is_all_there_and_no_address_is_made_longer_by_it(signed_in):
    text = "long" * 200
    benchmark = make_runloop_benchmark(text[:200], description=text, attribution=text, metadata={text: text})
    make_runloop_run(benchmark, name=text, metadata={"model": text, text: text})
    page = page_of(signed_in, benchmark, group="model")
    assert page.status_code == 200
    assert rows_of(page)[0][:2] == [text, text]
    assert set(selects_of(page)["group"]) == {"", "model", "chosen"}, "a key of that length fits no address"


def test_scenarios_that_nobody_named_are_not_known(signed_in):
    benchmark = make_runloop_benchmark(scenario_ids=[])
    assert "Scenarios not known" in text_of(page_of(signed_in, benchmark))


def test_a_rounded_score_has_all_its_digits_as_its_title_in_the_table_and_the_latest_line(signed_in):
    benchmark = make_runloop_benchmark()
    make_runloop_run(benchmark, score=0.123456789)
    page = page_of(signed_in, benchmark)
    assert page.content.decode().count('value="0.123456789" title="0.123456789">0.1235</data>') == 2
    assert "rounded: point at one for all its digits" in text_of(page)


def test_groups_that_share_no_label_are_said_to(signed_in):
    benchmark = make_two_models()
    said = "No checkpoint label shown here has a run of both groups"
    assert said not in text_of(page_of(signed_in, benchmark, **BOTH))
    assert said in text_of(page_of(signed_in, benchmark, **(BOTH | {"label": ""})))
