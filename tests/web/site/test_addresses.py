"""Opaque ids in addresses."""

from __future__ import annotations

import pytest
from django.urls import resolve, reverse

from dashboard.environment import name_hosts
from dashboard.web.site.addresses import build_origin, explain_origin, find_page
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


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("bench.local", "http://bench.local:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://[::1]:8000"),
        ("fe80::1", "http://[fe80::1]:8000"),
        ("[::1]", "http://[::1]:8000"),
    ],
)
def test_a_server_is_reached_where_it_listens(settings, host, origin):
    settings.ALLOWED_HOSTS = name_hosts(host, [])
    assert build_origin(host, 8000) == origin
    assert explain_origin(origin) == ""


@pytest.mark.parametrize(
    ("trusted", "origin"),
    [
        (["https://*.example", "https://bench.example", "https://other.example"], "https://bench.example"),
        (["https://*.example"], "http://127.0.0.1:8000"),
    ],
)
def test_a_server_behind_a_proxy_is_reached_there(settings, trusted, origin):
    settings.HTTPS, settings.CSRF_TRUSTED_ORIGINS = True, trusted
    settings.ALLOWED_HOSTS = name_hosts("127.0.0.1", trusted)
    assert build_origin("127.0.0.1", 8000) == origin
    assert bool(explain_origin(origin)) == origin.startswith("http:")


def test_an_origin_that_forms_are_taken_from_is_no_proxy_of_ours_without_https(settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://bench.example"]
    assert build_origin("127.0.0.1", 8000) == "http://127.0.0.1:8000"


def test_a_link_to_a_name_that_is_not_answered_to_says_so(settings):
    settings.ALLOWED_HOSTS = ["bench.example"]
    assert explain_origin("http://127.0.0.1:8000") == (
        "This link is refused as it stands: ALLOWED_HOSTS does not name 127.0.0.1."
    )
    assert explain_origin("http://bench.example:8000") == ""
