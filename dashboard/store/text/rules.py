"""Which texts are kept: how long one may be, whether it is one line, and that a database can hold it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from dashboard.store.errors import Fault, Kind, refuse
from dashboard.store.text.strict_json import find_unstorable


@dataclass(frozen=True)
class TextRule:
    """Text of at most `most` characters. `line`: on one line, and trimmed. `blank`: it need not say anything."""

    most: int = 200
    line: bool = True
    blank: bool = False

    def read(self, text: str) -> str:
        """The text to keep. Raises ValueError, in words that follow the name of a field."""
        text = text.strip() if self.line else text
        if find_unstorable(text) is not None:
            raise ValueError("holds a NUL or half of a surrogate pair, which cannot be stored")
        if self.line and any(unicodedata.category(character) == "Cc" for character in text):
            raise ValueError("must be on one line")
        if not self.blank and not any(character.isprintable() and not character.isspace() for character in text):
            raise ValueError("must not be empty")
        if len(text) > self.most:
            raise ValueError(f"must have at most {self.most} characters")
        return text


class TextReader:
    """Reads one text after another and keeps every fault, so that all are told at once."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def read(self, field: str, text: str, rule: TextRule) -> str:
        """The text to keep; the text itself where it breaks the rule, which `finish` tells."""
        try:
            return rule.read(text)
        except ValueError as why:
            self.blame(field, str(why))
            return text

    def blame(self, field: str, why: str) -> None:
        """Note a fault. `why` follows the name of the field."""
        self.faults.append(Fault(field, "INVALID_FIELD", f"{field} {why}."))

    def finish(self) -> None:
        """Raises DomainError (INVALID) with every fault, if there was one."""
        if self.faults:
            raise refuse(Kind.INVALID, self.faults)
