"""One replay as its page prints it: status, numbers or why there are none, rows, dimensions, models, cost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.utils.safestring import SafeString

from dashboard.charts.dots import Pair, render_dots
from dashboard.charts.numbers import choose_decimals
from dashboard.sources.loop.points import build_points, describe_benchmark
from dashboard.sources.loop.rows import RowMark
from dashboard.sources.loop.wire import Benchmark, DimensionScore, HistoryPoint, ModelRef, Replay
from dashboard.trend import Scale, Score, Unreadable, find_flags, find_gap, read_scale
from dashboard.trend.rows import find_bounds
from dashboard.web.common.numbers import NOTHING, Number, show_cents, show_count, show_delta, show_score
from dashboard.web.common.times import Moment, show_moment

MOST_DIMENSIONS = 100


class ShownDimension(NamedTuple):
    name: str
    incumbent: Number
    candidate: Number
    delta: Number


class ShownReplay(NamedTuple):
    """What a replay's page says of it. `reason` says why there is no score, empty where there is one."""

    id: str
    status: str
    reason: str
    candidate: Number
    incumbent: Number
    delta: Number
    scale: str
    notes: tuple[str, ...]
    bounds: tuple[str, ...]
    """Between what each side's score would lie, were the replay complete; empty where nothing is known."""
    facts: tuple[tuple[str, str], ...]
    at: Moment
    finished_at: Moment


def build_replay(
    replay: Replay, benchmark: Benchmark | None, marks: Sequence[RowMark] | None, now: datetime
) -> ShownReplay:
    """`marks`: every row that the API lists, None where they were not read."""
    words = describe_benchmark(benchmark)
    [point] = build_points([_as_point(replay)])
    alone = replay.incumbent_score is None and not replay.incumbent_ref.name
    gap = find_gap(point, words, now, alone=alone)
    scores = [one if gap is None and isinstance(one, float) else None for one in _scores(replay)]
    decimals = choose_decimals(scores, words.scale)
    candidate, incumbent = (show(one, decimals) for one in scores[:2])
    flags = find_flags(point, (scores[0], scores[1], scores[2]), words)
    return ShownReplay(
        replay.id,
        replay.status or "no status",
        gap.reason if gap else "",
        candidate,
        incumbent,
        Number(NOTHING, "") if scores[2] is None else show_delta(scores[2], decimals),
        benchmark.scoring.scale if benchmark else "",
        tuple(flag.text for flag in flags),
        tuple(describe_bounds(replay, benchmark, marks)) if gap else (),
        tuple(build_facts(replay, benchmark)),
        show_moment(replay.created_at, now),
        show_moment(replay.finished_at, now),
    )


def show(score: Score, decimals: int) -> Number:
    """A score, a dash for none, or what could not be read as it came."""
    if isinstance(score, Unreadable):
        return Number(f"unreadable: {score.raw}", "")
    return Number(NOTHING, "") if score is None else show_score(score, decimals)


def describe_bounds(replay: Replay, benchmark: Benchmark | None, marks: Sequence[RowMark] | None) -> list[str]:
    """What the rows that are there leave of each side's mean; nothing where they do not let it be reckoned.

    Where the service says it, that counts. Else every row must be listed, and the score be the mean of the rows.
    """
    said = replay.bounds or {}
    known: dict[str, tuple[float, float]] = {side: said[side] for side in ("candidate", "incumbent") if side in said}
    scale = benchmark.scoring.scale if benchmark else ""
    same = benchmark is not None and replay.items_digest == benchmark.items_digest
    mean = benchmark is not None and "mean" in benchmark.scoring.aggregate.lower()
    if not known and marks and same and mean and replay.rows_total == len(marks) and replay.status != "open":
        scores = {"candidate": [one.candidate for one in marks], "incumbent": [one.incumbent for one in marks]}
        for side, given in scores.items():
            there = [score for score in given if isinstance(score, float)]
            found = find_bounds(there, len(marks) - len(there), scale) if there else None
            if found:
                known[side] = found
    sentences = []
    for side, (low, high) in known.items():
        decimals = choose_decimals([low, high], read_scale(scale))
        between = f"between {show_score(low, decimals).text} and {show_score(high, decimals).text}"
        sentences.append(f"{side.capitalize()}: no score; complete, it would lie {between}.")
    return sentences


