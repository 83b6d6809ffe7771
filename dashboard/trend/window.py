"""The window: which of the ordered slots are shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar


class _Timed(Protocol):
    @property
    def created_at(self) -> datetime | None: ...


T = TypeVar("T", bound=_Timed)


@dataclass(frozen=True, slots=True)
class Window:
    """Those slots that lie inside the times, both included, and of these the newest `last`.

    One whose time could not be read is inside every pair of times: it is never hidden by a filter it cannot meet.
    """

    last: int | None = None
    since: datetime | None = None
    until: datetime | None = None

    def select(self, slots: list[T]) -> list[T]:
        """The slots that are shown, of slots in order."""
        if self.since is not None or self.until is not None:
            slots = [slot for slot in slots if self._holds(slot.created_at)]
        if self.last is not None:
            slots = slots[-self.last :] if self.last else []
        return slots

    def _holds(self, at: datetime | None) -> bool:
        return at is None or ((self.since is None or at >= self.since) and (self.until is None or at <= self.until))


EVERYTHING = Window()
