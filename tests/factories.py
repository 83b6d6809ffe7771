"""Rows for tests, built straight on the service's models: a benchmark, its replays, a rule, a long history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from dashboard.store.key import create_key
from dashboard.store.models import (
    Benchmark,
    BenchmarkItem,
    BenchmarkRun,
    Dataset,
    DatasetItem,
    Evaluation,
    EvaluationItem,
    Judge,
    ReplayRow,
    Rule,
    RunloopBenchmark,
    RunloopRun,
    RunloopScenarioRun,
    Trace,
    TrainingRun,
    Workspace,
    new_id,
)
from dashboard.store.replays.rows import Scale, settle_row

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
INCUMBENT = {"kind": "serverless_slug", "name": "support", "deployment_id": None, "model_version": "v1"}
CANDIDATE = {"kind": "deployment", "name": "support-next", "deployment_id": "dep_1", "model_version": "v2"}


def make_workspace(workspace_id: str = "ws_other", name: str = "Another team") -> Workspace:
    return Workspace.objects.get_or_create(id=workspace_id, defaults={"name": name})[0]


def make_key(*scopes: str, workspace: Workspace | None = None, **fields: Any) -> str:
    """The secret of a new key, which reads the default workspace unless told otherwise."""
    key, secret = create_key(workspace or Workspace.default(), "test", scopes or ("loop:read",))
    if fields:
        type(key).objects.filter(pk=key.pk).update(**fields)
    return secret


def make_benchmark(name: str = "Support answers", *, items: int = 1, **fields: Any) -> Benchmark:
    values: dict[str, Any] = {
        "workspace": fields.pop("workspace", None) or Workspace.default(),
        "name": name,
        "created_at": START,
        "judge_name": "Helpfulness",
        "judge_model": "judge-large",
        "judge_instructions": "Score how far the answer helps.",
        "judge_dimensions": [{"key": "helpful", "description": "Does it help?"}],
        "decoding": {"temperature": 0.0, "max_tokens": 512, "stream": False},
        "scoring": {"metric": "judge_mean", "scale": "0-1", "aggregate": "mean", "require_all_rows": True},
        "item_count": items,
        "items_digest": "d1",
        "per_run_ceiling_cents": 500,
        "created_by": "ana",
    }
    benchmark = Benchmark.objects.create(**(values | fields))
    BenchmarkItem.objects.bulk_create(
        BenchmarkItem(benchmark=benchmark, ordinal=n, prompt=[{"role": "user", "content": f"Question {n}"}])
        for n in range(items)
    )
    return benchmark


def make_rule(name: str = "Nightly", **fields: Any) -> Rule:
    values: dict[str, Any] = {
        "workspace": fields.pop("workspace", None) or Workspace.default(),
        "name": name,
        "created_at": START,
        "updated_at": START,
        "serving": {"kind": "serverless_slug", "name": "support", "deployment_id": None},
        "model_id": "acme/base-7b",
    }
    return Rule.objects.create(**(values | fields))


def make_run(*, rule: Rule | None = None, **fields: Any) -> TrainingRun:
    workspace = fields.pop("workspace", None) or (rule.workspace if rule else Workspace.default())
    newest = TrainingRun.objects.filter(workspace=workspace).order_by("-seq").values_list("seq", flat=True).first()
    values: dict[str, Any] = {
        "workspace": workspace,
        "rule": rule,
        "rule_name": rule.name if rule else None,
        "seq": (newest or 0) + 1,
        "state": "awaiting_review",
        "created_at": START,
        "state_entered_at": START,
    }
    return TrainingRun.objects.create(**(values | fields))


def make_replay(benchmark: Benchmark, *, run: TrainingRun | None = None, **fields: Any) -> BenchmarkRun:
    """One replay; `done` with 0.62 against 0.58 unless told otherwise. A status without scores needs a reason."""
    status = fields.setdefault("status", "done")
    scores = {"candidate_score": 0.62, "incumbent_score": 0.58, "score_delta": 0.04} if status == "done" else {}
    values: dict[str, Any] = {
        "workspace": benchmark.workspace,
        "benchmark": benchmark,
        "run": run or make_run(workspace=benchmark.workspace),
        "incumbent_ref": INCUMBENT,
        "candidate_ref": CANDIDATE,
        "items_digest": benchmark.items_digest,
        "rows_total": 10,
        "rows_scored": 10 if scores else 0,
        "created_at": START,
        **scores,
    }
    return BenchmarkRun.objects.create(**(values | fields))


def make_side(score: float | None, **fields: Any) -> dict[str, Any]:
    """One model's answer to a conversation, judged with this score."""
    judge = {"overall": score, "dimensions": {"helpful": score}, "reason": "It helps."}
    return {"state": "judged", "completion": "Hello.", "tool_calls": None, "judge": judge, "score": score} | fields


