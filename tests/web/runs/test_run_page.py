"""The page of one run: state first, scenarios worst first, the mean reckoned anew, and its environment on request."""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime

import pytest
from django.test import Client

from dashboard.sources.loop.wire import Unreadable
from dashboard.sources.runloop.wire import FunctionScore, RunloopRun, ScenarioRun
from dashboard.web.common.times import show_duration
from dashboard.web.models import AuditEntry
from dashboard.web.runs.present import build_run, build_scenarios, compare_means, sort_scenarios
from tests.factories import make_runloop_benchmark, make_runloop_run, make_scenario_run, make_workspace
from tests.reads import list_remembered
from tests.sources.faulty_server import reply, reply_json
from tests.web.conftest import RunloopWorkspace, make_person, one_run
from tests.web.pages import text_of

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 1, 6, tzinfo=UTC)
SECRET = "hunter2 & co"


@pytest.fixture
def run(db):
    benchmark = make_runloop_benchmark("Repairs", id="bmd_1")
    run = make_runloop_run(
        benchmark,
        id="bmr_1",
        score=0.375,
        purpose="Before the release",
        environment_variables={"TOKEN": SECRET},
        secrets_provided={"DB_PASS": "DATABASE_PASSWORD"},
    )
    for name, score in (("half", 0.5), ("best", 1.0), ("none", 0.0)):
        make_scenario_run(run, name=name, scoring_contract_result={"score": score, "scoring_function_results": []})
    make_scenario_run(run, name="lost", state="timeout", scoring_contract_result=None)
    return run


def names_of(page) -> list[str]:
    return re.findall(r'class="panel scenario"[^>]*>\s*<h3><bdi>([^<]+)', page.content.decode())


def test_it_works(signed_in, run):
    page = signed_in.get("/runloop/runs/bmr_1/")
    assert page.status_code == 200
    text = text_of(page)
    for said in (
        "nightly Runloop State completed Score, of 0–1 0.375 Started 2026-01-05 09:00 UTC",
        "Took 1 h 0 min",
        "Purpose Before the release",
        "model coder-7b checkpoint step-100",
        "Agrees, where 0 stands for a missing score: 1 of 4 scenario runs has no score, and computed here it is 0.375.",
        "1–4 of 4, worst first: those without a score, then from the lowest score up.",
        "The score is the mean of the scenario scores, as Runloop gives it.",
    ):
        assert said in text, said
    assert names_of(page) == ["lost", "none", "half", "best"]
    assert 'href="/runloop/benchmarks/bmd_1/?run=bmr_1#run-bmr_1"' in page.content.decode()


def test_nothing_of_the_environment_is_on_the_page(signed_in, run):
    page = signed_in.get("/runloop/runs/bmr_1/").content.decode()
    assert '<form class="ask" method="post" action="/runloop/runs/bmr_1/environment/">' in page
    assert "<bdi>coder-7b</bdi>" in page, "its metadata is no environment"
    for hidden in ("hunter2", "TOKEN", "DB_PASS", "DATABASE_PASSWORD"):
        assert hidden not in page


def test_scoring_functions_stand_below_their_scenario_with_what_they_said(signed_in):
    run = make_runloop_run(make_runloop_benchmark())
    results = [
        {"scoring_function_name": "tests", "score": 0.5, "state": "complete", "output": "1 of 2 passed"},
        {"scoring_function_name": "lint", "score": 0.0, "state": "error", "output": "<b>a</b>\n" * 10_000},
    ]
    make_scenario_run(run, scoring_contract_result={"score": 0.25, "scoring_function_results": results})
    page = signed_in.get(f"/runloop/runs/{run.pk}/")
    text = text_of(page)
    assert "tests : 0.50 ( complete ) 1 of 2 passed" in text
    assert "lint : 0.00 ( error ) Output, the beginning of 90,000 characters <b>a</b>" in text
    assert len(page.content) < 20_000


def test_a_scenario_of_countless_functions_says_how_many_are_left_out():
    functions = tuple(FunctionScore(f"f{n}") for n in range(25))
    (shown,) = build_scenarios([ScenarioRun("s", functions=functions)], NOW)
    assert (len(shown.functions), shown.functions_left) == (20, 5)


