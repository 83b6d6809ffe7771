"""Lines: which scored slots are joined. A gap breaks a line, a new era breaks the incumbent's, two rules never meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from dashboard.trend.slots import Slot

Role = Literal["candidate", "incumbent"]


class Line(NamedTuple):
    """One role of one rule. A segment holds the places of slots joined without a break; one alone is a lone point."""

    rule: str
    role: Role
    segments: tuple[tuple[int, ...], ...]


def build_lines(slots: Sequence[Slot], rule: str, roles: Sequence[Role]) -> list[Line]:
    """The lines of one rule's slots, which must be in order; other rules' slots may not be among them."""
    return [Line(rule, role, tuple(_split(slots, breaks_at_eras=role == "incumbent"))) for role in roles]


def _split(slots: Sequence[Slot], *, breaks_at_eras: bool) -> Iterator[tuple[int, ...]]:
    segment: list[int] = []
    for slot in slots:
        if segment and (slot.gap or (breaks_at_eras and slot.era_reason)):
            yield tuple(segment)
            segment = []
        if not slot.gap:
            segment.append(slot.place)
    if segment:
        yield tuple(segment)
