"""Lines: which scored slots are joined. Gaps break them (T5), eras the incumbent's (T7), groups never meet (T3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from dashboard.trend.slots import Slot

MOST_LINES = 12
"""More lines than this cannot be told apart: of more groups those with the newest points have one."""
Role = Literal["candidate", "incumbent"]


class Line(NamedTuple):
    """One role of one group. A segment holds the places of slots joined without a break; one alone is a lone point."""

    key: str
    """Of the group; empty for the points of several groups."""
    role: Role
    segments: tuple[tuple[int, ...], ...]
    name: str = ""
    """What it is called beside the chart."""
    number: int | None = 0
    """Which of the lines that lie over one another, from 0: it picks the colour and the dash. None for what is no line
    at all: the unjoined points of several groups."""


def build_sides(slots: Sequence[Slot], key: str, roles: Sequence[Role]) -> list[Line]:
    """The lines of one group, a role each. Its slots must be in order; no other group's may be among them."""
    return [
        Line(
            key,
            role,
            join((slot.place, not slot.gap, role == "incumbent" and bool(slot.era_reason)) for slot in slots),
            role,
            number,
        )
        for number, role in enumerate(roles)
    ]


def overlay(slots: Sequence[Slot], newest_first: Sequence[str], names: Mapping[str, str], others: str) -> list[Line]:
    """A line of candidates for each of these groups, over one another (T3), as many as can be told apart.

    Chosen by their newest points, numbered by name: a point that arrives changes no line's colour. `others`: what the
    groups are that have none, whose points stand unjoined.
    """
    lined = sorted(newest_first[:MOST_LINES], key=lambda key: _natural(names[key]))
    rest = set(newest_first[MOST_LINES:])
    marks: dict[str, list[tuple[int, bool, bool]]] = {key: [] for key in lined}
    for slot in slots:
        if slot.point.group in marks:
            marks[slot.point.group].append((slot.place, slot.gap is None, False))
    lines = [Line(key, "candidate", join(marks[key]), names[key], number) for number, key in enumerate(lined)]
    if rest:
        points = tuple((slot.place,) for slot in slots if slot.group in rest and slot.gap is None)
        lines.append(Line("", "candidate", points, f"{len(rest)} other {others}{'s' if len(rest) > 1 else ''}", None))
    return lines


def join(marks: Iterable[tuple[int, bool, bool]]) -> tuple[tuple[int, ...], ...]:
    """The segments of one line from its slots in order: (place, has a number, begins anew). Nothing bridges a gap."""
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


def _natural(name: str) -> tuple[list[str | tuple[int, str]], str]:
    """Sorts by the numbers in a name: step-9500 comes before step-10000."""
    parts: list[str | tuple[int, str]] = list(re.split(r"([0-9]+)", name))
    for place in range(1, len(parts), 2):
        digits = str(parts[place]).lstrip("0")
        parts[place] = (len(digits), digits)
    return parts, name