def test_many_scenario_runs_are_paged_in_one_order(signed_in, run):
    for number in range(60):
        make_scenario_run(run, name=f"s{number:02}")
    first = signed_in.get("/runloop/runs/bmr_1/")
    assert names_of(first)[:2] == ["lost", "none"]
    assert len(names_of(first)) == 50
    second = signed_in.get("/runloop/runs/bmr_1/?page=2")
    assert names_of(second)[-1] == "best"
    assert len(names_of(second)) == 14
    wrong = signed_in.get("/runloop/runs/bmr_1/?page=0")
    assert wrong.status_code == 400
    assert "page: " in text_of(wrong)
    assert len(names_of(wrong)) == 50


def test_a_run_without_scenario_runs_says_so(signed_in):
    run = make_runloop_run(make_runloop_benchmark(), state="running", metadata={})
    text = text_of(signed_in.get(f"/runloop/runs/{run.pk}/"))
    assert "State running Score, of 0–1 — still running, started" in text
    assert "Runloop gave no scenario run of it." in text
    assert "It cannot be recomputed because the run is running." in text


def test_another_workspace_or_nobody_has_it_404(signed_in):
    theirs = make_runloop_run(workspace=make_workspace())
    for run_id in (theirs.pk, "nope"):
        assert signed_in.get(f"/runloop/runs/{run_id}/").status_code == 404
        assert signed_in.post(f"/runloop/runs/{run_id}/environment/").status_code == 404
    assert not AuditEntry.objects.filter(outcome="done").exists()


@pytest.mark.parametrize("text", ["</script><img src=x onerror=alert(1)>", '" hx-get="/x', "long" * 500])
def test_text_from_outside_is_only_ever_text(signed_in, text):
    run = make_runloop_run(make_runloop_benchmark(), name=text, purpose=text, metadata={text: text})
    result = {"scoring_function_name": text, "score": 0.5, "state": text, "output": text}
    contract = {"score": 0.5, "scoring_function_results": [result]}
    make_scenario_run(run, name=text, metadata={text: text}, scoring_contract_result=contract)
    make_runloop_run(id="bmr_env", environment_variables={text: text}, secrets_provided={text: text})
    for page in (signed_in.get(f"/runloop/runs/{run.pk}/"), signed_in.post("/runloop/runs/bmr_env/environment/")):
        assert page.status_code == 200
        for piece in ("<img src=x", 'hx-get="/x'):
            assert piece not in page.content.decode()


def test_a_key_that_is_a_word_of_the_template_language_is_a_key_as_any_other(signed_in):
    run = make_runloop_run(make_runloop_benchmark(metadata={"items": "two"}), metadata={"items": "five"})
    make_scenario_run(run, metadata={"items": "eight"})
    given = make_runloop_run(environment_variables={"items": "ten"}, secrets_provided={"items": "VAULT"})
    page = text_of(signed_in.get(f"/runloop/runs/{run.pk}/"))
    assert "items five" in page
    assert "items eight" in page
    assert "items two" in text_of(signed_in.get(f"/runloop/benchmarks/{run.benchmark_id}/"))
    environment = text_of(signed_in.post(f"/runloop/runs/{given.pk}/environment/"))
    assert "items ten" in environment
    assert "items VAULT" in environment


def completed(score=0.5, **fields) -> RunloopRun:
    return RunloopRun("r", state="completed", score=score, **fields)


def scenarios(*scores) -> list[ScenarioRun]:
    return [ScenarioRun(f"s{n}", score=score) for n, score in enumerate(scores)]


MEANS = [
    (completed(), scenarios(0.25, 0.75), "Agrees: the mean of 2 scenario scores, computed here, is 0.50.", True),
    (
        completed(),
        scenarios(0.25, 0.5),
        "Differs: the mean of 2 scenario scores, computed here, is 0.375; Runloop reports 0.500.",
        False,
    ),
    (
        completed(0.50001),
        scenarios(0.5),
        "Differs: the mean of 1 scenario score, computed here, is 0.5; Runloop reports 0.50001.",
        False,
    ),
    (completed(0.3333333), scenarios(0.0, 0.0, 1.0), "Agrees: the mean of 3", True),
    (completed(), scenarios(1.0, None), "Agrees, where 0 stands for a missing score: 1 of 2 scenario runs has", True),
    (
        completed(),
        scenarios(0.6, None, None),
        "It cannot be recomputed because 2 of 3 scenario runs have no score. With 0 in their place it would be 0.20,",
        None,
    ),
    (completed(0.0), scenarios(None), "It cannot be recomputed because 1 of 1 scenario run has no score.", None),
    (completed(None), scenarios(0.5, None), "It cannot be recomputed because 1 of 2 scenario runs has no", None),
    (completed(None), scenarios(0.5), "Computed here from 1 scenario score: 0.50. Runloop reports no score.", None),
    (completed(1.7e308), scenarios(1.7e308, 1.7e308), "Agrees: the mean of 2", True),
    (completed(), [], "It cannot be recomputed because Runloop gave no scenario run.", None),
    (RunloopRun("r", state="canceled"), scenarios(0.5), "It cannot be recomputed because the run is canceled.", None),
    (RunloopRun("r"), scenarios(0.5), "It cannot be recomputed because the run is without a state.", None),
]


