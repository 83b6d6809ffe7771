"""The overview: rows, search, filter, sort, paging, and what happens when histories are late or fail."""

from __future__ import annotations

import re
from datetime import timedelta
from threading import Event

import pytest
from django.utils import timezone

from dashboard.api.loop import benchmarks
from dashboard.sources.reader import Known, Late, Unread
from dashboard.web.common.sources import Key
from dashboard.web.overview import views as overview
from tests.factories import START, make_benchmark, make_history, make_replay, make_rule, make_run
from tests.sources.faulty_server import reply, reply_json
from tests.web.conftest import Workspace, one_benchmark, one_point

pytestmark = pytest.mark.django_db


def names(page) -> list[str]:
    """The benchmarks' names, in the order of the rows."""
    return re.findall(r'cell-name">\s*<a href="[^"]+"><bdi>([^<]+)</bdi>', page.content.decode())


def row_of(page, name: str) -> str:
    """The text of a benchmark's row."""
    rows = re.findall(r"<tr role=\"row\">(.*?)</tr>", page.content.decode(), re.DOTALL)
    row = next(row for row in rows if f"<bdi>{name}</bdi>" in row)
    return " ".join(re.sub(r"<[^>]+>", " ", row).split())


def test_it_works(signed_in):
    benchmark = make_benchmark("Support answers")
    rule = make_rule()
    for n, decision in enumerate(["promoted", None]):
        run = make_run(rule=rule, checkpoint_id=f"step-{n}", decision=decision)
        make_replay(benchmark, run=run, created_at=timezone.now() - timedelta(hours=5 - n))
    run = make_run(rule=rule, checkpoint_id="step-2")
    make_replay(benchmark, run=run, status="failed", status_reason="The judge was away.", created_at=timezone.now())
    page = signed_in.get("/")
    assert page.status_code == 200
    row = row_of(page, "Support answers")
    assert row == "Support answers active Loop 0.62 0.58 +0.04 promoted 3 1 less than a minute ago"
    assert b'<svg class="sparkline"' in page.content


def test_no_benchmark_says_how_to_import(signed_in):
    page = signed_in.get("/")
    assert b"python manage.py import_results --benchmark" in page.content


def test_a_benchmark_without_a_replay_says_when_its_first_will_come(signed_in):
    make_benchmark("Brand new")
    assert "No replay yet: its first point will come with the next run" in row_of(signed_in.get("/"), "Brand new")


def test_a_retired_benchmark_without_a_replay_waits_for_none(signed_in):
    make_benchmark("Never run", status="retired")
    row = row_of(signed_in.get("/"), "Never run")
    assert "No replay yet: it was retired before anything replayed it." in row
    assert "next run" not in row


def test_zero_is_a_score_and_its_delta_is_neutral(signed_in):
    make_replay(make_benchmark("Zero"), candidate_score=0.0, incumbent_score=0.0, score_delta=-0.0)
    page = signed_in.get("/")
    assert " 0.00 0.00 0.00 " in row_of(page, "Zero")
    assert b'class="down"' not in page.content


def test_a_partial_score_is_called_no_improvement(signed_in, monkeypatch):
    """Our own service publishes none: here it answers as another one might."""
    make_replay(make_benchmark("Partial"))
    answer = benchmarks.list_replays
    at = benchmarks.REF - 1
    monkeypatch.setattr(
        benchmarks, "list_replays", lambda *page: [(*row[:at], 7, *row[at + 1 :]) for row in answer(*page)]
    )
    page = signed_in.get("/")
    assert "+0.04 scored 7 of 10" in row_of(page, "Partial")
    assert b'class="up"' not in page.content


def test_a_row_of_several_rules_names_the_one_that_it_is_of_and_counts_that_one(signed_in):
    benchmark = make_benchmark("Two rules")
    make_history(benchmark, 10, rule=make_rule("One"), gap_every=5)
    make_history(benchmark, 6, rule=make_rule("Two"), gap_every=3)
    row = row_of(signed_in.get("/"), "Two rules")
    assert row.startswith("Two rules active rule One , of 2 ")
    assert " 10 2 " in row


def test_a_row_of_several_rules_of_a_long_history_counts_among_the_newest(signed_in):
    benchmark = make_benchmark("Two rules")
    rule, newest = make_rule("One"), make_rule("Two")
    for number in range(3):
        run = make_run(rule=newest, decision=None)
        make_replay(benchmark, run=run, created_at=START + timedelta(days=30 + number))
    make_history(benchmark, 220, rule=rule, gap_every=20)
    row = row_of(signed_in.get("/"), "Two rules")
    assert "none in the last 200 3 of the last 200 0 of the last 200" in row


