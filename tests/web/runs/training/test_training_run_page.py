"""A training run's page: everything that bears on a decision, in the order in which it is read."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from django.utils import timezone

from dashboard.api.loop import training
from dashboard.store.models import Evaluation
from tests.factories import CANDIDATE, START, make_benchmark, make_replay, make_rule, make_run
from tests.web.pages import text_of
from tests.web.runs.training.cases import client_of, make_case, url_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewer():
    return client_of("rita", "reviewer")


def test_it_works(reviewer):
    run = make_case()
    text = text_of(reviewer.get(url_of(run)))
    order = [
        "It awaits a decision until",
        "(in 10 hours)",
        "Warning: Nine rows are few.",
        "better",
        "wins 5 losses 3 ties 1",
        "Win rate 62.5 % of 8 decided; 1 tie left out",
        "Margin used a mean difference of 0.02, a win rate of 50.0 %",
        "Judge agreement not known",
        "Beside it, the benchmark",
        "candidate 0.62 incumbent 0.58 delta +0.04",
        "It is the 1st candidate of this rule",
        "This number gates nothing.",
        "Dimensions of the paired comparison",
        "polite 0.40 0.30 −0.10",
        "Dimensions of the benchmark",
        "helpful 0.50 0.75 +0.25",
        "Training $12.34 $50.00",
        "Candidate $4.00 $20.00",
        "Paired comparison $0.99 $10.00",
        "Benchmark $0.05 inside the comparison's, itself at most $5.00",
        "In all $17.38 $80.00",
        "Timeline",
        "awaiting_review by service A person decides.",
        "Promote… Reject… Cancel…",
    ]
    at = [text.find(piece) for piece in order]
    assert -1 not in at, [piece for piece, place in zip(order, at, strict=True) if place < 0]
    assert at == sorted(at)


def test_no_number_is_coloured_as_better_or_worse(reviewer):
    page = reviewer.get(url_of(make_case())).content.partition(b"<main")[2]
    for css in (b'"better"', b'"worse"', b"note-good", b"note-bad"):
        assert css not in page


def test_each_count_leads_to_the_answers_behind_it(reviewer):
    run = make_case()
    page = reviewer.get(url_of(run)).content.decode()
    assert f'href="/runs/{run.pk}/answers/?winner=incumbent">3</a>' in page
    lost = text_of(reviewer.get(f"/runs/{run.pk}/answers/?winner=incumbent"))
    assert "1–3 of 3" in lost
    assert "The candidate lost ." in lost
    assert "Old answer" in lost
    assert "New answer" in lost


def test_a_wrong_winner_is_named_and_an_unknown_run_is_not_there(reviewer):
    run = make_case()
    page = reviewer.get(f"/runs/{run.pk}/answers/?winner=nobody")
    assert page.status_code == 400
    assert "winner:" in text_of(page)
    assert reviewer.get("/runs/run_none/answers/").status_code == 404
    assert reviewer.get(f"/runs/{make_run().pk}/answers/").status_code == 404
    assert reviewer.get("/runs/run_none/").status_code == 404


def test_the_page_after_the_last_of_the_answers_is_the_last(reviewer):
    run = make_case()
    assert "1–9 of 9" in text_of(reviewer.get(f"/runs/{run.pk}/answers/?page=9"))


def test_a_viewer_reads_it_and_is_told_who_may_decide(reviewer):
    run = make_case()
    page = client_of("vera", "viewer").get(url_of(run))
    assert "Deciding needs the role reviewer." in text_of(page)
    assert b"/decide/" not in page.content


def test_a_deadline_that_passed_is_called_expired(reviewer):
    run = make_case(review_deadline_at=timezone.now() - timedelta(hours=2))
    text = text_of(reviewer.get(url_of(run)))
    assert "Expired without a decision: the deadline was" in text
    assert "(2 hours ago)" in text
    assert "The service offers no action. State: expired" in text


def test_a_run_without_comparison_and_replay_says_so(reviewer):
    text = text_of(reviewer.get(url_of(make_run(rule=make_rule(), state="training"))))
    assert "This run has no paired comparison." in text
    assert "No benchmark was replayed on this run, so it is no point on any trend." in text
    assert "No decision so far." in text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"status": "open"}, "It is still running, so it has no number yet."),
        ({"status": "failed", "status_reason": "The judge broke"}, "It has no number: failed, The judge broke."),
    ],
)
def test_a_replay_without_a_whole_number_says_why(reviewer, fields, said):
    run = make_run(rule=make_rule())
    make_replay(make_benchmark(), run=run, **fields)
    assert said in text_of(reviewer.get(url_of(run)))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"rows_total": 10, "rows_scored": 8}, "Scored 8 of 10 rows: a partial number."),
        ({"items_digest": "another"}, "another set than the benchmark pins"),
    ],
)
def test_a_number_that_only_another_service_would_publish_is_not_called_whole(reviewer, monkeypatch, fields, said):
    run = make_run(rule=make_rule())
    make_replay(make_benchmark(), run=run)
    shape = training.Replay
    other = type("Other", (), {"of": lambda row: msgspec.structs.replace(shape.of(row), **fields)})
    monkeypatch.setattr(training, "Replay", other)
    assert said in text_of(reviewer.get(url_of(run)))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"status": "failed", "last_error": "The judge is gone."}, "It is failed: what stands here is not the whole"),
        ({"rows_selected": 12}, "Scored 9 of 12 conversations."),
        ({"wins": None, "win_rate": None}, "wins — losses 3"),
        ({"margin_used": None}, "Margin used not stated"),
        ({"judge_agreement": {"pairs": 2, "enough_pairs": False}}, "not enough overlap with your own reviewers yet: 2"),
        ({"judge_agreement": {"pairs": 80, "agreement": 0.9, "enough_pairs": True}}, "90.0 % over 80 pairs"),
    ],
)
def test_what_a_comparison_leaves_out_is_said(reviewer, body, said):
    status = body.pop("status", None)
    run = make_case(body=body)
    if status:
        Evaluation.objects.update(status=status)
    text = text_of(reviewer.get(url_of(run)))
    assert said in text, text


def test_the_candidates_against_one_incumbent_are_counted_since_it_came(reviewer):
    benchmark, rule = make_benchmark(), make_rule(serving=CANDIDATE)
    for n, decision in enumerate(["rejected", "promoted", "rejected"]):
        at = START + timedelta(hours=n)
        earlier = make_run(rule=rule, decision=decision, checkpoint_id=f"step-{n}", created_at=at)
        make_replay(benchmark, run=earlier, created_at=at)
    run = make_case(benchmark=benchmark, rule=rule, created_at=START + timedelta(hours=9))
    run.replay.created_at = START + timedelta(hours=9)
    run.replay.save()
    page = reviewer.get(url_of(run))
    assert "It is the 2nd candidate of this rule" in text_of(page)
    assert "after step-1, promoted" in text_of(page)
    assert "4 replays, this one at the right end" in text_of(page)
    assert b'class="sparkline"' in page.content


def test_a_decision_over_the_api_alone_has_no_record(reviewer):
    run = make_case(state="rejected", decision="rejected", decided_by="key ci", decided_at=START)
    text = text_of(reviewer.get(url_of(run)))
    assert "Rejected by key ci, 2026-01-05 09:00 UTC" in text
    assert "It was not decided on a page of this dashboard, so there is no record of what was seen." in text


def test_a_cost_that_is_not_stated_gives_no_sum():
    from dashboard.sources.loop.runs import RunDetail
    from dashboard.sources.loop.wire import TrainingRun as Run
    from dashboard.web.runs.training.case import Case
    from dashboard.web.runs.training.present import build_costs

    run = Run(id="run_1", billed_training_cents=100, spent_eval_cents=1, benchmark_spent_cents=1)
    costs = build_costs(Case(RunDetail(run)))
    assert costs.total == "—"
    assert costs.note == "There is no sum, because the service does not state candidate."
