"""The trend of a benchmark: points and the words of their API in, slots, lines and groups out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from dashboard.trend.lines import Line, Role, build_sides, overlay
from dashboard.trend.pairs import build_paired_lines, make_sides, pair_slots
from dashboard.trend.points import Point, order_points
from dashboard.trend.scale import Scale
from dashboard.trend.slots import Slot, build_slots
from dashboard.trend.vocabulary import Vocabulary
from dashboard.trend.window import EVERYTHING, Window

_NEVER = datetime.min.replace(tzinfo=UTC)


class Grouping(NamedTuple):
    """Which groups are shown, and how (T3)."""

    key: str | None = None
    """One group alone, with its incumbent; None for the one with the newest point."""
    every: bool = False
    """All of them at once, their candidates laid over one another."""
    sides: tuple[str, str] | None = None
    """Two of them side by side, as candidate and incumbent."""


class Group(NamedTuple):
    """The points that share a rule, or a value of a metadata key. `key` is that value, "" for points that have none."""

    key: str
    name: str
    size: int
    shown: bool


@dataclass(frozen=True, slots=True)
class Trend:
    """What the page shows. `slots` run from oldest to newest (T1); a line's places are indices into them."""

    slots: tuple[Slot, ...]
    lines: tuple[Line, ...]
    """Of more groups than `MOST_LINES` the last one holds the points of all others unjoined."""
    groups: tuple[Group, ...]
    """Every group of the points, the one with the newest point first."""
    words: Vocabulary
    overlaid: bool
    """True where lines lie over one another, each the candidates of a group."""
    paired: bool
    """True where two groups stand side by side as candidate and incumbent."""
    alone: bool
    """True where no point ever had an incumbent: then there is one score, and nothing is called a delta (T4)."""
    total_slots: int
    """The slots before the window."""

    @property
    def scale(self) -> Scale | None:
        return self.words.scale

    @property
    def with_deltas(self) -> bool:
        """True where a delta belongs to a slot and is drawn."""
        return self.paired or not (self.overlaid or self.alone)

    @property
    def numbers(self) -> tuple[str, ...]:
        """What the numbers of a slot are called."""
        if self.paired:
            return (*(line.name for line in self.lines), self.words.delta)
        return self.words.numbers[:1] if self.alone else (*self.words.numbers, self.words.delta)

    @property
    def gap_count(self) -> int:
        """How many of the points shown have no score."""
        others = sum(slot.other is not None for slot in self.slots) if self.paired else 0
        return len(self.slots) + others - self.scored_count

    @property
    def scored_count(self) -> int:
        """How many of the points shown have a score: in a pair each side is a point of its own."""
        if self.paired:
            return sum((slot.candidate is not None) + (slot.incumbent is not None) for slot in self.slots)
        return sum(slot.gap is None for slot in self.slots)

    @property
    def missing_count(self) -> int:
        """How many of those without a score are runs that were never replayed (T9)."""
        return sum(slot.missing for slot in self.slots)

    @property
    def open_points(self) -> list[Point]:
        """The points shown that have not ended, on either side of a pair."""
        return [point for slot in self.slots for point in slot.points if point.status == self.words.open]

    @property
    def meets(self) -> bool:
        """True where a label shown has a point of both sides."""
        return any(slot.other is not None for slot in self.slots)

    @property
    def latest(self) -> Slot | None:
        """The newest slot with a score, side by side with one of the candidate; None where there is none."""
        return next((slot for slot in reversed(self.slots) if slot.candidate is not None), None)

    @property
    def latest_decision(self) -> Slot | None:
        """The newest slot on which somebody decided; None where nobody did."""
        return next((slot for slot in reversed(self.slots) if slot.decision), None)


def build_trend(
    points: Iterable[Point],
    words: Vocabulary,
    grouping: Grouping = Grouping(),  # noqa: B008 - it is immutable
    window: Window = EVERYTHING,
    *,
    now: datetime,
) -> Trend:
    """The trend of these points, each once, in whatever order they come. A group that no point names gives no slots."""
    ordered = order_points(points)
    by_group: dict[str, list[Point]] = defaultdict(list)
    for point in ordered:
        by_group[point.group].append(point)
    newest_first = sorted(by_group, key=lambda key: _newest(by_group[key]), reverse=True)
    names = {key: by_group[key][-1].group_name or key or words.ungrouped for key in newest_first}
    alone = len(words.numbers) == 1 or _never_had_an_incumbent(ordered)

    if grouping.sides:
        sides = make_sides(*grouping.sides)
        theirs = [point for point in ordered if point.group in grouping.sides]
        everything = pair_slots(build_slots(theirs, words, alone=True, now=now), sides, words)
        shown = _number(window.select(everything))
        lines, chosen = build_paired_lines(shown, sides), list(grouping.sides)
    else:
        key = grouping.key if grouping.key is not None or not newest_first else newest_first[0]
        chosen = newest_first if grouping.every else [one for one in newest_first if one == key]
        chosen_points = ordered if grouping.every else [point for one in chosen for point in by_group[one]]
        everything = build_slots(chosen_points, words, alone=alone, now=now)
        shown = _number(window.select(everything))
        if grouping.every:
            lines = overlay(shown, newest_first, names, words.group)
        else:
            roles: tuple[Role, ...] = ("candidate",) if alone else ("candidate", "incumbent")
            lines = [line for one in chosen for line in build_sides(shown, one, roles)]
    return Trend(
        slots=tuple(shown),
        lines=tuple(lines),
        groups=tuple(Group(key, names[key], len(by_group[key]), key in chosen) for key in newest_first),
        words=words,
        overlaid=grouping.every and not grouping.sides,
        paired=bool(grouping.sides),
        alone=alone and not grouping.sides,
        total_slots=len(everything),
    )


def _newest(points: list[Point]) -> tuple[datetime, str]:
    """The newest of a group's points in order, by a time that could be read: what has none is not new."""
    newest = next((point for point in reversed(points) if point.created_at), points[-1])
    return (newest.created_at or _NEVER, newest.id)


def _never_had_an_incumbent(points: list[Point]) -> bool:
    """True where candidates have scores and no point says anything of another side (T4)."""
    return any(point.candidate is not None for point in points) and not any(
        point.incumbent is not None or point.delta is not None or point.serving is not None for point in points
    )


def _number(slots: list[Slot]) -> list[Slot]:
    """The slots with their places among each other."""
    return [slot if slot.place == place else slot._replace(place=place) for place, slot in enumerate(slots)]
