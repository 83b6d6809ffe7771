"""Texts that are cut, JSON that is laid out, and characters that would not be seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.web.common.texts import cut_text, indent_json, is_json
from dashboard.web.templatetags.unseen import unseen


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("abcdef", 3, "abc"),
        ("abe\u0301f", 3, "ab"),
        ("ab\U0001f469\u200d\U0001f467c", 3, "ab"),
        ("ab\U0001f469\u200d\U0001f467c", 4, "ab"),
        ("ab\U0001f44d\U0001f3fdc", 3, "ab"),
        ("\U0001f1f3\U0001f1f4\U0001f1f8\U0001f1ea", 3, "\U0001f1f3\U0001f1f4"),
        ("a\r\nb", 2, "a"),
        ("a\u1112\u1161\u11abb", 3, "a"),
        ("a" + "\u0301" * 500, 200, "a" + "\u0301" * 199),
    ],
)
def test_a_cut_falls_between_what_a_reader_takes_for_characters(text, most, kept):
    assert cut_text(text, most) == (kept, True)


def test_json_is_laid_out_with_every_number_and_key_as_written():
    written = '{"a": 1e400, "a": 1.10, "b": [], "c": "\\u00e5 {,}", "d": 12345678901234567890123}'
    assert is_json(written)
    assert indent_json(written, 1_000) == (
        '{\n  "a": 1e400,\n  "a": 1.10,\n  "b": [],\n  "c": "å {,}",\n  "d": 12345678901234567890123\n}',
        False,
    )
    assert indent_json(written, 5).cut


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a"', "[1,]", "", "[" * 100_000])
def test_what_is_no_json_is_not_taken_for_it(text):
    assert not is_json(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", 'a<span class="unseen" title="right-to-left override">U+202E</span>b'),
        ("a\u200bb", 'a<span class="unseen" title="zero width space">U+200B</span>b'),
        ("a\x1b[1m", 'a<span class="unseen">U+001B</span>[1m'),
        ("\ud800<", '<span class="unseen">U+D800</span>&lt;'),
        ("line\n\tend\u200d\u05d0\u200f", "line\n\tend\u200d\u05d0\u200f"),
    ],
)
def test_what_would_not_be_seen_is_named(text, shown):
    assert unseen(text) == shown


@given(st.text(max_size=80), st.integers(1, 80))
def test_a_cut_is_a_beginning_and_never_empty(text, most):
    kept, cut = cut_text(text, most)
    assert text.startswith(kept)
    assert len(kept) <= most
    assert cut == (kept != text)


def test_thousands_of_unseen_characters_do_not_make_a_page_large():
    shown = unseen("\x00\x01" * 50_000)
    assert shown.count("U+0000") == 50
    assert shown.count("\ufffd") == 99_900
