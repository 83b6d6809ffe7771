"""Bodies are read to the letter: what is not JSON, too much, or of another type is a named refusal, never a failure."""

from typing import Any

import pytest

from dashboard.store.text.strict_json import NotJson, parse_json
from tests.factories import make_benchmark

pytestmark = pytest.mark.django_db


@pytest.fixture
def retire(send: Any) -> Any:
    """retire(body, **headers) -> (status, code) of a retire with that body."""
    url = f"/api/loop/benchmarks/{make_benchmark().pk}/retire"

    def call(body: Any, **headers: str) -> tuple[int, str]:
        answer = send("post", url, body, **headers)
        assert answer.json()["request_id"]
        return answer.status_code, answer.json()["error"]["code"]

    return call


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "reason=x",
        b"\xff\xfe",
        '{"reason": NaN}',
        '{"reason": -Infinity}',
        '{"reason": 1e999}',
        '{"reason": 1' + "0" * 5000 + "}",
        '{"reason": "a", "reason": "b"}',
        '{"reason": ' + "[" * 60 + "]" * 60 + "}",
        '{"reason": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "﻿{}",
    ],
)
def test_what_is_not_json_to_the_letter_is_400(retire: Any, body: Any) -> None:
    assert retire(body) == (400, "INVALID_JSON")


@pytest.mark.parametrize("body", ["[]", "null", '"text"', "5"])
def test_a_body_is_an_object(retire: Any, body: str) -> None:
    assert retire(body) == (400, "INVALID_BODY")


def test_a_body_says_that_it_is_json(retire: Any) -> None:
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
        assert retire("{}", **{"Content-Type": media_type}) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_body_has_a_largest_size(retire: Any) -> None:
    assert retire('{"reason": "' + "x" * 2**20 + '"}') == (413, "BODY_TOO_LARGE")


def test_a_body_that_does_not_arrive_whole_is_400(client: Any) -> None:
    class CutOff:
        def read(self, size: int = -1) -> bytes:
            raise OSError("the caller went away")

        readline = read

    inside = {"benchtrend.workspace": "ws_local", "wsgi.input": CutOff(), "CONTENT_LENGTH": "10"}
    answer = client.generic("POST", "/api/loop/judges", b"", "application/json", **inside)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "BODY_CUT_OFF")


def test_a_write_takes_no_query(send: Any) -> None:
    answer = send("post", f"/api/loop/benchmarks/{make_benchmark().pk}/retire?force=true", {})
    assert (answer.status_code, answer.json()["error"]["parameter"]) == (400, "force")


def test_a_charset_beside_the_type_is_fine(send: Any) -> None:
    url = f"/api/loop/benchmarks/{make_benchmark().pk}/retire"
    assert send("post", url, {}, **{"Content-Type": "Application/JSON; charset=utf-8"}).status_code == 200


def test_json_is_read_as_python_reads_it_but_for_what_is_refused() -> None:
    assert parse_json(b'{"a": [1, 2.5, -0.0, "\\u00e9", null, true]}') == {"a": [1, 2.5, 0.0, "é", None, True]}
    with pytest.raises(NotJson, match="given twice"):
        parse_json(b'[{"a": 1, "a": 1}]')