def make_rows(replay: BenchmarkRun, *scores: tuple[float | None, float | None]) -> list[ReplayRow]:
    """A row for each (candidate, incumbent), of the benchmark's pinned conversations as far as there are any."""
    scale, items = Scale.of(replay.benchmark.scoring), list(replay.benchmark.items.order_by("ordinal"))
    return ReplayRow.objects.bulk_create(
        settle_row(
            ReplayRow(
                replay=replay,
                ordinal=n,
                item=items[n] if n < len(items) else None,
                question=None if n < len(items) else {"prompt": [{"role": "user", "content": f"Question {n}"}]},
                candidate=make_side(candidate),
                incumbent=make_side(incumbent),
            ),
            scale,
        )
        for n, (candidate, incumbent) in enumerate(scores)
    )


def make_history(benchmark: Benchmark, n: int, *, rule: Rule | None = None, gap_every: int = 20) -> None:
    """`n` replays an hour apart, the oldest first; every `gap_every`-th failed and has no score (0: none did)."""
    workspace = benchmark.workspace
    first = TrainingRun.objects.filter(workspace=workspace).count() + 1
    runs, replays = [], []
    for i in range(n):
        at = START + timedelta(hours=i)
        gap = gap_every and i % gap_every == gap_every - 1
        runs.append(
            TrainingRun(
                id=new_id("run"),
                workspace=workspace,
                rule=rule,
                rule_name=rule.name if rule else None,
                seq=first + i,
                state="failed" if gap else "promoted" if i % 7 == 0 else "rejected",
                checkpoint_id=f"step-{(i + 1) * 100}",
                decision=None if gap else "promoted" if i % 7 == 0 else "rejected",
                created_at=at,
                state_entered_at=at,
            )
        )
        candidate, incumbent = round(0.5 + 0.3 * i / n, 4), round(0.48 + 0.3 * i / n, 4)
        replays.append(
            BenchmarkRun(
                id=new_id("brun"),
                workspace=workspace,
                benchmark=benchmark,
                run=runs[-1],
                incumbent_ref=INCUMBENT,
                candidate_ref=CANDIDATE,
                items_digest=benchmark.items_digest,
                rows_total=10,
                rows_scored=4 if gap else 10,
                candidate_score=None if gap else candidate,
                incumbent_score=None if gap else incumbent,
                score_delta=None if gap else round(candidate - incumbent, 4),
                status="failed" if gap else "done",
                status_reason="The judge could not be reached." if gap else None,
                created_at=at,
                finished_at=at + timedelta(minutes=20),
            )
        )
    TrainingRun.objects.bulk_create(runs, batch_size=500)
    BenchmarkRun.objects.bulk_create(replays, batch_size=500)


def make_judge(name: str = "Helpfulness", **fields: Any) -> Judge:
    values: dict[str, Any] = {
        "workspace": fields.pop("workspace", None) or Workspace.default(),
        "name": name,
        "model": "judge-large",
        "instructions": "Score how far the answer helps.",
        "dimensions": [{"key": "helpful", "description": "Does it help?"}],
        "created_at": START,
    }
    return Judge.objects.create(**(values | fields))


def make_trace(question: str = "Where is my order?", **fields: Any) -> Trace:
    values: dict[str, Any] = {
        "workspace": fields.pop("workspace", None) or Workspace.default(),
        "source": "support",
        "model": "acme/base-7b",
        "messages": [{"role": "user", "content": question}, {"role": "assistant", "content": "On its way."}],
        "created_at": START,
    }
    return Trace.objects.create(**(values | fields))


def make_dataset(name: str = "Reviewed", traces: Sequence[Trace] = (), **fields: Any) -> Dataset:
    values: dict[str, Any] = {
        "workspace": fields.pop("workspace", None) or Workspace.default(),
        "name": name,
        "created_at": START,
    }
    dataset = Dataset.objects.create(**(values | fields))
    DatasetItem.objects.bulk_create(
        DatasetItem(dataset=dataset, trace=trace, ordinal=n) for n, trace in enumerate(traces)
    )
    return dataset


