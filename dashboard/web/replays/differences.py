"""Two texts with their differences marked, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

MOST_WORDS = 800
"""Longer texts are not compared: it would take as long as their lengths multiplied."""
_WORD = re.compile(r"\S+\s*|\s+")


class Piece(NamedTuple):
    """A stretch of a text; `apart` where the other text has something else."""

    text: str
    apart: bool


def mark_differences(one: str, other: str) -> tuple[list[Piece], list[Piece]] | None:
    """Each text in pieces that make it whole again; None where they are too long to be compared."""
    ours, theirs = _WORD.findall(one), _WORD.findall(other)
    if max(len(ours), len(theirs)) > MOST_WORDS:
        return None
    left: list[Piece] = []
    right: list[Piece] = []
    matcher = SequenceMatcher(None, [w.rstrip() for w in ours], [w.rstrip() for w in theirs], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        for pieces, words in ((left, ours[a:b]), (right, theirs[c:d])):
            if words:
                pieces.append(Piece("".join(words), kind != "equal"))
    return left, right
