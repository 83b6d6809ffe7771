"""A field takes what it says and coerces nothing."""

from typing import Any

import pytest
from rest_framework.exceptions import ValidationError

from dashboard.api.http.fields import (
    Choice,
    Flag,
    Id,
    Listed,
    Moment,
    Only,
    Rows,
    Strict,
    Text,
    Texts,
    Whole,
    Word,
    list_faults,
)
from dashboard.store.text.rules import TextRule


class Inner(Strict):
    key = Id()


class Body(Strict):
    name = Text()
    count = Whole(1, 9, required=False, default=3)
    inner = Inner(required=False)
    entries = Listed(Inner(), 2, required=False)


def faults_of(field: Any, value: Any) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as raised:
        field.run_validation(value)
    return [(path, words) for path, _, words in list_faults(raised.value.detail)]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        (Whole(0, 9), [True, False, "1", 5.0, 10, -1, None, [], {}]),
        (Text(), [5, True, None, [], {}, "", " ", "\u200b", "a\nb", "\x85", "x" * 201, "\0", "\ud800"]),
        (Text(TextRule(line=False)), ["", " \n", "\0"]),
        (Id(), [5, None, "", "x" * 513, "\0", "\ud800"]),
        (Choice(("a", "b")), ["c", "", 1, True, None, ["a"], {}]),
        (Only(False, "so it is"), [0, True, "false", None, {}]),
        (Only({}, "so it is"), [[], False, {"a": 1}]),
        (Texts(1), [[], "x", {"a": 1}, {"a": "\0"}, {"\ud800": "a"}, {"a": "b", "c": "d"}, {"a": "x" * 201}]),
        (Rows(1, {}), [[], {}, "x", [1, 2]]),
        (Listed(Whole(), 1), [{}, "x", [1, 2], ["1"]]),
        (Flag(), ["True", "1", "yes", ""]),
        (Moment(), ["2026-01-01", "2026-01-01T00:00:00", "yesterday", ""]),
        (Word(), ["a\0"]),
        (Body(), [[], "x", 5]),
    ],
)
def test_what_a_field_does_not_take_it_refuses_in_words(field: Any, values: list[Any]) -> None:
    for value in values:
        for path, words in faults_of(field, value):
            assert words.startswith(("must", "holds", "has a name")), (value, path, words)


@pytest.mark.parametrize(
    ("field", "value", "read"),
    [
        (Text(), " Jürgen ☃ ", "Jürgen ☃"),
        (Text(TextRule(line=False)), " a\nb ", " a\nb "),
        (Text(TextRule(blank=True)), "", ""),
        (Id(), " a/b? ", " a/b? "),
        (Whole(), 5, 5),
        (Only({}, ""), {}, {}),
        (Texts(), {"a": "", "": "b"}, {"a": "", "": "b"}),
        (Flag(), "false", False),
        (Word(), " ", " "),
    ],
)
def test_what_a_field_takes_it_leaves_as_it_is_but_for_a_line_s_ends(field: Any, value: Any, read: Any) -> None:
    assert field.run_validation(value) == read


def test_null_is_absent_where_a_key_may_be_absent() -> None:
    absent = {"name": "a", "count": 3, "inner": None, "entries": None}
    assert Body().run_validation({"name": "a"}) == absent
    assert Body().run_validation({"name": "a", "count": None, "inner": None, "entries": None}) == absent


def test_every_fault_is_told_with_its_path_unknown_keys_first() -> None:
    given = {"inner": {"key": 5, "x": 1}, "entries": [{"key": "a"}, {}], "count": True, "y": 1, "name": None}
    assert faults_of(Body(), given) == [
        ("y", "is no key of this body"),
        ("name", "must not be null"),
        ("count", "must be a whole number from 1 to 9"),
        ("inner.x", "is no key of this body"),
        ("inner.key", "must be an id"),
        ("entries[1].key", "is required"),
    ]


def test_one_serializer_reads_many_bodies_and_keeps_nothing_of_them() -> None:
    body = Body()
    faults_of(body, {"name": 5})
    assert body.run_validation({"name": "a"})["name"] == "a"
    assert faults_of(body, {}) == [("name", "is required")]
