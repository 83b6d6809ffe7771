"""What the page tests share: a person with a password, a remote workspace behind a real HTTP server, a filled form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from dashboard.sources.connect import _connect as make_connection
from dashboard.sources.connect import _connect_runloop as make_runloop_connection
from dashboard.sources.connect import get_loop, get_runloop
from dashboard.sources.http import transport
from dashboard.sources.http.transport import Transport
from tests.factories import make_judge, make_trace
from tests.sources.faulty_server import FaultyServer, Request, reply_json, serve
from tests.web.pages import fill

Connect = Callable[..., FaultyServer]


@pytest.fixture
def person(db) -> User:
    """A viewer who has a password."""
    return make_person("ada", "viewer")


def make_person(name: str, role: str | None, **fields: Any) -> User:
    """An account with this role, None for none."""
    user = User.objects.create_user(name, password="correct horse", **fields)
    if role:
        user.groups.add(Group.objects.get_or_create(name=role)[0])
    return user


@pytest.fixture
def connect(settings, monkeypatch) -> Iterator[Connect]:
    """connect(answer) makes the dashboard read a remote workspace that answers so."""
    monkeypatch.setattr(transport, "FIRST_DELAY_S", 0.01)
    with ExitStack() as stack:

        def close(transport: Transport) -> None:
            transport.close()
            make_connection.cache_clear()

        def connect(answer: Callable[[Request], Any], *, timeout_s: float = 2.0) -> FaultyServer:
            server = stack.enter_context(serve(answer))
            settings.RUNBIOS_BASE_URL = server.url
            settings.RUNBIOS_API_KEY = "rb_key_nobody_may_see"
            settings.RUNBIOS_TIMEOUT_S = timeout_s
            stack.callback(close, get_loop()._transport)
            return server

        yield connect


@pytest.fixture
def connect_runloop(settings, monkeypatch) -> Iterator[Connect]:
    """Likewise a remote Runloop."""
    monkeypatch.setattr(transport, "FIRST_DELAY_S", 0.01)
    with ExitStack() as stack:

        def close(transport: Transport) -> None:
            transport.close()
            make_runloop_connection.cache_clear()

        def connect(answer: Callable[[Request], Any], *, timeout_s: float = 2.0) -> FaultyServer:
            server = stack.enter_context(serve(answer))
            settings.RUNLOOP_BASE_URL = server.url
            settings.RUNLOOP_API_KEY = "ak_nobody_may_see"
            settings.RUNLOOP_TIMEOUT_S = timeout_s
            stack.callback(close, get_runloop()._transport)
            return server

        yield connect


def one_benchmark(**fields: Any) -> dict[str, Any]:
    return {"id": "bm_1", "name": "Remote", "status": "active", "items_digest": "d1", "item_count": 12} | fields


def one_point(number: int, **fields: Any) -> dict[str, Any]:
    """A scored point of the wire, an hour after the one before it."""
    return {
        "benchmark_run_id": f"brun_{number}",
        "run_id": f"run_{number}",
        "rule_id": "rule_1",
        "rule_name": "Nightly",
        "checkpoint_id": f"step-{number}",
        "created_at": f"2026-01-{1 + number // 24:02d}T{number % 24:02d}:00:00Z",
        "status": "done",
        "candidate_score": 0.6,
        "incumbent_score": 0.5,
        "score_delta": 0.1,
    } | fields


class Workspace:
    """The remote workspace's answers: a list of benchmarks, and a history for each id."""

    def __init__(self, benchmarks: list[dict[str, Any]], histories: dict[str, list[dict[str, Any]]]) -> None:
        self.benchmarks = benchmarks
        self.histories = histories

    def __call__(self, request: Request) -> list[bytes]:
        parts = [unquote(part) for part in request.path.strip("/").split("/")][2:]
        if parts == ["benchmarks"]:
            return reply_json({"benchmarks": self.benchmarks, "total": len(self.benchmarks)})
        if parts[0] in ("training-rules", "training-runs"):
            return reply_json({parts[0].removeprefix("training-"): [], "total": 0})
        if parts[-1] == "history":
            points = list(reversed(self.histories.get(parts[1], [])))
            return reply_json({"benchmark_id": parts[1], "points": points, "total": len(points)})
        found = [one for one in self.benchmarks if one["id"] == parts[1]]
        if not found:
            return reply_json({"error": {"code": "NOT_FOUND", "message": "No such benchmark."}}, 404)
        return reply_json({"benchmark": found[0]})


