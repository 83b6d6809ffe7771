"""A run that awaits a decision, with all that bears on it, and a client of a reviewer."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from dashboard.store.models import Benchmark, RunEvent, TrainingRun
from tests.factories import CANDIDATE, INCUMBENT, make_benchmark, make_evaluation, make_replay, make_rule, make_run
from tests.web.conftest import make_person

WINNERS = ["candidate"] * 5 + ["incumbent"] * 3 + ["tie"]


def make_case(*, benchmark: Benchmark | None = None, rule: Any = None, body: Any = None, **fields: Any) -> TrainingRun:
    """5 wins, 3 losses and a tie on 9 rows; 0.62 against 0.58 on the benchmark; ten hours left."""
    benchmark = benchmark or make_benchmark()
    rule = rule or make_rule(benchmark=benchmark, serving=INCUMBENT)
    values: dict[str, Any] = {
        "verdict": "better",
        "checkpoint_id": "step-900",
        "review_deadline_at": timezone.now() + timedelta(hours=10, minutes=3),
        "training_ceiling_cents": 5000,
        "candidate_ceiling_cents": 2000,
        "eval_ceiling_cents": 1000,
        "billed_training_cents": 1234,
        "billed_candidate_cents": 400,
        "spent_eval_cents": 99,
        "benchmark_spent_cents": 5,
    }
    run = make_run(rule=rule, **(values | fields))
    make_replay(
        benchmark,
        run=run,
        per_dimension=[{"dimension": "helpful", "incumbent": 0.5, "candidate": 0.75, "delta": 0.25}],
        ceiling_cents=500,
    )
    told = {
        "verdict": run.verdict,
        "candidate_ref": CANDIDATE,
        "incumbent_ref": INCUMBENT,
        "judge_name": "Strict",
        "judge_model": "judge-large",
        "judge_instructions": "Be strict.",
        "incumbent_mean": 0.5,
        "candidate_mean": 0.6,
        "mean_delta": 0.1,
        "warnings": [{"code": "HOLDOUT_SMALL", "message": "Nine rows are few."}],
        "margin_used": {"promote_margin": 0.02, "promote_min_win_rate": 0.5, "min_judge_agreement": 0.0},
        "per_dimension": [{"dimension": "polite", "incumbent": 0.4, "candidate": 0.3, "delta": -0.1}],
    }
    make_evaluation(run, WINNERS, **(told | (body or {})))
    RunEvent.objects.create(
        run=run, seq=1, ts=timezone.now(), to_state="awaiting_review", reason="A person decides.", actor="service"
    )
    return run


def client_of(name: str, role: str) -> Client:
    client = Client()
    client.force_login(make_person(name, role))
    return client


def url_of(run: TrainingRun, action: str = "") -> str:
    return f"/runs/{run.pk}/decide/{action}/" if action else f"/runs/{run.pk}/"
