"""Slots: every replay once, oldest to newest, with what it says and what it lacks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from dashboard.sources.loop.wire import HistoryPoint
from dashboard.trend.flags import Flag, find_flags
from dashboard.trend.gaps import Gap, find_gap
from dashboard.trend.scale import Scale

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
LAST = datetime.max.replace(tzinfo=UTC)
"""Where what has no readable time stands in an order of times."""


class Slot(NamedTuple):
    """One replay in its place. The three scores are floats where it is scored, and all None where it is a gap."""

    place: int
    """Its place among the slots shown, from 0. With `rule="all"` the replays of every rule share one row of places."""
    point: HistoryPoint
    label: str
    """The checkpoint, letter for letter; where there is none, the replay's id."""
    gap: Gap | None
    flags: tuple[Flag, ...]
    decision: Decision | None
    """None while nobody decided."""
    era: int
    """How often another model came to serve before this replay, from 0, counted within its rule."""
    era_reason: str
    """Why an era begins here; empty where none does."""
    candidate: float | None
    incumbent: float | None
    delta: float | None

    @property
    def scored(self) -> bool:
        return self.gap is None

    @property
    def rule(self) -> str:
        return self.point.rule_id or ""

    @property
    def id(self) -> str:
        return self.point.benchmark_run_id

    @property
    def created_at(self) -> datetime | None:
        """Where it stands in time; of an `undated` one that is an order and no fact."""
        return self.point.created_at if isinstance(self.point.created_at, datetime) else None

    @property
    def undated(self) -> bool:
        return self.point.undated

    @property
    def partial(self) -> bool:
        """True where not every row was scored, so that the number is no improvement whatever it says."""
        return any(flag.kind == "partial" for flag in self.flags)


def order_points(points: Iterable[HistoryPoint]) -> list[HistoryPoint]:
    """Oldest to newest by time, then id: a total order, the same however the points came. Untimed ones come last."""
    return sorted(points, key=order_key)


def order_key(point: HistoryPoint) -> tuple[datetime, str]:
    """Where a replay stands among others."""
    return (point.created_at if isinstance(point.created_at, datetime) else LAST, point.benchmark_run_id)


def build_slots(points: Iterable[HistoryPoint], *, digest: str, scale: Scale | None, now: datetime) -> list[Slot]:
    """The slots of ONE rule's points, which must be in order. Eras are counted from the first of them."""
    slots: list[Slot] = []
    era, promoted, serving = 0, "", None
    for place, point in enumerate(points):
        gap = find_gap(point, digest, now)
        label = point.checkpoint_id or point.benchmark_run_id
        era_reason, ref = promoted, point.incumbent_ref
        if ref is not None:
            if serving is not None and ref != serving:
                era_reason = era_reason or f"another incumbent: {ref.name or ref.deployment_id or 'unnamed'}"
            serving = ref
        if era_reason:
            era += 1
        decision = _read_decision(point.decision)
        promoted = f"after {label}, {decision.label}" if decision and decision.key in PROMOTIONS else ""
        scores = (None, None, None) if gap else _scores_of(point)
        slots.append(
            Slot(place, point, label, gap, find_flags(point, scores, scale), decision, era, era_reason, *scores)
        )
    return slots


def _scores_of(point: HistoryPoint) -> tuple[float, float, float]:
    """Candidate, incumbent and delta of a replay that is no gap, as they are shown: minus zero is zero."""
    return point.candidate_score + 0.0, point.incumbent_score + 0.0, point.score_delta + 0.0  # type: ignore[operator]


def _read_decision(given: str | None) -> Decision | None:
    """The decision that was given, an unknown one as it is; None while nobody decided."""
    return (_DECISIONS.get(given) or Decision(given, given)) if given else None
