"""The fields that our bodies and query strings are made of: DRF's, without any of its coercion.

`true` is no number, "1" and 5.0 are no whole numbers, and nothing is trimmed or clamped but where a field says so. The
words of a refusal follow the name of the field, such as "must be text".
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import empty

from dashboard.store.text.rules import TextRule
from dashboard.store.text.strict_json import find_unstorable

ID_LENGTH = 512
"""Longer than any id that is given out."""
LINE = r"[^\x00-\x1f\x7f-\x9f]*"
"""Any text on one line, as a pattern for the OpenAPI document; `TextRule` is what judges."""
UNKNOWN = ErrorDetail("is no key of this body", "unknown")


class Worded(serializers.Field[Any, Any, Any, Any]):
    """A field in our words. Where it may be absent, its value is then `default`, None unless it is given."""

    default_error_messages = {
        "required": "is required",
        "null": "must not be null",
        "blank": "must not be empty",
        "max_length": "must have at most {max_length} characters",
        "min_length": "must not be empty",
    }

    def __init__(self, *given: Any, **options: Any) -> None:
        if options.get("required") is False:
            options.setdefault("default", None)
        super().__init__(*given, **options)


class Strict(Worded, serializers.Serializer[Any]):
    """An object whose every key is known. Every fault is told at once, unknown keys first.

    Where a key may be absent, null is the same as absent. An instance holds nothing of what it read: one serves all.
    """

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise ValidationError("must be an object")
        fields: Mapping[str, serializers.Field[Any, Any, Any, Any]] = self.fields
        faults: dict[str, Any] = {name[:80]: [UNKNOWN] for name in data if name not in fields}
        values = {}
        for name, field in fields.items():
            value = data.get(name, empty)
            try:
                values[name] = field.run_validation(empty if value is None and not field.required else value)
            except ValidationError as error:
                faults[name] = error.detail
        if faults:
            raise ValidationError(faults)
        return values


class Text(Worded, serializers.CharField):
    """Text by one of the store's rules, which may trim it."""

    default_error_messages = {"invalid": "must be text"}

    def __init__(self, rule: TextRule = TextRule(), **options: Any) -> None:  # noqa: B008 - it is frozen
        self.rule = rule
        least = {} if rule.blank else {"min_length": 1}
        super().__init__(max_length=rule.most, allow_blank=rule.blank, trim_whitespace=False, **least, **options)
        if not rule.blank:
            self.validators.append(RegexValidator(rf"^{LINE}\S{LINE}$" if rule.line else r"\S"))

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        try:
            return self.rule.read(data)
        except ValueError as error:
            raise ValidationError(str(error)) from error


class Id(Worded, serializers.CharField):
    """An opaque id, taken as it is."""

    def __init__(self, most: int = ID_LENGTH, **options: Any) -> None:
        super().__init__(min_length=1, max_length=most, trim_whitespace=False, **options)
        wanted = "must be an id or null" if self.allow_null else "must be an id"
        self.error_messages |= dict.fromkeys(("invalid", "blank"), wanted)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or find_unstorable(data) is not None:
            self.fail("invalid")
        return data