@pytest.mark.parametrize(("run", "given", "said", "agrees"), MEANS, ids=[f"case {n}" for n in range(len(MEANS))])
def test_the_mean_is_reckoned_anew_and_compared_in_words(run, given, said, agrees):
    verdict = compare_means(run, given)
    assert verdict.text.startswith(said)
    assert verdict.agrees is agrees


def test_a_score_counts_only_where_it_may():
    assert build_run(completed(), NOW).score.text == "0.50"
    running = build_run(RunloopRun("r", state="running", score=0.9), NOW)
    assert running.score.text == "—"
    assert running.score_note == ("still running; its score is not used: it is not completed (running); 0.90 was given")
    assert build_run(completed(None), NOW).score_note == "completed without a score"
    assert build_run(completed(Unreadable("NaN")), NOW).score_note == "the score is not a number: NaN"
    assert build_run(completed(1.5), NOW).score_note == "the score lies outside the scale from 0 to 1"


def test_the_worst_come_first_and_equal_ones_by_name():
    given = [
        ScenarioRun("1", name="b", score=0.5),
        ScenarioRun("2", name="a", score=0.5),
        ScenarioRun("3", name="zero", score=0.0),
        ScenarioRun("4", name="odd", score=Unreadable("x")),
        ScenarioRun("5", name="failed", state="failed"),
    ]
    assert [one.name for one in sort_scenarios(given)] == ["failed", "odd", "zero", "a", "b"]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (None, "—"),
        (0, "0.0 s"),
        (420, "0.4 s"),
        (12_000, "12 s"),
        (185_000, "3 min 5 s"),
        (7_800_000, "2 h 10 min"),
        (273_600_000, "3 d 4 h"),
        (-1, "unreadable: -1"),
        (Unreadable("soon"), "unreadable: soon"),
    ],
)
def test_a_duration_is_printed_in_two_units(given, shown):
    assert show_duration(given) == shown


def test_who_asks_sees_the_environment_once_and_the_log_says_so(signed_in, run, caplog):
    with caplog.at_level(logging.DEBUG):
        answer = signed_in.post("/runloop/runs/bmr_1/environment/")
    assert answer.status_code == 200
    text = text_of(answer)
    assert f"TOKEN {SECRET}" in text
    assert "DB_PASS DATABASE_PASSWORD" in text
    assert "no-store" in answer["Cache-Control"]
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.target_kind, entry.target_id) == ("see_environment", "run", "bmr_1")
    assert (entry.outcome, entry.message) == ("done", "1 value, 1 secret name")
    assert "hunter2" not in caplog.text
    assert "DATABASE_PASSWORD" not in caplog.text


def test_reading_its_address_leads_to_the_run_and_shows_nothing(signed_in, run):
    answer = signed_in.get("/runloop/runs/bmr_1/environment/")
    assert answer["Location"] == "/runloop/runs/bmr_1/"
    assert not AuditEntry.objects.exists()


def test_a_viewer_is_told_what_it_needs_and_the_refusal_is_in_the_log(run):
    client = Client()
    client.force_login(make_person("ada", "viewer"))
    page = client.get("/runloop/runs/bmr_1/")
    assert "Seeing them needs the role member." in text_of(page)
    assert b"/environment/" not in page.content
    answer = client.post("/runloop/runs/bmr_1/environment/")
    assert answer.status_code == 403
    assert b"hunter2" not in answer.content
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.outcome, entry.code) == ("see_environment", "refused", "NOT_ALLOWED")
    assert (entry.target_kind, entry.target_id) == ("run", "bmr_1"), "as where it is granted"


def test_a_run_without_an_environment_says_so(signed_in):
    run = make_runloop_run(make_runloop_benchmark())
    text = text_of(signed_in.post(f"/runloop/runs/{run.pk}/environment/"))
    assert "Runloop names no environment value of this run." in text
    assert "Runloop names no secret of this run." in text


