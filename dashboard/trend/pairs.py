"""Two groups side by side: per checkpoint label one point of each, and what lies between their scores."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dashboard.trend.flags import Flag
from dashboard.trend.gaps import Gap
from dashboard.trend.lines import Line, Role, join
from dashboard.trend.points import order_key
from dashboard.trend.slots import Slot
from dashboard.trend.vocabulary import Vocabulary

PAIR_KINDS = frozenset({"no_candidate", "no_baseline"})
"""Kinds of gap that there are only where two groups stand side by side."""
_TOO_FAR = Flag("delta_too_large", "the difference of the two scores is larger than any number")


class Side(NamedTuple):
    """One of the two groups, and the kind of gap where it has no point of a label."""

    role: Role
    name: str
    missing: str


def make_sides(candidate: str, incumbent: str) -> tuple[Side, Side]:
    return Side("candidate", candidate, "no_candidate"), Side("incumbent", incumbent, "no_baseline")


def pair_slots(slots: Iterable[Slot], sides: tuple[Side, Side], words: Vocabulary) -> list[Slot]:
    """One slot for each label, and one for each point that no label needs, oldest to newest; each point once.

    For its label stands the newest scored point of a side, where none is scored the newest. A pair stands where its
    candidate does. `slots` are in order, of points read alone.
    """
    by_label: dict[str, tuple[list[Slot], list[Slot]]] = defaultdict(lambda: ([], []))
    names = [side.name for side in sides]
    for slot in slots:
        if slot.point.group in names:
            by_label[slot.point.label][names.index(slot.point.group)].append(slot)
    paired = []
    for label, of_sides in by_label.items():
        chosen = [_choose(of_side) for of_side in of_sides]
        paired.append(_compare(label, sides, chosen, words))
        for side, of_side, one in zip(sides, of_sides, chosen, strict=True):
            paired += [_place_alone(slot, side, one, words) for slot in of_side if one and slot is not one]
    return sorted(paired, key=lambda slot: order_key(slot.point))


def build_paired_lines(slots: Sequence[Slot], sides: tuple[Side, Side]) -> list[Line]:
    """The two lines. Where a side should have had a number and has none its line breaks (T5); what is of the other side
    alone, and no part of a comparison, breaks nothing."""
    lines = []
    for number, side in enumerate(sides):
        own = (slot for slot in slots if slot.compared or slot.point.group == side.name)
        scores = ((slot.place, slot.candidate if side.role == "candidate" else slot.incumbent) for slot in own)
        segments = join((place, score is not None, False) for place, score in scores)
        lines.append(Line(side.name, side.role, segments, side.name, number))
    return lines


def _choose(slots: Sequence[Slot]) -> Slot | None:
    """The point that stands for its label; None without any."""
    newest = slots[-1] if slots else None
    return next((slot for slot in reversed(slots) if slot.scored), newest)


def _compare(label: str, sides: tuple[Side, Side], chosen: Sequence[Slot | None], words: Vocabulary) -> Slot:
    there = [(side, slot) for side, slot in zip(sides, chosen, strict=True) if slot]
    gaps = [_gap_of(side, slot, label, words) for side, slot in zip(sides, chosen, strict=True)]
    flags = [Flag(flag.kind, f"{side.name}: {flag.text}") for side, slot in there for flag in slot.flags]
    candidate, incumbent = (slot.candidate if slot else None for slot in chosen)
    delta = None
    if candidate is not None and incumbent is not None:
        delta = candidate - incumbent
        if not math.isfinite(delta):
            delta, flags = None, [*flags, _TOO_FAR]
    return there[0][1]._replace(
        gap=_join_gaps([gap for gap in gaps if gap]),
        flags=tuple(flags),
        incumbent=incumbent,
        candidate=candidate,
        delta=delta,
        other=there[1][1].point if len(there) == 2 else None,
        compared=True,
        reasons=tuple(slot.gap.reason if slot and slot.gap else "" for slot in chosen),
    )


def _place_alone(slot: Slot, side: Side, chosen: Slot, words: Vocabulary) -> Slot:
    """The slot of a point in whose stead another one of its side and label is compared."""
    why = "the newest of them that has a score" if chosen.scored else "the newest, for none has a score"
    said = f"of the {words.things} of this side and label {chosen.id} is compared, {why}"
    return slot._replace(
        gap=_gap_of(side, slot, slot.label, words),
        flags=(*slot.flags, Flag("not_compared", said)),
        candidate=slot.candidate if side.role == "candidate" else None,
        incumbent=slot.candidate if side.role == "incumbent" else None,
    )


def _gap_of(side: Side, slot: Slot | None, label: str, words: Vocabulary) -> Gap | None:
    if slot is None:
        said = f"no {words.thing} of {side.name} is labelled {label}"
        return Gap(side.missing, words.name_gap(side.missing), said)
    return slot.gap and slot.gap._replace(reason=f"{side.name}: {slot.gap.reason}")


def _join_gaps(gaps: Sequence[Gap]) -> Gap | None:
    """One gap for the slot: of the candidate's kind where both sides are one, with the reasons of both."""
    if len(gaps) < 2:
        return gaps[0] if gaps else None
    labels = dict.fromkeys(gap.label for gap in gaps)
    return Gap(gaps[0].kind, ", ".join(labels), "; ".join(gap.reason for gap in gaps))