class Whole(Worded, serializers.IntegerField):
    """A whole number from `least` to `most`; neither true nor 5.0 is one."""

    def __init__(self, least: int = 1, most: int = 10**9, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(min_value=least, max_value=most, **options)

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int or not self.least <= data <= self.most:
            raise ValidationError(f"must be a whole number from {self.least} to {self.most}")
        return data


class YesNo(Worded, serializers.BooleanField):
    """true or false; nothing else is one."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise ValidationError("must be true or false")
        return data


class Choice(Worded, serializers.ChoiceField):
    """One of a few words."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in self.choices:
            raise ValidationError(f"must be one of {', '.join(self.choices)}")
        return data


class Listed(Worded, serializers.ListField):
    """A list of `least` to `most` values, each read by `child`."""

    def __init__(self, child: serializers.Field[Any, Any, Any, Any], most: int, least: int = 0, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(child=child, min_length=least, max_length=most, **options)

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            raise ValidationError("must be a list")
        if not self.least <= len(data) <= self.most:
            raise ValidationError(f"must hold {self.least} to {self.most} entries")
        return self.run_child_validation(data)


class Described(Worded):
    """A field that describes itself, for which DRF has no like."""

    def describe(self) -> dict[str, Any]:
        """Its JSON Schema."""
        raise NotImplementedError


class Only(Described):
    """A key of the published body that this service can take in one value alone; any other is refused, not ignored."""

    def __init__(self, value: Any, why: str) -> None:
        self.value, self.why = value, why
        super().__init__(required=False)

    def to_internal_value(self, data: Any) -> Any:
        if data != self.value or type(data) is not type(self.value):
            raise ValidationError(f"must be {json.dumps(self.value)}: {self.why}")
        return data

    def describe(self) -> dict[str, Any]:
        return {"const": self.value}


class Texts(Described):
    """An object of at most `most` short texts by short names."""

    rule = TextRule(blank=True)

    def __init__(self, most: int = 50, **options: Any) -> None:
        self.most = most
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> dict[str, str]:
        if not isinstance(data, dict) or len(data) > self.most:
            raise ValidationError(f"must be an object of at most {self.most} texts")
        for text in (*data, *data.values()):
            if not isinstance(text, str):
                raise ValidationError("must hold texts alone")
            try:
                self.rule.read(text)
            except ValueError as error:
                raise ValidationError(f"has a name or a text that {error}") from error
        return data

    def describe(self) -> dict[str, Any]:
        short = {"type": "string", "maxLength": self.rule.most, "pattern": f"^{LINE}$"}
        return {
            "type": "object",
            "maxProperties": self.most,
            "propertyNames": short,
            "additionalProperties": short,
        }


class Rows(Described):
    """A list of 1 to `most` objects, which whoever uses them reads one by one. `row`: JSON Schema of one."""

    def __init__(self, most: int, row: Mapping[str, Any], **options: Any) -> None:
        self.most, self.row = most, row
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list) or not 1 <= len(data) <= self.most:
            raise ValidationError(f"must be a list of 1 to {self.most} rows")
        return data

    def describe(self) -> dict[str, Any]:
        return {"type": "array", "items": dict(self.row), "minItems": 1, "maxItems": self.most}


class Word(Worded, serializers.CharField):
    """Free text of a query string."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, allow_blank=True, trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        if "\0" in data:
            raise ValidationError("must be text without NUL")
        return str(data)


class Flag(Worded, serializers.BooleanField):
    """true or false, in a query string."""

    def to_internal_value(self, data: Any) -> bool:
        if data not in ("true", "false"):
            raise ValidationError("must be one of true, false")
        return bool(data == "true")


class Moment(Worded, serializers.DateTimeField):
    """An RFC 3339 time with its offset, in a query string; read into UTC."""

    def to_internal_value(self, data: Any) -> datetime:
        try:
            moment = datetime.fromisoformat(data)
            # In UTC at once: databases differ in the offsets that they take, and a year may leave the range.
            utc = moment.astimezone(UTC) if moment.tzinfo else None
        except (ValueError, OverflowError):
            utc = None
        if utc is None:
            raise ValidationError("must be an RFC 3339 time with its offset, such as 2026-01-31T12:00:00Z")
        return utc


class Count(Worded, serializers.IntegerField):
    """A whole number from `least` on in a query string, however many digits it has.

    One over `most` is brought down to it, or, `within`, refused.
    """

    def __init__(self, least: int, most: int, *, within: bool = False, **options: Any) -> None:
        self.least, self.most, self.within = least, most, within
        super().__init__(min_value=least, required=False, **({"max_value": most} if within else {}), **options)

    def to_internal_value(self, data: Any) -> int:
        digits = data.lstrip("0") or "0"
        if not (data.isascii() and data.isdigit()):
            number = -1
        else:
            number = int(digits) if len(digits) <= len(str(self.most)) else self.most + 1
        if number < self.least or (self.within and number > self.most):
            span = f"{self.least} to {self.most}" if self.within else f"{self.least} or more"
            raise ValidationError(f"must be a whole number, {span}")
        return min(number, self.most)


def list_faults(detail: Any, path: str = "") -> Sequence[tuple[str, str, str]]:
    """(path, code, words) of every fault in what a ValidationError holds, such as `dimensions[2].key`."""
    if isinstance(detail, Mapping):
        found: list[tuple[str, str, str]] = []
        for key, inner in detail.items():
            at = f"[{key}]" if isinstance(key, int) else f".{key}" if path else str(key)
            found += list_faults(inner, path + at)
        return found
    return [(path, one.code, str(one)) for one in detail]
