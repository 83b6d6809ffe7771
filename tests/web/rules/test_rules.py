"""The rules' pages: the list, one rule, and which benchmark it replays."""

from __future__ import annotations

import pytest

from dashboard.store.attach import retire_benchmark
from dashboard.store.models import Rule
from dashboard.web.models import AuditEntry
from tests.factories import START, make_benchmark, make_rule, make_run, make_workspace
from tests.sources.faulty_server import reply, reply_json
from tests.web.conftest import make_person, one_benchmark
from tests.web.pages import fill, text_of

pytestmark = pytest.mark.django_db


def retire(benchmark) -> None:
    retire_benchmark("ws_local", benchmark.pk, None, "grace", START)


def test_it_works(signed_in):
    benchmark = make_benchmark("Support answers")
    rule = make_rule("Nightly", benchmark=benchmark)
    make_run(rule=rule, seq=4, state="promoted")
    make_rule("Weekly", enabled=False, paused_reason="The cap of the month is reached.")
    text = text_of(signed_in.get("/rules/"))
    assert "Nightly support enabled Support answers promoted #4 ," in text
    assert "Weekly support paused The cap of the month is reached. nothing never ran" in text
    page = signed_in.get(f"/rules/{rule.pk}/")
    assert "On every run it replays Support answers" in text_of(page)
    assert "#4 promoted" in text_of(page)


def test_no_rule_names_the_command_that_makes_one(signed_in):
    assert 'python manage.py create_rule "Nightly"' in text_of(signed_in.get("/rules/"))


def test_rules_are_searched_by_rule_model_and_benchmark_and_paged(signed_in):
    for n in range(30):
        make_rule(f"Rule {n:02d}")
    make_rule("Other", benchmark=make_benchmark("Refunds"))
    assert "1 rule." in text_of(signed_in.get("/rules/?q=refunds other"))
    assert "No rule fits this search." in text_of(signed_in.get("/rules/?q=nothing"))
    second = text_of(signed_in.get("/rules/?page=2"))
    assert "26–31 of 31" in second
    assert "Previous" in second
    assert "page: " in text_of(signed_in.get("/rules/?page=x"))
    assert signed_in.get("/rules/?page=x").status_code == 400


def test_the_last_run_of_a_quiet_rule_is_found_behind_many_others(signed_in, monkeypatch):
    monkeypatch.setattr("dashboard.web.rules.views.TOGETHER", 2)
    make_run(rule=make_rule("Quiet"), seq=1, state="failed")
    busy = make_rule("Busy")
    for seq in (2, 3, 4):
        make_run(rule=busy, seq=seq, created_at=START.replace(day=5 + seq))
    text = text_of(signed_in.get("/rules/"))
    assert "failed #1 ," in text
    assert "awaiting_review #4 ," in text


def test_attaching_says_before_what_it_does_and_after_what_it_did(signed_in):
    old, new = make_benchmark("Old set"), make_benchmark("New set")
    rule = make_rule("Nightly", benchmark=old)
    page = signed_in.get(f"/rules/{rule.pk}/")
    text = text_of(page)
    assert "It replaces Old set , whose replays so far stay on its trend." in text
    assert "replays its benchmark on every run that starts from then on" in text
    assert "consent is not touched" in text
    done = signed_in.post(f"/rules/{rule.pk}/", fill(page, "attach", benchmark=new.pk), follow=True)
    assert done.redirect_chain[0][1] == 303
    assert "“Nightly” replays “New set” on every run from now on." in text_of(done)
    assert Rule.objects.get().benchmark_id == new.pk
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.outcome, entry.target_id, entry.who_name) == ("attach", "done", rule.pk, "admin")
    assert entry.message == f"from “Old set” ({old.pk}) to “New set” ({new.pk})"


def test_detaching_leaves_the_rule_without_one(signed_in):
    rule = make_rule(benchmark=make_benchmark())
    page = signed_in.get(f"/rules/{rule.pk}/")
    assert "Detached, it replays nothing from the next run on." in text_of(page)
    done = signed_in.post(f"/rules/{rule.pk}/", fill(page, "detach"), follow=True)
    assert "replays no benchmark from now on. What was measured stays." in text_of(done)
    assert Rule.objects.get().benchmark_id is None
    assert AuditEntry.objects.get().message.endswith(" to no benchmark")


