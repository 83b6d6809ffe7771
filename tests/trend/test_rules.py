"""The rules of a trend are written down, and each one that is built is named by a test."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILT = [f"T{number}" for number in range(1, 13)]
TO_COME = ["T13", "T14"]


def test_the_statement_of_the_trend_names_every_rule_in_order() -> None:
    assert re.findall(r"^\*\*(T\d+)\.\*\*", (ROOT / "docs/trend.md").read_text(), re.MULTILINE) == BUILT + TO_COME
    assert "docs/trend.md" in (ROOT / "README.md").read_text()


def test_each_rule_that_is_built_is_named_by_a_test_and_where_it_lives() -> None:
    for folder in ("tests", "dashboard"):
        texts = [path.read_text() for path in (ROOT / folder).rglob("*.py") if path != Path(__file__).resolve()]
        named = {rule for text in texts for rule in re.findall(r"\bT\d{1,2}\b", text)}
        assert [rule for rule in BUILT if rule not in named] == [], folder
