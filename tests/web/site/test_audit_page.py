"""The audit log's page and files, for admins."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db.models import QuerySet
from django.urls import get_resolver

from dashboard.web.models import AuditEntry
from dashboard.web.site.audit.present import show_cell

pytestmark = pytest.mark.django_db

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def add_entry(number: int = 0, **fields: object) -> None:
    given = {"at": START + timedelta(hours=number), "who_id": 7, "who_name": "ada", "action": "retire"}
    given |= {"target_kind": "benchmark", "target_id": f"bm_{number}", "target_name": f"Chats {number}"}
    AuditEntry(**given | {"outcome": "done", "request_id": f"req-{number}"} | fields).save()


def targets_on(page) -> list[str]:
    return [row["entry"].target_id for row in page.context["rows"]]


def read_file(answer) -> str:
    return b"".join(answer.streaming_content).decode()


def test_it_works(signed_in):
    add_entry(1)
    add_entry(2, outcome="refused", code="BENCHMARK_RETIRED", message="It is retired.")
    page = signed_in.get("/audit/")
    assert targets_on(page) == ["bm_2", "bm_1"]
    for text in (b"2026-03-01 13:00 UTC", b"BENCHMARK_RETIRED", b"It is retired.", b"req-2", b">Chats 1</bdi>"):
        assert text in page.content


def test_an_empty_log_says_what_will_come(signed_in):
    page = signed_in.get("/audit/").content
    assert b"Nothing was changed yet" in page
    assert b"Download" not in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("who=BO", ["bm_3"]),
        ("action=create", ["bm_2"]),
        ("outcome=unknown", ["bm_2"]),
        ("target=chats+1", ["bm_1"]),
        ("target=bm_3", ["bm_3"]),
        ("target=rule", ["bm_3"]),
        ("from=2026-03-02", ["bm_30"]),
        ("to=2026-03-01", ["bm_1", "bm_2", "bm_3"]),
        ("from=2026-03-01&to=2026-03-01&who=ada&outcome=done", ["bm_1"]),
        ("who=nobody", []),
    ],
)
def test_each_filter_chooses_and_the_files_hold_the_same(signed_in, query, found):
    add_entry(1)
    add_entry(2, action="create", outcome="unknown")
    add_entry(3, who_name="bob", target_kind="rule")
    add_entry(30)
    assert sorted(targets_on(signed_in.get(f"/audit/?{query}"))) == found
    lines = read_file(signed_in.get(f"/audit/export.jsonl?{query}")).splitlines()
    assert sorted(json.loads(line)["target_id"] for line in lines) == found


def test_a_filter_that_finds_nothing_says_so(signed_in):
    assert b"No entry fits these filters" in signed_in.get("/audit/?who=nobody").content


@pytest.mark.parametrize(
    "query", ["from=yesterday", "from=2026-03-02&to=2026-03-01", "outcome=perhaps", "action=x", "page=0"]
)
def test_a_wrong_value_is_named_and_no_file_comes_of_it(signed_in, query):
    page = signed_in.get(f"/audit/?{query}")
    assert page.status_code == 400
    assert query.partition("=")[0].encode() + b":" in page.content
    assert signed_in.get(f"/audit/export.csv?{query}").status_code == 400


def test_the_csv_is_whole_and_no_spreadsheet_runs_it(signed_in):
    add_entry(1, target_name='=HYPERLINK("https://evil.example")', message='two\nlines, "quoted"', who_id=None)
    answer = signed_in.get("/audit/export.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"].startswith('attachment; filename="audit-')
    heading, row = csv.reader(io.StringIO(read_file(answer), newline=""))
    found = dict(zip(heading, row, strict=True))
    assert found["target_name"] == '\'=HYPERLINK("https://evil.example")'
    assert found["message"] == 'two\nlines, "quoted"'
    assert (found["at"], found["who"], found["who_id"]) == ("2026-03-01T13:00:00+00:00", "ada", "")


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_each_start_of_a_formula_is_disarmed(first):
    assert show_cell(f"{first}1") == f"'{first}1"
    assert show_cell(-1) == -1
    assert show_cell("plain") == "plain"


def test_ten_thousand_entries_are_paged_and_exported_with_as_many_queries(signed_in, django_assert_max_num_queries):
    for number in range(3):
        add_entry(number)
    first = AuditEntry.objects.values().first()
    del first["id"]
    copies = [AuditEntry(**first) for _ in range(10_000)]
    QuerySet(AuditEntry).bulk_create(copies)
    with django_assert_max_num_queries(10):
        page = signed_in.get("/audit/?page=201")
    assert "10001–10003 of 10003" in page.content.decode()
    assert targets_on(page) == ["bm_2", "bm_1", "bm_0"]
    with django_assert_max_num_queries(4):
        assert read_file(signed_in.get("/audit/export.csv")).count("\r\n") == 10_004


def test_names_from_outside_are_only_text(signed_in):
    add_entry(1, target_name="<script>alert(1)</script>", who_name="\u202eevil")
    page = signed_in.get("/audit/").content.decode()
    assert "<script>alert" not in page
    assert "<bdi>\u202eevil</bdi>" in page


def test_no_route_changes_it(signed_in):
    add_entry(1)
    for method in ("post", "put", "patch", "delete"):
        for path in ("/audit/", "/audit/export.csv"):
            assert getattr(signed_in, method)(path).status_code == 405
    routes = [
        str(one.pattern) for one in get_resolver("dashboard.web.urls").url_patterns if "audit" in str(one.pattern)
    ]
    assert len(routes) == 2
    assert AuditEntry.objects.count() == 1