def test_nobody_is_said_to_be_undecided_where_older_replays_were_not_looked_at(signed_in):
    cut, whole = make_benchmark("Cut"), make_benchmark("Whole")
    rule = make_rule()
    make_history(cut, 1, rule=rule)
    for number in range(201):
        run = make_run(rule=rule, decision=None)
        make_replay(cut, run=run, created_at=START + timedelta(days=1, hours=number))
    make_replay(whole, run=make_run(rule=rule))
    page = signed_in.get("/")
    assert " none in the last 200 202 0 of the last 200 " in row_of(page, "Cut")
    assert " undecided 1 0 " in row_of(page, "Whole")


def test_gaps_of_a_long_history_are_said_to_be_of_the_newest(signed_in):
    make_history(make_benchmark("Long"), 220, rule=make_rule(), gap_every=20)
    assert " 220 10 of the last 200 " in row_of(signed_in.get("/"), "Long")


def test_sample_and_status_stand_beside_the_name(signed_in):
    make_benchmark("Old", status="retired", sample=True)
    assert row_of(signed_in.get("/"), "Old").startswith("Old retired sample")


def test_search_finds_every_word_in_name_id_or_judge(signed_in):
    make_benchmark("Refund policy", judge_name="Strict")
    make_benchmark("Tone", judge_name="Strict")
    assert names(signed_in.get("/?q=STRICT refund")) == ["Refund policy"]
    assert b"No benchmark fits this search" in signed_in.get("/?q=nothing").content


def test_status_filters(signed_in):
    make_benchmark("On")
    make_benchmark("Off", status="retired")
    assert names(signed_in.get("/?status=retired")) == ["Off"]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("name", ["alpha", "Beta", "empty"]),
        ("-name", ["empty", "Beta", "alpha"]),
        ("candidate", ["Beta", "alpha", "empty"]),
        ("-candidate", ["alpha", "Beta", "empty"]),
        ("-delta", ["Beta", "alpha", "empty"]),
        ("-newest", ["alpha", "Beta", "empty"]),
        ("-replays", ["Beta", "alpha", "empty"]),
        ("-gaps", ["Beta", "alpha", "empty"]),
    ],
)
def test_each_order_puts_benchmarks_without_that_value_last(signed_in, sort, order):
    alpha, beta = make_benchmark("alpha"), make_benchmark("Beta")
    make_benchmark("empty")
    make_replay(alpha, candidate_score=0.9, score_delta=0.01, created_at=START + timedelta(days=2))
    make_replay(beta, candidate_score=0.2, score_delta=0.05)
    make_replay(beta, status="failed", status_reason="It broke.", created_at=START + timedelta(hours=1))
    assert names(signed_in.get(f"/?sort={sort}")) == order


def test_a_heading_sorts_and_then_turns_round(signed_in):
    make_benchmark("One")
    first = signed_in.get("/").content.decode()
    assert 'href="/?sort=-delta"' in first
    second = signed_in.get("/?sort=-delta&q=one").content.decode()
    assert 'href="/?q=one&amp;sort=delta"' in second
    assert 'aria-sort="descending"' in second


def test_a_hundred_rows_make_a_page_and_the_rest_is_a_link_away(signed_in):
    for n in range(103):
        make_benchmark(f"b{n:03d}")
    first = signed_in.get("/?sort=name")
    assert names(first) == [f"b{n:03d}" for n in range(100)]
    assert b'href="/?sort=name&amp;page=2"' in first.content
    assert names(signed_in.get("/?sort=name&page=2")) == ["b100", "b101", "b102"]
    past_the_end = signed_in.get("/?sort=name&page=900")
    assert past_the_end.status_code == 200
    assert names(past_the_end) == ["b100", "b101", "b102"]


@pytest.mark.parametrize(
    ("query", "parameter"),
    [("sort=size", "sort"), ("status=lost", "status"), ("page=0", "page"), ("page=1e9", "page"), ("q=a%00b", "q")],
)
def test_a_wrong_value_is_named_and_the_page_is_shown(signed_in, query, parameter):
    make_benchmark("Still here")
    page = signed_in.get(f"/?{query}")
    assert page.status_code == 400
    assert f'<li id="{parameter}_error">{parameter}: ' in page.content.decode()
    assert names(page) == ["Still here"]


def test_what_was_typed_stays(signed_in):
    assert b'value="a &quot;b&quot;"' in signed_in.get('/?q=a "b"&sort=zzz').content


