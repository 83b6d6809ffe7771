"""The trend page of a Runloop benchmark against a remote Runloop: odd runs, a list cut short, and nothing at all."""

from __future__ import annotations

import re

import pytest

from tests.sources.faulty_server import reply, reply_json
from tests.web.conftest import RunloopWorkspace, one_run
from tests.web.pages import text_of
from tests.web.trend.test_trend_page import rows_of

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def remote(*runs) -> RunloopWorkspace:
    return RunloopWorkspace([{"id": "bmd_1", "name": "Far away"}], {"bmd_1": list(runs)})


AWAY = {
    "401": (reply_json({"message": "bad key"}, 401), "Runloop refuses this dashboard"),
    "429": (reply_json({"message": "slow"}, 429, Retry_After="3600"), "Runloop did not answer"),
    "html": (reply(200, "<html>secret</html>"), "Runloop did not answer"),
    "503": (reply(503, "<html>secret</html>"), "Runloop did not answer"),
}


@pytest.mark.parametrize("how", AWAY)
def test_runloop_away_is_a_page_that_says_so(signed_in, connect_runloop, how):
    answer, said = AWAY[how]
    connect_runloop(lambda request: answer)
    page = signed_in.get("/runloop/benchmarks/bmd_1/")
    assert page.status_code == 503
    assert said in text_of(page)
    assert ("RUNLOOP_API_KEY" in text_of(page)) == (how == "401")
    assert b"secret" not in page.content
    assert signed_in.get("/runloop/benchmarks/bmd_1/region/", headers=HTMX).status_code == 503
    assert signed_in.get("/runloop/benchmarks/bmd_1/figure.json").status_code == 503


def test_last_good_data_stays_with_its_age(signed_in, connect_runloop):
    answers = [remote(one_run(1))]
    connect_runloop(lambda request: answers[0](request))
    assert signed_in.get("/runloop/benchmarks/bmd_1/").status_code == 200
    answers[0] = lambda request: reply(503)
    page = signed_in.get("/runloop/benchmarks/bmd_1/")
    assert page.status_code == 200
    assert "This was read less than a minute ago" in text_of(page)
    assert len(rows_of(page)) == 1


def test_odd_runs_are_gaps_with_their_state_and_odd_times_are_flagged(signed_in, connect_runloop):
    connect_runloop(
        remote(
            one_run(1, state="paused", score=0.9),
            one_run(2, score=None),
            one_run(3, score="NaN"),
            one_run(4, start_time_ms=1_767_603_600, duration_ms=-5),
            one_run(5, state=""),
        )
    )
    rows = {row[0]: row[1:] for row in rows_of(signed_in.get("/runloop/benchmarks/bmd_1/"))}
    assert rows["run 1"][:2] == ["—", "paused"]
    assert rows["run 2"][:2] == ["—", "no score"]
    assert rows["run 3"][:2] == ["—", "unreadable score"]
    assert "no plausible time in milliseconds" in rows["run 4"][2]
    assert "1970" not in "".join(rows["run 4"])
    assert rows["run 5"][:2] == ["—", "no state"]


def test_a_run_without_an_id_has_a_row_and_no_link(signed_in, connect_runloop):
    connect_runloop(remote(one_run(1, id=""), one_run(2)))
    page = signed_in.get("/runloop/benchmarks/bmd_1/")
    assert sorted(row[-1] for row in rows_of(page)) == ["bmr_2", "unnamed-1"]
    assert re.findall(r'href="/runloop/runs/([^"]+)/"', page.content.decode()) == ["bmr_2"]


def test_runs_of_another_benchmark_are_left_out_and_counted(signed_in, connect_runloop):
    connect_runloop(remote(one_run(1), one_run(2, benchmark_id="bmd_other")))
    page = signed_in.get("/runloop/benchmarks/bmd_1/")
    assert [row[0] for row in rows_of(page)] == ["run 1"]
    assert "1 run of another benchmark was left out." in text_of(page)


def test_another_benchmark_than_was_asked_for_is_not_shown(signed_in, connect_runloop):
    connect_runloop(lambda request: reply_json({"id": "bmd_other", "name": "Other", "runs": [], "has_more": False}))
    page = signed_in.get("/runloop/benchmarks/bmd_1/")
    assert page.status_code == 503
    assert b"Other" not in page.content


def test_a_list_that_was_not_read_to_its_end_says_so(signed_in, connect_runloop):
    workspace = remote(one_run(1))

    def answer(request):
        if request.path.endswith("benchmark_runs"):
            return reply_json({"runs": [one_run(1)], "has_more": True, "total_count": 9})
        return workspace(request)

    connect_runloop(answer)
    assert "There may be more runs than these 1: the service speaks of 9 and gave 1." in text_of(
        signed_in.get("/runloop/benchmarks/bmd_1/")
    )


def test_a_long_state_is_clipped_with_the_whole_of_it_as_its_title(signed_in, connect_runloop):
    connect_runloop(remote(one_run(1, state="<x>" * 40, score=None)))
    shown = f'<bdi title="{"&lt;x&gt;" * 40}">{"&lt;x&gt;" * 26}&lt;…</bdi>'
    assert shown in signed_in.get("/runloop/benchmarks/bmd_1/").content.decode()
    assert shown in signed_in.get("/runloop/runs/bmr_1/").content.decode()
