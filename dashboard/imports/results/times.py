"""When each new replay is placed: at the time that its files give, else in order, a minute from its neighbour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from dashboard.imports.results.stored import Existing, PlannedReplay

FIRST_IMPORT_AGE = timedelta(days=1)
"""How long ago the last undated replay of a first import is placed: room for later ones before today's clock."""
MINUTE = timedelta(minutes=1)


def end_first_import(now: datetime) -> datetime:
    """The time of the last replay of a first import without any date."""
    return now.replace(second=0, microsecond=0) - FIRST_IMPORT_AGE


def place_in_time(new: Sequence[PlannedReplay], newest_at: datetime | None, now: datetime) -> list[PlannedReplay]:
    """Give undated replays their times, in the order they come: a minute after the one before.

    With nothing before, they count back from the first dated one, else from a day ago; never before what is stored.
    """
    times = [None if p.invented_time else p.result.created_at for p in new]
    dated = [(index, time) for index, time in enumerate(times) if time]
    if newest_at:
        before = newest_at
    elif dated:
        before = dated[0][1] - (dated[0][0] + 1) * MINUTE
    else:
        before = end_first_import(now) - len(new) * MINUTE
    placed = []
    for planned, time in zip(new, times, strict=True):
        created_at = time or before + MINUTE
        before = created_at if newest_at is None else max(created_at, newest_at)
        placed.append(replace(planned, created_at=created_at))
    return sorted(placed, key=lambda p: p.created_at)


def describe_times(new: Sequence[PlannedReplay], existing: Existing) -> list[str]:
    """What is to be said of the times that the new replays were given."""
    notes = []
    invented = sum(p.invented_time for p in new)
    if invented:
        notes.append(
            f"{invented} of {len(new)} checkpoints have no date: they were given times one minute apart, in checkpoint "
            "order" + (", after everything imported before" if existing.newest_at else "")
        )
    for rule in dict.fromkeys(p.rule for p in new):
        ranks = [p.rank for p in new if p.rule == rule]
        if ranks != sorted(ranks):
            notes.append(
                "the dates order the checkpoints otherwise than their numbers do, and the trend follows the dates; "
                "--order checkpoint follows the numbers"
            )
            break
    return notes
