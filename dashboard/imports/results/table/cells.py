"""Numbers as spreadsheets write them: decimal commas, thousands, percent, a true minus sign."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dashboard.imports.results.table.sheet import Text
from dashboard.imports.results.types import ResultsError, explain_number, quote, read_number

_PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_SPACES = re.compile(r"(?<=\d)[\u00a0\u202f\u2009' ](?=\d{3}(?!\d))")
_MINUS = str.maketrans({"\u2212": "-", "\u2013": "-", "\ufe63": "-", "\uff0d": "-"})


@dataclass(frozen=True)
class Notation:
    """How a table writes numbers. `thousands`: what groups digits, "" for nothing."""

    decimal: str = "."
    thousands: str = ""
    percent: bool = False

    def read(self, value: Any) -> float | None:
        """A finite float of a JSON number, or of a CSV cell that is a number in this notation; None of all else."""
        return read_number(self.decode(value))

    def decode(self, value: Any) -> Any:
        """The JSON value that a cell stands for: of a CSV cell its number, or None where it is none."""
        if not isinstance(value, Text):
            return value
        text = _clean(value)
        if self.percent != text.endswith("%"):
            return None
        text = text.removesuffix("%").rstrip()
        if self.thousands:
            if self.thousands in text and not _is_grouped(text, self.thousands, self.decimal):
                return None
            text = text.replace(self.thousands, "")
        text = text.replace(self.decimal, ".") if self.decimal != "." and "." not in text else text
        if not _PLAIN.fullmatch(text):
            return None
        if self.percent:
            return float(Decimal(text) / 100)
        try:
            return int(text)
        except ValueError:  # a fraction or an exponent, or more digits than Python reads
            return float(text)

    def explain(self, value: Any) -> str:
        """Why a cell is no number, after the name of what stood there."""
        if isinstance(value, Text) and not self.percent and _clean(value).endswith("%"):
            return f"is a percentage among plain numbers: {quote(value)}"
        return f"{explain_number(self.decode(value))}: {quote(value)}"


def find_notation(cells: Iterable[Any], separator_is_comma: bool, where: str) -> Notation:
    """The notation of all these cells. Raises ResultsError where one could be read in two ways and none decides."""
    texts = [_clean(cell) for cell in cells if isinstance(cell, Text) and cell.strip()]
    shaped = [text for text in texts if re.fullmatch(r"[+-]?[\d.,' \u00a0\u202f]+%?", text)]
    percent = bool(shaped) and all(text.endswith("%") for text in shaped)
    bare = [text.rstrip("% ") for text in shaped]
    both = [text for text in bare if "," in text and "." in text]
    if both:
        decimal = max(".,", key=both[0].rfind)
        return Notation(decimal, "," if decimal == "." else ".", percent)
    commas = [text for text in bare if "," in text]
    if not commas:
        return Notation(".", "", percent)
    if any(text.count(",") > 1 for text in commas):
        return Notation(".", ",", percent)
    points = [text for text in bare if "." in text]
    if any(not _is_grouped(text, ",", ".") for text in commas) or not separator_is_comma:
        return Notation(",", "." if points else "", percent)
    if points:
        return Notation(".", ",", percent)
    raise ResultsError(
        f"{where}: {quote(str(commas[0]))} can be a fraction or a number of thousands, and no other cell decides: "
        "write numbers with a point and without marks between thousands"
    )


def _clean(cell: str) -> str:
    return _SPACES.sub("", cell.strip().translate(_MINUS))


def _is_grouped(text: str, mark: str, decimal: str) -> bool:
    """Whether the marks group thousands: "1,201" and "12,345,678.9"; not "0,712", which begins with 0, nor "71,2"."""
    whole = text.lstrip("+-").partition(decimal)[0]
    return bool(re.fullmatch(rf"[1-9]\d{{0,2}}({re.escape(mark)}\d{{3}})+", whole))
