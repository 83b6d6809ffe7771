"""The record of a decision: what was seen is kept as it stood, and anybody can check that it still is."""

from __future__ import annotations

import hashlib
import io

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection

from dashboard.store.models import BenchmarkRun, Evaluation
from dashboard.web.common.written_once import Unchangeable
from dashboard.web.models import AuditEntry, DecisionRecord
from tests.web.pages import fill, text_of
from tests.web.runs.training.cases import client_of, make_case, url_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewer():
    return client_of("rita", "reviewer")


def decide(client, run, action="promote", **changes):
    return client.post(url_of(run, action), fill(client.get(url_of(run, action)), action, **changes), follow=True)


def verify() -> str:
    out = io.StringIO()
    call_command("verify_records", stdout=out)
    return out.getvalue()


def overwrite(**values: str) -> None:
    """Past Django, as only somebody in the database can."""
    with connection.cursor() as cursor:
        for column, value in values.items():
            cursor.execute(f"UPDATE web_decisionrecord SET {column} = %s", [value])


def test_it_works(reviewer):
    run = make_case(verdict="inconclusive")
    page = decide(reviewer, run, reason="The losses are typos.", force="on")
    record = DecisionRecord.objects.get()
    assert f'href="/records/{record.pk}/"' in page.content.decode()
    text = text_of(reviewer.get(f"/records/{record.pk}/"))
    for piece in (
        "Checked just now: it stands as it was kept.",
        "rita had run #1 promoted on",
        "The losses are typos.",
        "Forced yes",
        "Consent compared with revision 1",
        "State afterwards promoted",
        "Digest: the set that was replayed d1",
        f"SHA-256 of this record {record.digest}",
        "Nine rows are few.",
        "wins 5 losses 3 ties 1",
        "candidate 0.62 incumbent 0.58 delta +0.04",
        "support-next (v2)",
        "It awaits a decision until",
    ):
        assert piece in text, piece
    assert record.digest == hashlib.sha256(record.body.encode()).hexdigest()
    assert "1 decision record, each as it was kept." in verify()


def test_it_keeps_what_was_seen_whatever_the_service_says_later(reviewer):
    run = make_case()
    decide(reviewer, run)
    Evaluation.objects.all().delete()
    BenchmarkRun.objects.all().delete()
    text = text_of(reviewer.get(f"/records/{DecisionRecord.objects.get().pk}/"))
    assert "wins 5 losses 3 ties 1" in text
    assert "candidate 0.62 incumbent 0.58" in text


def test_nobody_changes_or_deletes_one(reviewer):
    decide(reviewer, make_case())
    record = DecisionRecord.objects.get()
    for change in (
        record.save,
        record.delete,
        lambda: DecisionRecord.objects.update(body=""),
        lambda: DecisionRecord.objects.all().delete(),
        lambda: DecisionRecord.objects.bulk_update([record], ["body"]),
        lambda: DecisionRecord.objects.bulk_create([record]),
    ):
        with pytest.raises(Unchangeable):
            change()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda body: {"body": body.replace("Mine.", "Ours!")}, "the text is not the one that the digest was taken of"),
        (lambda body: {"who_name": "otto"}, "the columns say something else than the text"),
        (lambda body: {"body": "not JSON"}, "the text cannot be read"),
    ],
)
def test_a_record_that_was_changed_in_the_database_is_found(reviewer, change, fault):
    decide(reviewer, make_case(), reason="Mine.")
    overwrite(**change(DecisionRecord.objects.get().body))
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 of 1 decision records are not what was kept"):
        call_command("verify_records", stdout=out)
    assert fault in out.getvalue()
    page = text_of(reviewer.get(f"/records/{DecisionRecord.objects.get().pk}/"))
    assert "This is not what was kept." in page
    assert fault[1:] in page


def test_a_record_that_was_changed_with_its_digest_is_given_away_by_the_audit_log(reviewer):
    decide(reviewer, make_case(), reason="Mine.")
    body = DecisionRecord.objects.get().body.replace("Mine.", "Ours!")
    overwrite(body=body, digest=hashlib.sha256(body.encode()).hexdigest())
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("verify_records", stdout=out)
    assert "the audit log does not name this digest" in out.getvalue()


def test_the_audit_log_leads_to_it(reviewer):
    run = make_case()
    decide(reviewer, run)
    record = DecisionRecord.objects.get()
    page = client_of("ada", "admin").get("/audit/").content.decode()
    assert f'href="/runs/{run.pk}/"' in page
    assert f'href="/records/{record.pk}/"' in page


def test_a_viewer_reads_it_and_an_unknown_one_is_not_there(reviewer):
    decide(reviewer, make_case())
    viewer = client_of("vera", "viewer")
    assert viewer.get(f"/records/{DecisionRecord.objects.get().pk}/").status_code == 200
    assert viewer.get("/records/rec_none/").status_code == 404


def test_a_decision_stands_where_its_record_cannot_be_kept(reviewer, monkeypatch):
    def fail(*args, **kwargs):
        raise DatabaseError("disk full")

    monkeypatch.setattr(DecisionRecord, "save", fail)
    run = make_case()
    assert "Run #1 is promoted. Its record could not be kept" in text_of(decide(reviewer, run))
    assert "its record could not be kept" in AuditEntry.objects.get().message


def test_no_record_is_said_in_words():
    assert "0 decision records, each as it was kept." in verify()
