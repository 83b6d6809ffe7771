"""What the forms of all rooms share: everything that comes in, GET too, goes through a form of its room."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from django import forms

from dashboard.sources.http.decoding import MAX_ID_LENGTH

LARGEST_PAGE = 1_000_000
LONGEST_ID = MAX_ID_LENGTH


@dataclass(frozen=True)
class Problem:
    """What is wrong with a parameter, led by its name as it stands in the address when it is printed."""

    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


class QueryForm(forms.Form):
    """A page's query. A wrong value is named, kept as it was typed, and its default used instead."""

    says_something_empty: frozenset[str] = frozenset()

    @property
    def problems(self) -> list[Problem]:
        """What is wrong, one for each wrong parameter."""
        return [Problem(name, " ".join(map(str, messages))) for name, messages in self.errors.items()]

    def value(self, name: str) -> Any:
        """The value of a parameter; None where it is absent, empty or wrong."""
        return self.cleaned_data.get(name) or None

    @property
    def valid_query(self) -> dict[str, str]:
        """The parameters that were given and are right, as they were typed: what the page's links carry on."""
        given = {name: self.data[name] for name in self.fields if name in self.data and name not in self.errors}
        return {name: value for name, value in given.items() if value or name in self.says_something_empty}


class RangeForm(QueryForm):
    """A query with a range of whole days in UTC, `from` and `to`, both included."""

    def __init__(self, data: Any) -> None:
        super().__init__(data, auto_id="%s")
        for name, label in (("from", "From"), ("to", "to")):  # "from" cannot be a class attribute
            self.fields[name] = forms.DateField(
                required=False,
                label=label,
                input_formats=["%Y-%m-%d"],
                widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
                error_messages={"invalid": "Give a date as YYYY-MM-DD."},
            )

    def add_error(self, field: str | None, error: Any) -> None:
        super().add_error(field, error)
        if field in {"from", "to"}:  # a date picker would hide a text that is no date
            self.fields[field].widget.input_type = "text"

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("from") and data.get("to") and data["from"] > data["to"]:
            self.add_error("from", "It lies after the end of the range.")
            self.add_error("to", "It lies before the start of the range.")
        return data

    @property
    def since(self) -> datetime | None:
        """The first moment of the range."""
        day = self.value("from")
        return datetime.combine(day, time.min, UTC) if day else None

    @property
    def until(self) -> datetime | None:
        """The last moment of the range."""
        day = self.value("to")
        return datetime.combine(day, time.max, UTC) if day else None
