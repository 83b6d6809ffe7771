"""Deciding at a service that refuses, is away, or whose answer is lost."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.web.models import AuditEntry, DecisionRecord
from tests.sources.faulty_server import CUT, Request, reply_json
from tests.web.pages import fill, text_of
from tests.web.runs.training.cases import client_of

pytestmark = pytest.mark.django_db
HERE = "/runs/run_1/decide/promote/"


class Remote:
    """One run of a remote workspace. `on_write` answers what is sent."""

    def __init__(self, on_write: Any = None, **run: Any) -> None:
        self.run = {"id": "run_1", "rule_id": "rule_1", "rule_name": "Nightly", "seq": 7, "verdict": "better"} | {
            "state": "awaiting_review",
            "evaluation_id": "ev_1",
            **run,
        }
        self.on_write = on_write
        self.evaluation: dict[str, Any] = {"id": "ev_1", "status": "done", "wins": 3, "losses": 1, "verdict": "better"}
        self.broken: set[str] = set()
        self.written: list[Request] = []

    def __call__(self, request: Request) -> list[bytes]:
        parts = request.path.strip("/").split("/")[2:]
        if request.method == "POST":
            self.written.append(request)
            return self.on_write(self)
        if parts[0] in self.broken:
            return reply_json({"message": "Not now."}, 500)
        match parts[0]:
            case "training-runs" if len(parts) == 1:
                return reply_json({"runs": [self.run], "total": 1})
            case "training-runs" if parts[1] == self.run["id"]:
                actions = dict.fromkeys(["promote", "reject"], self.run["state"] == "awaiting_review")
                return reply_json({"run": self.run, "available_actions": actions})
            case "training-rules":
                rule = {"id": "rule_1", "name": "Nightly", "revision": 4, "accepted_revision": 4}
                return reply_json({"rule": rule, "rules": [rule], "total": 1})
            case "evaluations":
                return reply_json(self.evaluation)
        return reply_json({"message": "There is none."}, 404)


def promoted(remote: Remote) -> list[bytes]:
    remote.run |= {"state": "promoted", "decision": "promoted", "decided_by": "the key's owner"}
    return reply_json({"run": remote.run, "serving": None})


def promoted_and_lost(remote: Remote) -> list[bytes]:
    promoted(remote)
    return [CUT]


@pytest.fixture
def reviewer():
    return client_of("rita", "reviewer")


def press(client: Any, **changes: Any) -> Any:
    return client.post(HERE, fill(client.get(HERE), "promote", **changes), follow=True)


def test_it_works(reviewer, connect):
    remote = Remote(promoted)
    connect(remote)
    page = press(reviewer)
    assert "Run #7 is promoted." in text_of(page)
    assert "Promoted by the key's owner." in text_of(page)
    assert [request.body for request in remote.written] == [b'{"expected_revision": 4}']
    assert DecisionRecord.objects.get().outcome == "done"


def test_a_refusal_is_shown_in_the_services_words_with_what_was_typed(reviewer, connect):
    remote = Remote(lambda _: reply_json({"error": {"code": "ALIAS_BUSY", "message": "The alias is moving."}}, 409))
    connect(remote)
    page = press(reviewer, reason="Ready.")
    assert page.status_code == 409
    assert "The alias is moving." in text_of(page)
    assert "Ready." in text_of(page)
    assert AuditEntry.objects.get().code == "ALIAS_BUSY"
    assert not DecisionRecord.objects.exists()


def test_a_lost_answer_is_looked_up_and_never_sent_again(reviewer, connect):
    remote = Remote(promoted_and_lost)
    connect(remote)
    page = press(reviewer)
    assert "Run #7 is promoted. No answer came, so it was looked up; it was not sent again." in text_of(page)
    assert len(remote.written) == 1
    assert AuditEntry.objects.get().outcome == "done"
    assert DecisionRecord.objects.get().outcome == "done"


def test_an_outcome_that_looking_up_does_not_tell_is_called_unknown(reviewer, connect):
    remote = Remote(lambda _: [CUT])
    connect(remote)
    page = press(reviewer)
    assert page.status_code == 502
    assert "It was not sent again, and will not be." in text_of(page)
    assert "Looked up just now: awaiting_review" in text_of(page)
    assert len(remote.written) == 1
    assert AuditEntry.objects.get().outcome == "unknown"
    record = DecisionRecord.objects.get()
    assert record.outcome == "unknown"
    assert "no answer said whether it was done" in text_of(reviewer.get("/runs/run_1/"))
    assert "State afterwards awaiting_review" in text_of(reviewer.get(f"/records/{record.pk}/"))


def test_an_outcome_that_cannot_be_looked_up_says_that_too(reviewer, connect):
    def lose_and_break(remote: Remote) -> list[bytes]:
        remote.broken.add("training-runs")
        return [CUT]

    connect(Remote(lose_and_break))
    page = press(reviewer)
    assert page.status_code == 502
    assert "The run could not be looked up either." in text_of(page)
    assert "State afterwards not known" in text_of(reviewer.get(f"/records/{DecisionRecord.objects.get().pk}/"))


def test_a_service_that_is_away_when_it_is_sent_loses_no_word(reviewer, connect):
    remote = Remote(promoted)
    connect(remote)
    sent = fill(reviewer.get(HERE), "promote", reason="Ready.")
    remote.broken.add("training-runs")
    page = reviewer.post(HERE, sent)
    assert page.status_code == 503
    assert "Ready." in text_of(page)
    assert "Nothing was sent" in text_of(page)
    assert not remote.written
    remote.broken.clear()
    again = reviewer.post(HERE, fill(page, "promote"), follow=True)
    assert "Run #7 is promoted." in text_of(again)
    assert reviewer.get("/runs/run_2/decide/promote/").status_code == 404


def test_a_service_that_is_away_before_gives_the_page_of_that(reviewer, connect):
    remote = Remote(promoted)
    remote.broken.add("training-runs")
    connect(remote)
    assert reviewer.get(HERE).status_code == 503
    assert reviewer.get("/runs/run_1/").status_code == 503
    assert reviewer.get("/runs/run_1/answers/").status_code == 503
    assert reviewer.get("/runs/").status_code == 503


def test_a_rule_that_cannot_be_read_promotes_nothing(reviewer, connect):
    remote = Remote(promoted)
    connect(remote)
    remote.broken.add("training-rules")
    page = reviewer.get(HERE)
    assert "The rule could not be read, so nobody knows what was agreed to" in text_of(page)
    assert b'value="promote"' not in page.content
    seen = page.content.decode().partition('name="seen" value="')[2][:64]
    refused = reviewer.post(HERE, {"seen": seen, "go": "promote"})
    assert refused.status_code == 409
    assert AuditEntry.objects.get().code in ("CONSENT_UNKNOWN", "STALE_FORM")
    assert not remote.written


def test_who_had_promoted_before_is_told(reviewer, connect):
    remote = Remote(promoted)
    connect(remote)
    sent = fill(reviewer.get(HERE), "promote")
    remote.run |= {"state": "promoted", "decision": "promoted", "decided_by": "otto"}
    page = reviewer.post(HERE, sent, follow=True)
    assert "otto was first: the run was promoted already." in text_of(page)


def test_an_answer_without_a_run_is_no_answer(reviewer, connect):
    connect(Remote(lambda _: reply_json({"ok": True})))
    assert press(reviewer).status_code == 502


def test_unknown_states_and_verdicts_stand_as_they_were_given(reviewer, connect):
    remote = Remote(promoted, state="simmering", verdict="splendid", decision=None)
    remote.evaluation |= {"verdict": "splendid", "status": "brewing", "win_rate": "odd"}
    connect(remote)
    text = text_of(reviewer.get("/runs/run_1/"))
    assert "simmering" in text
    assert "splendid" in text
    assert "It is brewing: what stands here is not the whole of it." in text
    assert 'Win rate unreadable: "odd"' in text


def test_parts_that_could_not_be_read_are_named_in_their_place(reviewer, connect):
    remote = Remote(promoted)
    connect(remote)
    remote.broken |= {"training-rules", "evaluations"}
    text = text_of(reviewer.get("/runs/run_1/"))
    assert "Its rule could not be read." in text
    assert "GET /api/loop/evaluations/ev_1 failed in the service" in text


def test_a_benchmark_that_decides_is_not_said_to_gate_nothing():
    from dashboard.sources.loop.runs import RuleDetail, RunDetail
    from dashboard.sources.loop.wire import Rule
    from dashboard.web.runs.training.case import Case
    from dashboard.web.runs.training.words import describe_gate

    rule = Rule(id="r", name="R", benchmark_decides=True, benchmark_min_rows=40, benchmark_min_delta=0.05)
    said = describe_gate(Case(RunDetail(), RuleDetail(rule)))
    assert said == "This rule's benchmark gates promotion: a delta of +0.05 over at least 40 rows is asked for."