def test_the_same_form_sent_twice_changes_once_and_says_so(signed_in):
    new, rule = make_benchmark("New set"), make_rule()
    form = fill(signed_in.get(f"/rules/{rule.pk}/"), "attach", benchmark=new.pk)
    signed_in.post(f"/rules/{rule.pk}/", form)
    again = signed_in.post(f"/rules/{rule.pk}/", form, follow=True)
    assert "replays “New set” already: nothing had to be changed." in text_of(again)
    assert AuditEntry.objects.count() == 1


def test_no_choice_is_refused_at_the_field(signed_in):
    make_benchmark()
    rule = make_rule()
    page = signed_in.post(f"/rules/{rule.pk}/", fill(signed_in.get(f"/rules/{rule.pk}/"), "attach"))
    assert page.status_code == 422
    assert "The rule is unchanged. Benchmark : Choose a benchmark to attach." in text_of(page)
    assert b"autofocus" in page.content


def test_a_benchmark_retired_since_is_refused_in_the_service_s_words(signed_in):
    benchmark, rule = make_benchmark("Support answers"), make_rule()
    make_benchmark("Another")
    form = fill(signed_in.get(f"/rules/{rule.pk}/"), "attach", benchmark=benchmark.pk)
    retire(benchmark)
    page = signed_in.post(f"/rules/{rule.pk}/", form)
    assert page.status_code == 409
    text = text_of(page)
    assert "The benchmark 'Support answers' is retired, so no rule can replay it." in text
    assert "Support answers (retired)" in text, "what was chosen is still chosen"
    assert Rule.objects.get().benchmark_id is None
    entry = AuditEntry.objects.get()
    assert (entry.outcome, entry.code) == ("refused", "BENCHMARK_RETIRED")


def test_the_only_benchmark_retired_since_is_refused_at_its_field(signed_in):
    benchmark, rule = make_benchmark("Support answers"), make_rule()
    form = fill(signed_in.get(f"/rules/{rule.pk}/"), "attach", benchmark=benchmark.pk)
    retire(benchmark)
    page = signed_in.post(f"/rules/{rule.pk}/", form)
    assert page.status_code == 409
    assert "Support answers (retired)" in text_of(page)
    assert b'id="id_benchmark_error"' in page.content
    assert b'href="#id_benchmark"' in page.content
    assert b'id="id_benchmark"' in page.content
    assert "There is no active benchmark to attach." in text_of(signed_in.get(f"/rules/{rule.pk}/"))


def test_a_form_opened_before_the_rule_changed_is_refused_and_the_next_press_counts(signed_in):
    first, second, third = (make_benchmark(name) for name in ("First", "Second", "Third"))
    rule = make_rule(benchmark=first)
    form = fill(signed_in.get(f"/rules/{rule.pk}/"), "attach", benchmark=third.pk)
    Rule.objects.update(benchmark=second)
    page = signed_in.post(f"/rules/{rule.pk}/", form)
    assert page.status_code == 409
    assert "it replayed “First” then, and replays “Second” now. Nothing was changed" in text_of(page)
    assert Rule.objects.get().benchmark_id == second.pk
    signed_in.post(f"/rules/{rule.pk}/", fill(page, "attach"))
    assert Rule.objects.get().benchmark_id == third.pk


def test_a_form_whose_benchmark_was_retired_under_it_says_so(signed_in):
    first, other = make_benchmark("First"), make_benchmark("Other")
    rule = make_rule(benchmark=first)
    form = fill(signed_in.get(f"/rules/{rule.pk}/"), "attach", benchmark=other.pk)
    retire(first)
    page = signed_in.post(f"/rules/{rule.pk}/", form)
    assert "it replayed “First” (retired since) then, and replays no benchmark now" in text_of(page)


def test_a_benchmark_of_another_workspace_is_not_had(signed_in):
    theirs, rule = make_benchmark(workspace=make_workspace()), make_rule()
    make_benchmark("Ours")
    form = fill(signed_in.get(f"/rules/{rule.pk}/"), "attach", benchmark=theirs.pk)
    page = signed_in.post(f"/rules/{rule.pk}/", form)
    assert page.status_code == 409
    assert "There is no such benchmark in this workspace. Nothing was changed." in text_of(page)


def test_another_workspace_or_nobody_has_it_404(signed_in):
    theirs = make_rule(workspace=make_workspace())
    assert signed_in.get(f"/rules/{theirs.pk}/").status_code == 404
    assert signed_in.get("/rules/rule_none/").status_code == 404


