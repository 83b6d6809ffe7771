"""What the Loop API says of a benchmark as points: its replays, and the runs that should have had one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dashboard.sources.loop.wire import Benchmark, HistoryPoint, ModelRef, TrainingRun
from dashboard.trend import MISSING, Kind, Point, Vocabulary, read_scale

LOOP = Vocabulary(
    thing="replay",
    status="status",
    scored="done",
    scored_label="scored",
    open="open",
    finished="finished",
    gaps={
        "open": Kind("open", "ring"),
        "failed": Kind("failed", "cross"),
        "budget_stopped": Kind("budget stopped", "square"),
        "abandoned": Kind("abandoned", "open diamond"),
        "unreadable": Kind("unreadable score", "triangle down"),
        "unscored": Kind("no score", "dash"),
        "not_comparable": Kind("not comparable", "hourglass"),
        MISSING: Kind("missing replay", "open square"),
    },
    reasons={MISSING: "the run has a verdict and was never replayed on this benchmark"},
    no_reason="the service gave no reason",
    numbers=("candidate", "incumbent"),
    delta="delta",
    group="rule",
    group_title="Rule",
    ungrouped="no rule",
    run_page="training-run",
    eras=True,
    decisions=True,
    page="replay",
)


def describe_benchmark(benchmark: Benchmark | None) -> Vocabulary:
    """The words for its replays, with its set (T8) and its scale; without a benchmark neither is checked."""
    if benchmark is None:
        return LOOP
    return replace(LOOP, digest=benchmark.items_digest, scale=read_scale(benchmark.scoring.scale))


def build_points(replays: Iterable[HistoryPoint]) -> list[Point]:
    """Each replay as a point, in the order given."""
    return [
        Point(
            one.benchmark_run_id,
            one.rule_id or "",
            one.rule_name or "",
            one.checkpoint_id or one.benchmark_run_id,
            one.created_at,
            one.status,
            one.candidate_score,
            one.incumbent_score,
            one.score_delta,
            one.status_reason,
            one.decision,
            one.run_id,
            one.items_digest,
            one.rows_total,
            one.rows_scored,
            one.incumbent_ref,
            "" if one.incumbent_ref is None else _name(one.incumbent_ref),
            one.undated,
        )
        for one in replays
    ]


def build_unreplayed(runs: Iterable[TrainingRun]) -> list[Point]:
    """The runs that have a verdict and name no replay of their own, here or on another benchmark, as points (T9)."""
    return [
        Point(
            id=run.id,
            group=run.rule_id or "",
            group_name=run.rule_name or "",
            label=_label(run),
            at=run.created_at,
            status=MISSING,
            candidate=None,
            decision=run.decision,
            run_id=run.id,
            undated=run.undated,
        )
        for run in runs
        if run.verdict and not run.benchmark_run_id
    ]


def _label(run: TrainingRun) -> str:
    if run.checkpoint_id:
        return run.checkpoint_id
    if run.checkpoint_step is not None:
        return f"step {run.checkpoint_step}"
    return f"run {run.seq}" if run.seq is not None else run.id


def _name(ref: ModelRef) -> str:
    return ref.name or ref.deployment_id or "unnamed"
