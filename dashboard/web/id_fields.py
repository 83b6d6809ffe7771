"""Form fields for ids, which are the API's and mean nothing to us."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.sources.decoding import MAX_ID_LENGTH


class IdField(forms.CharField):
    """An id as the API gave it, letter for letter: its spaces belong to it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_ID_LENGTH, strip=False, **kwargs)


_FIELD = IdField()


def is_id(text: str) -> bool:
    """True for an id, key or value that an `IdField` takes."""
    try:
        _FIELD.clean(text)
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
