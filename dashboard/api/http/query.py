"""The query string, read strictly: what is unknown, repeated or out of its set is refused by name, never ignored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NoReturn

import msgspec
from django.http import QueryDict

from dashboard.api.http.errors import Refusal

DEFAULT_LIMIT = 50
MAX_OFFSET = 10**15
"""Far past any end, and far inside what both databases take as an integer."""
ID_LENGTH = 512
"""Longer than any id that is given out."""


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of a route: free text, or one of `choices`. `default` is its value where it is absent."""

    name: str
    description: str
    choices: tuple[str, ...] = ()
    default: Any = None

    def read(self, text: str) -> Any:
        """The value, or a ValueError that says what was expected."""
        if self.choices and text not in self.choices:
            raise ValueError(f"one of {', '.join(self.choices)}")
        if "\0" in text:
            raise ValueError("text without NUL")
        return text

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", **({"enum": list(self.choices)} if self.choices else {})}


class Flag(Parameter, frozen=True):
    """true or false."""

    choices: tuple[str, ...] = ("true", "false")

    def read(self, text: str) -> bool:
        return bool(super().read(text) == "true")

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


class Moment(Parameter, frozen=True):
    """An RFC 3339 time with its offset."""

    def read(self, text: str) -> datetime:
        try:
            moment = datetime.fromisoformat(text)
            # In UTC at once: databases differ in the offsets that they take, and a year may leave the range.
            utc = moment.astimezone(UTC) if moment.tzinfo else None
        except (ValueError, OverflowError):
            utc = None
        if utc is None:
            raise ValueError("an RFC 3339 time with its offset, such as 2026-01-31T12:00:00Z")
        return utc

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


class Count(Parameter, frozen=True):
    """A whole number from `least` on, however many digits it has.

    One over `most` is brought down to it, or, `within`, refused.
    """

    least: int = 0
    most: int = MAX_OFFSET
    within: bool = False

    def read(self, text: str) -> int:
        digits = text.lstrip("0") or "0"
        if not (text.isascii() and text.isdigit()):
            number = -1
        else:
            number = int(digits) if len(digits) <= len(str(self.most)) else self.most + 1
        if number < self.least or (self.within and number > self.most):
            raise ValueError(f"a whole number, {self.least} {f'to {self.most}' if self.within else 'or more'}")
        return min(number, self.most)

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, **({"maximum": self.most} if self.within else {})}


def page_parameters(most: int = 200) -> tuple[Parameter, Parameter]:
    """`limit` and `offset` of a list that answers at most `most` rows."""
    return (
        Count(
            "limit",
            f"Rows to answer: {DEFAULT_LIMIT} when absent, {most} at most.",
            default=DEFAULT_LIMIT,
            least=1,
            most=most,
        ),
        Count("offset", "Rows to skip, from the newest on.", default=0),
    )


def cursor_parameters(noun: str) -> tuple[Parameter, Parameter]:
    """`limit` and `starting_after` of a list of Runloop's API, whose rows are called `noun`."""
    return (
        Count("limit", "Rows to answer: 20 when absent, 5000 at most.", default=20, least=1, most=5000, within=True),
        Parameter("starting_after", f"The id of the last {noun} received: the answer goes on after it."),
    )


def read_query(given: QueryDict, parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The value of every parameter of the route by name, its default where it is absent. Raises Refusal (400)."""
    known = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in known:
            _refuse(name, "UNKNOWN_PARAMETER", f"This route takes no parameter {name!r}.")
    values: dict[str, Any] = {}
    for name, parameter in known.items():
        texts = given.getlist(name)
        if len(texts) > 1:
            _refuse(name, "INVALID_PARAMETER", f"{name} is given {len(texts)} times; once is enough.")
        try:
            values[name] = parameter.read(texts[0]) if texts else parameter.default
        except ValueError as error:
            _refuse(name, "INVALID_PARAMETER", f"{name} must be {error}.")
    return values


def _refuse(name: str, code: str, message: str) -> NoReturn:
    raise Refusal(400, code, message, parameter=name[:80])
