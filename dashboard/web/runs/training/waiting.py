"""How many runs await a decision: for the top bar of whoever may decide."""

from __future__ import annotations

from django.core.cache import cache

from dashboard.sources.connect import get_connection
from dashboard.sources.http.errors import SourceError
from dashboard.web.runs.training.words import AWAITING

KEPT_S = 60
"""A remote service is asked for it once a minute at most."""


def count_waiting() -> int | None:
    """None where it could not be read."""
    connection = get_connection()
    place = _place()
    known: int | None = None if connection.embedded else cache.get(place)
    if known is not None:
        return known
    try:
        count = connection.loop.list_runs(state=AWAITING, limit=1)[1]
    except SourceError:
        return None
    if not connection.embedded:
        cache.set(place, count, KEPT_S)
    return count


def forget() -> None:
    """A decision was sent: the next page counts again."""
    cache.delete(_place())


def _place() -> str:
    return f"runs-waiting-{get_connection().fingerprint}"
