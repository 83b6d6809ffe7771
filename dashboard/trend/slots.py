"""Slots: every point once, oldest to newest, with what it says and what it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import repeat
from typing import NamedTuple

from dashboard.trend.eras import Decision, count_eras, read_decision
from dashboard.trend.flags import Flag, Scores, find_flags
from dashboard.trend.gaps import MISSING, Gap, find_gap
from dashboard.trend.points import Point
from dashboard.trend.vocabulary import Vocabulary


class Slot(NamedTuple):
    """One point in its place (T2); or, where two groups stand side by side, both points of one checkpoint label.

    The scores are floats where it is scored, and all None where it is a gap; in a pair one side's number may be there
    although the other's is not.
    """

    place: int
    """Its place among the slots shown, from 0; groups that are shown together share one row of places."""
    point: Point
    """The candidate's of a pair; else the one point that is here, whichever side it is on."""
    gap: Gap | None
    """Why a number is missing here."""
    flags: tuple[Flag, ...]
    decision: Decision | None
    """None while nobody decided (T7)."""
    era: int
    """How often another model came to serve before this point, from 0, counted within its rule."""
    era_reason: str
    """Why an era begins here; empty where none does."""
    candidate: float | None
    incumbent: float | None
    delta: float | None
    other: Point | None = None
    """The incumbent's point of a pair."""
    compared: bool = False
    """True for the slot in which a label's two sides meet, also where one of them is missing."""
    reasons: tuple[str, ...] = ()
    """Of such a slot, why each side has no score, the candidate's first; "" for one that has, or is missing."""

    @property
    def scored(self) -> bool:
        return self.gap is None

    @property
    def missing(self) -> bool:
        """True for a run that was never replayed (T9)."""
        return self.point.status == MISSING

    @property
    def id(self) -> str:
        return self.point.id

    @property
    def group(self) -> str:
        return self.point.group

    @property
    def label(self) -> str:
        return self.point.label

    @property
    def created_at(self) -> datetime | None:
        return self.point.created_at

    @property
    def undated(self) -> bool:
        return self.point.undated

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.point,) if self.other is None else (self.point, self.other)


def build_slots(points: Sequence[Point], words: Vocabulary, *, alone: bool, now: datetime) -> list[Slot]:
    """The slots of these points, which must be in order. Eras are counted from the first of a rule's points (T7)."""
    eras = count_eras(points) if words.eras else repeat((0, ""))
    slots: list[Slot] = []
    for (place, point), (era, era_reason) in zip(enumerate(points), eras, strict=False):
        gap = find_gap(point, words, now, alone=alone)
        scores = (None, None, None) if gap else scores_of(point, alone=alone)
        decision = read_decision(point.decision) if point.decision else None
        slots.append(Slot(place, point, gap, find_flags(point, scores, words), decision, era, era_reason, *scores))
    return slots


def scores_of(point: Point, *, alone: bool) -> Scores:
    """The numbers of a point that is no gap, as they are shown: minus zero is zero (T6)."""
    candidate = point.candidate + 0.0  # type: ignore[operator]
    if alone:
        return candidate, None, None
    return candidate, point.incumbent + 0.0, point.delta + 0.0  # type: ignore[operator]
