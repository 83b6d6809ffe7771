"""Rules whose benchmark the service does not have, and rules whose benchmark nobody could look at."""

from __future__ import annotations

import time

import pytest

from tests.reads import end_pauses
from tests.sources.faulty_server import Request, reply, reply_json
from tests.web.conftest import one_benchmark
from tests.web.pages import text_of

pytestmark = pytest.mark.django_db


class Remote:
    """A workspace of two rules, one of whose benchmarks does not exist. `broken`: what fails, by a part of the path."""

    def __init__(self) -> None:
        self.broken = ""
        self.rules = [
            {"id": "rule_1", "name": "Nightly", "benchmark_id": "bm_1"},
            {"id": "rule_2", "name": "Weekly", "benchmark_id": "bm_gone"},
        ]

    def __call__(self, request: Request) -> list[bytes]:
        if self.broken and self.broken in request.path:
            return reply(500)
        parts = request.path.strip("/").split("/")[2:]
        if parts == ["benchmarks"]:
            return reply_json({"benchmarks": [one_benchmark()], "total": 1})
        if parts == ["benchmarks", "bm_1"]:
            return reply_json({"benchmark": one_benchmark()})
        if parts == ["training-rules"]:
            return reply_json({"rules": self.rules, "total": 2})
        if parts[0] == "training-rules":
            return reply_json({"rule": next(rule for rule in self.rules if rule["id"] == parts[1])})
        if parts == ["training-runs"]:
            return reply_json({"runs": [], "total": 0})
        return reply_json({"error": {"code": "NOT_FOUND", "message": "No."}}, 404)


def test_only_a_service_that_answers_can_say_that_it_has_none(signed_in, connect):
    remote = Remote()
    connect(remote)
    assert "missing: bm_gone" in text_of(signed_in.get("/rules/"))
    assert "bm_gone , which the service does not have" in text_of(signed_in.get("/rules/rule_2/"))


def test_a_list_that_could_not_be_read_is_no_list_without_it(signed_in, connect):
    remote = Remote()
    remote.broken = "/benchmarks"
    connect(remote)
    text = text_of(signed_in.get("/rules/"))
    assert "could not be read: bm_1" in text
    assert "could not be read: bm_gone" in text
    assert "missing" not in text


def test_an_old_list_cannot_say_that_there_is_none(signed_in, connect):
    remote = Remote()
    connect(remote)
    signed_in.get("/rules/")
    remote.broken = "/benchmarks"
    text = text_of(signed_in.get("/rules/"))
    assert "could not be read: bm_gone" in text
    assert "This was read less than a minute ago." in text
    assert "Remote" in text, "what it did say of the other is still shown, with its age"
    one = text_of(signed_in.get("/rules/rule_2/"))
    assert "It names the benchmark bm_gone , which could not be read." in one
    assert "which the service does not have" not in one


def test_the_attach_page_says_what_could_not_be_read(signed_in, connect):
    remote = Remote()
    connect(remote)
    assert "Names bm_gone , which the service does not have" in text_of(signed_in.get("/benchmarks/bm_1/attach/"))
    signed_in.get("/rules/")
    remote.broken = "/benchmarks"
    page = signed_in.get("/benchmarks/bm_1/attach/")
    assert "Names bm_gone , which could not be read" in text_of(page)


def test_a_page_waits_once_for_a_service_that_drips(signed_in, connect, monkeypatch):
    monkeypatch.setattr("dashboard.sources.reader.page.GRACE_S", 0.3)
    remote = Remote()
    server = connect(remote, timeout_s=1.0)

    def drip(request):
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"
        while not server.stopping.wait(0.05):
            yield b" "

    for address in ("/", "/rules/", "/rules/rule_1/", "/benchmarks/bm_1/", "/benchmarks/bm_1/items/"):
        server.answer = drip
        end_pauses()
        began = time.monotonic()
        assert signed_in.get(address).status_code == 503, address
        assert time.monotonic() - began < 2.5, address


def test_after_a_change_the_next_page_is_shown_nothing_older(signed_in, connect):
    remote = Remote()

    def answer(request):
        if request.method == "PUT":
            remote.rules[0] = remote.rules[0] | {"benchmark_id": None}
            remote.broken = "/training-rules"
            return reply_json({"rule": remote.rules[0]})
        return remote(request)

    connect(answer)
    assert "On every run it replays" in text_of(signed_in.get("/rules/rule_1/"))
    signed_in.post("/rules/rule_1/", {"go": "detach", "seen": "bm_1"})
    assert signed_in.get("/rules/rule_1/").status_code == 503, "what was before the change is not shown as what is"
