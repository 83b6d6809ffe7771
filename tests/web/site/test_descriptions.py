"""What a field says it is described by is on the page."""

from __future__ import annotations

import re

import pytest

from tests.factories import make_benchmark, make_history, make_rule

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address",
    [
        "/?sort=size&status=lost&q=a%00b",
        "/benchmarks/bm_1/?from=yesterday&to=2026-01-01",
        "/benchmarks/bm_1/?from=2026-02-01&to=2026-01-01",
        "/benchmarks/bm_1/items/?q=a%00b",
        "/rules/?q=a%00b",
        "/audit/?from=yesterday",
    ],
)
def test_every_wrong_field_is_described_by_a_sentence_on_its_page(client, admin, address):
    make_history(make_benchmark(id="bm_1", items=1), 2, rule=make_rule())
    client.force_login(admin)
    page = client.get(address)
    assert page.status_code == 400
    html = page.content.decode()
    described = re.findall(r'aria-describedby="([^"]+)"', html)
    assert described
    for name in described:
        assert html.count(f'id="{name}"') == 1