def make_evaluation(run: TrainingRun, winners: Sequence[str] = (), **body: Any) -> Evaluation:
    """The paired comparison of a run, with one conversation for each of `winners`."""
    wins, losses = winners.count("candidate"), winners.count("incumbent")
    counted = {
        "rows_selected": len(winners),
        "rows_scored": len(winners),
        "wins": wins,
        "losses": losses,
        "ties": winners.count("tie"),
        "win_rate": wins / (wins + losses) if wins + losses else None,
        "verdict": "better",
        "decoding": {"temperature": 0.0, "max_tokens": 512, "stream": False},
    }
    evaluation = Evaluation.objects.create(
        workspace=run.workspace, run=run, created_at=START, status="done", body=counted | body
    )
    EvaluationItem.objects.bulk_create(
        EvaluationItem(
            evaluation=evaluation,
            ordinal=n,
            winner=winner,
            body={
                "prompt": [{"role": "user", "content": f"Question {n}"}],
                "candidate": {"completion": "New answer", "score": 0.7},
                "incumbent": {"completion": "Old answer", "score": 0.6},
            },
        )
        for n, winner in enumerate(winners)
    )
    return evaluation


START_MS = int(START.timestamp() * 1000)
HOUR_MS = 3_600_000


def make_runloop_benchmark(name: str = "Repairs", **fields: Any) -> RunloopBenchmark:
    values: dict[str, Any] = {
        "id": new_id("bmd"),
        "workspace": fields.pop("workspace", None) or Workspace.default(),
        "name": name,
        "created_at": START,
        "metadata": {"team": "agents"},
        "scenario_ids": ["scn_1", "scn_2"],
    }
    return RunloopBenchmark.objects.create(**(values | fields))


def make_runloop_run(benchmark: RunloopBenchmark | None = None, **fields: Any) -> RunloopRun:
    """One run; completed with 0.75 unless told otherwise."""
    state = fields.setdefault("state", "completed")
    values: dict[str, Any] = {
        "id": new_id("bmr"),
        "workspace": fields.pop("workspace", None) or (benchmark.workspace if benchmark else Workspace.default()),
        "benchmark": benchmark,
        "name": "nightly",
        "score": 0.75 if state == "completed" else None,
        "start_time_ms": START_MS,
        "duration_ms": None if state == "running" else HOUR_MS,
        "metadata": {"model": "coder-7b", "checkpoint": "step-100"},
    }
    return RunloopRun.objects.create(**(values | fields))


def make_runloop_runs(benchmark: RunloopBenchmark, n: int, *, models: Sequence[str] = ("a", "b")) -> None:
    """`n` runs an hour apart, the oldest first, of the models in turn; every 20th was canceled."""
    RunloopRun.objects.bulk_create(
        (
            RunloopRun(
                id=f"{benchmark.pk}-{i:06d}",
                workspace=benchmark.workspace,
                benchmark=benchmark,
                name=f"{models[i % len(models)]} at step {i // len(models) * 100}",
                state="canceled" if i % 20 == 19 else "completed",
                score=None if i % 20 == 19 else round(0.4 + 0.3 * i / n, 4),
                start_time_ms=START_MS + i * HOUR_MS,
                duration_ms=HOUR_MS // 2,
                metadata={"model": models[i % len(models)], "checkpoint": f"step-{i // len(models) * 100}"},
                environment_variables={"TOKEN": "hunter2"},
                secrets_provided={"DB_PASS": "DATABASE_PASSWORD"},
            )
            for i in range(n)
        ),
        batch_size=500,
    )


def make_scenario_run(run: RunloopRun, **fields: Any) -> RunloopScenarioRun:
    """One scenario of the run; completed with 0.5 unless told otherwise."""
    result = {"scoring_function_name": "tests", "score": 0.5, "state": "complete", "output": "1 of 2 passed"}
    values: dict[str, Any] = {
        "id": new_id("scr"),
        "run": run,
        "ordinal": run.scenario_runs.count(),
        "scenario_id": "scn_1",
        "devbox_id": "dbx_1",
        "name": "a loop that never ends",
        "state": "completed",
        "start_time_ms": START_MS,
        "duration_ms": 60_000,
        "scoring_contract_result": {"score": 0.5, "scoring_function_results": [result]},
    }
    return RunloopScenarioRun.objects.create(**(values | fields))
