"""What each place of a figure says of itself: columns of text and numbers, from which figure.js makes the hovers.

All text from outside that plotly shows passes through `plain`.
"""

from __future__ import annotations

from datetime import datetime
from html import escape
from textwrap import wrap
from typing import Any

from dashboard.charts.drawing import AnySlot, Drawing
from dashboard.charts.numbers import choose_decimals, print_delta, print_score
from dashboard.sources.runloop.wire import RunloopRun
from dashboard.trend import RunSlot

_LETTERS, _LINES = 64, 8
"""How wide and how tall a hover grows: it is no page, and the table has the whole text."""


def plain(text: str) -> str:
    """Text from outside, for plotly, which reads a small HTML: the one place where it is escaped."""
    return escape(text, quote=False)


def build_columns(drawing: Drawing) -> dict[str, list[Any]]:
    """The columns of `slots` (figure.py says what is in them)."""
    slots = drawing.slots
    scores = (score for slot in slots for score in (slot.candidate, slot.incumbent, slot.delta))
    decimals = choose_decimals(scores, drawing.scale)
    return {
        "label": [wrap_plain(slot.label) for slot in slots],
        "note": [wrap_plain(*_note(drawing, slot)) for slot in slots],
        "id": [slot.id for slot in slots],
        "at": [_seconds(slot) for slot in slots],
        "candidate": [slot.candidate for slot in slots],
        "incumbent": [slot.incumbent for slot in slots],
        "delta": [slot.delta for slot in slots],
        "names": _names(drawing),
        "printed": [_print_scores(slot, decimals) for slot in slots],
    }


def wrap_plain(*texts: str) -> str:
    """The texts, escaped, each on lines of its own and cut where it is long."""
    return "<br>".join(_wrapped(text) for text in texts)


def _names(drawing: Drawing) -> list[str]:
    """What stands before each of a place's printed numbers."""
    if not drawing.of_runs:
        return ["candidate", "incumbent", "delta"]
    if drawing.overlaid:
        return ["score"]
    return [*(wrap_plain(stroke.line.name) for stroke in drawing.strokes), drawing.delta_name]


def _print_scores(slot: AnySlot, decimals: int) -> str:
    """The numbers of a place, a space between each two; nothing between them stands for one that is not there."""
    scores = ["" if score is None else print_score(score, decimals) for score in (slot.candidate, slot.incumbent)]
    return " ".join([*scores, "" if slot.delta is None else print_delta(slot.delta, decimals)]).rstrip()


def _seconds(slot: AnySlot) -> int | bool | None:
    """Seconds since 1970, UTC; None without a readable time, False where the note tells: of a pair, of no date."""
    if slot.other is not None if isinstance(slot, RunSlot) else slot.undated:
        return False
    return int(slot.created_at.timestamp()) if slot.created_at else None


def _note(drawing: Drawing, slot: AnySlot) -> list[str]:
    """What a place says beside its numbers: its gap, its decision, its flags, no date; of a run where it belongs."""
    notes = [f"{slot.gap.label}: {slot.gap.reason}"] if slot.gap else []
    if not isinstance(slot, RunSlot):
        notes += [slot.decision.label] if slot.decision else []
        return notes + [flag.text for flag in slot.flags] + (["no date"] if slot.undated else [])
    flags = [flag.text for flag in slot.flags]
    if slot.other is None:
        # A gap's reason can begin with the name of its side, as the table has it.
        named = not slot.group_name or (slot.gap is not None and slot.gap.reason.startswith(f"{slot.group_name}: "))
        return [*([] if named else [slot.group_name]), *(notes or ["completed"]), *flags, slot.id]
    sides = zip(drawing.strokes, slot.runs, slot.reasons, strict=True)
    return [slot.gap.label if slot.gap else "completed", *flags] + [
        f"{stroke.line.name}: {f'{reason}; ' if reason else ''}{run.id}, {_show_start(run)}"
        for stroke, run, reason in sides
    ]


def _show_start(run: RunloopRun) -> str:
    if not isinstance(run.started_at, datetime):
        return "no readable time"
    return f"{run.started_at:%Y-%m-%d %H:%M} UTC"


def _wrapped(text: str) -> str:
    if len(text) <= _LETTERS:
        return plain(text)
    lines = wrap(text, _LETTERS, break_long_words=True)
    return "<br>".join(plain(line) for line in lines[:_LINES]) + (" …" if len(lines) > _LINES else "")
