"""Text from outside on a trend's page: only ever text, and nothing of it unseen."""

from __future__ import annotations

import re

import pytest

from tests.factories import make_benchmark, make_replay, make_rule, make_run
from tests.web.conftest import Workspace, one_benchmark, one_point
from tests.web.trend.test_trend_page import rows_of

pytestmark = pytest.mark.django_db

NASTY = ["</script><img src=x onerror=alert(1)>", "{{ 7*7 }}", '" hx-get="/x" hx-trigger="load', "<a href=//evil>x</a>"]


@pytest.mark.parametrize("nasty", NASTY)
def test_text_from_outside_is_only_ever_text(signed_in, nasty):
    benchmark = make_benchmark(
        nasty,
        judge_name=nasty,
        judge_model=nasty,
        judge_instructions=nasty,
        judge_system_prompt=nasty,
        judge_dimensions=[{"key": nasty, "description": nasty}],
        created_by=nasty,
        scoring={"metric": nasty, "scale": nasty, "aggregate": nasty, "require_all_rows": True},
    )
    rule = make_rule(nasty)
    make_replay(benchmark, id="r1", run=make_run(rule=rule, checkpoint_id=nasty, decision=nasty[:40]))
    make_replay(benchmark, id="r2", run=make_run(checkpoint_id=nasty), status="failed", status_reason=nasty)
    page = signed_in.get(f"/benchmarks/{benchmark.id}/?rule=all").content.decode()
    for alive in ("<img src=x", ' hx-get="/x"', "<a href=//evil", "49"):
        assert alive not in re.sub(r'value="\w{64}"|d="[^"]*"|x="[^"]*"|y="[^"]*"|bm_\w+|rule_\w+|run_\w+', "", page)
    assert "src=x onerror" not in nasty or page.count("&lt;/script&gt;&lt;img src=x") > 8


def test_what_would_reorder_the_page_is_named(signed_in, connect):
    """C35: look-alikes are told apart by their ids."""
    names = {"candidate": "run-\u202egnol", "café": "café", "cafe": "cafe\u0301"}
    points = [one_point(n, benchmark_run_id=name, checkpoint_id=names[name]) for n, name in enumerate(names)]
    points.append(one_point(9, status="failed", status_reason="\u202eenod"))
    connect(Workspace([one_benchmark(name="B\u200b")], {"bm_1": points}))
    page = signed_in.get("/benchmarks/bm_1/")
    rows = rows_of(page)
    assert [row[0] for row in rows][1:] == ["cafe\u0301", "café", "run- U+202E gnol"]
    assert rows[0][5].startswith("U+202E enod ")
    assert [row[-1] for row in rows][1:3] == ["cafe", "café"]
    assert "<h1><bdi>B<span" in page.content.decode()
