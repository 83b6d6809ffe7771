"""The trend page, its region and its figure: what they show, what they refuse, and how they refresh."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.factories import START, make_benchmark, make_history, make_replay, make_rule, make_run, make_workspace
from tests.sources.faulty_server import reply, reply_json
from tests.web.conftest import Workspace, figure_of, one_benchmark, one_point
from tests.web.pages import text_of

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def rows_of(page) -> list[list[str]]:
    """The replays table's cells, row by row."""
    body = (
        page.content.decode().partition('<table class="replays">')[2].partition("</table>")[0].partition("<tbody>")[2]
    )
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in row] for row in cells]


def test_it_works(signed_in):
    benchmark = make_benchmark("Support answers", items=12, items_digest="0123456789abcdef")
    rule = make_rule("Nightly")
    run = make_run(rule=rule, checkpoint_id="step-100", decision="rejected")
    make_replay(benchmark, id="brun_1", run=run)
    run = make_run(rule=rule, checkpoint_id="step-200")
    make_replay(
        benchmark,
        id="brun_2",
        run=run,
        status="failed",
        status_reason="No judge.",
        created_at=START + timedelta(hours=1),
    )
    page = signed_in.get(f"/benchmarks/{benchmark.id}/")
    assert page.status_code == 200
    assert rows_of(page) == [
        ["step-200", "—", "—", "—", "failed", "No judge.", "undecided", "2026-01-05 10:00 UTC", "brun_2"],
        ["step-100", "0.62", "0.58", "+0.04", "scored", "", "rejected", "2026-01-05 09:00 UTC", "brun_1"],
    ]
    text = text_of(page)
    for said in (
        "Support answers active",
        "Latest score step-100 candidate 0.62 incumbent 0.58 delta +0.04",
        "2 replays, 1 without a score",
        "This number does not gate promotion.",
        "Judge Helpfulness",
        "Conversations 12",
        "Set's digest 0123456789ab…",
        "Cap for one replay $5.00",
        "temperature 0, at most 512 tokens",
        "judge_mean, scale 0-1, mean; every row must be scored",
        "helpful Does it help?",
        "Score how far the answer helps.",
    ):
        assert said in text
    assert page.content.count(b'class="chart"') == 2, "one drawing for a wide screen and one for a phone"


def test_a_decision_leads_to_its_run_and_a_replay_to_its_own_page(signed_in):
    run = make_run(rule=make_rule(), checkpoint_id="step-100", decision="promoted")
    replay = make_replay(make_benchmark(id="bm_1"), run=run)
    page = signed_in.get("/benchmarks/bm_1/").content.decode()
    assert re.search(rf'<a href="/runs/{run.pk}/">promoted</a>', page)
    for address in (f"/runs/{run.pk}/", f"/replays/{replay.pk}/"):
        assert f'href="{address}"' in page
        assert signed_in.get(address).status_code == 200


def test_the_key_explains_every_glyph_once(signed_in):
    text = text_of(signed_in.get(f"/benchmarks/{make_benchmark().id}/"))
    key = text.partition("Key")[2].partition("Frozen to")[0]
    for label in ("open", "failed", "budget stopped", "abandoned", "unreadable score", "no score", "not comparable"):
        assert label in key
    for label in ("promoted", "auto-promoted", "rejected", "auto-rejected", "rolled back", "any other decision"):
        assert label in key


def test_a_rule_whose_id_has_spaces_round_it_can_be_chosen(signed_in):
    benchmark = make_benchmark()
    make_history(benchmark, 3, rule=make_rule("Spaced", id=" r1 "))
    make_history(benchmark, 2, rule=make_rule("Other"))
    page = signed_in.get(f"/benchmarks/{benchmark.id}/", {"rule": " r1 "})
    assert page.status_code == 200
    assert len(rows_of(page)) == 3


def test_zero_replays_say_when_the_first_will_come(signed_in):
    page = signed_in.get(f"/benchmarks/{make_benchmark().id}/")
    assert "Its first point will come with the next run of a rule it is attached to." in text_of(page)
    assert figure_of(signed_in.get(f"/benchmarks/{page.context['benchmark'].id}/figure.json"))["slots"]["id"] == []


def test_a_retired_one_says_when_and_by_whom(signed_in):
    """T10."""
    benchmark = make_benchmark(status="retired", retired_at=START, retired_by="grace", retired_reason="Saturated <b>.")
    text = text_of(signed_in.get(f"/benchmarks/{benchmark.id}/"))
    head = text.partition("Frozen to")[0]
    assert "Retired 2026-01-05 09:00 UTC by grace: Saturated <b>." in head
    assert "It was retired before anything replayed it." in text


