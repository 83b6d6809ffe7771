"""What every shape shares: how it is made from a stored row, and how it becomes bytes."""

from __future__ import annotations

import json
from typing import Any, Self

import msgspec
from msgspec import UNSET, UnsetType

_encoder = msgspec.json.Encoder()


def encode(value: Any) -> bytes:
    """JSON bytes. Aware times come out as RFC 3339 with a Z for UTC; a number that is not finite comes out as null.

    Stored conversations are other people's JSON: half a surrogate pair in one, which is no text, becomes U+FFFD.
    """
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


class Shape(msgspec.Struct, frozen=True):
    """One JSON object of the wire. Keys with a default are those this service does not store yet."""

    @classmethod
    def of(cls, row: Any) -> Self:
        """The shape of a stored row (or of a dict): each key from the attribute of that name."""
        return msgspec.convert(row, cls, from_attributes=True)


class Page(Shape, kw_only=True, frozen=True):
    """The keys every list ends with; `limit` and `offset` are the ones that were used."""

    total: int
    limit: int
    offset: int


class ModelRef(Shape, frozen=True):
    """A model behind an address: `kind` is serverless_slug or deployment."""

    kind: str = "serverless_slug"
    name: str = ""
    deployment_id: str | None = None
    model_version: str | None = None
    baseline_run: bool | UnsetType = UNSET
    """True of an incumbent that is matched checkpoint by checkpoint; absent of one that serves."""


class FieldFault(Shape, frozen=True):
    """One fault of a body. `field` is a path, such as `source.trace_ids`; `trace_id` names a conversation at fault."""

    field: str
    code: str
    message: str
    trace_id: str | UnsetType = UNSET


class Refused(Shape, frozen=True):
    """`parameter` names what is wrong in the query, `field` the first fault of the body, `details` all of them."""

    code: str
    message: str
    parameter: str | UnsetType = UNSET
    field: str | UnsetType = UNSET
    details: list[FieldFault] | UnsetType = UNSET
    scope: str | UnsetType = UNSET


class Error(Shape, frozen=True):
    """Every answer that is not 2xx."""

    error: Refused
    request_id: str
