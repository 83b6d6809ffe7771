"""What a row says follows from its two sides: where it stands, who won, why it failed."""

from typing import Any

import pytest
from django.db import IntegrityError

from dashboard.contract import ROW_STATUSES
from dashboard.store.models import ReplayRow
from dashboard.store.replays.rows import Scale, settle_row
from dashboard.trend.rows import find_passed, find_winner
from tests.factories import make_benchmark, make_replay, make_side

PENDING = {"state": "pending"}
ANSWERED = {"state": "answered", "completion": "Hi."}
BROKEN = {"state": "failed", "error": "no answer within 60 s"}


@pytest.mark.parametrize(
    ("candidate", "incumbent", "status", "winner", "error"),
    [
        ({}, {}, "pending", None, None),
        (PENDING, PENDING, "pending", None, None),
        (ANSWERED, PENDING, "working", None, None),
        (ANSWERED, ANSWERED, "working", None, None),
        (make_side(0.9), ANSWERED, "working", None, None),
        (make_side(0.9), make_side(0.4), "done", "candidate", None),
        (make_side(0.4), make_side(0.9), "done", "incumbent", None),
        (make_side(0.4), make_side(0.41), "done", "tie", None),
        (make_side(0.4), {"state": "absent"}, "done", None, None),
        (BROKEN, make_side(0.9), "failed", None, "candidate: no answer within 60 s"),
        (
            BROKEN,
            {"state": "failed"},
            "failed",
            None,
            "candidate: no answer within 60 s; incumbent: no reason was given",
        ),
    ],
)
def test_a_row_says_what_its_sides_do(
    candidate: dict[str, Any], incumbent: dict[str, Any], status: str, winner: str | None, error: str | None
) -> None:
    row = settle_row(ReplayRow(candidate=candidate, incumbent=incumbent), Scale.of({"scale": "0 to 1"}))
    assert (row.status, row.winner, row.error) == (status, winner, error)
    assert row.status in ROW_STATUSES


def test_a_row_that_was_mended_forgets_why_it_had_failed() -> None:
    row, scale = ReplayRow(candidate=BROKEN, incumbent=make_side(0.5)), Scale.of({"scale": "0 to 1"})
    settle_row(row, scale)
    row.candidate = make_side(0.9)
    settle_row(row, scale)
    assert (row.status, row.winner, row.error) == ("done", "candidate", None)


@pytest.mark.django_db
@pytest.mark.parametrize("fields", [{"status": "failed"}, {"status": "failed", "error": ""}, {"status": "lost"}])
def test_the_database_keeps_no_failed_row_without_a_reason_and_no_unknown_status(fields: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError):
        ReplayRow.objects.create(replay=make_replay(make_benchmark()), ordinal=0, **fields)


SCALES = (
    "0 to 1", "1 to 5", "0-10", "no bounds", "no bounds, lower is better", "no bounds, higher is better", "",
    "0 to 1, lower is better", "0 to 1, direction unknown", "[0, 100] points",
)  # fmt: skip


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    "scores", [(0.62, 0.6), (0.5, 0.5), (0.7, 0.3), (3.8, 3.79), (0.30, 0.28), (0.3, 0.301), (70, 71)]
)
def test_the_service_and_the_pages_name_one_winner_and_one_pass(scale: str, scores: tuple[float, float]) -> None:
    ours = Scale.of({"scale": scale})
    assert ours.find_winner(*scores) == find_winner(*scores, scale)
    assert ours.find_winner(None, scores[1]) is find_winner(None, scores[1], scale) is None
    for own in (None, True, False):
        for score in (*scores, None):
            assert ours.find_passed({"passed": own, "score": score}) == find_passed(own, score, scale)