def test_another_workspace_or_nobody_has_it_404(signed_in):
    theirs = make_benchmark(workspace=make_workspace())
    for part in ("", "region/", "figure.json"):
        assert signed_in.get(f"/benchmarks/{theirs.id}/{part}", headers=HTMX).status_code == 404


def test_the_range_takes_the_newest_or_whole_days(signed_in):
    benchmark = make_benchmark()
    make_history(benchmark, 100, rule=make_rule())
    page = f"/benchmarks/{benchmark.id}/"
    assert "30 of 100 replays" in text_of(signed_in.get(page + "?last=30"))
    assert "90 of 100 replays" in text_of(signed_in.get(page + "?last=90"))
    assert "100 replays" in text_of(signed_in.get(page + "?last=all"))
    assert "24 of 100 replays" in text_of(signed_in.get(page + "?from=2026-01-06&to=2026-01-06"))
    nothing = signed_in.get(page + "?from=2030-01-01")
    assert "None of the 100 replays lies in this range." in text_of(nothing)


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("last=31", "last"),
        ("axis=space", "axis"),
        ("from=2026-13-01", "from"),
        ("to=soon", "to"),
        ("from=2026-02-01&to=2026-01-01", "from"),
        ("page=-1", "page"),
        ("page=x", "page"),
        ("rule=nobody", "rule"),
        ("theme=pink", "theme"),
        ("replay=%00", "replay"),
    ],
)
def test_a_wrong_value_is_named_and_the_page_is_shown(signed_in, query, parameter):
    benchmark = make_benchmark()
    make_replay(benchmark)
    address = f"/benchmarks/{benchmark.id}/"
    page = signed_in.get(f"{address}?{query}")
    assert page.status_code == 400
    assert f'<li id="{parameter}_error">{parameter}: ' in page.content.decode()
    assert len(rows_of(page)) == 1
    assert signed_in.get(f"{address}region/?{query}", headers=HTMX).status_code == 400
    figure = signed_in.get(f"{address}figure.json?{query}")
    assert figure.status_code == 400
    assert figure.json()["error"].startswith(f"{parameter}: ")


def test_a_text_that_is_no_date_stays_to_be_seen(signed_in):
    benchmark = make_benchmark()
    make_replay(benchmark)
    page = signed_in.get(f"/benchmarks/{benchmark.id}/?from=2026-13-01").content.decode()
    assert re.search(r'<input type="text" name="from" value="2026-13-01"', page)


def test_candidates_alone_are_one_line_and_claim_no_incumbent(signed_in, connect):
    """T4."""
    connect(Workspace([one_benchmark()], {"bm_1": [one_point(1, incumbent_score=None, score_delta=None)]}))
    page = signed_in.get("/benchmarks/bm_1/")
    assert rows_of(page)[0][1:3] == ["0.60", "scored"]
    assert "incumbent" not in text_of(page).partition("Frozen to")[0]


def test_fifty_replays_make_a_page_newest_first(signed_in):
    benchmark = make_benchmark()
    make_history(benchmark, 120, rule=make_rule())
    address = f"/benchmarks/{benchmark.id}/"
    first = signed_in.get(address)
    assert [row[0] for row in rows_of(first)] == [f"step-{n * 100}" for n in range(120, 70, -1)]
    assert "Replays 1–50 of 120" in text_of(first)
    last = signed_in.get(address + "?page=99")
    assert last.status_code == 200
    assert [row[0] for row in rows_of(last)] == [f"step-{n * 100}" for n in range(20, 0, -1)]


def test_a_replay_can_be_addressed_wherever_it_stands(signed_in):
    benchmark = make_benchmark()
    make_history(benchmark, 120, rule=make_rule())
    oldest = figure_of(signed_in.get(f"/benchmarks/{benchmark.id}/figure.json"))["slots"]["id"][0]
    page = signed_in.get(f"/benchmarks/{benchmark.id}/?replay={oldest}").content.decode()
    assert f'<tr id="replay-{oldest}" class="addressed" aria-current="true">' in page
    assert signed_in.get(f"/benchmarks/{benchmark.id}/?replay=nobody").status_code == 200


def test_two_rules_are_two_trends_and_all_overlays_them(signed_in):
    benchmark = make_benchmark()
    one, two = make_rule("Nightly"), make_rule("Weekly")
    make_history(benchmark, 4, rule=one, gap_every=0)
    make_history(benchmark, 6, rule=two, gap_every=0)
    address = f"/benchmarks/{benchmark.id}/"
    assert len(rows_of(signed_in.get(address))) == 6
    assert len(rows_of(signed_in.get(f"{address}?rule={one.id}"))) == 4
    both = signed_in.get(f"{address}?rule=all")
    assert len(rows_of(both)) == 10
    assert {row[1] for row in rows_of(both)} == {"Nightly", "Weekly"}
    assert b'class="line rule-2"' in both.content


