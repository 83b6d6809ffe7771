"""Bodies to records: at full speed when all is well, entry by entry and value by value when something is not.

The types are the fast path: msgspec reads a body straight into records. Where that fails, the slow path reads the same
body with the standard library and keeps all that can be kept, so that one bad value costs neither its page nor its
entry. A score or a time that cannot be read becomes `Unreadable`; any other optional value of the wrong type is left
out; keys nobody knows are ignored. Only a body that is not JSON, or not the agreed envelope, is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache, partial
from types import UnionType
from typing import Annotated, Any, Generic, NoReturn, TypeVar, cast, get_args, get_origin

import msgspec

from dashboard.sources.http.errors import UnreadableAnswer
from dashboard.sources.http.transport import Answer
from dashboard.sources.loop.wire import Instant, Score, Unreadable, as_utc
from dashboard.sources.runloop.wire import Duration

T = TypeVar("T")
Record = TypeVar("Record", bound=msgspec.Struct)

RAW_LENGTH = 80
"""How much is kept of a value that cannot be read."""
MAX_ID_LENGTH = 512
EXACT = 2**53
"""Up to here a float is the whole number that was written."""

MALFORMED = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)
"""All that msgspec, json and datetime raise over a body: bad JSON, wrong types, years out of range, deep nesting."""


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a list. An entry without a usable id has the id ""; whoever gathers the pages names it."""

    entries: tuple[T, ...]
    total: int
    """How many entries the service says there are on all pages."""


def decode_page(answer: Answer, name: str, record: type[Record]) -> Page[Record]:
    """Read `{<name>: [record, …], "total": n}`. Raises `UnreadableAnswer`."""
    try:
        page = _page_decoder(name, record).decode(answer.body)
        return Page(page.entries, page.total)
    except MALFORMED:
        body = parse_body(answer)
    entries, total = body.get(name), body.get("total")
    if not isinstance(entries, list) or type(total) is not int or total < 0:
        raise UnreadableAnswer(f"{answer.route} was answered with something else than a page of {name}.")
    return Page(tuple(read_record(entry, record) for entry in entries), total)


def decode_entries(answer: Answer, name: str, record: type[Record]) -> tuple[Record, ...]:
    """Read `{<name>: [record, …]}`, a list that counts nothing. Raises `UnreadableAnswer`."""
    try:
        entries = one_decoder(name, tuple[record, ...]).decode(answer.body).value  # type: ignore[valid-type]
        return cast("tuple[Record, ...]", entries)
    except MALFORMED:
        entries = parse_body(answer).get(name)
    if not isinstance(entries, list):
        raise UnreadableAnswer(f"{answer.route} was answered without a list of {name}.")
    return tuple(read_record(entry, record) for entry in entries)


def make_name(number: int) -> str:
    """What stands in the place of the id of an entry that came without one; `number` counts from the oldest."""
    return f"unnamed-{number}"


def is_made_name(given: str) -> bool:
    """True for what `make_name` gave, which the service does not know."""
    return re.fullmatch(r"unnamed-\d+", given) is not None


def is_usable_id(given: str) -> bool:
    """True for what can be asked for by its id."""
    # "." and ".." survive quoting, and would then be taken for a step to another route.
    return given not in ("", ".", "..") and len(given) <= MAX_ID_LENGTH


def decode_one(answer: Answer, name: str, record: type[Record]) -> Record:
    """Read `{<name>: record}`; with the name "" the record itself is the body. Raises `UnreadableAnswer`.

    What has a name has an id: without a usable one no page can stand for it, and it is no answer.
    """
    found = _read_one(answer, name, record)
    if name and not is_usable_id(getattr(found, "id", "")):
        raise UnreadableAnswer(f"{answer.route} was answered with a {name} that has no usable id.")
    return found


def _read_one(answer: Answer, name: str, record: type[Record]) -> Record:
    try:
        found = one_decoder(name, record).decode(answer.body)
        return cast("Record", found.value if name else found)
    except MALFORMED:
        body = parse_body(answer)
    value = body.get(name) if name else body
    if not isinstance(value, dict):
        raise UnreadableAnswer(f"{answer.route} was answered without a {name}.")
    return read_record(value, record)


@lru_cache
def _page_decoder(name: str, record: type) -> msgspec.json.Decoder[Any]:
    fields = [("entries", tuple[record, ...]), ("total", Annotated[int, msgspec.Meta(ge=0)])]  # type: ignore[valid-type]
    page = msgspec.defstruct("PageBody", fields, rename={"entries": name})
    return msgspec.json.Decoder(page)


@lru_cache
def one_decoder(name: str, record: type) -> msgspec.json.Decoder[Any]:
    """Of `{<name>: record}` as an object with that `value`; with the name "" of the record itself."""
    body = msgspec.defstruct("Body", [("value", record)], rename={"value": name}) if name else record
    return msgspec.json.Decoder(body)


