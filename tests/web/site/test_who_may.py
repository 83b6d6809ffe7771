"""Every address, for every role, asked for as a page and by a script: the door is shut, not only the button hidden."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.test import Client
from django.urls import get_resolver

from dashboard.store.models import Benchmark, Judge, Rule, TrainingRun
from dashboard.web.models import AuditEntry, Draft, Grouping
from dashboard.web.site import access
from dashboard.web.site.access import ROLES
from tests.factories import (
    make_benchmark,
    make_replay,
    make_rule,
    make_run,
    make_runloop_benchmark,
    make_runloop_run,
    make_trace,
)
from tests.web.conftest import make_person

pytestmark = pytest.mark.django_db

READS = {
    "overview": ("/", "read"),
    "rows": ("/rows/?id=bm_1", "read"),
    "trend": ("/benchmarks/{benchmark}/", "read"),
    "trend-region": ("/benchmarks/{benchmark}/region/", "read"),
    "trend-figure": ("/benchmarks/{benchmark}/figure.json", "read"),
    "items": ("/benchmarks/{benchmark}/items/", "read"),
    "retire": ("/benchmarks/{benchmark}/retire/", "retire"),
    "attach": ("/benchmarks/{benchmark}/attach/", "read"),
    "successor": ("/benchmarks/{benchmark}/successor/", "create"),
    "new-benchmark": ("/benchmarks/new/", "create"),
    "new-benchmark-draft": ("/benchmarks/new/abc/", "create"),
    "review": ("/benchmarks/new/abc/review/", "create"),
    "new-judge": ("/judges/new/", "create"),
    "new-judge-draft": ("/judges/new/abc/", "create"),
    "grid": ("/benchmarks/{benchmark}/grid/", "read"),
    "grid-item": ("/benchmarks/{benchmark}/grid/0/", "read"),
    "replay": ("/replays/{replay}/", "read"),
    "replay-rows": ("/replays/{replay}/rows/", "read"),
    "compare": ("/compare/?a={replay}&b={replay}", "read"),
    "conversation": ("/conversations/{conversation}/", "read"),
    "rules": ("/rules/", "read"),
    "rule": ("/rules/{rule}/", "read"),
    "run-trend": ("/runloop/benchmarks/{runs}/", "read"),
    "run-trend-region": ("/runloop/benchmarks/{runs}/region/", "read"),
    "run-trend-figure": ("/runloop/benchmarks/{runs}/figure.json", "read"),
    "run": ("/runloop/runs/{run}/", "read"),
    "run-environment": ("/runloop/runs/{run}/environment/", "read"),
    "runs": ("/runs/", "read"),
    "training-run": ("/runs/{training}/", "read"),
    "run-answers": ("/runs/{training}/answers/", "read"),
    "decide": ("/runs/{training}/decide/reject/", "decide"),
    "record": ("/records/rec_1/", "read"),
    "people": ("/people/", "manage_people"),
    "person-role": ("/people/{person}/role/", "manage_people"),
    "person-active": ("/people/{person}/active/", "manage_people"),
    "person-link": ("/people/{person}/link/", "manage_people"),
    "audit": ("/audit/", "read_audit"),
    "audit-export": ("/audit/export.csv", "read_audit"),
}
"""Route name -> an address of it, and the action that it is."""
WRITES = {
    "retire": ("/benchmarks/{benchmark}/retire/", {}, "retire"),
    "attach": ("/benchmarks/{benchmark}/attach/", {"rule": "{rule}", "go": "attach", "seen": ""}, "attach"),
    "rule": ("/rules/{rule}/", {"benchmark": "{benchmark}", "go": "attach", "seen": ""}, "attach"),
    "decide": ("/runs/{training}/decide/reject/", {"go": "reject"}, "decide"),
    "people": ("/people/", {"name": "mallory", "role": "admin"}, "manage_people"),
    "person-role": ("/people/{person}/role/", {"role": "admin"}, "manage_people"),
    "person-active": ("/people/{person}/active/", {"active": "no"}, "manage_people"),
    "person-link": ("/people/{person}/link/", {}, "manage_people"),
    "run-environment": ("/runloop/runs/{run}/environment/", {}, "see_environment"),
    "new-judge-draft": (
        "/judges/new/abc/",
        {"name": "Strict", "instructions": "Be strict.", "key": "helpful", "description": "", "go": "write"},
        "create",
    ),
}
"""Route name -> an address, what is sent there, and the action that it is."""
DRAFTS = {
    "successor": ("/benchmarks/{benchmark}/successor/", {}, "create"),
    "new-benchmark-draft": ("/benchmarks/new/abc/", {"name": "Mine", "go": "search"}, "create"),
    "review": ("/benchmarks/new/abc/review/", {"seen": "", "go": "freeze"}, "create"),
    "run-trend": ("/runloop/benchmarks/{runs}/", {"group": "model"}, "read"),
}
"""Likewise, where whoever may leaves no more than a draft or grouping of their own: the audit log does not know it."""
FOR_EVERYBODY = {"sign-in", "sign-in-link", "sign-out", "password", "healthz", "readyz"}
SCRIPT = {"HX-Request": "true", "HX-Current-URL": "http://testserver/"}
ASKED = [(role, script) for role in [None, *ROLES] for script in (False, True)]


@pytest.fixture
def names(db) -> dict[str, object]:
    person = make_person("victim", "viewer")
    runs = make_runloop_benchmark("Private")
    benchmark = make_benchmark(name="Private")
    return {
        "benchmark": benchmark.pk,
        "replay": make_replay(benchmark).pk,
        "conversation": make_trace("Private").pk,
        "rule": make_rule("Private").pk,
        "person": person.pk,
        "training": make_run(rule_name="Private").pk,
        "runs": runs.pk,
        "run": make_runloop_run(runs, environment_variables={"TOKEN": "Private"}).pk,
    }


def look() -> object:
    """Everything that one of WRITES or DRAFTS could change."""
    people = User.objects.order_by("pk").values_list("pk", "username", "is_active", "groups__name")
    drafts, judges = list(Draft.objects.values("pk", "body", "state")), list(Judge.objects.values_list("pk"))
    benchmarks, rules = list(Benchmark.objects.values_list("status")), list(Rule.objects.values_list("benchmark"))
    runs = list(TrainingRun.objects.values_list("state"))
    return list(people), benchmarks, rules, drafts, judges, runs, list(Grouping.objects.values())


def client_of(role: str | None) -> Client:
    client = Client()
    client.force_login(make_person("ada", role))
    return client


def allowed(role: str | None, action: str) -> bool:
    return role is not None and ROLES.index(role) >= ROLES.index(access.NEEDED_ROLE[action])


def test_every_route_says_here_who_may():
    routes = {one.name for one in get_resolver("dashboard.web.urls").url_patterns} - {None}
    assert routes == {*READS, *WRITES, *DRAFTS, *FOR_EVERYBODY}


def test_every_address_that_takes_a_form_is_among_the_writes(names):
    client = client_of("admin")
    takes = {name for name, (address, _) in READS.items() if client.post(address.format(**names)).status_code != 405}
    assert takes == {*WRITES, *DRAFTS}


@pytest.mark.parametrize(("role", "script"), ASKED)
def test_reading(names, role, script):
    client = client_of(role)
    found, wanted = {}, {}
    for name, (address, action) in READS.items():
        answer = client.get(address.format(**names), headers=SCRIPT if script else {})
        found[name] = answer.status_code != 403
        wanted[name] = allowed(role, action)
        assert wanted[name] or b"Private" not in answer.content
    assert found == wanted


@pytest.mark.parametrize(("role", "script"), ASKED)
def test_writing(names, role, script):
    client = client_of(role)
    for name, (address, data, action) in (WRITES | DRAFTS).items():
        QuerySet(AuditEntry).delete()
        before = look()
        data = {name: value.format(**names) for name, value in data.items()}
        answer = client.post(address.format(**names), data, headers=SCRIPT if script else {})
        if allowed(role, action):
            assert answer.status_code != 403
            assert AuditEntry.objects.count() == (name in WRITES)
            continue
        assert answer.status_code == 403
        assert look() == before
        entry = AuditEntry.objects.get()
        assert (entry.who_name, entry.outcome, entry.code) == ("ada", "refused", "NOT_ALLOWED")


@pytest.mark.parametrize("script", [False, True])
def test_a_stranger_is_sent_to_sign_in_from_everywhere(names, script):
    client = Client()
    for address, *_ in [*READS.values(), *WRITES.values(), *DRAFTS.values(), ("/account/password/",)]:
        for method in (client.get, client.post):
            answer = method(address.format(**names), headers=SCRIPT if script else {})
            assert answer.status_code == (401 if script else 302), address
            assert answer.headers["HX-Redirect" if script else "Location"].startswith("/sign-in/")


@pytest.mark.parametrize("role", ROLES)
def test_no_session_opens_the_api(names, role):
    client = client_of(role)
    assert client.get(f"/api/loop/benchmarks/{names['benchmark']}/history").status_code == 401
    assert client.post("/api/loop/benchmarks", {"name": "x"}, "application/json").status_code == 401


@pytest.mark.parametrize(("role", "shown"), [("viewer", False), ("reviewer", False), ("admin", True)])
def test_only_admins_see_the_way_to_what_only_they_may(names, role, shown):
    page = client_of(role).get("/").content
    assert (b'href="/people/"' in page) == shown
    assert (b'href="/audit/"' in page) == shown


def test_after_sign_out_no_cache_and_no_back_button_shows_anything(names):
    client = client_of("admin")
    for address, _ in READS.values():
        assert "no-store" in client.get(address.format(**names)).headers["Cache-Control"]
    client.post("/sign-out/")
    for address, _ in READS.values():
        assert client.get(address.format(**names)).status_code == 302