def test_replays_that_name_no_rule_can_be_chosen(signed_in):
    benchmark = make_benchmark()
    make_replay(benchmark, id="brun_free")
    make_history(benchmark, 4, rule=make_rule(), gap_every=0)
    page = signed_in.get(f"/benchmarks/{benchmark.id}/?rule=")
    assert [row[-1] for row in rows_of(page)] == ["brun_free"]
    assert b'name="rule" value=""' in page.content
    assert "?rule=&amp;last=30" in page.content.decode()


def test_an_empty_rule_is_no_choice_where_every_replay_names_one(signed_in):
    benchmark = make_benchmark()
    make_history(benchmark, 4, rule=make_rule(), gap_every=0)
    page = signed_in.get(f"/benchmarks/{benchmark.id}/?rule=")
    assert page.status_code == 200
    assert len(rows_of(page)) == 4


def test_links_carry_what_is_chosen(signed_in):
    benchmark = make_benchmark()
    make_history(benchmark, 60, rule=make_rule())
    page = signed_in.get(f"/benchmarks/{benchmark.id}/?axis=time&last=90").content.decode()
    assert f'href="/benchmarks/{benchmark.id}/?axis=time&amp;last=30"' in page
    assert f'href="/benchmarks/{benchmark.id}/?last=90"' in page
    assert f'href="/benchmarks/{benchmark.id}/?axis=time&amp;last=90&amp;page=2"' in page
    assert f'data-figure="/benchmarks/{benchmark.id}/figure.json?axis=time&amp;last=90"' in page


@pytest.mark.parametrize(
    ("open_for", "every_s"),
    [
        (timedelta(minutes=5), 15),
        (timedelta(hours=5), 60),
        (timedelta(days=2), 300),
        (timedelta(days=9), None),
    ],
)
def test_the_region_refreshes_while_a_replay_is_open_slower_and_slower(signed_in, open_for, every_s):
    benchmark = make_benchmark()
    make_replay(benchmark, status="open", created_at=timezone.now() - open_for)
    page = signed_in.get(f"/benchmarks/{benchmark.id}/?last=30").content.decode()
    found = re.search(r'id="_trend_region" hx-get="([^"]+)" hx-trigger="every (\d+)s"', page)
    assert (int(found[2]) if found else None) == every_s
    if found:
        assert found[1] == f"/benchmarks/{benchmark.id}/region/?last=30"


def test_an_era_says_why_it_begins(signed_in):
    benchmark, rule = make_benchmark(), make_rule()
    make_replay(benchmark, run=make_run(rule=rule, checkpoint_id="step-1", decision="promoted"))
    make_replay(benchmark, run=make_run(rule=rule), created_at=START + timedelta(hours=1))
    assert rows_of(signed_in.get(f"/benchmarks/{benchmark.id}/"))[0][5] == "new era: after step-1, promoted"


def test_a_trend_without_any_score_says_so(signed_in):
    benchmark = make_benchmark()
    make_replay(benchmark, status="failed", status_reason="It broke.")
    assert "No replay shown here has a score." in text_of(signed_in.get(f"/benchmarks/{benchmark.id}/"))


def test_nothing_refreshes_where_nothing_is_open(signed_in):
    benchmark = make_benchmark()
    make_replay(benchmark)
    assert b"hx-get" not in signed_in.get(f"/benchmarks/{benchmark.id}/").content


def test_an_open_replay_says_since_when_and_changes_in_its_place(signed_in):
    benchmark = make_benchmark()
    replay = make_replay(benchmark, status="open", created_at=timezone.now() - timedelta(days=9, hours=1))
    address = f"/benchmarks/{benchmark.id}/"
    assert rows_of(signed_in.get(address))[0][5] == "still running, started 9 days ago"
    type(replay).objects.update(status="abandoned", status_reason="It ran out of time.")
    region = signed_in.get(address + "region/", headers=HTMX)
    assert rows_of(region)[0][4:6] == ["abandoned", "It ran out of time."]


def test_the_region_is_a_part_and_alone_it_leads_to_the_page(signed_in):
    benchmark = make_benchmark()
    make_replay(benchmark)
    region = signed_in.get(f"/benchmarks/{benchmark.id}/region/?last=30", headers=HTMX)
    assert region.content.decode().strip().startswith('<div class="region" id="_trend_region"')
    assert b"<html" not in region.content
    alone = signed_in.get(f"/benchmarks/{benchmark.id}/region/?last=30")
    assert alone["Location"] == f"/benchmarks/{benchmark.id}/?last=30"