def remote(**fields) -> RunloopWorkspace:
    scored = {"id": "scr_1", "scenario_id": "s", "state": "completed", "metadata": {}, "devbox_id": "d"}
    scored |= {"scoring_contract_result": {"score": 0.5, "scoring_function_results": []}}
    run = one_run(1, environment_variables={"TOKEN": SECRET}, secrets_provided={"A": "NAME_OF_A"}, **fields)
    return RunloopWorkspace([], {"bmd_1": [run]}, {"bmr_1": [scored]})


def test_no_memory_holds_what_a_remote_run_was_given(signed_in, connect_runloop):
    workspace = remote()
    answers = [workspace]
    connect_runloop(lambda request: answers[0](request))
    assert signed_in.get("/runloop/runs/bmr_1/").status_code == 200
    assert b"hunter2" in signed_in.post("/runloop/runs/bmr_1/environment/").content
    kept = list_remembered()
    assert b"run 1" in kept, "the run itself is remembered"
    for hidden in (b"hunter2", b"TOKEN", b"NAME_OF_A"):
        assert hidden not in kept
    answers[0] = lambda request: reply(503, "<html>secret</html>")
    page = signed_in.get("/runloop/runs/bmr_1/")
    assert "This was read less than a minute ago" in text_of(page)
    asked = signed_in.post("/runloop/runs/bmr_1/environment/")
    assert asked.status_code == 503
    assert b"hunter2" not in asked.content
    assert AuditEntry.objects.order_by("-pk")[0].outcome == "failed"


def test_a_log_is_shown_and_never_remembered(signed_in, connect_runloop):
    """It can print what the run was given."""
    workspace = remote()
    log = {"scoring_function_name": "tests", "score": 0.25, "state": "complete", "output": f"TOKEN={SECRET} " * 500}
    workspace.scenarios["bmr_1"][0]["scoring_contract_result"]["scoring_function_results"] = [log]
    answers = [workspace]
    connect_runloop(lambda request: answers[0](request))
    assert "Output, the beginning of 9,500 characters TOKEN=hunter2" in text_of(signed_in.get("/runloop/runs/bmr_1/"))
    kept = list_remembered()
    assert b"scr_1" in kept, "the scenario run itself is remembered"
    assert b"hunter2" not in kept
    answers[0] = lambda request: reply(503)
    text = text_of(signed_in.get("/runloop/runs/bmr_1/"))
    assert "tests : 0.25 ( complete ) its output, 9,500 characters, is shown only while Runloop answers" in text


def test_scenario_runs_that_were_not_read_to_their_end_are_no_ground_for_a_mean(signed_in, connect_runloop):
    workspace = remote()
    (scored,) = workspace.scenarios["bmr_1"]
    cut = reply_json({"runs": [scored], "has_more": False, "total_count": 3})
    connect_runloop(lambda request: cut if "scenario_runs" in request.path else workspace(request))
    text = text_of(signed_in.get("/runloop/runs/bmr_1/"))
    assert "There may be more scenario runs than these 1: the service speaks of 3 and gave 1." in text
    assert "It cannot be recomputed because there may be more scenario runs than could be read." in text


def test_scenario_runs_that_cannot_be_read_cost_only_themselves(signed_in, connect_runloop):
    workspace = remote()
    connect_runloop(lambda request: reply(500) if "scenario_runs" in request.path else workspace(request))
    page = signed_in.get("/runloop/runs/bmr_1/")
    assert page.status_code == 200
    text = text_of(page)
    assert "State completed Score, of 0–1 0.50" in text
    assert "Its scenario runs could not be read. GET /v1/benchmark_runs/bmr_1/scenario_runs" in text
    assert "recomputed" not in text


def test_runloop_away_is_a_page_that_says_so(signed_in, connect_runloop):
    connect_runloop(lambda request: reply_json({"message": "bad key"}, 401))
    page = signed_in.get("/runloop/runs/bmr_1/")
    assert page.status_code == 503
    assert "Runloop refuses this dashboard" in text_of(page)


def test_a_run_of_no_benchmark_has_no_way_back_to_one(signed_in, connect_runloop):
    connect_runloop(remote(benchmark_id=None))
    page = signed_in.get("/runloop/runs/bmr_1/")
    assert page.status_code == 200
    assert b"/runloop/benchmarks/" not in page.content
