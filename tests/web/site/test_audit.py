"""The audit log: one entry for each write that was tried, and nobody changes it."""

from __future__ import annotations

import logging

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, transaction
from django.http import Http404
from django.test import RequestFactory

from dashboard.sources.http.errors import NotFound, OutcomeUnknown, Refused, TimedOut, Unreachable
from dashboard.web.common.refusals import Refusal
from dashboard.web.models import AuditEntry, Unchangeable
from dashboard.web.site import access, errors
from dashboard.web.site.audit import log as audit

pytestmark = pytest.mark.django_db


@pytest.fixture
def request_of(person):
    request = RequestFactory().post("/benchmarks/bm_1/retire/")
    request.user, request.htmx, request.session = person, False, {}
    return request


def only_entry() -> AuditEntry:
    return AuditEntry.objects.get()


def test_it_works(request_of, person):
    with audit.record(request_of, action="retire", target_kind="benchmark", target_name="Chats") as entry:
        entry.target_id = "bm_1"
    found = only_entry()
    assert (found.who_id, found.who_name, found.action) == (person.pk, "ada", "retire")
    assert (found.target_kind, found.target_id, found.target_name) == ("benchmark", "bm_1", "Chats")
    assert (found.outcome, found.code, found.message) == ("done", "", "")
    assert str(found) == "ada: retire benchmark Chats, done"


@pytest.mark.parametrize(
    ("error", "outcome", "code", "message"),
    [
        (Refused("It is retired.", code="BENCHMARK_RETIRED"), "refused", "BENCHMARK_RETIRED", "It is retired."),
        (NotFound("There is none."), "refused", "NotFound", "There is none."),
        (Refusal("LAST_ADMIN", "Nobody would be left."), "refused", "LAST_ADMIN", "Nobody would be left."),
        (access.NotAllowed("retire"), "refused", "NOT_ALLOWED", "retiring benchmarks needs the role member"),
        (PermissionDenied("no"), "refused", "PermissionDenied", "no"),
        (Http404("gone"), "refused", "Http404", "gone"),
        (OutcomeUnknown("No answer came."), "unknown", "OutcomeUnknown", "No answer came."),
        (Unreachable("No connection."), "failed", "Unreachable", "No connection."),
        (TimedOut("Too slow."), "failed", "TimedOut", "Too slow."),
        (ValueError("a secret"), "failed", "ValueError", ""),
        (KeyboardInterrupt(), "failed", "KeyboardInterrupt", ""),
    ],
)
def test_the_entry_says_what_came_of_it_and_the_error_goes_on(request_of, error, outcome, code, message):
    with pytest.raises(type(error)), audit.record(request_of, action="retire"):
        raise error
    found = only_entry()
    assert (found.outcome, found.code, found.message) == (outcome, code, message)


@pytest.mark.django_db(transaction=True)
def test_an_entry_outlives_the_transaction_that_failed(request_of, person):
    def rename_and_fail():
        with audit.record(request_of, action="retire"), transaction.atomic():
            person.username = "changed"
            person.save()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rename_and_fail()
    person.refresh_from_db()
    assert person.username == "ada"
    assert only_entry().outcome == "failed"


def test_an_entry_inside_a_transaction_is_a_mistake_that_shows(request_of):
    with pytest.raises(RuntimeError), transaction.atomic(), audit.record(request_of, action="retire"):
        pass


def test_an_entry_outlives_its_person(request_of, person):
    with audit.record(request_of, action="retire"):
        pass
    number = person.pk
    person.delete()
    assert (only_entry().who_id, only_entry().who_name) == (number, "ada")


def test_what_is_too_long_is_cut_and_nul_is_dropped(request_of):
    with audit.record(request_of, action="retire", target_name="a\0" + "é" * 500):
        pass
    assert only_entry().target_name == "a" + "é" * 399


def test_a_command_and_a_stranger_have_names_too(request_of):
    with audit.record(None, action="add_person", who=audit.COMMAND_LINE):
        pass
    request_of.user = AnonymousUser()
    with audit.record(request_of, action="retire"):
        pass
    names = AuditEntry.objects.order_by("id").values_list("who_id", "who_name")
    assert list(names) == [(None, "command line"), (None, "somebody not signed in")]


def test_what_the_database_does_not_take_is_logged_whole_and_stops_nothing(request_of, monkeypatch, caplog):
    def refuse(*args, **kwargs):
        raise DatabaseError("disk full")

    monkeypatch.setattr(AuditEntry, "save", refuse)
    with caplog.at_level(logging.ERROR), audit.record(request_of, action="retire", target_id="bm_1"):
        pass
    assert "bm_1" in caplog.text
    assert "ada" in caplog.text


def test_nobody_changes_or_deletes_an_entry(request_of):
    with audit.record(request_of, action="retire"):
        pass
    found = only_entry()
    found.action = "nothing"
    for change in (
        found.save,
        found.delete,
        AuditEntry.objects.all().delete,
        lambda: AuditEntry.objects.update(action="nothing"),
        lambda: AuditEntry.objects.bulk_update([found], ["action"]),
        lambda: AuditEntry.objects.bulk_create([AuditEntry()]),
        AuditEntry._base_manager.all().delete,
        lambda: AuditEntry._base_manager.update(action="nothing"),
        lambda: AuditEntry.objects.update_or_create(pk=found.pk, defaults={"action": "nothing"}),
    ):
        with pytest.raises(Unchangeable):
            change()
    assert only_entry().action == "retire"


def test_a_write_that_was_not_allowed_is_written_down_once(request_of):
    error = access.NotAllowed("retire")
    assert errors.forbidden(request_of, error).status_code == 403
    assert (only_entry().outcome, only_entry().target_id) == ("refused", "/benchmarks/bm_1/retire/")
    with pytest.raises(access.NotAllowed) as raised, audit.record(request_of, action="retire", target_id="bm_1"):
        access.check(request_of.user, "retire")
    errors.forbidden(request_of, raised.value)
    assert AuditEntry.objects.count() == 2
