"""Which side won a row, and whether an answer passed."""

import pytest

from dashboard.trend.rows import find_passed, find_winner


@pytest.mark.parametrize(
    ("candidate", "incumbent", "scale", "winner"),
    [
        (0.7, 0.6, "0 to 1", "candidate"),
        (0.6, 0.7, "0 to 1", "incumbent"),
        (0.6, 0.7, "0 to 1, lower is better", "candidate"),
        (0.62, 0.6, "0 to 1", "candidate"),
        (0.3, 0.28, "0 to 1", "candidate"),  # 0.02 apart, and less in floats
        (0.619, 0.6, "0 to 1", "tie"),
        (7.1, 7.0, "0 to 10", "tie"),
        (7.1, 7.0, "no bounds, higher is better", "candidate"),
        (7.1, 7.0, "no bounds, lower is better", "incumbent"),
        (7.1, 7.0, "no bounds", None),
        (7.0, 7.0, "no bounds", "tie"),
        (0.9, 0.1, "0 to 1, direction unknown", None),
        (None, 0.1, "0 to 1", None),
        (0.1, None, "0 to 1", None),
    ],
)
def test_the_winner_is_ahead_by_a_fiftieth_of_the_scale(
    candidate: float | None, incumbent: float | None, scale: str, winner: str | None
) -> None:
    assert find_winner(candidate, incumbent, scale) == winner


@pytest.mark.parametrize(
    ("own", "score", "scale", "passed"),
    [
        (None, 0.7, "0 to 1", True),
        (None, 0.69, "0 to 1", False),
        (None, 3.8, "1 to 5", True),
        (None, 3.7, "1 to 5", False),
        (None, 0.3, "0 to 1, lower is better", True),
        (None, 0.31, "0 to 1, lower is better", False),
        (False, 0.9, "0 to 1", False),
        (True, 0.1, "0 to 1", True),
        (True, None, "no bounds", True),
        (None, None, "0 to 1", None),
        (None, 0.9, "no bounds", None),
        (None, 0.9, "0 to 1, direction unknown", None),
    ],
)
def test_a_row_passes_by_its_own_word_or_from_seven_tenths_of_the_scale_on(
    own: bool | None, score: float | None, scale: str, passed: bool | None
) -> None:
    assert find_passed(own, score, scale) is passed