def test_a_viewer_reads_and_finds_no_button_and_no_open_door(client):
    client.force_login(make_person("vera", "viewer"))
    benchmark, rule = make_benchmark(), make_rule()
    page = client.get(f"/rules/{rule.pk}/")
    assert page.status_code == 200
    assert b'value="attach"' not in page.content
    refused = client.post(f"/rules/{rule.pk}/", {"go": "attach", "benchmark": benchmark.pk, "seen": ""})
    assert refused.status_code == 403
    assert Rule.objects.get().benchmark_id is None


def one_rule(**fields):
    return {"id": "rule_1", "name": "Nightly", "serving": {"kind": "deployment", "name": "support"}} | fields


class Remote:
    """A remote workspace with one rule, whose write does what the test says."""

    def __init__(self, put, **rule) -> None:
        self.put, self.rule = put, one_rule(**rule)

    def __call__(self, request):
        if request.method == "PUT":
            return self.put(request)
        if request.path.endswith("/training-rules"):
            return reply_json({"rules": [self.rule], "total": 1})
        if request.path.endswith("/training-rules/rule_1"):
            return reply_json({"rule": self.rule})
        if request.path.endswith("/training-runs"):
            return reply_json({"runs": [], "total": 0})
        if request.path.endswith("/benchmarks"):
            return reply_json({"benchmarks": [one_benchmark()], "total": 1})
        if request.path.endswith("/bm_1"):
            return reply_json({"benchmark": one_benchmark()})
        return reply_json({"error": {"code": "NOT_FOUND", "message": "No."}}, 404)


def test_a_rule_that_names_a_missing_benchmark_says_so(signed_in, connect):
    connect(Remote(None, benchmark_id="bm_gone"))
    assert "missing: bm_gone" in text_of(signed_in.get("/rules/"))
    text = text_of(signed_in.get("/rules/rule_1/"))
    assert "It names the benchmark bm_gone , which the service does not have." in text
    assert "It replaces bm_gone ." in text


def test_a_lost_answer_is_said_to_be_unknown_and_is_not_sent_again(signed_in, connect):
    sent = []
    connect(Remote(lambda request: sent.append(request) or [b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"]))
    page = signed_in.post("/rules/rule_1/", {"go": "attach", "benchmark": "bm_1", "seen": ""})
    assert page.status_code == 502
    assert "Outcome unknown:" in text_of(page)
    assert len(sent) == 1
    assert AuditEntry.objects.get().outcome == "unknown"


@pytest.mark.parametrize(
    ("status", "error", "said", "scope"),
    [
        (403, {"code": "MISSING_SCOPE", "message": "It only reads"}, "It only reads.", True),
        (403, {}, "is not allowed with this key.", True),
        (403, {"code": "WORKSPACE_SUSPENDED", "message": "The bill is open."}, "The bill is open. Nothing", False),
        (401, {"code": "API_KEY_EXPIRED", "message": "It has expired."}, "It has expired. Nothing", False),
    ],
)
def test_a_key_that_may_not_write_is_explained_in_the_service_s_words(signed_in, connect, status, error, said, scope):
    connect(Remote(lambda _request: reply_json({"error": error}, status)))
    page = signed_in.post("/rules/rule_1/", {"go": "attach", "benchmark": "bm_1", "seen": ""})
    assert page.status_code == 503
    assert said in text_of(page)
    assert ("The key of this dashboard needs the scope loop:write." in text_of(page)) == scope
    assert AuditEntry.objects.get().message in said or "message" not in error


def test_a_refused_reading_says_what_the_service_says(signed_in, connect):
    connect(lambda _request: reply_json({"error": {"code": "API_KEY_EXPIRED", "message": "It has expired."}}, 401))
    assert "It says: “It has expired.”" in text_of(signed_in.get("/rules/rule_1/"))


def test_a_service_that_is_away_gives_its_page(signed_in, connect):
    connect(lambda _request: reply(b"", 500))
    assert signed_in.get("/rules/").status_code == 503
    assert signed_in.get("/rules/rule_1/").status_code == 503


def test_a_benchmark_without_conversations_is_not_offered_and_a_rule_that_has_one_says_so(signed_in):
    empty, rule = make_benchmark("Imported", items=0), make_rule()
    page = signed_in.get(f"/rules/{rule.pk}/")
    assert "There is no active benchmark to attach." in text_of(page)
    assert "Not offered: 1 active benchmark whose scores were imported without conversations" in text_of(page)
    assert empty.pk.encode() not in page.content
    Rule.objects.update(benchmark=empty)
    text = text_of(signed_in.get(f"/rules/{rule.pk}/"))
    assert "It names Imported , whose scores were imported without the conversations" in text
    assert "Not offered" not in text
