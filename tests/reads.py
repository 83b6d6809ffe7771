"""The reader between tests: wait for what it does behind the pages, and have it begin anew."""

from __future__ import annotations

import time

from dashboard.sources.models import Remembered
from dashboard.sources.reader import flights, memory, pauses


def wait_for_reads() -> None:
    """Until no read is under way and what they brought is remembered."""
    until = time.monotonic() + 60
    while flights._flights:
        assert time.monotonic() < until, "a read does not end"
        time.sleep(0.01)


def end_pauses() -> None:
    """Every source may be tried again."""
    for pause in pauses._pauses.values():
        pause.until = 0


def start_anew() -> None:
    """What one test's sources said and did must not count in another. Its database is gone in any case."""
    pauses._pauses.clear()
    memory._owed.clear()
    memory._scopes.clear()


def list_remembered() -> bytes:
    """All that the memory holds, of every answer."""
    return b"\n".join(bytes(one.body) for one in Remembered.objects.all())
