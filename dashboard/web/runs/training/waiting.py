"""How many runs await a decision: for the top bar of whoever may decide."""

from __future__ import annotations

from typing import Any

from dashboard.sources import reader
from dashboard.sources.reader import Ask, Known


def count_waiting() -> int | None:
    """None where it could not be read, or not soon enough for a page to wait."""
    match reader.runs_waiting():
        case Known(value=count):
            return count
        case _:
            return None


def forget_run(run_id: str, rule_id: str | None) -> None:
    """A decision was sent: what was read of the run and of its rule, and the count, are read again."""
    asks: list[Ask[Any]] = [reader.runs_waiting.ask(), reader.training_run.ask(run_id), reader.rules.ask()]
    if rule_id:
        asks += [reader.rule.ask(rule_id), reader.rule_detail.ask(rule_id)]
    reader.changed(*asks)
