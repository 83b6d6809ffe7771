"""What reading gives: a value, the word of the service that there is none, or that nobody could look."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, NoReturn, TypeAlias, TypeVar

from dashboard.sources.http.errors import NotFound, SourceError, TimedOut
from dashboard.trend.gaps import describe_age

T_co = TypeVar("T_co", covariant=True)


class Late(TimedOut):
    """The source had not answered when the page could wait no longer. It still may, and then that is remembered."""


@dataclass(frozen=True)
class Known(Generic[T_co]):
    """A value and when it was read (UTC). With a `failure` it is the last good one, not today's."""

    value: T_co
    read_at: datetime
    failure: SourceError | None = None

    def need(self) -> Known[T_co]:
        """The reading itself; the two others raise."""
        return self


@dataclass(frozen=True)
class Absent:
    """The service says that there is none."""

    failure: NotFound

    def need(self) -> NoReturn:
        """Raises `NotFound`."""
        raise copy.copy(self.failure) from self.failure


@dataclass(frozen=True)
class Unread:
    """Nobody could look: whether there is one is not known, and nothing was read before."""

    failure: SourceError
    """`Late`, another `NoAnswer`, or a refusal."""

    def need(self) -> NoReturn:
        """Raises the failure."""
        raise copy.copy(self.failure) from self.failure


Reading: TypeAlias = Known[T_co] | Absent | Unread


def describe_old(*readings: Known[object] | Absent | Unread | None, now: datetime | None = None) -> str:
    """What failed, how old what is shown is, and when another try makes sense; empty where all is of this moment."""
    now = now or datetime.now(UTC)
    for reading in readings:
        if isinstance(reading, Known) and reading.failure:
            return f"{reading.failure.message} This was read {describe_age(now - reading.read_at)} ago." + when_again(
                reading.failure, now
            )
    return ""


def when_again(failure: SourceError, now: datetime) -> str:
    """The rest of a sentence: when to try again; empty where nothing is known."""
    at = failure.retry_at
    return f" Another try makes sense after {at:%H:%M:%S} UTC." if at and at > now else ""
