"""The OpenAPI document: each view's parameters and answers, from what the view itself declares."""

from __future__ import annotations

from typing import Any

import msgspec
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from dashboard.api.http.fields import Described
from dashboard.api.http.query import Query
from dashboard.api.http.shapes import Error, Shape

REF = "#/components/schemas/{name}"
REFUSALS = {
    400: "A parameter is unknown, repeated or out of its set; `error.parameter` names it.",
    401: "No key was sent, or it is unknown, revoked or expired.",
    403: "The key lacks the scope, or belongs to another workspace than X-Workspace-ID names.",
    404: "There is no such thing in the key's workspace.",
    405: "The route does not have this method.",
    500: "The service failed; the log names this request's id.",
    503: "The database is busy or away; try again after Retry-After.",
}
BODY_REFUSALS = {
    400: "The body is not JSON to the letter, or a field is unknown, missing or out of its bounds; `error.field` names "
    "the first such field, `error.details` all of them. A query string is refused too.",
    411: "The body was sent in chunks, without a Content-Length.",
    413: "The body is larger than the route takes.",
    415: "The body is not application/json.",
}
_named: set[type[Shape]] = {Error}
"""The shapes that documented routes answer; `add_shapes` writes them out."""


class LoopSchema(AutoSchema):
    """Reads `query`, `answer`, `writes` and the docstring of the method from a LoopView."""

    def get_override_parameters(self) -> list[Any]:
        in_path = [
            OpenApiParameter(name, str, OpenApiParameter.PATH, description="An opaque id, percent-encoded.")
            for name in self.path.split("/")
            if name.startswith("{")
            for name in [name.strip("{}")]
        ]
        query = getattr(self.view, "query", None)
        return in_path + ([query] if self.method == "GET" and query and query.fields else [])

    def get_response_serializers(self) -> Any:
        write = self._write
        answer = write.answer if write else getattr(self.view, "answer", None)
        if answer is None:
            return super().get_response_serializers()
        _named.add(answer)
        reasons = REFUSALS | (BODY_REFUSALS if write and write.body else {})
        refused = {
            status: OpenApiResponse({"$ref": REF.format(name="Error")}, description=why)
            for status, why in sorted((reasons | dict(write.refusals if write else {})).items())
        }
        return {write.status if write else 200: {"$ref": REF.format(name=answer.__name__)}, **refused}

    def get_request_serializer(self) -> Any:
        write = self._write
        return {"application/json": write.body} if write and write.body else None

    def _map_serializer_field(self, field: Any, direction: str, bypass_extensions: bool = False) -> Any:
        """Without the mark that a hook of spectacular's, which is not used here, would find enumerations by."""
        schema: Any = super()._map_serializer_field(  # type: ignore[no-untyped-call]
            field, direction, bypass_extensions
        )
        schema.pop("x-spec-enum-id", None)
        return schema

    def _map_basic_serializer(self, serializer: Any, direction: str) -> Any:
        """An object of ours: no other key, its own order of keys, and null for absent in a body."""
        schema: Any = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]
        schema["additionalProperties"] = False
        if "required" in schema:
            schema["required"] = [name for name in serializer.fields if name in schema["required"]]
        if not isinstance(serializer, Query):
            for name, field in serializer.fields.items():
                if not field.required:
                    schema["properties"][name] = {"anyOf": [schema["properties"][name], {"type": "null"}]}
        return schema

    @property
    def _write(self) -> Any:
        """The view's Write for this method; None for a GET."""
        return getattr(self.view, "writes", {}).get(self.method)

    def get_operation_id(self) -> str:
        return f"{self.method.lower()}{type(self.view).__name__}"

    def get_auth(self) -> list[dict[str, list[str]]]:
        """Either way of sending the key will do, not both at once."""
        return [{name: []} for group in super().get_auth() for name in group]

    def get_tags(self) -> list[str]:
        return ["runloop" if self.path.startswith("/v1/") else "loop"]


class CallerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The two ways to send a key."""

    target_class = "dashboard.api.http.auth.CallerAuthentication"
    name = ["apiKey", "bearer"]

    def get_security_definition(self, auto_schema: AutoSchema) -> Any:
        return [{"type": "apiKey", "in": "header", "name": "X-API-Key"}, {"type": "http", "scheme": "bearer"}]


class DescribedField(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """A field that describes itself."""

    target_class = Described
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        return dict(self.target.describe())


def add_shapes(result: dict[str, Any], **given: Any) -> dict[str, Any]:
    """Spectacular's last hook: the shapes that the routes refer to."""
    shapes = sorted(_named, key=lambda shape: shape.__name__)
    _, components = msgspec.json.schema_components(shapes, ref_template=REF)
    result.setdefault("components", {}).setdefault("schemas", {}).update(components)
    return result
