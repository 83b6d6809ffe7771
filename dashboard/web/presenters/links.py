"""Addresses with a query: what was asked, with a few things changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode


def with_query(address: str, query: Mapping[str, object], **changes: object) -> str:
    """The address with this query, `changes` put over it; None drops a parameter. Nothing is left of an empty query."""
    return with_pairs(address, [(name, value) for name, value in {**query, **changes}.items() if value is not None])


def with_pairs(address: str, pairs: Sequence[tuple[str, object]]) -> str:
    """The address with these parameters, among which a name may come more than once."""
    return f"{address}?{urlencode(pairs)}" if pairs else address
