"""What the pages of replays read: a replay with its benchmark and its neighbours, and what its rows came to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.sources import reader
from dashboard.sources.http.errors import Refused
from dashboard.sources.loop.points import build_points
from dashboard.sources.loop.rows import RowMark
from dashboard.sources.loop.wire import Benchmark, History, Replay
from dashboard.sources.reader import Absent, Known, Reading, Unread
from dashboard.trend import Point
from dashboard.trend.points import order_points
from dashboard.trend.rows import Mark, build_mark

FINISHED = frozenset({"done", "failed", "budget_stopped", "abandoned"})
"""Where a replay does not change any more. A status that nobody knows may."""
NOT_LISTED = "This API does not list the rows of a replay."


@dataclass(frozen=True)
class LoadedReplay:
    """A replay; what else of it could not be read is None."""

    replay: Known[Replay]
    benchmark: Known[Benchmark] | None
    history: Known[History] | None

    @property
    def finished(self) -> bool:
        return self.replay.value.status in FINISHED

    @property
    def scale(self) -> str:
        """In the API's words; empty where the benchmark could not be read."""
        return self.benchmark.value.scoring.scale if self.benchmark else ""

    @property
    def line(self) -> list[Point]:
        """The replays of its rule on its benchmark, oldest first; empty where it is not among them."""
        points = order_points(build_points(self.history.value.points)) if self.history else []
        own = next((point for point in points if point.id == self.replay.value.id), None)
        return [point for point in points if point.group == own.group] if own else []

    def find_neighbours(self) -> tuple[Point | None, Point | None]:
        """The replay of the rule before this one, and the one after it."""
        line = self.line
        place = next((n for n, point in enumerate(line) if point.id == self.replay.value.id), None)
        if place is None:
            return None, None
        return line[place - 1] if place else None, line[place + 1] if place + 1 < len(line) else None

    def find_before(self) -> list[Point]:
        """The finished replays of the rule before this one over the same set, the newest last."""
        digest, line = self.replay.value.items_digest, self.line
        place = next((n for n, point in enumerate(line) if point.id == self.replay.value.id), 0)
        return [one for one in line[:place] if one.status in FINISHED and one.digest in (None, digest)]


def load_replay(replay_id: str) -> LoadedReplay:
    """Raises `SourceError`, of which `NotFound` is one, where the replay cannot be read."""
    replay = reader.replay(replay_id).need()
    benchmark_id = replay.value.benchmark_id
    benchmark, history = reader.together(reader.benchmark.ask(benchmark_id), reader.history.ask(benchmark_id))
    return LoadedReplay(
        replay,
        benchmark if isinstance(benchmark, Known) else None,
        history if isinstance(history, Known) else None,
    )


def is_not_listed(reading: Reading[object]) -> bool:
    """True where the API knows the replay and has no route for its rows."""
    if isinstance(reading, Unread):
        return isinstance(reading.failure, Refused) and reading.failure.status == 405
    return isinstance(reading, Absent)


def build_marks(rows: Iterable[RowMark], scale: str) -> dict[int, Mark]:
    """What each row came to, by its ordinal."""
    return {
        row.ordinal: build_mark(
            candidate=row.candidate,
            incumbent=row.incumbent,
            candidate_passed=row.candidate_passed,
            incumbent_passed=row.incumbent_passed,
            winner=row.winner,
            status=row.status,
            scale=scale,
        )
        for row in rows
    }
