"""Eras: how long one model served, as far as decisions and the incumbents' names tell it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dashboard.trend.points import Point

PROMOTIONS = frozenset({"promoted", "auto_promoted", "rolled_back"})
"""Decisions after which another model served, if only for a time."""

DECISION_LABELS = {
    "promoted": "promoted",
    "auto_promoted": "auto-promoted",
    "rejected": "rejected",
    "auto_rejected": "auto-rejected",
    "rolled_back": "rolled back",
}


class Decision(NamedTuple):
    key: str
    label: str


_DECISIONS = {key: Decision(key, label) for key, label in DECISION_LABELS.items()}


def read_decision(given: str | None) -> Decision | None:
    """The decision that was given, an unknown one as it is (T11); None while nobody decided."""
    return (_DECISIONS.get(given) or Decision(given, given)) if given else None


def count_eras(points: Iterable[Point]) -> Iterator[tuple[int, str]]:
    """Of each of the points, in order: its era from 0, and why one begins there, "" where none does (T7).

    After a promotion another model serves, and where a point names another incumbent another one does. Each rule's
    eras are its own.
    """
    states: dict[str, tuple[int, str, object]] = {}
    for point in points:
        era, reason, serving = states.get(point.group, (0, "", None))
        if point.serving is not None:
            if serving is not None and point.serving != serving:
                reason = reason or f"another incumbent: {point.serving_name}"
            serving = point.serving
        if reason:
            era += 1
        yield era, reason
        promoted = ""
        if point.decision and point.decision in PROMOTIONS:
            promoted = f"after {point.label}, {DECISION_LABELS[point.decision]}"
        states[point.group] = (era, promoted, serving)