def test_the_figure_has_every_replay_in_the_asked_theme_and_frame(signed_in):
    benchmark = make_benchmark()
    make_history(benchmark, 30, rule=make_rule())
    address = f"/benchmarks/{benchmark.id}/figure.json"
    light, dark = (figure_of(signed_in.get(f"{address}?theme={theme}")) for theme in ("light", "dark"))
    assert len(light["slots"]["id"]) == 30
    assert light["layout"]["font"]["color"] != dark["layout"]["font"]["color"]
    narrow = figure_of(signed_in.get(f"{address}?frame=narrow"))
    assert narrow["layout"]["width"] < light["layout"]["width"]
    assert figure_of(signed_in.get(f"{address}?axis=time"))["layout"]["xaxis"]["type"] == "date"


def test_a_stranger_is_sent_from_a_part_to_sign_in_for_the_page(client):
    figure = client.get("/benchmarks/x/figure.json?last=30", headers={"Accept": "application/json"})
    assert figure.status_code == 401
    assert figure.json() == {"sign_in": "/sign-in/?next=%2Fbenchmarks%2Fx%2F%3Flast%3D30"}
    assert client.get("/benchmarks/x/region/")["Location"] == "/sign-in/?next=%2Fbenchmarks%2Fx%2F"


def test_unreadable_scores_are_gaps_and_nothing_emitted_is_no_json(signed_in, connect):
    points = [one_point(1), one_point(2, candidate_score="NaN"), one_point(3, score_delta=10**400)]
    connect(Workspace([one_benchmark()], {"bm_1": points}))
    page = signed_in.get("/benchmarks/bm_1/")
    assert page.status_code == 200
    assert [row[4] for row in rows_of(page)] == ["unreadable score", "unreadable score", "scored"]
    assert figure_of(signed_in.get("/benchmarks/bm_1/figure.json"))["slots"]["candidate"] == [0.6, None, None]


def test_unknown_keys_statuses_and_decisions_are_shown_as_given(signed_in, connect):
    points = [
        one_point(1, decision="paused_by_legal", novelty=[1]),
        one_point(2, status="levitating", score_delta=None),
    ]
    connect(Workspace([one_benchmark(status="mothballed", novelty={})], {"bm_1": points}))
    text = text_of(signed_in.get("/benchmarks/bm_1/"))
    for given in ("mothballed", "paused_by_legal", "levitating"):
        assert given in text


def test_a_source_that_goes_away_leaves_the_last_good_trend_with_its_age(signed_in, connect):
    answers = [Workspace([one_benchmark()], {"bm_1": [one_point(1)]})]
    connect(lambda request: answers[0](request))
    assert signed_in.get("/benchmarks/bm_1/").status_code == 200
    answers[0] = lambda request: reply(502, "<html>proxy</html>")
    page = signed_in.get("/benchmarks/bm_1/")
    assert page.status_code == 200
    assert len(rows_of(page)) == 1
    assert "This was read less than a minute ago" in text_of(page)


def test_a_source_that_was_never_there_is_said_in_each_form(signed_in, connect):
    connect(lambda request: reply(500, "<html>secret</html>"))
    page = signed_in.get("/benchmarks/bm_1/")
    region = signed_in.get("/benchmarks/bm_1/region/", headers=HTMX)
    figure = signed_in.get("/benchmarks/bm_1/figure.json")
    assert [answer.status_code for answer in (page, region, figure)] == [503, 503, 503]
    assert b"secret" not in page.content + region.content + figure.content


def test_a_limit_says_when_another_try_makes_sense(signed_in, connect):
    connect(lambda request: reply_json({"error": "slow down"}, 429, Retry_After="3000"))
    page = signed_in.get("/benchmarks/bm_1/")
    assert page.status_code == 503
    assert "Retry-After" in page
    assert b"Another try makes sense after" in page.content


def test_a_history_shorter_than_its_total_says_so(signed_in, connect):
    workspace = Workspace([one_benchmark()], {"bm_1": []})

    def answer(request):
        if request.path.endswith("/history"):
            return reply_json({"benchmark_id": "bm_1", "points": [one_point(1)], "total": 3})
        return workspace(request)

    connect(answer)
    text = text_of(signed_in.get("/benchmarks/bm_1/"))
    assert "The service counts 2 replays more than it gave." in text


def test_ten_thousand_replays_are_one_bounded_page(signed_in):
    benchmark = make_benchmark()
    make_history(benchmark, 10_000, rule=make_rule())
    page = signed_in.get(f"/benchmarks/{benchmark.id}/")
    assert page.status_code == 200
    assert len(page.content) < 600_000
    assert len(rows_of(page)) == 50
