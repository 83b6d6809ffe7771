"""What every route shares: the caller's workspace, the strict query string, a page of rows, JSON out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dashboard.api.http.auth import API_KEY, Caller, CallerAuthentication, HasScope
from dashboard.api.http.body import read_body
from dashboard.api.http.fields import Strict
from dashboard.api.http.query import Query, read_query
from dashboard.api.http.schema import LoopSchema
from dashboard.api.http.shapes import Shape, encode
from dashboard.signals import wrote
from dashboard.store.errors import not_found

NEWEST_FIRST = ("-created_at", "-id")
"""The order of every list: by time, and by id where times are equal, so that pages repeat and skip nothing."""
NO_QUERY = Query()
SAFE = ("GET", "HEAD", "OPTIONS")
_PARAMETER = re.compile(r"<[^>]*>")
"""An id in a route, which people read as {id}."""

Row = TypeVar("Row", bound=Model)


class JsonRenderer(BaseRenderer):
    """Shapes and plain values to JSON bytes."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return encode(data)


class JsonAlways(BaseContentNegotiation):
    """The API speaks JSON, whatever Accept asks for."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return None

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


@dataclass(frozen=True, kw_only=True)
class Write:
    """A method that changes something: the body it takes (none: DELETE), what it answers, and how it may refuse.

    `action` and `kind` name it where it is recorded, such as "retire" and "benchmark".
    """

    action: str
    kind: str
    answer: type[Shape]
    body: Strict | None = None
    status: int = 200
    refusals: Mapping[int, str] = field(default_factory=dict)
    most_bytes: int = 2**20


class LoopView(APIView):
    """A route. `query` is all that the query string of its GET may hold, `answer` the shape of its 200.

    `writes` has the other methods by name; those take no query string.
    """

    query = NO_QUERY
    answer: type[Shape]
    writes: Mapping[str, Write] = {}
    noted: Mapping[str, str] = {}
    authentication_classes = (CallerAuthentication,)
    permission_classes = (HasScope,)
    renderer_classes = (JsonRenderer,)
    parser_classes = ()  # bodies are read by `read_body`
    content_negotiation_class = JsonAlways
    schema = LoopSchema()
    # OPTIONS would describe views in DRF's words; here it is a method like any other that a route does not have.
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    @property
    def caller(self) -> Caller:
        return self.request.user  # type: ignore[return-value]  # HasScope let nobody else in

    @property
    def workspace_id(self) -> str:
        return self.caller.workspace_id

    def read_query(self) -> dict[str, Any]:
        return read_query(self.request.GET, self.query)

    def read_body(self) -> dict[str, Any]:
        """Every field of the method's body by name, after making sure that the query string is empty."""
        read_query(self.request.GET, NO_QUERY)
        write = self.writes[self.request.method or ""]
        return read_body(self.request._request, write.body, write.most_bytes) if write.body else {}

    def note(self, **told: str) -> None:
        """Say what a write did, as `wrote` has it: `target_id`, `target_name`, `message`, or another `action`."""
        self.noted = told

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        answer = super().finalize_response(request, response, *args, **kwargs)
        answer["Cache-Control"] = "no-store"
        if request.method not in SAFE and API_KEY in request.META:
            self._tell(request, answer)
        return answer

    def _tell(self, request: Request, answer: Response) -> None:
        """Send `wrote` for a write that a known key tried, whatever came of it.

        A call without a key, or with one that nobody knows, is nobody's and reaches nothing: strangers fill no log. A
        call in this process is told by whoever makes it.
        """
        key_id, key_name = request.META[API_KEY]
        write = self.writes.get(request.method or "")
        route = _PARAMETER.sub("{id}", request.resolver_match.route)  # type: ignore[union-attr]  # it led here
        told = {
            "action": write.action if write else f"{request.method} /{route}",
            "target_kind": write.kind if write else "",
            "target_id": next(iter(self.kwargs.values()), ""),
        }
        if answer.status_code < 400:
            told |= self.noted
        else:
            error = answer.data["error"]
            told["outcome"] = "refused" if answer.status_code < 500 else "failed"
            told["code"], told["message"] = error["code"], f"{answer.status_code}: {error['message']}"
        wrote.send(type(self), who=f"API key {key_name} ({key_id})", **told)


def get_row(rows: QuerySet[Row], row_id: str, what: str) -> Row:
    """The row with this id among `rows`, which are the caller's. Raises DomainError."""
    row = rows.filter(pk=row_id).first()
    if row is None:
        raise not_found(what)
    return row


def list_page(rows: QuerySet[Row], limit: int, offset: int) -> tuple[list[Row], int]:
    """One page of `rows`, which are ordered to the last, and how many there are in all."""
    return list(rows[offset : offset + limit]), rows.count()