def one_run(number: int, **fields: Any) -> dict[str, Any]:
    """A completed run of Runloop's wire, an hour after the one before it."""
    return {
        "id": f"bmr_{number}",
        "name": f"run {number}",
        "state": "completed",
        "score": 0.5,
        "start_time_ms": 1_767_603_600_000 + number * 3_600_000,
        "duration_ms": 60_000,
        "metadata": {"model": "a", "checkpoint": f"step-{number}"},
    } | fields


class RunloopWorkspace:
    """A remote Runloop's answers: benchmarks, the runs of each, and the scenario runs of any."""

    def __init__(
        self,
        benchmarks: list[dict[str, Any]],
        runs: dict[str, list[dict[str, Any]]],
        scenarios: dict[str, list[dict[str, Any]]] | None = None,
    ) -> None:
        self.benchmarks = benchmarks
        self.runs = {owner: [{"benchmark_id": owner} | run for run in runs[owner]] for owner in runs}
        self.scenarios = scenarios or {}

    def __call__(self, request: Request) -> list[bytes]:
        parts = [unquote(part) for part in request.path.strip("/").split("/")][1:]
        query = parse_qs(urlsplit(request.target).query)
        if parts == ["benchmarks"]:
            return self.page("benchmarks", self.benchmarks)
        if parts == ["benchmark_runs"]:
            found = self.runs.get(query["benchmark_id"][0], [])[::-1]
            return self.page("runs", found[: int(query["limit"][0])], len(found))
        if parts[-1] == "scenario_runs":
            return self.page("runs", self.scenarios.get(parts[1], []))
        everything = (
            self.benchmarks if parts[0] == "benchmarks" else [run for runs in self.runs.values() for run in runs]
        )
        found = [one for one in everything if one["id"] == parts[1]]
        return reply_json(found[0]) if found else reply_json({"message": "There is none."}, 404)

    def page(self, name: str, entries: list[dict[str, Any]], total: int | None = None) -> list[bytes]:
        total = len(entries) if total is None else total
        left = total - len(entries)
        return reply_json({name: entries, "has_more": left > 0, "remaining_count": left, "total_count": total})


def figure_of(answer: Any) -> dict[str, Any]:
    """The figure, read as strictly as a browser does: NaN and Infinity are no JSON."""

    def refuse(text: str) -> None:
        raise AssertionError(f"{text} is no JSON")

    return json.loads(answer.content, parse_constant=refuse)


def make_traces(count: int, **fields: Any) -> list[str]:
    """The ids of new conversations, the newest first."""
    return [make_trace(f"Question {n}", id=f"tr_{n:03d}", **fields).pk for n in range(count)][::-1]


def open_form(client: Client) -> tuple[Any, str]:
    """The page of a new form, and its address."""
    page = client.get("/benchmarks/new/", follow=True)
    return page, page.request["PATH_INFO"]


@pytest.fixture
def ready(signed_in: Client) -> str:
    """A form with everything filled in but the conversations, of which 12 exist; and its address."""
    make_traces(12)
    judge = make_judge()
    page, url = open_form(signed_in)
    filled = fill(page, "look", name="Support answers", judge=judge.pk, cap="4.50") | {"go": "keep"}
    assert signed_in.post(url, filled).status_code == 204
    return url
