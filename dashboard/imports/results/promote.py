"""Decides as a team would that promotes every new best candidate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from dashboard.imports.results.stored import Existing, PlannedReplay


def promote_each_best(
    new: Iterable[PlannedReplay], existing: Existing, *, lower_is_better: bool
) -> list[PlannedReplay]:
    """Walk each rule in time: a candidate better than every one before it and than its incumbent is promoted.

    Every other scored replay is rejected; one without a score stays undecided. What was imported before is walked
    over and keeps the decision it has, and so does a decision that the files name.
    """
    sign = -1.0 if lower_is_better else 1.0
    walk: list[tuple[datetime, str, float | None, float | None, PlannedReplay | None]] = [
        (replay.created_at, rule, replay.candidate_score, replay.incumbent_score, None)
        for rule, replay in existing.list_all()
    ]
    walk += [(p.created_at, p.rule, p.result.candidate, p.result.incumbent, p) for p in new]
    best: dict[str, float] = {}
    decided = []
    for _, rule, candidate, incumbent, planned in sorted(walk, key=lambda step: step[0]):
        decision = None
        if candidate is not None and incumbent is not None:
            beaten = sign * candidate > max(best.get(rule, float("-inf")), sign * incumbent)
            decision = "promoted" if beaten else "rejected"
            best[rule] = max(best.get(rule, float("-inf")), sign * candidate)
        if planned:
            decided.append(replace(planned, decision=planned.decision or decision))
    return decided