def parse_body(
    answer: Answer, *, read_constant: Callable[[str], Any] | None = None, without: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The body as plain objects, with `Unreadable` for numbers no float can hold. Raises `UnreadableAnswer`.

    `read_constant` gives what stands for NaN and Infinity, which are no JSON; without it they are an error. The keys
    `without` are left out of every object, however deep.
    """
    try:
        # JSON may spell half a surrogate pair, which is no text and fails later, when a page is encoded.
        body = json.loads(
            answer.body,
            parse_float=_read_number,
            parse_int=_read_whole,
            parse_constant=read_constant or _refuse_constant,
            object_hook=partial(_leave_out, without) if without else None,
        )
        body = _mend_text(body) if b"\\ud" in answer.body.lower() else body
    except MALFORMED as error:
        raise UnreadableAnswer(f"{answer.route} was answered with something that is not JSON.") from error
    if not isinstance(body, dict):
        raise UnreadableAnswer(f"{answer.route} was answered with something else than an object.")
    return body


def _leave_out(keys: frozenset[str], value: dict[str, Any]) -> dict[str, Any]:
    return {key: entry for key, entry in value.items() if key not in keys}


def _read_number(text: str) -> float | Unreadable:
    """1e999 is infinity to Python: its text is kept instead."""
    number = float(text)
    return number if abs(number) != float("inf") else Unreadable(text[:RAW_LENGTH])


def _read_whole(text: str) -> int | float | Unreadable:
    return int(text) if len(text) < 19 else _read_number(text)


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _mend_text(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mend_text(entry) for entry in value]
    if isinstance(value, dict):
        return {_mend_text(key): _mend_text(entry) for key, entry in value.items()}
    return value


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=lambda odd: odd.raw)


def _as_text(value: Any) -> str:
    """Text as it is, anything else as its JSON."""
    return value if isinstance(value, str) else value.raw if isinstance(value, Unreadable) else _dump(value)


def _as_unreadable(value: Any) -> Unreadable:
    return value if isinstance(value, Unreadable) else Unreadable(_dump(value)[:RAW_LENGTH])


def read_record(value: Any, record: type[Record]) -> Record:
    """A record with all of `value` that can be read. What is no object at all gives one with unreadable scores."""
    if not _holds_anything(record):
        try:
            return msgspec.convert(value, record)
        except MALFORMED:
            pass
    fields: dict[str, Any] = {}
    for field in _fields(record):
        if isinstance(value, dict):
            name = field.encode_name
            found: Any = _read_value(value[name], field.type) if name in value else msgspec.UNSET
        else:
            found = _as_unreadable(value) if field.type == Score else msgspec.UNSET
        if found is not msgspec.UNSET:
            fields[field.name] = found
        elif field.required:
            fields[field.name] = ""
    return record(**fields)


_fields = lru_cache(msgspec.structs.fields)


@lru_cache
def _holds_anything(record: type[msgspec.Struct]) -> bool:
    """True when a field takes any JSON: msgspec would let our own `Unreadable` through there."""
    return any(field.type is Any for field in _fields(record))


@lru_cache
def _holds_score(record: type[msgspec.Struct]) -> bool:
    """True when a field is a score: then what stands in the record's place is shown as the score that it is not."""
    return any(field.type == Score for field in _fields(record))


@lru_cache
def _single(wanted: Any) -> type:
    """A record of one field of that type: msgspec prepares each struct once, but a bare union at every call."""
    return msgspec.defstruct("Single", [("value", wanted)])


def _read_value(value: Any, wanted: Any) -> Any:
    """`value` as the type of a record's field, UNSET when it cannot be and the field's default has to do."""
    try:
        if wanted is Any:
            return json.loads(_dump(value))
        found: Any = msgspec.convert({"value": value}, _single(wanted)).value
        return as_utc(found) if isinstance(found, datetime) else found
    except MALFORMED:
        pass
    if wanted == Duration and type(value) is float and value.is_integer() and abs(value) <= EXACT:
        return int(value)  # some writers of JSON spell every number as a float
    if wanted in (Score, Instant, Duration):
        return _as_unreadable(value)
    options = get_args(wanted) if isinstance(wanted, UnionType) else (wanted,)
    if str in options and type(value) in (int, float):
        return str(value)
    for option in options:
        if get_origin(option) is tuple and isinstance(value, list):
            inner = get_args(option)[0]
            if inner is str:
                return tuple(entry for entry in value if isinstance(entry, str))
            return tuple(read_record(entry, inner) for entry in value if isinstance(entry, dict))
        if get_origin(option) is dict and isinstance(value, dict):
            return {key: _as_text(entry) for key, entry in value.items() if entry is not None}
        is_record = isinstance(option, type) and issubclass(option, msgspec.Struct)
        if is_record and (isinstance(value, dict) or _holds_score(option)):
            return read_record(value, option)
    return msgspec.UNSET
