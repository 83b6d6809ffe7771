"""Deciding about a run: what it would do is said, it is sent once, and what stands is told."""

from __future__ import annotations

import pytest

from dashboard.store.models import Rule, TrainingRun
from dashboard.web.models import AuditEntry, DecisionRecord
from tests.factories import CANDIDATE, make_rule
from tests.web.pages import fill, text_of
from tests.web.runs.training.cases import client_of, make_case, url_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewer():
    return client_of("rita", "reviewer")


def send(client, run, action, **changes):
    return client.post(url_of(run, action), fill(client.get(url_of(run, action)), action, **changes), follow=True)


def test_promoting_says_what_is_replaced_by_what_and_does_it(reviewer):
    run = make_case()
    page = text_of(reviewer.get(url_of(run, "promote")))
    assert (
        "support-next (v2) answers from then on in place of support , which serves now for the rule Nightly ." in page
    )
    assert "It is sent with revision 1" in page
    assert "Nine rows are few." in page, "the evidence stands below"
    done = send(reviewer, run, "promote", reason="Lost rows read.")
    assert "Run #1 is promoted." in text_of(done)
    assert "Promoted by rita" in text_of(done)
    assert "It can be rolled back until" in text_of(done)
    run.refresh_from_db()
    assert (run.state, run.decided_by) == ("promoted", "rita")
    assert Rule.objects.get().serving["name"] == CANDIDATE["name"]
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.outcome, entry.target_id) == ("promote", "done", run.pk)
    assert "support-next (v2) in place of support (v1)" in entry.message
    assert "reason: Lost rows read." in entry.message


def test_rejecting_tells_the_service_why(reviewer):
    run = make_case()
    assert "Run #1 is rejected." in text_of(send(reviewer, run, "reject", reason="Loses on refunds."))
    run.refresh_from_db()
    assert (run.state, run.last_reason) == ("rejected", "Loses on refunds.")


def test_a_promotion_is_rolled_back(reviewer):
    run = make_case()
    send(reviewer, run, "promote")
    assert "It can be done until" in text_of(reviewer.get(url_of(run, "rollback")))
    assert "Run #1 is rolled back." in text_of(send(reviewer, run, "rollback"))
    assert Rule.objects.get().serving["name"] == "support"
    assert [record.action for record in DecisionRecord.objects.order_by("at")] == ["promote", "rollback"]


def test_a_run_that_still_moves_is_cancelled(reviewer):
    run = make_case(state="evaluating")
    assert "What was paid for stays paid." in text_of(reviewer.get(url_of(run, "cancel")))
    assert "Run #1 is cancelled." in text_of(send(reviewer, run, "cancel"))


def test_an_inconclusive_one_is_promoted_only_with_force(reviewer):
    run = make_case(verdict="inconclusive")
    refused = send(reviewer, run, "promote", reason="Long enough.")
    assert refused.status_code == 409
    text = text_of(refused)
    assert "The paired verdict of run 1 is inconclusive: promoting it takes force." in text
    assert "Long enough." in text, "what was typed stays"
    assert "Run #1 is promoted." in text_of(
        reviewer.post(url_of(run, "promote"), fill(refused, "promote", force="on"), follow=True)
    )
    assert "forced" in AuditEntry.objects.order_by("-id")[0].message


def test_a_sure_verdict_asks_for_no_force(reviewer):
    assert b'name="force"' not in reviewer.get(url_of(make_case(), "promote")).content


def test_a_consent_that_moved_is_refused_in_the_services_words(reviewer):
    run = make_case()
    sent = fill(reviewer.get(url_of(run, "promote")), "promote", reason="Ready.")
    Rule.objects.update(accepted_revision=7)
    refused = reviewer.post(url_of(run, "promote"), sent)
    assert refused.status_code == 409
    assert "The rule's accepted revision is 7, not 1: its terms changed." in text_of(refused)
    assert "It is sent with revision 7" in text_of(refused), "the page read its facts again"
    assert "Ready." in text_of(refused)
    assert TrainingRun.objects.get().state == "awaiting_review"


