"""The page of a captured conversation, which the pinned copies and the picker lead to."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from dashboard.store.models import BenchmarkItem
from tests.factories import START, make_benchmark, make_trace, make_workspace
from tests.sources.faulty_server import Request, reply, reply_json
from tests.web.conftest import make_person
from tests.web.pages import text_of

pytestmark = pytest.mark.django_db
HOSTILE = '</script><script>alert(1)</script><div hx-post="/x" hx-trigger="load"></div>'


def test_it_says_where_it_comes_from_and_what_was_said(signed_in):
    make_trace(
        "Where is my order?",
        id="trace_1",
        source="support line",
        model="acme/base-7b",
        external_id="ticket-7",
        tools=[{"name": "find_order", "parameters": {"properties": {"id": {}}}}],
        metadata={"channel": "mail", "tags": ["late"]},
    )
    page = signed_in.get("/conversations/trace_1/")
    assert page.status_code == 200
    text = text_of(page)
    for said in (
        "Conversation trace_1",
        "Source support line",
        "Model acme/base-7b",
        f"Time {START:%Y-%m-%d %H:%M} UTC",
        "Id at its source ticket-7",
        '"channel": "mail"',
        "find_order (id?)",
        "user Where is my order? assistant On its way.",
    ):
        assert said in text


def test_what_is_absent_takes_no_place(signed_in):
    make_trace(id="trace_1", source="", metadata={})
    text = text_of(signed_in.get("/conversations/trace_1/"))
    assert "Source — Model" in text
    assert "Metadata" not in text
    assert "Id at its source" not in text


def test_a_deleted_one_says_that_the_pinned_copy_stays(signed_in):
    make_trace(id="theirs", workspace=make_workspace())
    for address in ("/conversations/gone/", "/conversations/theirs/", "/conversations/%252E/"):
        page = signed_in.get(address)
        assert page.status_code == 404
        assert "Source deleted, the pinned copy stays" in text_of(page)


def test_pinned_copies_lead_to_it_until_it_is_deleted(signed_in):
    trace = make_trace(id="a/b c")
    benchmark = make_benchmark(items=1)
    BenchmarkItem.objects.filter(benchmark=benchmark).update(source_trace=trace)
    link = "/conversations/a%252Fb%20c/"
    for query in ("", "?item=0"):
        assert f'href="{link}"' in signed_in.get(f"/benchmarks/{benchmark.id}/items/{query}").content.decode()
    assert signed_in.get(link).status_code == 200
    trace.delete()
    assert "/conversations/" not in signed_in.get(f"/benchmarks/{benchmark.id}/items/").content.decode()


def test_the_picker_leads_to_it(client):
    client.force_login(make_person("rita", "admin"))
    make_trace(id="trace_1")
    assert 'href="/conversations/trace_1/"' in client.get("/benchmarks/new/draft1/").content.decode()


def test_a_huge_turn_is_one_step_away(signed_in):
    text = "start " + "x" * 30_000 + "!"
    make_trace(id="trace_1", messages=[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": text}])
    html = signed_in.get("/conversations/trace_1/").content.decode()
    assert 'href="/conversations/trace_1/?turn=1"' in html
    assert text not in html
    page = signed_in.get("/conversations/trace_1/?turn=1")
    assert text in page.content.decode()
    assert "Turn 2 of 2" in text_of(page)
    part = signed_in.get("/conversations/trace_1/?turn=1", headers={"HX-Request": "true"}).content.decode()
    assert text in part
    assert "<html" not in part


@pytest.mark.parametrize(("turn", "status"), [("2", 404), ("-1", 400), ("x", 400)])
def test_a_turn_that_is_none_is_said(signed_in, turn, status):
    make_trace(id="trace_1")
    assert signed_in.get(f"/conversations/trace_1/?turn={turn}").status_code == status


def test_long_metadata_is_shown_from_its_beginning(signed_in):
    make_trace(id="trace_1", metadata={"note": "y" * 50_000})
    page = signed_in.get("/conversations/trace_1/")
    assert "the beginning of 50,012 characters" in text_of(page)
    assert len(page.content) < 40_000


def test_hostile_text_stays_text(signed_in):
    make_trace(
        id=HOSTILE[:64],
        source=HOSTILE,
        model=HOSTILE,
        external_id=HOSTILE,
        metadata={HOSTILE: "\u202e" + HOSTILE},
        messages=[{"role": HOSTILE, "content": HOSTILE}],
        tools=[{"name": HOSTILE}],
    )
    page = signed_in.get(f"/conversations/{quote(quote(HOSTILE[:64], safe=''), safe='')}/")
    assert page.status_code == 200
    html = page.content.decode()
    assert "<script>alert" not in html
    assert "<div hx-post" not in html
    assert "U+202E" in html


def test_a_person_without_a_role_reads_nothing(client):
    make_trace("A private question", id="trace_1")
    client.force_login(make_person("nobody", None))
    page = client.get("/conversations/trace_1/")
    assert page.status_code == 403
    assert b"A private question" not in page.content


class Remote:
    """A remote workspace with one conversation."""

    def __init__(self, **fields: Any) -> None:
        self.trace = {"id": "trace_1", "messages": [{"role": "user", "content": "Hello"}]} | fields
        self.away = False

    def __call__(self, request: Request) -> list[bytes]:
        return reply(503) if self.away else reply_json({"trace": self.trace})


@pytest.mark.parametrize(
    "completion", ["An answer kept apart", {"role": "assistant", "content": "An answer kept apart"}]
)
def test_an_answer_kept_apart_is_the_last_turn(signed_in, connect, completion):
    connect(Remote(completion=completion))
    assert "user Hello assistant An answer kept apart" in text_of(signed_in.get("/conversations/trace_1/"))
    assert "An answer kept apart" in text_of(signed_in.get("/conversations/trace_1/?turn=1"))


def test_what_was_read_last_is_shown_while_the_service_is_away(signed_in, connect):
    remote = Remote()
    connect(remote)
    assert signed_in.get("/conversations/trace_1/").status_code == 200
    remote.away = True
    page = signed_in.get("/conversations/trace_1/")
    assert page.status_code == 200
    assert "user Hello" in text_of(page)
    assert "This was read " in text_of(page)
    assert signed_in.get("/conversations/trace_2/").status_code == 503
