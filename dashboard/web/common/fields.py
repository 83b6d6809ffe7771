"""Form fields for what must be read exactly: money to whole cents, and whole numbers."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

_MONEY = re.compile(r"\$?(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.(?P<cents>[0-9]+))?")
_WHOLE = re.compile(r"[0-9]+")
LONGEST = 20


class MoneyField(forms.CharField):
    """An amount in dollars, such as 4, 4.00, $4.00 or 1,250.50: whole cents as an int, None for nothing."""

    def __init__(self, *, most_cents: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.most_cents = most_cents

    def to_python(self, value: Any) -> Any:
        text = str(super().to_python(value) or "").strip()
        return read_cents(text, self.most_cents) if text else None


def read_cents(text: str, most_cents: int) -> int:
    """Whole cents, from 1 on. ValidationError says what cannot be read, and how to write it."""
    found = _MONEY.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        if re.fullmatch(r"\$?[0-9]+,[0-9]{1,2}", text):
            raise ValidationError("Is that a decimal comma? Write cents after a point, such as 4.50.", "comma")
        raise ValidationError("Write an amount in dollars, such as 4, 4.00 or $4.00.", "unreadable")
    cents = found["cents"] or ""
    if len(cents) > 2:
        raise ValidationError("There is nothing smaller than a cent: write at most two digits after the point.", "part")
    amount = int(found["whole"].replace(",", "")) * 100 + int(cents.ljust(2, "0"))
    if amount < 1:
        raise ValidationError("It must be at least $0.01.", "small")
    if amount > most_cents:
        raise ValidationError(f"It must be at most ${most_cents // 100:,}.{most_cents % 100:02d}.", "large")
    return amount


class WholeField(forms.CharField):
    """A whole number in plain digits: an int, None for nothing."""

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.least, self.most = least, most

    def to_python(self, value: Any) -> Any:
        text = str(super().to_python(value) or "").strip()
        if not text:
            return None
        if not _WHOLE.fullmatch(text) or len(text) > LONGEST or not self.least <= int(text) <= self.most:
            raise ValidationError(f"Write a whole number from {self.least} to {self.most:,}, in digits.", "unreadable")
        return int(text)
