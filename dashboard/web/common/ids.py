"""Form fields for ids, which are the API's and mean nothing to us."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote_plus

from django import forms
from django.core.exceptions import ValidationError

from dashboard.sources.http.decoding import MAX_ID_LENGTH, is_made_name, is_usable_id

MOST_ESCAPED = 1_200
"""Four of them leave room for the rest of a request line, which our server takes up to 8,190 letters."""
TOO_LONG = "It is too long for an address to carry."


class IdField(forms.CharField):
    """An id as the API gave it, letter for letter: its spaces belong to it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_ID_LENGTH, strip=False, **kwargs)


def is_short(text: str) -> bool:
    """True for what an address can carry beside others of its kind, escaped: one letter can take twelve."""
    return len(quote_plus(text)) <= MOST_ESCAPED


class ShortIdField(IdField):
    """Likewise, where several stand in one address."""

    def validate(self, value: Any) -> None:
        super().validate(value)
        if not is_short(value):
            raise ValidationError(TOO_LONG, "long")


_FIELD = IdField()
_SHORT_FIELD = ShortIdField()


def has_page(given: str) -> bool:
    """True for an id whose benchmark or run can be asked for, and so has a page to link to."""
    return is_usable_id(given) and "\0" not in given and not is_made_name(given)


def is_short_id(text: str) -> bool:
    """True for a key or value that a `ShortIdField` takes."""
    return _takes(_SHORT_FIELD, text)


def _takes(field: IdField, text: str) -> bool:
    try:
        field.clean(text)
    except ValidationError:
        return False
    return True


class IdsField(forms.Field):
    """A parameter that is given once for each id: a list of them, at most so many."""

    widget = forms.MultipleHiddenInput

    def __init__(self, *, most: int, required: bool = True) -> None:
        super().__init__(required=required)
        self.most = most

    def clean(self, value: Any) -> list[str]:
        given = super().clean(value) or []
        if len(given) > self.most:
            raise ValidationError(f"At most {self.most} at once.")
        return [_FIELD.clean(one) for one in given]
