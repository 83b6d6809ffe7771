"""Points: what stands on a line, a replay or a run, whichever API it came from. Each source makes these of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import NamedTuple

RAW_LENGTH = 80
LAST = datetime.max.replace(tzinfo=UTC)
"""Where what has no readable time stands in an order of times."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What stood where a number or a time was due and could not be read as one."""

    raw: str
    """The text as it came, at most `RAW_LENGTH` characters."""

    def __post_init__(self) -> None:
        if len(self.raw) > RAW_LENGTH:
            raise ValueError(f"at most {RAW_LENGTH} characters are kept")


Score = float | Unreadable | None
"""A number as the API gave it: a finite float, None for null, or what could not be read."""

Instant = datetime | Unreadable | None
"""A moment as the API gave it: an aware datetime in UTC, None for null, or what could not be read."""

Duration = int | Unreadable | None
"""Milliseconds as the API gave them: a whole number, None for null, or what could not be read as a length of time."""


class Point(NamedTuple):
    """One replay or run, as it was given (T1). What an API does not tell is None, or False, and concludes nothing."""

    id: str
    group: str
    """The rule, or the value of the metadata key that groups runs; "" for none."""
    group_name: str
    """The same as people read it; "" where nothing groups the points, or the group has no name."""
    label: str
    """The checkpoint, letter for letter; where there is none, what else tells it apart (T2)."""
    at: Instant
    status: str
    candidate: Score
    """Of a run its only score."""
    incumbent: Score = None
    delta: Score = None
    """The service's own (T6)."""
    reason: str | None = None
    """Why it stands as it does, in the service's words."""
    decision: str | None = None
    run_id: str = ""
    """The training run that a replay is of."""
    digest: str | None = None
    """Of the set of conversations that was used (T8)."""
    rows_total: int | None = None
    rows_scored: int | None = None
    serving: object = None
    """What served then, to be compared with what served at other points (T7)."""
    serving_name: str = ""
    """The same as people read it."""
    undated: bool = False
    """True where `at` was invented and says the place alone."""
    duration: Duration = None

    @property
    def created_at(self) -> datetime | None:
        """Where it stands in time; of an `undated` one that is an order and no fact."""
        return self.at if isinstance(self.at, datetime) else None


_BY_TIME, _BY_ID = attrgetter("at", "id"), attrgetter("id")
"""The same order as `order_key`'s, for many points at once."""


def order_key(point: Point) -> tuple[datetime, str]:
    """Where a point stands among others: by time, then id. Untimed ones come last (T1)."""
    return (point.at if type(point.at) is datetime else LAST, point.id)


def find_newest(points: Iterable[Point]) -> Point | None:
    """The newest of those that have a time, dated or not; where none has one the last in order. None of no point."""
    timed, untimed = _part(points)
    return max(timed, key=_BY_TIME) if timed else max(untimed, key=_BY_ID, default=None)


def order_points(points: Iterable[Point]) -> list[Point]:
    """Oldest to newest: a total order, the same however the points came (T1)."""
    timed, untimed = _part(points)
    return sorted(timed, key=_BY_TIME) + sorted(untimed, key=_BY_ID)


def _part(points: Iterable[Point]) -> tuple[list[Point], list[Point]]:
    """Those that have a time and those that have none."""
    parts: tuple[list[Point], list[Point]] = ([], [])
    for point in points:
        parts[type(point.at) is not datetime].append(point)
    return parts
