"""What a benchmark is frozen to, in short and in full."""

from __future__ import annotations

import pytest

from tests.factories import make_benchmark, make_history, make_rule
from tests.web.conftest import Workspace, one_benchmark, one_point
from tests.web.pages import text_of

pytestmark = pytest.mark.django_db


def test_what_is_frozen_stands_in_one_line_under_the_title_and_leads_to_the_panel(signed_in):
    page = signed_in.get(f"/benchmarks/{make_benchmark('Tone', items=12).pk}/")
    said = "judge Helpfulness · on judge-large · 12 conversations · scale 0-1 · set d1 · at most $5.00 a replay"
    assert f"Frozen to : {said}" in text_of(page)
    assert b'href="#frozen-title"' in page.content


def test_dimensions_after_the_eighth_are_folded_away(signed_in):
    dimensions = [{"key": f"key-{n}", "description": f"What {n} is."} for n in range(57)]
    text = text_of(signed_in.get(f"/benchmarks/{make_benchmark(judge_dimensions=dimensions).pk}/"))
    assert "key-7 What 7 is. 49 more dimensions key-8" in text
    few = text_of(signed_in.get(f"/benchmarks/{make_benchmark('Few', judge_dimensions=dimensions[:8]).pk}/"))
    assert "more dimension" not in few


POINT_KEYS = {"items_digest": "d1", "rows_scored": 10, "incumbent_ref": {"kind": "deployment", "name": "support"}}


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            (),
            "Not checked: the service does not say which set each replay used, how many of its rows were scored or "
            "which incumbent served.",
        ),
        (("items_digest", "incumbent_ref"), "Not checked: the service does not say how many of its rows were scored."),
        (tuple(POINT_KEYS), ""),
    ],
)
def test_what_a_service_does_not_say_of_its_replays_is_said_to_be_unchecked(signed_in, connect, said, sentence):
    keys = {name: POINT_KEYS[name] for name in said}
    connect(Workspace([one_benchmark()], {"bm_1": [one_point(1), one_point(2, **keys)]}))
    text = text_of(signed_in.get("/benchmarks/bm_1/"))
    assert sentence in text
    assert ("Not checked" in text) == bool(sentence)


def test_our_own_service_says_all_that_is_checked_and_no_replay_leaves_nothing_unchecked(signed_in):
    benchmark = make_benchmark()
    assert "Not checked" not in text_of(signed_in.get(f"/benchmarks/{benchmark.pk}/"))
    make_history(benchmark, 2, rule=make_rule())
    assert "Not checked" not in text_of(signed_in.get(f"/benchmarks/{benchmark.pk}/"))
