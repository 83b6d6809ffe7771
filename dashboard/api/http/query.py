"""The query string, read strictly: what is unknown, repeated or out of its set is refused by name, never ignored."""

from __future__ import annotations

from typing import Any, NoReturn

from django.http import QueryDict
from rest_framework.exceptions import ValidationError

from dashboard.api.http.errors import Refusal
from dashboard.api.http.fields import Count, Strict, Word, list_faults

DEFAULT_LIMIT = 50
MAX_OFFSET = 10**15
"""Far past any end, and far inside what both databases take as an integer."""


class Query(Strict):
    """All that the query string of a route may hold; this one: nothing."""


class Limit(Count):
    """How many rows to answer."""

    def __init__(self, most: int = 200) -> None:
        told = f"Rows to answer: {DEFAULT_LIMIT} when absent, {most} at most."
        super().__init__(1, most, default=DEFAULT_LIMIT, help_text=told)


class PageQuery(Query):
    """`limit` and `offset` of a list that answers at most 200 rows."""

    limit = Limit()
    offset = Count(0, MAX_OFFSET, default=0, help_text="Rows to skip, from the newest on.")


class ShortPageQuery(PageQuery):
    """The same of a list that answers at most 100 rows."""

    limit = Limit(100)


class CursorQuery(Query):
    """`limit` and `starting_after` of a list of Runloop's API."""

    limit = Count(1, 5000, within=True, default=20, help_text="Rows to answer: 20 when absent, 5000 at most.")
    starting_after = Word(help_text="The id of the last row received: the answer goes on after it.")


def read_query(given: QueryDict, query: Query) -> dict[str, Any]:
    """The value of every parameter of the route by name, its default where it is absent. Raises Refusal (400)."""
    for name in given:
        if name not in query.fields:
            _refuse(name, "UNKNOWN_PARAMETER", f"This route takes no parameter {name!r}.")
    for name, texts in given.lists():
        if len(texts) > 1:
            _refuse(name, "INVALID_PARAMETER", f"{name} is given {len(texts)} times; once is enough.")
    try:
        values: dict[str, Any] = query.run_validation(given.dict())
    except ValidationError as error:
        name, _, words = list_faults(error.detail)[0]
        _refuse(name, "INVALID_PARAMETER", f"{name} {words}.")
    return values


def _refuse(name: str, code: str, message: str) -> NoReturn:
    raise Refusal(400, code, message, parameter=name[:80])
