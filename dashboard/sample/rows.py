"""Builds the sample workspace's rows from its story: replays and paired evaluations."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from dashboard.sample.runs import draw_id, refer, spend
from dashboard.sample.story import StoryRun
from dashboard.sample.words import JUDGES
from dashboard.store.digest import digest_json
from dashboard.store.models import (
    Benchmark,
    BenchmarkRun,
    Evaluation,
    EvaluationItem,
    TrainingRun,
)

OTHER_SET = digest_json("the set before a typo was mended")
_ANSWERS = {
    "candidate": ("That should not have happened. I have started the refund, you will see it in three days.", 8.4),
    "incumbent": ("Thank you for contacting us. Please wait for our team to answer your question.", 5.2),
}
_WHY = {_ANSWERS["candidate"][0]: "It says what happens next.", _ANSWERS["incumbent"][0]: "It solves nothing yet."}


def build_replay(rng: random.Random, run: TrainingRun, benchmark: Benchmark, story: StoryRun) -> BenchmarkRun:
    total, done = len(story.benchmark.conversations), story.status == "done"
    candidate, incumbent, delta = story.candidate_score, story.incumbent_score, None
    dimensions = list(_spread(rng, story, story.incumbent_score, story.candidate_score)) if done else []
    withheld = None
    if not story.comparable:
        withheld = {"candidate_score": candidate, "incumbent_score": incumbent, "per_dimension": dimensions}
        candidate, incumbent, dimensions = None, None, []
    elif candidate is not None and incumbent is not None:
        delta = round(candidate - incumbent, 4)
    return BenchmarkRun(
        id=draw_id(rng, "brun"),
        workspace_id=run.workspace_id,
        sample=True,
        created_at=story.at,
        benchmark=benchmark,
        run=run,
        incumbent_ref=refer(story.rule.serving, story.incumbent),
        candidate_ref=refer(f"{story.rule.serving}-candidate", story.checkpoint),
        items_digest=benchmark.items_digest if story.comparable else OTHER_SET,
        rows_total=total,
        rows_scored=story.scored,
        rows_failed=total - story.scored if story.status == "failed" else 0,
        candidate_score=candidate,
        incumbent_score=incumbent,
        score_delta=delta,
        per_dimension=dimensions,
        withheld=withheld,
        prompt_tokens=story.scored * 1850,
        completion_tokens=story.scored * 310,
        spent_cents=spend(story),
        ceiling_cents=story.benchmark.cap_cents,
        status=story.status or "",
        status_reason=story.reason if story.comparable else "replayed over another set than the benchmark's",
        finished_at=None if story.status == "open" else story.at + timedelta(minutes=18),
    )


def _spread(
    rng: random.Random, story: StoryRun, incumbent: float | None, candidate: float | None
) -> Iterator[dict[str, Any]]:
    """Each rubric dimension near the scores of both sides, on the same scale."""
    low, high = story.benchmark.low, story.benchmark.high
    for place, key in enumerate(JUDGES[story.benchmark.judge].dimensions):
        shift = (high - low) * (0.03 * (1 - place))
        values = {
            side: round(min(high, max(low, (score or 0.0) + shift + rng.gauss(0, 0.01 * (high - low)))), 4)
            for side, score in (("incumbent", incumbent), ("candidate", candidate))
        }
        yield {"dimension": key, **values, "delta": round(values["candidate"] - values["incumbent"], 4)}


def build_evaluation(rng: random.Random, run: TrainingRun, benchmark: Benchmark, story: StoryRun) -> Evaluation:
    paired = story.paired
    own = random.Random(f"dimensions of {run.pk}")  # noqa: S311 - what is drawn for the others stays as it was
    warnings = []
    if paired.verdict == "inconclusive":
        said = f"{paired.wins} wins and {paired.losses} losses on {paired.rows} rows are too near to tell apart."
        warnings = [{"code": "TOO_CLOSE", "message": said}]
    return Evaluation(
        id=draw_id(rng, "ev"),
        workspace_id=run.workspace_id,
        sample=True,
        created_at=story.at - timedelta(minutes=50),
        run=run,
        body={
            "loop_dataset_id": None,
            "split": "holdout",
            "incumbent_ref": refer(story.rule.serving, story.incumbent),
            "candidate_ref": refer(f"{story.rule.serving}-candidate", story.checkpoint),
            "judge_id": benchmark.judge_id,
            "judge_name": benchmark.judge_name,
            "judge_model": benchmark.judge_model,
            "judge_instructions": benchmark.judge_instructions,
            "judge_dimensions": benchmark.judge_dimensions,
            "judge_system_prompt": benchmark.judge_system_prompt,
            "grader_ids": [],
            "decoding": benchmark.decoding,
            "rows_selected": paired.rows,
            "rows_scored": paired.rows,
            "rows_failed": 0,
            "wins": paired.wins,
            "losses": paired.losses,
            "ties": paired.ties,
            "win_rate": paired.win_rate,
            "incumbent_mean": paired.incumbent_mean,
            "candidate_mean": paired.candidate_mean,
            "mean_delta": round(paired.candidate_mean - paired.incumbent_mean, 4),
            "judge_incumbent_mean": paired.incumbent_mean,
            "judge_candidate_mean": paired.candidate_mean,
            "grader_incumbent_mean": None,
            "grader_candidate_mean": None,
            "grader_items_applied": 0,
            "per_dimension": list(_spread(own, story, paired.incumbent_mean, paired.candidate_mean)),
            "per_grader": [],
            "judge_agreement": None,
            "trainer_eval_loss": None,
            "warnings": warnings,
            "verdict": paired.verdict,
            "verdict_reason": f"{paired.wins} wins, {paired.losses} losses, {paired.ties} ties on {paired.rows} rows.",
            "margin_used": {
                "promote_margin": story.rule.margin,
                "promote_min_win_rate": 0.5,
                "min_judge_agreement": 0.0,
                "min_holdout_rows": 20,
            },
            "prompt_tokens": paired.rows * 2400,
            "completion_tokens": paired.rows * 420,
            "spent_cents": run.spent_eval_cents,
            "last_error": None,
            "finished_at": _to_text(story.at - timedelta(minutes=10)),
        },
    )


def build_evaluation_items(
    evaluation: Evaluation, story: StoryRun, prompts: Sequence[tuple[Any, Any]]
) -> Iterator[EvaluationItem]:
    """The paired rows behind the verdict: as many wins, losses and ties as it counts."""
    paired = story.paired
    winners = ["candidate"] * paired.wins + ["incumbent"] * paired.losses + ["tie"] * paired.ties
    random.Random(evaluation.id).shuffle(winners)  # noqa: S311
    low, high = story.benchmark.low, story.benchmark.high
    for ordinal, winner in enumerate(winners):
        prompt, tools = prompts[ordinal % len(prompts)]
        sides = {}
        for side in ("incumbent", "candidate"):
            text, good = _ANSWERS["candidate" if winner in (side, "tie") else "incumbent"]
            score = round(low + (high - low) * good / 10, 4)
            sides[side] = {
                "completion": text,
                "tool_calls": None,
                "grader": None,
                "judge": {"overall": score, "dimensions": {}, "reason": _WHY[text]},
                "score": score,
                "model_version": story.checkpoint if side == "candidate" else story.incumbent,
            }
        body = {
            "dataset_item_id": ordinal + 1,
            "trace_id": None,
            "trace_url": None,
            "prompt": prompt,
            "tools": tools,
            **sides,
            "human_verdict": None,
            "status": "done",
            "error": None,
        }
        yield EvaluationItem(evaluation=evaluation, ordinal=ordinal, winner=winner, body=body)


def _to_text(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
