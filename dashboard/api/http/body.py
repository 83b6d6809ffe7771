"""Request bodies, read strictly: one JSON object whose every key is known, typed and storable, or a refusal by name.

Every fault of a body comes back at once, so that a form can place them all:
`{"error": {"code", "message", "field", "details": [{"field", "code", "message"}, …]}}`, where `field` is that of the
first fault, a path such as `name`, `source.trace_ids` or `dimensions[2].key`.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django.http import HttpRequest
from django.http.request import UnreadablePostError

from dashboard.api.http.errors import Detail, Refusal, build_refusal
from dashboard.api.http.query import ID_LENGTH
from dashboard.store.strict_json import NotJson, find_unstorable, parse_json

ONE_LINE = r"^[^\x00-\x1f\x7f]*$"


class Fault(ValueError):
    """What is wrong with a value. `at` leads from the field to the place, such as `[2].key`."""

    def __init__(self, message: str, at: str = "", code: str = "INVALID_FIELD") -> None:
        super().__init__(message)
        self.message, self.at, self.code = message, at, code


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One key of a body. Where it may be absent, null is the same as absent and reads as `default`."""

    name: str
    description: str = ""
    required: bool = True
    default: Any = None

    def read(self, value: Any) -> Any:
        """The value to use. Raises Fault."""
        raise NotImplementedError

    @property
    def schema(self) -> dict[str, Any]:
        raise NotImplementedError


class Text(Field, frozen=True, kw_only=True):
    """Text of `least` to `most` characters that a database can keep. `line`: on one line, and trimmed."""

    least: int = 1
    most: int = 200
    line: bool = True

    def read(self, value: Any) -> str:
        if not isinstance(value, str):
            raise Fault("must be text")
        text = value.strip() if self.line else value
        if find_unstorable(text) is not None:
            raise Fault("holds a NUL or half of a surrogate pair, which cannot be stored")
        if self.line and any(unicodedata.category(character) == "Cc" for character in text):
            raise Fault("must be on one line")
        if self.least and not any(character.isprintable() and not character.isspace() for character in text):
            raise Fault("must not be empty")
        if len(text) > self.most:
            raise Fault(f"must have at most {self.most} characters")
        return text

    @property
    def schema(self) -> dict[str, Any]:
        # The pattern asks for one visible ASCII character, which is narrower than what is taken.
        pattern = {"pattern": r"^[ -~]*[!-~][ -~]*$"} if self.least else {"pattern": ONE_LINE} if self.line else {}
        return {"type": "string", "minLength": self.least, "maxLength": self.most, **pattern}


class Id(Field, frozen=True, kw_only=True):
    """An opaque id, taken as it is. `nullable`: null is a value of its own."""

    nullable: bool = False
    most: int = ID_LENGTH

    def read(self, value: Any) -> str | None:
        if value is None and self.nullable:
            return None
        if not isinstance(value, str) or not value or len(value) > self.most or find_unstorable(value) is not None:
            raise Fault("must be an id" + (" or null" if self.nullable else ""))
        return value

    @property
    def schema(self) -> dict[str, Any]:
        text = {"type": ["string", "null"] if self.nullable else "string"}
        return {**text, "minLength": 1, "maxLength": self.most, "pattern": r"^[ -~]+$"}


class Whole(Field, frozen=True, kw_only=True):
    """A whole number; neither true nor 5.0 is one."""

    least: int = 1
    most: int = 10**9

    def read(self, value: Any) -> int:
        if type(value) is not int or not self.least <= value <= self.most:
            raise Fault(f"must be a whole number from {self.least} to {self.most}")
        return value

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


class Only(Field, frozen=True, kw_only=True):
    """A key of the published body that this service can take in one value alone; any other is refused, not ignored."""

    value: Any
    why: str
    required: bool = False

    def read(self, value: Any) -> Any:
        if value != self.value or type(value) is not type(self.value):
            raise Fault(f"must be {json.dumps(self.value)}: {self.why}")
        return value

    @property
    def schema(self) -> dict[str, Any]:
        return {"const": self.value}


class Choice(Field, frozen=True, kw_only=True):
    """One of a few words."""

    values: tuple[str, ...]

    def read(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.values:
            raise Fault(f"must be one of {', '.join(self.values)}")
        return value

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.values)}


