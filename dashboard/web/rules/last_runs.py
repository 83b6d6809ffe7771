"""Reads the newest run of many rules within a time."""

from __future__ import annotations

import time
from collections.abc import Iterable

from dashboard.sources.connect import get_connection
from dashboard.sources.http.errors import SourceError
from dashboard.sources.loop.client import Loop
from dashboard.sources.loop.wire import TrainingRun

TOGETHER = 200
"""One request for the workspace's newest runs answers for most rules; the others are asked for one by one."""

LastRun = TrainingRun | str | None
"""The newest run; a sentence where it could not be read; None where the rule has none."""


def read_last_runs(rule_ids: Iterable[str], *, within_s: float) -> dict[str, LastRun]:
    """The newest run of each rule, by rule id."""
    until = time.monotonic() + within_s
    loop = get_connection().loop
    try:
        runs, total = loop.list_runs(limit=TOGETHER)
    except SourceError as error:
        return dict.fromkeys(rule_ids, error.message)
    newest: dict[str, LastRun] = {}
    for run in runs:
        newest.setdefault(run.rule_id or "", run)
    found: dict[str, LastRun] = {}
    for rule_id in rule_ids:
        if rule_id in newest or len(runs) >= total:
            found[rule_id] = newest.get(rule_id)
        else:
            found[rule_id] = _read_one(loop, rule_id) if time.monotonic() < until else "It was not read in time."
    return found


def _read_one(loop: Loop, rule_id: str) -> LastRun:
    try:
        runs, _total = loop.list_runs(rule_id=rule_id, limit=1)
    except SourceError as error:
        return error.message
    return runs[0] if runs else None
