"""What a benchmark is frozen to, in short and in full."""

from __future__ import annotations

import pytest

from tests.factories import make_benchmark
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
