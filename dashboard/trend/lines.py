"""Lines: which scored slots are joined. A gap breaks a line, a new era breaks the incumbent's, two rules never meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from dashboard.trend.slots import Slot

Role = Literal["candidate", "incumbent"]


class Line(NamedTuple):
    """One role of one rule or group. A segment holds the places of slots joined without a break; one alone is a lone
    point."""

    key: str
    """Of the rule, or of the group of runs; empty for the points of several groups."""
    role: Role
    segments: tuple[tuple[int, ...], ...]
    name: str = ""
    """What it is called beside the chart."""
    number: int | None = 0
    """Which of the lines that lie over one another, from 0: it picks the colour and the dash. None for what is no line
    at all: the unjoined points of several groups."""


def build_lines(slots: Sequence[Slot], key: str, names: Mapping[Role, str], number: int) -> list[Line]:
    """The lines of one rule's slots, which must be in order; other rules' slots may not be among them.

    `names`: the roles that are drawn, each with the name of its line.
    """
    return [
        Line(
            key,
            role,
            join((slot.place, not slot.gap, role == "incumbent" and bool(slot.era_reason)) for slot in slots),
            name,
            number,
        )
        for role, name in names.items()
    ]


def join(marks: Iterable[tuple[int, bool, bool]]) -> tuple[tuple[int, ...], ...]:
    """The segments of one line from its slots in order: (place, has a number, begins anew)."""
    return tuple(_split(marks))


def _split(marks: Iterable[tuple[int, bool, bool]]) -> Iterator[tuple[int, ...]]:
    segment: list[int] = []
    for place, has_number, begins_anew in marks:
        if segment and (begins_anew or not has_number):
            yield tuple(segment)
            segment = []
        if has_number:
            segment.append(place)
    if segment:
        yield tuple(segment)
