"""The rows of a replay: order, filters, both answers, and what an API says that lists none."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from dashboard.web.replays.differences import MOST_WORDS, Piece, mark_differences
from tests.factories import START, make_benchmark, make_replay, make_rows, make_rule, make_run
from tests.sources.faulty_server import reply_json
from tests.web.conftest import one_benchmark, one_point
from tests.web.pages import text_of

pytestmark = pytest.mark.django_db


def ordinals_of(page) -> list[int]:
    return [int(found) for found in re.findall(r'id="row-(\d+)"', page.content.decode())]


@pytest.fixture
def replay(db):
    """After one that passed all but the last, a replay that lost by little, won, tied, lost by much, and broke."""
    benchmark, rule = make_benchmark(items=4), make_rule()
    before = make_replay(benchmark, run=make_run(rule=rule), created_at=START)
    make_rows(before, (0.9, 0.9), (0.9, 0.9), (0.9, 0.9), (0.9, 0.9), (0.1, 0.9))
    replay = make_replay(benchmark, run=make_run(rule=rule), created_at=START + timedelta(hours=1))
    rows = make_rows(replay, (0.8, 0.9), (0.9, 0.2), (0.75, 0.75), (0.1, 0.9), (None, None))
    type(rows[4]).objects.filter(replay=replay, ordinal=4).update(status="failed", error="The judge gave no number.")
    return replay


def test_the_worst_regression_comes_first_and_what_broke_last(signed_in, replay):
    assert ordinals_of(signed_in.get(f"/replays/{replay.pk}/rows/")) == [3, 0, 2, 1, 4]


@pytest.mark.parametrize(
    ("only", "ordinals"), [("lost", [3, 0]), ("won", [1]), ("tied", [2]), ("failed", [4]), ("newly", [3])]
)
def test_a_filter_leaves_the_rows_that_fit(signed_in, replay, only, ordinals):
    assert ordinals_of(signed_in.get(f"/replays/{replay.pk}/rows/?only={only}")) == ordinals


def test_a_row_says_what_both_answered_and_why_the_judge_scored_so(signed_in, replay):
    side = {"score": 0.1, "completion": "Press <i>the</i> red key."} | {
        "judge": {"reason": "It names\u202e the wrong key.", "dimensions": {"helpful": 0.1}}
    }
    replay.rows.filter(ordinal=3).update(candidate=side, incumbent=side | {"completion": "Press <i>the</i> blue key."})
    body = signed_in.get(f"/replays/{replay.pk}/rows/?row=3").content.decode()
    assert '<mark class="apart">red </mark>' in body
    assert '<mark class="apart">blue </mark>' in body
    assert "&lt;i&gt;the&lt;/i&gt;" in body
    assert "<i>the" not in body
    assert "It names" in body
    assert "U+202E" in body
    assert "helpful" in body


def test_a_broken_row_says_why(signed_in, replay):
    assert "The judge gave no number." in text_of(signed_in.get(f"/replays/{replay.pk}/rows/?only=failed"))


def test_a_wrong_filter_is_named_and_everything_shown(signed_in, replay):
    page = signed_in.get(f"/replays/{replay.pk}/rows/?only=best")
    assert page.status_code == 400
    assert "only:" in text_of(page)
    assert len(ordinals_of(page)) == 5


def test_a_row_that_is_not_there_is_said(signed_in, replay):
    assert "This replay has no row 77." in text_of(signed_in.get(f"/replays/{replay.pk}/rows/?row=77"))


def test_a_filter_that_nothing_fits_says_so(signed_in):
    replay = make_replay(make_benchmark())
    make_rows(replay, (0.9, 0.2))
    assert "No row of this replay is tied." in text_of(signed_in.get(f"/replays/{replay.pk}/rows/?only=tied"))


@pytest.mark.parametrize(
    ("status", "said"), [("done", "The service has no row of this replay"), ("open", "No row of it is there yet.")]
)
def test_a_replay_without_rows_says_so(signed_in, status, said):
    reason = {} if status == "done" else {"status_reason": None}
    replay = make_replay(make_benchmark(), status=status, **reason)
    assert said in text_of(signed_in.get(f"/replays/{replay.pk}/rows/"))


def test_unknown_replays_are_not_found(signed_in):
    assert signed_in.get("/replays/brun_none/rows/").status_code == 404


class Remote:
    """A workspace of one replay, whose rows are answered with this."""

    def __init__(self, rows) -> None:
        self.rows, self.asked = rows, 0

    def __call__(self, request):
        if request.path.endswith("/history"):
            return reply_json({"benchmark_id": "bm_1", "points": [one_point(1)], "total": 1})
        if request.path.endswith("/benchmark-runs/brun_1"):
            return reply_json({"benchmark_run": {"id": "brun_1", "benchmark_id": "bm_1", "status": "done"}})
        if "/benchmark-runs/" in request.path:
            self.asked += 1
            return self.rows
        return reply_json({"benchmark": one_benchmark(scoring={"scale": "0-1"})})


@pytest.mark.parametrize("status", [404, 405])
def test_an_api_that_lists_no_rows_is_named_as_such(signed_in, connect, status):
    connect(Remote(reply_json({"error": {"code": "X", "message": "No such route."}}, status)))
    page = signed_in.get("/replays/brun_1/rows/")
    assert page.status_code == 200
    assert "This API does not list the rows of a replay." in text_of(page)


def test_rows_that_cannot_be_read_say_why(signed_in, connect):
    connect(Remote(reply_json({"error": "broken"}, 500)))
    assert "Its rows could not be read:" in text_of(signed_in.get("/replays/brun_1/rows/"))


def test_the_rows_of_a_finished_replay_are_asked_for_once(signed_in, connect):
    side = {"completion": "Yes.", "score": 0.5}
    row = {"id": 7, "ordinal": 0, "status": "done", "winner": "serving", "prompt": None, "candidate": side}
    remote = Remote(reply_json({"items": [row | {"incumbent": side}], "total": 1}))
    connect(remote)
    first, second = (signed_in.get("/replays/brun_1/rows/") for _ in range(2))
    assert "The candidate lost" in text_of(first)
    assert "The candidate lost" in text_of(second)
    assert remote.asked == 1


def test_the_pieces_of_two_texts_make_them_whole_again():
    left, right = mark_differences("one two  three", "one 2 three four") or ([], [])
    assert "".join(piece.text for piece in left) == "one two  three"
    assert "".join(piece.text for piece in right) == "one 2 three four"
    assert left == [Piece("one ", False), Piece("two  ", True), Piece("three", False)]


def test_texts_that_are_too_long_are_not_compared():
    assert mark_differences("word " * (MOST_WORDS + 1), "word") is None
