"""The pages of a benchmark's conversations: paging, search, one alone, one turn whole, and what may be missing."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from dashboard.store.models import BenchmarkItem
from dashboard.web.common.links import choose_link
from tests.factories import make_benchmark, make_trace, make_workspace
from tests.sources.faulty_server import Request, reply, reply_json
from tests.web.conftest import make_person, one_benchmark

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def text_of(page: Any) -> str:
    body = re.sub(r"<(script|svg|head)\b.*?</\1>", "", page.content.decode(), flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", body).split()))


def ordinals_of(page: Any) -> list[int]:
    return [int(found) for found in re.findall(r'id="item-(\d+)"', page.content.decode())]


def address_of(benchmark: Any, query: str = "") -> str:
    return f"/benchmarks/{benchmark.id}/items/{query}"


def change_item(benchmark: Any, ordinal: int, **fields: Any) -> None:
    assert BenchmarkItem.objects.filter(benchmark=benchmark, ordinal=ordinal).update(**fields)


def make_long(benchmark: Any, ordinal: int) -> str:
    """Gives this conversation a turn of 30,007 characters after a short one, and returns it."""
    text = "start " + "x" * 30_000 + "!"
    change_item(
        benchmark, ordinal, prompt=[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": text}]
    )
    return text


def test_it_works(signed_in):
    benchmark = make_benchmark("Support answers", items=3, items_digest="0123456789abcdef")
    trace = make_trace(id="trace_1")
    change_item(
        benchmark,
        1,
        source_trace=trace,
        prompt=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where is my order?"}],
        tools=[{"name": "find_order", "parameters": {"properties": {"id": {}}}}],
    )
    page = signed_in.get(address_of(benchmark))
    assert page.status_code == 200
    assert ordinals_of(page) == [0, 1, 2]
    text = text_of(page)
    for said in (
        "Conversations of Support answers",
        "Digest 0123456789ab… : the fingerprint of these conversations in this order.",
        "Conversations 1–3 of 3.",
        "0 Question 0 1 turn",
        "1 Where is my order? 2 turns, 1 tool",
        "find_order (id?)",
        "system Be brief. user Where is my order?",
        "Copied from trace_1",
        "Source deleted, the pinned copy stays",
    ):
        assert said in text
    assert "Page 1" not in text


def test_the_trend_page_leads_to_the_conversations(signed_in):
    benchmark = make_benchmark(items=1)
    assert f'href="{address_of(benchmark)}"' in signed_in.get(f"/benchmarks/{benchmark.id}/").content.decode()


def test_an_address_of_the_api_is_no_link_for_a_browser(signed_in):
    benchmark = make_benchmark(items=1)
    change_item(benchmark, 0, source_trace=make_trace(id="trace_1"))
    assert "/api/" not in signed_in.get(address_of(benchmark)).content.decode()


@pytest.mark.parametrize(("query", "shown"), [("", range(20)), ("?page=2", range(20, 40)), ("?page=3", range(40, 45))])
def test_pages_hold_twenty_each_and_stand_in_the_address(signed_in, query, shown):
    page = signed_in.get(address_of(make_benchmark(items=45), query))
    assert ordinals_of(page) == list(shown)
    assert f"Conversations {shown[0] + 1}–{shown[-1] + 1} of 45." in text_of(page)


def test_a_page_past_the_end_says_where_the_end_is(signed_in):
    benchmark = make_benchmark(items=45)
    page = signed_in.get(address_of(benchmark, "?page=1000000"))
    assert page.status_code == 200
    assert "There is no page 1000000: the set has 3." in text_of(page)
    assert 'href="/benchmarks/' + benchmark.id + '/items/?page=3"' in page.content.decode()


def test_the_search_looks_at_the_rows_of_the_page_and_keeps_them_on_it(signed_in):
    benchmark = make_benchmark(items=45)
    page = signed_in.get(address_of(benchmark, "?page=2&q=QUESTION+3"))
    assert ordinals_of(page) == [23, *range(30, 40)]
    assert "Conversations 21–40 of 45. 11 of 20 on this page fit." in text_of(page)
    html = page.content.decode()
    assert 'name="q" value="QUESTION 3"' in html
    assert '<input type="hidden" name="page" value="2">' in html
    assert "/items/?q=QUESTION+3&amp;page=3" in html or "/items/?page=3&amp;q=QUESTION+3" in html


def test_a_search_that_finds_nothing_says_so(signed_in):
    page = signed_in.get(address_of(make_benchmark(items=3), "?q=elephant"))
    assert ordinals_of(page) == []
    assert "0 of 3 on this page fit." in text_of(page)


@pytest.mark.parametrize("query", ["?page=0", "?page=x", "?item=-1", "?q=" + "w" * 300])
def test_a_wrong_value_is_named_and_the_rest_is_shown(signed_in, query):
    page = signed_in.get(address_of(make_benchmark(items=3), query))
    assert page.status_code == 400
    assert ordinals_of(page) == [0, 1, 2]
    assert f"{query[1:].partition('=')[0]}: " in text_of(page)


def test_imported_results_have_no_conversations_and_the_page_says_why(signed_in):
    text = text_of(signed_in.get(address_of(make_benchmark(items=0))))
    assert "No conversation is pinned here" in text
    assert "Every replay computes it anew" not in text, "nothing is replayed, and no digest is computed"


def test_a_count_that_contradicts_the_benchmark_is_said(signed_in):
    text = text_of(signed_in.get(address_of(make_benchmark(items=3, item_count=12))))
    assert "The benchmark was pinned with 12 conversations, and the service lists 3." in text


def test_a_retired_benchmark_keeps_its_conversations(signed_in):
    page = signed_in.get(address_of(make_benchmark(items=2, status="retired")))
    assert ordinals_of(page) == [0, 1]
    assert "retired" in text_of(page)


def test_what_is_not_there_is_a_404(signed_in):
    benchmark = make_benchmark(items=3)
    make_long(benchmark, 1)
    theirs = make_benchmark("Theirs", items=3, workspace=make_workspace())
    for address in (
        "/benchmarks/nobody/items/",
        address_of(theirs),
        address_of(benchmark, "?item=3"),
        address_of(benchmark, "?item=1&turn=2"),
    ):
        assert signed_in.get(address).status_code == 404, address


def test_a_person_without_a_role_reads_nothing(client):
    benchmark = make_benchmark(items=1)
    assert client.get(address_of(benchmark)).status_code == 302
    client.force_login(make_person("nobody", None))
    assert client.get(address_of(benchmark)).status_code == 403
    assert client.get(address_of(benchmark, "?item=0&turn=0"), headers=HTMX).status_code == 403


def test_a_huge_turn_is_one_step_away(signed_in):
    benchmark = make_benchmark(items=2)
    text = make_long(benchmark, 0)
    html = signed_in.get(address_of(benchmark)).content.decode()
    assert "This is the beginning of 30,007 characters." in html
    assert len(html) < 20_000
    link = address_of(benchmark, "?item=0&turn=1")
    assert f'href="{link.replace("&", "&amp;")}"' in html
    page = signed_in.get(link)
    assert text in page.content.decode()
    assert "Turn 2 of 2" in text_of(page)
    assert "Turn before" in text_of(page)
    assert "Turn after" not in text_of(page)


def test_a_script_gets_the_whole_turn_without_the_page(signed_in):
    benchmark = make_benchmark(items=2)
    text = make_long(benchmark, 0)
    part = signed_in.get(address_of(benchmark, "?item=0&turn=1"), headers=HTMX).content.decode()
    assert text in part
    assert "<html" not in part
    assert part.count("<li") == 1


def test_one_conversation_has_a_page_of_its_own_that_leads_back_to_its_place(signed_in):
    benchmark = make_benchmark(items=45)
    page = signed_in.get(address_of(benchmark, "?item=41"))
    assert "Conversation 41 of Support answers" in text_of(page)
    assert "Question 41" in text_of(page)
    assert "Question 40" not in text_of(page)
    assert f'href="{address_of(benchmark, "?page=3#item-41")}"' in page.content.decode()


def test_hostile_conversations_stay_text(signed_in):
    hostile = '</script><script>alert(1)</script><div hx-post="/x" hx-trigger="load"></div>'
    benchmark = make_benchmark(f'"><svg onload=alert(1)>{hostile}', items=2)
    change_item(benchmark, 0, prompt=[{"role": hostile, "content": hostile}], tools=[{"name": hostile}])
    for query in ("", "?item=0", "?item=0&turn=0", "?q=%22%3E%3Csvg+onload%3Dalert(1)%3E"):
        html = signed_in.get(address_of(benchmark, query)).content.decode()
        assert "<script>alert" not in html
        assert "<svg onload" not in html
        assert "<div hx-post" not in html


class Remote:
    """A remote workspace that gives `most` rows at a time, from ordinal `start` on."""

    def __init__(self, count: int, *, most: int = 100, start: int = 0, **fields: Any) -> None:
        self.count, self.most, self.start, self.fields = count, most, start, fields
        self.away = False

    def __call__(self, request: Request) -> list[bytes]:
        if self.away:
            return reply(503)
        if not request.path.endswith("/items"):
            return reply_json({"benchmark": one_benchmark(item_count=self.count)})
        limit, offset = min(request.number("limit"), self.most), request.number("offset")
        rows = [
            {"id": n, "ordinal": self.start + n, "prompt": [{"role": "user", "content": f"Row {n}"}], **self.fields}
            for n in range(offset, min(offset + limit, self.count))
        ]
        return reply_json({"items": rows, "total": self.count})


def test_a_service_that_gives_fewer_than_it_was_asked_for_loses_no_row(signed_in, connect):
    connect(Remote(30, most=7))
    assert ordinals_of(signed_in.get("/benchmarks/bm_1/items/")) == list(range(20))
    assert ordinals_of(signed_in.get("/benchmarks/bm_1/items/?page=2")) == list(range(20, 30))


def test_a_service_that_counts_from_one_has_pages_for_its_rows_too(signed_in, connect):
    connect(Remote(20, start=1))
    page = signed_in.get("/benchmarks/bm_1/items/?item=20")
    assert "Row 19" in text_of(page)
    assert 'href="/benchmarks/bm_1/items/?page=1#item-20"' in page.content.decode()
    assert signed_in.get("/benchmarks/bm_1/items/?item=0").status_code == 404


def test_a_service_that_counts_rows_and_gives_none_is_named(signed_in, connect):
    connect(Remote(5, most=0))
    assert "The service counts 5 conversations and gave none of this page." in text_of(
        signed_in.get("/benchmarks/bm_1/items/")
    )


def test_what_was_read_last_is_shown_while_the_service_is_away(signed_in, connect):
    remote = Remote(3)
    connect(remote)
    assert signed_in.get("/benchmarks/bm_1/items/").status_code == 200
    remote.away = True
    page = signed_in.get("/benchmarks/bm_1/items/")
    assert page.status_code == 200
    assert ordinals_of(page) == [0, 1, 2]
    assert "This was read just now." in text_of(page) or "ago." in text_of(page)
    assert signed_in.get("/benchmarks/bm_1/items/?page=2").status_code == 503, "nothing of that page was read"


def test_numbers_beyond_all_measure_are_shown(signed_in, connect):
    connect(Remote(2, prompt=[{"role": "user", "content": {"weight": 10**30}}], tools=[10**30]))
    page = signed_in.get("/benchmarks/bm_1/items/")
    assert page.status_code == 200
    assert "weight" in text_of(page)


def test_a_source_that_is_a_page_is_a_link(signed_in, connect):
    connect(Remote(1, source_trace_id="trace_1", source_trace_url="https://traces.example/trace_1"))
    assert (
        '<a href="https://traces.example/trace_1" rel="noopener noreferrer">'
        in signed_in.get("/benchmarks/bm_1/items/").content.decode()
    )


@pytest.mark.parametrize("given", ["https://traces.example/a?b=c#d", "http://[::1]:8000/a"])
def test_a_web_page_may_be_followed(given):
    assert choose_link(given, local=False) == given


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "//other.example/a",
        "/\\other.example/a",
        "https:///a",
        "https://user@other.example/",
        "https://[",
        "relative/a",
        "/api/loop/traces/trace_1",
    ],
)
def test_anything_else_is_no_link(given):
    assert choose_link(given, local=True) == ""


def test_a_path_is_a_link_only_where_it_is_this_sites():
    assert choose_link("/traces/a", local=True) == "/traces/a"
    assert choose_link("/traces/a", local=False) == ""