def test_evidence_that_moved_is_refused_before_anything_is_sent(reviewer):
    run = make_case()
    sent = fill(reviewer.get(url_of(run, "promote")), "promote")
    run.evaluation.body |= {"losses": 4}
    run.evaluation.save()
    refused = reviewer.post(url_of(run, "promote"), sent)
    assert refused.status_code == 409
    assert "What bears on this decision changed after this page was opened." in text_of(refused)
    assert "losses 4" in text_of(refused)
    assert AuditEntry.objects.get().code == "STALE_FORM"
    assert not DecisionRecord.objects.exists()


def test_costs_that_grow_do_not_stand_in_the_way(reviewer):
    run = make_case()
    sent = fill(reviewer.get(url_of(run, "reject")), "reject")
    TrainingRun.objects.update(billed_candidate_cents=450)
    assert reviewer.post(url_of(run, "reject"), sent).status_code == 303


def test_what_the_service_does_not_offer_has_no_button(reviewer):
    run = make_case(state="rejected")
    page = reviewer.get(url_of(run, "promote"))
    assert "The service does not offer this. State: rejected" in text_of(page)
    assert b'value="promote"' not in page.content


def test_a_decision_that_is_no_longer_possible_keeps_what_was_typed(reviewer):
    run = make_case()
    sent = fill(reviewer.get(url_of(run, "promote")), "promote", reason="Mine.")
    TrainingRun.objects.update(state="rejected", decision="rejected", decided_by="ana")
    refused = reviewer.post(url_of(run, "promote"), sent)
    assert refused.status_code == 409
    assert "Run 1 is rejected: only one that awaits review can be promoted." in text_of(refused)
    assert "Rejected by ana." in text_of(refused)
    assert "Mine." in text_of(refused)


def test_who_comes_second_with_the_same_decision_is_told_who_was_first(reviewer):
    run, other = make_case(), client_of("otto", "reviewer")
    sent = fill(other.get(url_of(run, "promote")), "promote")
    send(reviewer, run, "promote")
    late = other.post(url_of(run, "promote"), sent, follow=True)
    assert "rita was first: the run was promoted already. Nothing changed." in text_of(late)
    assert DecisionRecord.objects.count() == 1
    assert (
        AuditEntry.objects.order_by("-id")[0].message
        == "nothing changed: rita was first: the run was promoted already."
    )


def test_pressing_twice_decides_once(reviewer):
    run = make_case()
    sent = fill(reviewer.get(url_of(run, "reject")), "reject")
    reviewer.post(url_of(run, "reject"), sent)
    again = reviewer.post(url_of(run, "reject"), sent, follow=True)
    assert "You were first: the run was rejected already. Nothing changed." in text_of(again)
    assert DecisionRecord.objects.count() == 1


def test_a_reason_that_is_too_long_is_refused_with_all_of_it(reviewer):
    run = make_case()
    refused = send(reviewer, run, "reject", reason="x" * 501)
    assert refused.status_code == 422
    assert "At most 500 characters; this has 501." in text_of(refused)
    assert "x" * 501 in text_of(refused)


def test_another_model_that_serves_by_now_is_named(reviewer):
    run = make_case(rule=make_rule(serving={"kind": "deployment", "name": "support-hotfix", "deployment_id": None}))
    text = text_of(reviewer.get(url_of(run, "promote")))
    assert "in place of support-hotfix , which serves now" in text
    assert "It was compared with another: support (v1)" in text


def test_a_run_whose_rule_is_gone_cannot_be_promoted(reviewer):
    run = make_case()
    Rule.objects.all().delete()
    page = text_of(reviewer.get(url_of(run, "promote")))
    assert "Nothing can be sent" in page
    assert "The service does not offer this." in page


def test_no_other_action_has_an_address(reviewer):
    run = make_case()
    assert reviewer.get(url_of(run, "delete")).status_code == 404
    assert reviewer.get("/runs/run_none/decide/promote/").status_code == 404


@pytest.mark.parametrize("role", ["viewer", "member"])
def test_who_may_not_decide_finds_no_open_door(role):
    run, client = make_case(), client_of("vera", role)
    assert client.get(url_of(run, "reject")).status_code == 403
    assert client.post(url_of(run, "reject"), {"go": "reject"}).status_code == 403
    assert TrainingRun.objects.get().state == "awaiting_review"
