"""How moments are printed: in UTC with the zone said, and as an age by the server's clock."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from dashboard.records import Instant, Unreadable
from dashboard.trend import describe_age
from dashboard.web.presenters.numbers import NOTHING


class Moment(NamedTuple):
    """A moment as it is printed. `machine` and `age` are empty where there is none or it could not be read."""

    text: str
    machine: str = ""
    age: str = ""


def show_moment(given: Instant, now: datetime) -> Moment:
    if given is None:
        return Moment(NOTHING)
    if isinstance(given, Unreadable):
        return Moment(f"unreadable: {given.raw}")
    return Moment(f"{given:%Y-%m-%d %H:%M} UTC", given.isoformat(timespec="seconds"), show_age(given, now))


def show_age(then: datetime, now: datetime) -> str:
    """9 days ago; "in the future" where the clocks disagree by more than a minute."""
    age = now - then
    return "in the future" if age.total_seconds() < -60 else f"{describe_age(age)} ago"
