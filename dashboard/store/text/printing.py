"""Puts text from outside onto a terminal: what it holds is seen there and never obeyed."""

from __future__ import annotations

import unicodedata

_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories: all of C, and the two separators that end a line."""


def escape_unseen(text: str) -> str:
    """The text on one line, its control, format and unassigned characters and half characters as \\xNN or \\uNNNN."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) if unicodedata.category(c) in _UNSEEN else c for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