@pytest.mark.parametrize(
    "name", ["</script><img src=x onerror=alert(1)>", "{{ 7*7 }}", '" hx-get="/x" hx-trigger="load']
)
def test_a_name_is_only_ever_text(signed_in, name):
    make_benchmark(name)
    page = signed_in.get("/").content.decode()
    for piece in ("<img src=x", 'hx-get="/x"'):
        assert piece not in page
    assert "{{ 7*7 }}" not in name or "{{ 7*7 }}" in page


def test_late_rows_are_asked_for_and_come_in_after_the_page(signed_in, monkeypatch):
    for n in range(3):
        make_benchmark(f"b{n}")
    monkeypatch.setattr(overview, "PAGE_WAITS_S", -1.0)
    page = signed_in.get("/?sort=name").content.decode()
    assert page.count("Reading its replays") == 2, "the first is always read"
    address = re.search(r'hx-get="([^"]+)" hx-trigger="load" hx-swap="outerHTML"', page)[1].replace("&amp;", "&")
    rows = signed_in.get(address, headers={"HX-Request": "true"})
    assert names(rows) == ["b1", "b2"]
    assert b"hx-get" not in rows.content
    assert b"<html" not in rows.content


def test_rows_that_are_late_twice_ask_each_alone_and_the_third_time_is_the_last(signed_in, monkeypatch):
    ids = [make_benchmark(f"b{n}").id for n in range(3)]
    monkeypatch.setattr(overview, "ROWS_WAIT_S", -1.0)
    query = "&".join(f"id={one}" for one in ids)
    rows = signed_in.get(f"/rows/?{query}", headers={"HX-Request": "true"}).content.decode()
    assert rows.count("patient=on") == 2
    late = Unread(Late("no"))
    monkeypatch.setattr(overview, "read_recent", lambda keys, within_s: dict.fromkeys(keys, late))
    last = signed_in.get(f"/rows/?{query}&patient=on", headers={"HX-Request": "true"}).content.decode()
    assert last.count("Its history did not come in time.") == 3
    assert "hx-get" not in last


def test_many_late_rows_ask_in_addresses_that_a_server_takes(signed_in, monkeypatch):
    for n in range(60):
        make_benchmark(f"b{n}", id=f"bm_{n:080d}")
    monkeypatch.setattr(overview, "PAGE_WAITS_S", -1.0)
    asked = re.findall(r'hx-get="([^"]+)"', signed_in.get("/").content.decode())
    assert sum(address.count("id=") for address in asked) == 59
    assert max(len(address.replace("&amp;", "&")) for address in asked) < 4000


@pytest.mark.parametrize("query", ["id=x", "HX", "HX&id=", "HX&id=a%00b", "HX&" + "&".join(["id=x"] * 101)])
def test_the_rows_alone_are_no_page(signed_in, query):
    headers = {"HX-Request": "true"} if query.startswith("HX") else {}
    assert signed_in.get(f"/rows/?{query}", headers=headers)["Location"] == "/"


def test_an_id_is_taken_letter_for_letter(signed_in):
    make_benchmark("Spaced", id=" bm 1 ")
    rows = signed_in.get("/rows/?id=%20bm%201%20", headers={"HX-Request": "true"})
    assert names(rows) == ["Spaced"]


def test_rows_of_unknown_ids_are_left_out(signed_in):
    rows = signed_in.get("/rows/?id=nope", headers={"HX-Request": "true"})
    assert rows.status_code == 200
    assert names(rows) == []


def test_one_slow_history_holds_nobody_up(signed_in, connect, monkeypatch):
    monkeypatch.setattr(overview, "PAGE_WAITS_S", 2)
    released = Event()
    benchmarks = [one_benchmark(id="slow", name="Slow"), one_benchmark(id="quick", name="Quick")]
    workspace = Workspace(benchmarks, {"quick": [one_point(1)], "slow": [one_point(1)]})

    def answer(request):
        if "/slow/" in request.path:
            released.wait(60)
        return workspace(request)

    connect(answer, timeout_s=60)
    page = signed_in.get("/")
    assert "0.60 0.50 +0.10" in row_of(page, "Quick")
    assert "Reading its replays" in row_of(page, "Slow")
    released.set()
    rows = signed_in.get("/rows/?id=slow&patient=on", headers={"HX-Request": "true"})
    assert "0.60 0.50 +0.10" in row_of(rows, "Slow")


def test_a_history_that_fails_says_so_in_its_own_row(signed_in, connect):
    benchmarks = [one_benchmark(id="bad", name="Bad"), one_benchmark(id="good", name="Good")]
    workspace = Workspace(benchmarks, {"good": [one_point(1)]})
    connect(lambda request: reply(500, "<html>") if "/bad/" in request.path else workspace(request))
    page = signed_in.get("/?sort=-candidate")
    assert page.status_code == 200
    assert names(page) == ["Good", "Bad"]
    assert "0.60 0.50 +0.10" in row_of(page, "Good")
    assert "history" in row_of(page, "Bad")
    assert b"1 of these could not be read in time and stand last" in page.content


