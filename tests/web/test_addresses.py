"""Opaque ids in addresses."""

from __future__ import annotations

import pytest
from django.urls import resolve, reverse

from dashboard.web.addresses import find_page
from tests.factories import make_benchmark

IDS = [
    "bm_1",
    "a/b",
    "a%2Fb",
    "%",
    "..",
    ".",
    "a b",
    "é🚀",
    "x?y#z",
    "region",
    "x/region",
    "new\nline",
    "<b>&'\"",
    "%00",
]


@pytest.mark.django_db
@pytest.mark.parametrize("benchmark_id", IDS)
def test_every_id_has_a_page_of_its_own(signed_in, benchmark_id):
    make_benchmark("Named so", id=benchmark_id)
    address = reverse("trend", args=[benchmark_id])
    page = signed_in.get(address)
    if benchmark_id in {".", ".."}:  # no client can ask the API for these
        assert page.status_code == 404
        return
    assert page.status_code == 200
    assert b"Named so" in page.content
    assert page.context["benchmark"].id == benchmark_id


@pytest.mark.django_db
def test_an_id_whose_slash_was_escaped_once_moves_to_its_page(signed_in):
    make_benchmark("Named so", id="a/b")
    moved = signed_in.get("/benchmarks/a%2Fb/?last=30")
    assert moved["Location"] == reverse("trend", args=["a/b"]) + "?last=30"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/benchmarks/%00/", "/benchmarks/a%2500b/", "/benchmarks/a/%00/", "/benchmarks/nope/"]
)
def test_an_id_that_nothing_has_is_404(signed_in, path):
    assert signed_in.get(path).status_code == 404


@pytest.mark.parametrize(
    ("part", "page"),
    [
        ("/rows/?id=a", "/"),
        ("/benchmarks/a%252Fb/region/?last=30", "/benchmarks/a%252Fb/?last=30"),
        ("/benchmarks/x/figure.json", "/benchmarks/x/"),
        ("/benchmarks/x/?last=30", "/benchmarks/x/?last=30"),
        ("/sign-out/", ""),
        ("", ""),
    ],
)
def test_a_part_of_a_page_leads_to_its_page(rf, part, page):
    assert find_page(rf.get("/"), part) == page


def test_the_routes_do_not_shadow_each_other():
    assert resolve("/benchmarks/x/region/").view_name == "trend-region"
    assert resolve(reverse("trend", args=["x/region"]).replace("%25", "%")).view_name == "trend"
