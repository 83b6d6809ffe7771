"""How moments are printed: in UTC with the zone said, and as an age by the server's clock."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from dashboard.sources.loop.wire import Instant, Unreadable
from dashboard.sources.runloop.wire import Duration
from dashboard.trend import describe_age
from dashboard.web.common.numbers import NOTHING


class Moment(NamedTuple):
    """A moment as it is printed. `machine` and `age` are empty where there is none or it could not be read.

    `hint` says what to think of a text that is no time.
    """

    text: str
    machine: str = ""
    age: str = ""
    hint: str = ""


NO_DATE = Moment("no date", hint="it stands in the order of its checkpoint")


def show_moment(given: Instant, now: datetime, *, undated: bool = False) -> Moment:
    """`undated`: the moment given was invented for the order's sake, and is not to be shown."""
    if undated:
        return NO_DATE
    if given is None:
        return Moment(NOTHING)
    if isinstance(given, Unreadable):
        return Moment(f"unreadable: {given.raw}")
    return Moment(f"{given:%Y-%m-%d %H:%M} UTC", given.isoformat(timespec="seconds"), show_age(given, now))


def show_age(then: datetime, now: datetime) -> str:
    """9 days ago; "in the future" where the clocks disagree by more than a minute."""
    age = now - then
    return "in the future" if age.total_seconds() < -60 else f"{describe_age(age)} ago"


def show_duration(given: Duration) -> str:
    """From milliseconds: 0.4 s, 12 s, 3 min 5 s, 2 h 10 min, 3 d 4 h; never below zero. A dash where none is stated."""
    if given is None:
        return NOTHING
    if isinstance(given, Unreadable) or given < 0:
        return f"unreadable: {given.raw if isinstance(given, Unreadable) else given}"
    if given < 10_000:
        return f"{given / 1000:.1f} s"
    seconds = given // 1000
    for unit, length, rest, smaller in (("d", 86_400, "h", 3_600), ("h", 3_600, "min", 60), ("min", 60, "s", 1)):
        if seconds >= length:
            return f"{seconds // length:,} {unit} {seconds % length // smaller} {rest}"
    return f"{seconds} s"