def test_a_source_that_goes_away_leaves_the_last_good_data_with_its_age(signed_in, connect):
    workspace = Workspace([one_benchmark()], {"bm_1": [one_point(1)]})
    answers = [workspace]
    connect(lambda request: answers[0](request))
    assert signed_in.get("/").status_code == 200
    answers[0] = lambda request: reply(503, "<html>proxy</html>")
    page = signed_in.get("/")
    assert page.status_code == 200
    assert "0.60 0.50 +0.10" in row_of(page, "Remote")
    assert "This was read less than a minute ago." in page.content.decode()
    assert "This was read less than a minute ago" in row_of(page, "Remote")
    assert b"proxy" not in page.content


def test_a_source_that_was_never_there_is_a_page_without_its_inside(signed_in, connect):
    connect(lambda request: reply(503, "<html>secret</html>", Retry_After="3600"))
    page = signed_in.get("/")
    assert page.status_code == 503
    assert b"The service did not answer" in page.content
    assert b"secret" not in page.content
    assert b"rb_key" not in page.content


def test_a_refused_key_says_whose_matter_it_is(signed_in, connect):
    connect(lambda request: reply_json({"detail": "bad key"}, 401))
    page = signed_in.get("/")
    assert page.status_code == 503
    assert b"RUNBIOS_API_KEY" in page.content


def test_late_rows_of_a_list_that_fails_say_why_and_ask_no_more(signed_in, connect):
    connect(lambda request: reply(403, "<html>secret</html>"))
    rows = signed_in.get("/rows/?id=x&id=%3Cb%3E", headers={"HX-Request": "true"})
    assert rows.status_code == 200, "a page puts nothing else in the place of what waits"
    assert names(rows) == ["x", "&lt;b&gt;"]
    assert rows.content.count(b"is not allowed with this key") == 2
    assert b"hx-get" not in rows.content
    assert b"aria-busy" not in rows.content
    assert b"secret" not in rows.content


def test_the_embedded_service_is_asked_until_the_time_is_up(db):
    ids = [make_benchmark(f"b{n}").id for n in range(3)]
    keys = [Key("loop", one) for one in ids]
    for within_s, known in ((60, 3), (-1, 1)):
        found = overview.read_recent(keys, within_s=within_s)
        assert [isinstance(found[key], Known) for key in keys] == [True] * known + [False] * (3 - known)


def test_every_read_of_a_remote_one_names_the_request_that_it_is_for(signed_in, connect):
    ids = [f"bm_{n}" for n in range(4)]
    server = connect(Workspace([one_benchmark(id=one) for one in ids], {one: [one_point(1)] for one in ids}))
    page = signed_in.get("/", headers={"X-Request-ID": "req-12345678"})
    assert page["X-Request-ID"] == "req-12345678"
    assert len([request for request in server.requests if request.path.endswith("/history")]) == 4
    assert {request.headers.get("x-request-id") for request in server.requests} == {"req-12345678"}


def test_an_unreadable_time_does_not_break_a_row(signed_in, connect):
    connect(Workspace([one_benchmark()], {"bm_1": [one_point(1, created_at="yesterday")]}))
    assert row_of(signed_in.get("/"), "Remote").endswith("1 0 —")


@pytest.mark.parametrize("field", ["item_count", "per_run_ceiling_cents"])
def test_a_count_beyond_all_measure_costs_no_page(signed_in, connect, field):
    connect(Workspace([one_benchmark(**{field: 10**30})], {"bm_1": [one_point(1, rows_total=10**30, run_seq=10**30)]}))
    for address in ("/", "/benchmarks/bm_1/"):
        page = signed_in.get(address)
        assert page.status_code == 200
        assert b"Remote" in page.content


def test_rounded_scores_have_all_their_digits_as_their_titles_here_and_in_the_latest_line_of_the_trend(signed_in):
    benchmark = make_benchmark()
    make_replay(benchmark, candidate_score=0.61728394, incumbent_score=0.5123456, score_delta=0.10493834)
    overview = signed_in.get("/").content.decode()
    region = signed_in.get(f"/benchmarks/{benchmark.pk}/").content.decode().partition("<table")[0]
    for page in (overview, region):
        assert re.search(r'value="0.61728394" title="[^"]*0.61728394">0.6173<', page)
        assert 'value="0.5123456" title="0.5123456">0.5123<' in page
        assert 'value="0.10493834" title="0.10493834">+0.1049<' in page
