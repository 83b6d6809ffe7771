"""Two groups side by side: per checkpoint label one point of each, and what lies between their scores."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from dashboard.trend.eras import read_decision
from dashboard.trend.flags import Flag, find_flags
from dashboard.trend.gaps import Gap, find_gap
from dashboard.trend.lines import Line, Role, join
from dashboard.trend.points import Point, order_key
from dashboard.trend.slots import Slot, scores_of
from dashboard.trend.vocabulary import Vocabulary

_TOO_FAR = Flag("delta_too_large", "the difference of the two scores is larger than any number")


PAIR_KINDS = frozenset({"no_candidate", "no_baseline"})
"""Kinds of gap that there are only where two groups stand side by side."""


class Side(NamedTuple):
    """One of the two groups."""

    role: Role
    name: str

    @property
    def missing(self) -> str:
        """The kind of gap where this side has no point of a label."""
        return "no_candidate" if self.role == "candidate" else "no_baseline"


class _Read(NamedTuple):
    """One point, read once: its score, or why it has none."""

    point: Point
    gap: Gap | None
    flags: tuple[Flag, ...]
    score: float | None


def make_sides(candidate: str, incumbent: str) -> tuple[Side, Side]:
    return Side("candidate", candidate), Side("incumbent", incumbent)


def pair_points(points: Iterable[Point], sides: tuple[Side, Side], words: Vocabulary, now: datetime) -> list[Slot]:
    """One slot for each label, and one for each point that no label needs, oldest to newest; each point once.

    For its label stands the newest scored point of a side, where none is scored the newest. A pair stands where its
    candidate does. `points` are in order.
    """
    candidate, incumbent = sides
    by_side: dict[str, dict[str, list[_Read]]] = {side.name: defaultdict(list) for side in sides}
    for point in points:
        if point.group in by_side:
            by_side[point.group][point.label].append(_read(point, words, now))
    of_candidate, of_incumbent = by_side[candidate.name], by_side[incumbent.name]
    slots = []
    for label in of_candidate | of_incumbent:
        ours, theirs = of_candidate.get(label, []), of_incumbent.get(label, [])
        chosen, against = _choose(ours), _choose(theirs)
        slots.append(_compare(label, (candidate, chosen), (incumbent, against), words))
        slots += [_place_alone(read, candidate, chosen, words) for read in ours if chosen and read is not chosen]
        slots += [_place_alone(read, incumbent, against, words) for read in theirs if against and read is not against]
    return sorted(slots, key=lambda slot: order_key(slot.point))


def build_paired_lines(slots: Sequence[Slot], sides: tuple[Side, Side]) -> list[Line]:
    """The two lines. Where a side should have had a number and has none its line breaks (T5); what is of the other side
    alone, and no part of a comparison, breaks nothing."""
    return [
        Line(
            side.name,
            side.role,
            join(
                (slot.place, (slot.candidate if side.role == "candidate" else slot.incumbent) is not None, False)
                for slot in slots
                if slot.compared or slot.point.group == side.name
            ),
            side.name,
            number,
        )
        for number, side in enumerate(sides)
    ]


def _read(point: Point, words: Vocabulary, now: datetime) -> _Read:
    gap = find_gap(point, words, now, alone=True)
    scores = (None, None, None) if gap else scores_of(point, alone=True)
    return _Read(point, gap, find_flags(point, scores, words), scores[0])


def _choose(read: Sequence[_Read]) -> _Read | None:
    """The point that stands for its label; None without any."""
    newest = read[-1] if read else None
    return next((one for one in reversed(read) if one.score is not None), newest)


def _compare(label: str, ours: tuple[Side, _Read | None], theirs: tuple[Side, _Read | None], words: Vocabulary) -> Slot:
    sides = [(side, read) for side, read in (ours, theirs) if read is not None]
    gaps = [gap for gap in (_gap_of(*ours, label, words), _gap_of(*theirs, label, words)) if gap]
    flags = [Flag(flag.kind, f"{side.name}: {flag.text}") for side, read in sides for flag in read.flags]
    candidate, incumbent = (read.score if read else None for _, read in (ours, theirs))
    delta = None
    if candidate is not None and incumbent is not None:
        delta = candidate - incumbent
        if not math.isfinite(delta):
            delta, flags = None, [*flags, _TOO_FAR]
    first = sides[0][1].point
    return Slot(
        place=0,
        point=first,
        gap=_join_gaps(gaps),
        flags=tuple(flags),
        decision=read_decision(first.decision),
        era=0,
        era_reason="",
        candidate=candidate,
        incumbent=incumbent,
        delta=delta,
        other=sides[1][1].point if len(sides) == 2 else None,
        compared=True,
        reasons=tuple(read.gap.reason if read and read.gap else "" for read in (ours[1], theirs[1])),
    )


def _place_alone(read: _Read, side: Side, chosen: _Read, words: Vocabulary) -> Slot:
    """The slot of a point in whose stead another one of its side and label is compared."""
    why = "the newest of them that has a score" if chosen.score is not None else "the newest, for none has a score"
    said = f"of the {words.things} of this side and label {chosen.point.id} is compared, {why}"
    return Slot(
        place=0,
        point=read.point,
        gap=read.gap and read.gap._replace(reason=f"{side.name}: {read.gap.reason}"),
        flags=(*read.flags, Flag("not_compared", said)),
        decision=read_decision(read.point.decision),
        era=0,
        era_reason="",
        candidate=read.score if side.role == "candidate" else None,
        incumbent=read.score if side.role == "incumbent" else None,
        delta=None,
    )


def _gap_of(side: Side, read: _Read | None, label: str, words: Vocabulary) -> Gap | None:
    if read is None:
        said = f"no {words.thing} of {side.name} is labelled {label}"
        return Gap(side.missing, words.name_gap(side.missing), said)
    return read.gap and read.gap._replace(reason=f"{side.name}: {read.gap.reason}")


def _join_gaps(gaps: Sequence[Gap]) -> Gap | None:
    """One gap for the slot: of the candidate's kind where both sides are one, with the reasons of both."""
    if len(gaps) < 2:
        return gaps[0] if gaps else None
    labels = dict.fromkeys(gap.label for gap in gaps)
    return Gap(gaps[0].kind, ", ".join(labels), "; ".join(gap.reason for gap in gaps))