def build_facts(replay: Replay, benchmark: Benchmark | None) -> list[tuple[str, str]]:
    """What is known of it besides its numbers, as pairs of a name and a text."""
    counts = (replay.rows_total, replay.rows_scored, replay.rows_failed)
    total, scored, failed = (NOTHING if one is None else f"{one:,}" for one in counts)
    tokens = [
        show_count(count, f"{kind} token")
        for kind, count in (("prompt", replay.prompt_tokens), ("completion", replay.completion_tokens))
        if count is not None
    ]
    return [
        ("Rows", f"{total} in all, {scored} scored, {failed} failed"),
        ("Candidate", describe_ref(replay.candidate_ref)),
        ("Incumbent", describe_ref(replay.incumbent_ref)),
        ("Set", describe_digest(replay.items_digest, benchmark)),
        ("Tokens", ", ".join(tokens) or NOTHING),
        ("Cost", f"{show_cents(replay.spent_cents)} of at most {show_cents(replay.ceiling_cents)}"),
    ]


def describe_ref(ref: ModelRef) -> str:
    """A model in words: its name, its version, and what kind of thing answers under it."""
    kind = ref.kind.replace("_", " ")
    parts = [ref.name or ref.deployment_id or "", f"version {ref.model_version}" if ref.model_version else "", kind]
    return ", ".join(part for part in parts if part) or NOTHING


def describe_digest(digest: str, benchmark: Benchmark | None) -> str:
    """Whether the replay used the benchmark's own set (T8)."""
    if not digest or benchmark is None or not benchmark.items_digest:
        return "nobody can say whether it is the benchmark's: a digest is missing"
    if digest == benchmark.items_digest:
        return f"the benchmark's own, {digest[:12]}"
    return f"another than the benchmark's: {digest[:12]}, not {benchmark.items_digest[:12]}"


def build_dimensions(given: Sequence[DimensionScore], scale: Scale | None) -> list[ShownDimension]:
    numbers = [n for one in given for n in (one.incumbent, one.candidate, one.delta) if isinstance(n, float)]
    decimals = choose_decimals(numbers, scale)
    return [
        ShownDimension(
            one.dimension,
            show(one.incumbent, decimals),
            show(one.candidate, decimals),
            show_delta(one.delta, decimals) if isinstance(one.delta, float) else show(one.delta, decimals),
        )
        for one in given[:MOST_DIMENSIONS]
    ]


def draw_dimensions(given: Sequence[DimensionScore], scale: Scale | None) -> SafeString:
    def number(score: Score) -> float | None:
        return score if isinstance(score, float) else None

    pairs = [Pair(one.dimension, number(one.incumbent), number(one.candidate)) for one in given]
    return SafeString(render_dots(pairs, scale))


def _scores(replay: Replay) -> tuple[Score, Score, Score]:
    return replay.candidate_score, replay.incumbent_score, replay.score_delta


def _as_point(replay: Replay) -> HistoryPoint:
    return HistoryPoint(
        replay.id,
        run_id=replay.run_id,
        created_at=replay.created_at,
        candidate_score=replay.candidate_score,
        incumbent_score=replay.incumbent_score,
        score_delta=replay.score_delta,
        status=replay.status,
        status_reason=replay.status_reason,
        items_digest=replay.items_digest or None,
        rows_total=replay.rows_total,
        rows_scored=replay.rows_scored,
        incumbent_ref=replay.incumbent_ref,
    )
