"""A run that was judged and never replayed, on the page (T9)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.factories import START, make_benchmark, make_replay, make_rule, make_run
from tests.reads import end_pauses
from tests.sources.faulty_server import reply, reply_json
from tests.web.conftest import Workspace, figure_of, one_benchmark, one_point
from tests.web.pages import text_of
from tests.web.trend.test_trend_page import rows_of

pytestmark = pytest.mark.django_db


def make_gap_in_the_middle():
    """A benchmark with a replay on the first and the third day, and a judged run without one on the second."""
    benchmark, rule = make_benchmark(), make_rule("Nightly")
    for day in range(3):
        at = START + timedelta(days=day)
        run = make_run(rule=rule, seq=day, checkpoint_id=f"step-{day}", verdict="better", created_at=at)
        if day != 1:
            make_replay(benchmark, run=run, created_at=at + timedelta(minutes=5))
    return benchmark, rule


def test_a_run_that_was_never_replayed_stands_in_its_place(signed_in):
    """T9."""
    benchmark, _rule = make_gap_in_the_middle()
    page = signed_in.get(f"/benchmarks/{benchmark.id}/")
    assert [row[0] for row in rows_of(page)] == ["step-2", "step-1", "step-0"]
    missing = rows_of(page)[1]
    assert missing[4:6] == ["missing replay", "the run has a verdict and was never replayed on this benchmark"]
    assert missing[-1].startswith("run run_")
    assert "2 replays, 0 without a score, 1 run never replayed" in text_of(page)
    assert "Rows 1–3 of 3" in text_of(page)
    figure = figure_of(signed_in.get(f"/benchmarks/{benchmark.id}/figure.json?rule=all"))
    assert [trace["x"] for trace in figure["data"] if trace["name"] == "missing_replay"] == [[1]]
    assert "1 of 2 replays, 0 without" in text_of(signed_in.get(f"/benchmarks/{benchmark.id}/?from=2026-01-07"))


def test_while_the_benchmark_is_attached_the_newest_run_can_miss_its_replay_too(signed_in):
    benchmark, rule = make_gap_in_the_middle()
    make_run(rule=rule, seq=9, checkpoint_id="step-9", verdict="better", created_at=START + timedelta(days=9))
    address = f"/benchmarks/{benchmark.id}/"
    assert "1 run never replayed" in text_of(signed_in.get(address))
    type(rule).objects.update(benchmark=benchmark)
    assert "2 runs never replayed" in text_of(signed_in.get(address))


def test_where_the_runs_cannot_be_read_the_page_says_that_nobody_looked(signed_in, connect):
    workspace = Workspace([one_benchmark()], {"bm_1": [one_point(1)]})
    connect(lambda request: reply(500) if "training-r" in request.path else workspace(request))
    page = signed_in.get("/benchmarks/bm_1/")
    assert page.status_code == 200
    assert "Missing replays could not be looked for: " in text_of(page)


def test_runs_beyond_those_looked_at_are_said(signed_in, connect):
    workspace = Workspace([one_benchmark()], {"bm_1": [one_point(1)]})

    def answer(request):
        if request.path.endswith("training-runs"):
            return reply_json({"runs": [{"id": f"r{request.number('offset')}"}], "total": 9_999})
        return workspace(request)

    connect(answer)
    said = "Missing replays were looked for among the newest 2 runs alone."
    assert said in text_of(signed_in.get("/benchmarks/bm_1/"))


def test_a_history_that_is_not_whole_or_not_todays_says_of_no_run_that_it_has_no_replay(signed_in, connect):
    runs = [{"id": "run_9", "rule_id": "rule_1", "verdict": "better", "created_at": "2026-01-01T01:30:00Z"}]
    points = [one_point(1), one_point(2)]
    workspace, away = Workspace([one_benchmark()], {"bm_1": points}), []

    def answer(request):
        if request.path.endswith("/history") and away:
            return away[0]
        if request.path.endswith("training-runs"):
            return reply_json({"runs": runs, "total": 1})
        return workspace(request)

    connect(answer)
    assert "1 run never replayed" in text_of(signed_in.get("/benchmarks/bm_1/"))
    for reason in (reply_json({"benchmark_id": "bm_1", "points": points, "total": 9}), reply(502)):
        away[:] = [reason]
        end_pauses()
        text = text_of(signed_in.get("/benchmarks/bm_1/"))
        assert "never replayed" not in text
        assert "Missing replays were not looked for, because not every replay could be read." in text