class Listed(Field, frozen=True, kw_only=True):
    """A list of `least` to `most` values, each read by `item`."""

    item: Field
    least: int = 0
    most: int = 1000

    def read(self, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise Fault("must be a list")
        if not self.least <= len(value) <= self.most:
            raise Fault(f"must hold {self.least} to {self.most} entries")
        read = []
        for n, entry in enumerate(value):
            try:
                read.append(self.item.read(entry))
            except Fault as fault:
                raise Fault(fault.message, f"[{n}]{fault.at}", fault.code) from fault
        return read

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.item.schema, "minItems": self.least, "maxItems": self.most}


class Nested(Field, frozen=True, kw_only=True):
    """An object with its own fields."""

    fields: tuple[Field, ...]

    def read(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise Fault("must be an object")
        read, faults = read_fields(value, self.fields)
        for at, fault in faults:
            raise Fault(fault.message, f".{at}", fault.code)
        return read

    @property
    def schema(self) -> dict[str, Any]:
        return build_schema(self.fields)


class Texts(Field, frozen=True, kw_only=True):
    """An object of short texts by short names."""

    most: int = 50
    required: bool = False

    def read(self, value: Any) -> dict[str, str]:
        if not isinstance(value, dict) or len(value) > self.most:
            raise Fault(f"must be an object of at most {self.most} texts")
        short = Text(name="", least=0)
        for key, text in value.items():
            short.read(key)
            short.read(text)
        return value

    @property
    def schema(self) -> dict[str, Any]:
        short = Text(name="", least=0).schema
        return {
            "type": "object",
            "maxProperties": self.most,
            "propertyNames": {"maxLength": 200, "pattern": ONE_LINE},
            "additionalProperties": short,
        }


class Rows(Field, frozen=True, kw_only=True):
    """A list of objects, which whoever uses them reads one by one. `row`: what one looks like, as JSON Schema."""

    most: int
    row: Mapping[str, Any]

    def read(self, value: Any) -> list[Any]:
        if not isinstance(value, list) or not 1 <= len(value) <= self.most:
            raise Fault(f"must be a list of 1 to {self.most} rows")
        return value

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": dict(self.row), "minItems": 1, "maxItems": self.most}


def build_schema(fields: Sequence[Field]) -> dict[str, Any]:
    """The JSON Schema of an object with these fields and no other."""
    properties = {}
    for field in fields:
        described = field.schema | ({"description": field.description} if field.description else {})
        if field.required:
            properties[field.name] = described
        else:
            properties[field.name] = {"anyOf": [described, {"type": "null"}]}
    required = [field.name for field in fields if field.required]
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"required": required} if required else {}),
    }


def read_body(request: HttpRequest, fields: Sequence[Field], most_bytes: int) -> dict[str, Any]:
    """The value of every field by name. An empty body is an empty object. Raises Refusal (400, 413, 415)."""
    raw = _read_bytes(request, most_bytes)
    media_type = request.META.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if raw and media_type != "application/json":
        raise Refusal(415, "UNSUPPORTED_MEDIA_TYPE", "Send the body as application/json.")
    values, faults = read_fields(parse_body(raw) if raw else {}, fields)
    if faults:
        raise build_refusal([Detail(at, fault.code, f"{at} {fault.message}.") for at, fault in faults], 400)
    return values


def read_fields(given: Mapping[str, Any], fields: Sequence[Field]) -> tuple[dict[str, Any], list[tuple[str, Fault]]]:
    """The values by name, and every fault with the path to it: unknown keys first."""
    known = {field.name: field for field in fields}
    faults = [(name[:80], Fault("is no key of this body", code="UNKNOWN_FIELD")) for name in given if name not in known]
    values: dict[str, Any] = {}
    for name, field in known.items():
        values[name] = field.default
        if name not in given or (given[name] is None and not field.required):
            if field.required:
                faults.append((name, Fault("is required", code="MISSING_FIELD")))
            continue
        try:
            values[name] = field.read(given[name])
        except Fault as fault:
            faults.append((name + fault.at, fault))
    return values, faults


def parse_body(raw: bytes) -> dict[str, Any]:
    """The body's object. Raises Refusal (400) for what is not JSON to the letter, or no object."""
    try:
        body = parse_json(raw)
    except NotJson as error:
        raise Refusal(400, "INVALID_JSON", f"The body cannot be taken: {error}.") from error
    if not isinstance(body, dict):
        raise Refusal(400, "INVALID_BODY", "The body must be a JSON object.")
    return body


def _read_bytes(request: HttpRequest, most: int) -> bytes:
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdigit() and int(length[:20]) > most:
        raise Refusal(413, "BODY_TOO_LARGE", f"The body may have at most {most} bytes.")
    try:
        return request.read()
    except UnreadablePostError as error:
        raise Refusal(400, "BODY_CUT_OFF", "The body did not arrive whole.") from error
