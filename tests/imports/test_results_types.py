"""Names in the order of their numbers, numbers as they stand, wrong values quoted short."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.imports.results.types import natural_key, quote, read_number


@given(st.lists(st.integers(0, 10**9), unique=True))
def test_names_with_numbers_sort_as_the_numbers_do(steps):
    names = sorted((f"step{s}" for s in steps), key=natural_key)
    assert names == [f"step{s}" for s in sorted(steps)]


@given(st.text(), st.text())
def test_different_names_have_different_keys(a, b):
    assert (natural_key(a) == natural_key(b)) == (a == b)


@given(st.floats() | st.integers() | st.booleans() | st.text() | st.none())
@example(2**53)
@example(2**53 + 1)
@example(-(2**60) - 1)
def test_a_number_that_is_read_is_the_number_that_stood_there(value):
    number = read_number(value)
    assert number is None or (number == value and not isinstance(value, bool | str))


def test_a_long_wrong_value_is_quoted_short():
    assert len(quote("x" * 500)) == 40
    assert quote(5) == "5"
