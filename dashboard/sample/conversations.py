"""Builds the rows behind the sample's replays: both answers to each conversation, of which some flip and some break."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from dashboard.sample.story import StoryRun
from dashboard.sample.words import JUDGES
from dashboard.store.models import BenchmarkItem, BenchmarkRun, ReplayRow
from dashboard.store.replays.rows import Scale, settle_row

WITH_ROWS = ("small", "support")
"""The rule and the benchmark whose replays have rows."""
MOST_REPLAYS = 80
"""So many of the newest ones have them."""
_BROKE_BEFORE_LAST = {3: 8, 11: 5}
"""Place of a conversation -> so many of the newest replays of the candidate fail it, after all before passed it."""
_ANSWERS = (
    (0.85, "I have started the refund of 59.90. It is on your account in three days.", "Solves it in one message."),
    (
        0.7,
        "Sorry about that. I am sending a replacement today and you need not return the first one.",
        "Kind and right.",
    ),
    (0.5, "Please send us a photo of the parcel and we will look into it.", "Asks for what we know already."),
    (0.0, "Thank you for contacting us. A colleague will answer you.", "Answers nothing that was asked."),
)


def build_rows(replays: Sequence[tuple[BenchmarkRun, StoryRun]], items: Sequence[BenchmarkItem]) -> Iterator[ReplayRow]:
    """The rows of these replays, oldest replay first. Of a scored one, the mean of a side is the replay's score."""
    means = [0.7, 0.68]
    for place, (replay, story) in enumerate(replays):
        rng = random.Random(replay.pk)  # noqa: S311 - invented scores
        low, high = story.benchmark.low, story.benchmark.high
        scale = Scale.of(replay.benchmark.scoring)
        if replay.candidate_score is not None and replay.incumbent_score is not None:
            means = [(score - low) / (high - low) for score in (replay.candidate_score, replay.incumbent_score)]
        left = len(replays) - place
        broken = {at for at, newest in _BROKE_BEFORE_LAST.items() if left <= newest}
        candidate = _spread(rng, means[0], len(items), {at: at not in broken for at in _BROKE_BEFORE_LAST})
        incumbent = _spread(rng, means[1], len(items), dict.fromkeys(_BROKE_BEFORE_LAST, True))
        for item, *shares in zip(items, candidate, incumbent, strict=True):
            row = ReplayRow(replay=replay, ordinal=item.ordinal, item=item)
            for side, share in zip(("candidate", "incumbent"), shares, strict=True):
                setattr(row, side, _build_side(story, item.ordinal, low + share * (high - low)))
            yield settle_row(row, scale)


def _spread(rng: random.Random, mean: float, count: int, fixed: dict[int, bool]) -> list[float]:
    """`count` shares of the scale with this mean; those in `fixed` pass clearly, or fail clearly."""
    steady = random.Random("how hard each conversation is")  # noqa: S311
    shares = [
        (0.93 if fixed[at] else 0.12) if at in fixed else min(1.0, max(0.0, mean + hard + rng.gauss(0, 0.06)))
        for at, hard in enumerate(steady.gauss(0, 0.13) for _ in range(count))
    ]
    for _ in range(20):  # spread what is off over those that have room for it
        off = mean * count - sum(shares)
        free = [at for at in range(count) if at not in fixed and 0 < shares[at] + off / count < 1]
        for at in free:
            shares[at] = round(min(1.0, max(0.0, shares[at] + off / len(free))), 4)
    last = max(free)
    shares[last] += mean * count - sum(shares)
    return shares


def _build_side(story: StoryRun, ordinal: int, score: float) -> dict[str, Any]:
    if ordinal >= story.scored:
        failed = {"state": "failed", "error": story.reason or "The judge gave no number."}
        return failed if story.status in ("failed", "done") else {"state": "pending"}
    low, high = story.benchmark.low, story.benchmark.high
    share = (score - low) / (high - low)
    _, text, why = next(answer for answer in _ANSWERS if share >= answer[0] or answer[0] == 0)
    score = round(score, 4)
    dimensions = dict.fromkeys(JUDGES[story.benchmark.judge].dimensions, score)
    judge = {"overall": score, "dimensions": dimensions, "reason": why}
    return {"state": "judged", "completion": text, "tool_calls": None, "judge": judge, "score": score}
