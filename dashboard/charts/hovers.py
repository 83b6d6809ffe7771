"""What each place of a figure says of itself: columns of text and numbers, from which figure.js makes the hovers.

All text from outside that plotly shows passes through `plain`.
"""

from __future__ import annotations

from datetime import datetime
from html import escape
from textwrap import wrap
from typing import Any

from dashboard.charts.drawing import Drawing
from dashboard.charts.numbers import choose_decimals, print_delta, print_score
from dashboard.charts.unseen import name_unseen
from dashboard.trend import Point, Slot, Trend

_LETTERS, _LINES = 64, 8
"""How wide and how tall a hover grows: it is no page, and the table has the whole text."""


def plain(text: str) -> str:
    """Text from outside, for plotly, which reads a small HTML: the one place where it is escaped and marked."""
    return escape(name_unseen(text), quote=False)


def build_columns(drawing: Drawing) -> dict[str, list[Any]]:
    """The columns of `slots` (figure.py says what is in them)."""
    slots = drawing.slots
    scores = (score for slot in slots for score in (slot.candidate, slot.incumbent, slot.delta))
    decimals = choose_decimals(scores, drawing.trend.scale)
    return {
        "label": [wrap_plain(slot.label) for slot in slots],
        "note": [wrap_plain(*_note(drawing.trend, slot)) for slot in slots],
        "id": [slot.id for slot in slots],
        "at": [_seconds(slot) for slot in slots],
        "candidate": [slot.candidate for slot in slots],
        "incumbent": [slot.incumbent for slot in slots],
        "delta": [slot.delta for slot in slots],
        "names": [wrap_plain(name) for name in drawing.trend.numbers],
        "printed": [_print_scores(slot, decimals) for slot in slots],
    }


def wrap_plain(*texts: str) -> str:
    """The texts, escaped, each on lines of its own and cut where it is long."""
    if len(texts) == 1 and len(texts[0]) <= _LETTERS:
        return plain(texts[0])
    return "<br>".join(_wrapped(text) for text in texts)


def _print_scores(slot: Slot, decimals: int) -> str:
    """The numbers of a place, a space between each two; nothing between them stands for one that is not there."""
    if slot.incumbent is None and slot.delta is None:
        return "" if slot.candidate is None else print_score(slot.candidate, decimals)
    scores = ["" if score is None else print_score(score, decimals) for score in (slot.candidate, slot.incumbent)]
    return " ".join([*scores, "" if slot.delta is None else print_delta(slot.delta, decimals)]).rstrip()


def _seconds(slot: Slot) -> int | bool | None:
    """Seconds since 1970, UTC; None without a readable time, False where the note tells: of a pair, of no date."""
    if slot.other is not None or slot.undated:
        return False
    at = slot.point.at
    return int(at.timestamp()) if isinstance(at, datetime) else None


def _note(trend: Trend, slot: Slot) -> list[str]:
    """What a place says beside its numbers: where it belongs, its gap, its decision, its flags, no date, its id."""
    gap, point = slot.gap, slot.point
    flags = [flag.text for flag in slot.flags]
    if slot.other is not None:
        sides = zip(trend.lines, slot.points, slot.reasons, strict=True)
        return [*([gap.label] if gap else []), *flags] + [
            f"{line.name}: {f'{reason}; ' if reason else ''}{one.id}, {_show_time(one)}" for line, one, reason in sides
        ]
    notes = [f"{gap.label}: {gap.reason}"] if gap else []
    # A gap's reason can begin with the name of its side, as the table has it.
    if trend.paired or trend.overlaid:
        named = gap is not None and gap.reason.startswith(f"{point.group_name}: ")
        notes = ([point.group_name] if point.group_name and not named else []) + notes
    notes += [slot.decision.label] if slot.decision else []
    return notes + flags + (["no date"] if slot.undated else []) + ([slot.id] if trend.words.labels_repeat else [])


def _show_time(point: Point) -> str:
    return f"{point.created_at:%Y-%m-%d %H:%M} UTC" if point.created_at else "no readable time"


def _wrapped(text: str) -> str:
    if len(text) <= _LETTERS:
        return plain(text)
    lines = wrap(text, _LETTERS, break_long_words=True)
    return "<br>".join(plain(line) for line in lines[:_LINES]) + (" …" if len(lines) > _LINES else "")
