"""What is stored of a benchmark's imports, and which of it a result of the files is.

A replay is the same one when its rule, its checkpoint, its candidate's name and version and its result's own time (or,
without a time, its content) are. A gap is also what a later number of the same checkpoint fills.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dashboard.imports.results.types import Result
from dashboard.store.models import Benchmark, BenchmarkRun


@dataclass(frozen=True)
class PlannedReplay:
    """One replay to be written."""

    result: Result
    rule: str
    created_at: datetime
    invented_time: bool
    decision: str | None
    digest: str
    rank: int
    """Its place among the results, in checkpoint order."""
    legacy_digest: str = ""
    """The digest that an older import gave it; "" where that is unknown."""

    @property
    def import_key(self) -> str:
        """What tells this result from another one of the same checkpoint; "" where it has nothing of its own."""
        time = self.result.created_at
        return time.isoformat() if time else self.result.content

    @property
    def base(self) -> tuple[str, str, str]:
        return self.rule, self.result.checkpoint, self.result.candidate_model


@dataclass
class Existing:
    """A benchmark's replays that were imported before, oldest first by (rule, checkpoint, candidate name)."""

    by_base: dict[tuple[str, str, str], list[BenchmarkRun]] = field(default_factory=dict)
    newest_at: datetime | None = None

    @property
    def has_incumbent(self) -> bool:
        return any(replay.incumbent_ref.get("name") not in ("", "none", None) for _, replay in self.list_all())

    @property
    def rules(self) -> list[str]:
        return list(dict.fromkeys(rule for rule, _ in self.list_all()))

    def list_all(self) -> Iterator[tuple[str, BenchmarkRun]]:
        """(rule, replay) of each."""
        return ((rule, replay) for (rule, _, _), replays in self.by_base.items() for replay in replays)


def read_existing(benchmark: Benchmark | None) -> Existing:
    existing = Existing()
    if benchmark:
        for replay in benchmark.replays.select_related("run").order_by("created_at", "id"):
            base = (replay.run.rule_name or "", replay.run.checkpoint_id or "", replay.candidate_ref.get("name", ""))
            existing.by_base.setdefault(base, []).append(replay)
            existing.newest_at = replay.created_at
    return existing


def match(planned: list[PlannedReplay], existing: Existing) -> list[BenchmarkRun | None]:
    """The stored replay that each is, or the stored gap that it fills; None for a new one. None is given twice."""
    taken: set[str] = set()
    found: list[BenchmarkRun | None] = [None] * len(planned)
    for finder in (_is_same, _is_older_same, _is_gap_of):
        for n, one in enumerate(planned):
            if found[n] is None:
                stored = existing.by_base.get(one.base, [])
                found[n] = next((s for s in stored if s.pk not in taken and finder(s, one)), None)
                taken |= {found[n].pk} if found[n] else set()  # type: ignore[union-attr]
    return found


def _has_version(stored: BenchmarkRun, planned: PlannedReplay) -> bool:
    return bool(stored.candidate_ref.get("model_version") == planned.result.candidate_version)


def _is_same(stored: BenchmarkRun, planned: PlannedReplay) -> bool:
    key = planned.import_key
    return bool(key) and stored.import_key == key and _has_version(stored, planned)


def _is_older_same(stored: BenchmarkRun, planned: PlannedReplay) -> bool:
    """Of an import from before results had a key, or of a result that has none."""
    time = planned.result.created_at
    if stored.import_key and planned.import_key:
        return False
    same_time = time is None or stored.undated or stored.created_at == time
    return _has_version(stored, planned) and is_scored(stored) and same_time


def _is_gap_of(stored: BenchmarkRun, planned: PlannedReplay) -> bool:
    if is_scored(stored):
        return False
    return planned.result.scored or not planned.import_key or not stored.import_key


def is_scored(stored: BenchmarkRun) -> bool:
    return stored.candidate_score is not None


def read_numbers(stored: BenchmarkRun) -> tuple[float | None, float | None]:
    """What was measured of candidate and incumbent, published or not."""
    held = stored.withheld or {}
    if is_scored(stored):
        return stored.candidate_score, stored.incumbent_score
    return held.get("candidate_score"), held.get("incumbent_score")


def list_differences(stored: BenchmarkRun, planned: PlannedReplay, *, both_sides: bool) -> list[str]:
    """Where the files contradict what is stored. `both_sides`: the incumbent too, as a table's row is one record."""
    result = planned.result
    was, says = read_numbers(stored), result.numbers
    pairs: list[tuple[str, Any, Any]] = []
    if not (was[0] is None and not is_scored(stored)):
        pairs.append(("candidate", was[0], says[0]))
    if both_sides:
        pairs = [("status", stored.status, result.status), *pairs, ("reason", stored.status_reason, result.reason)]
        pairs += [("incumbent", was[1], says[1])] if was[1] is not None or is_scored(stored) else []
        pairs.append(("incumbent model", stored.incumbent_ref.get("name"), result.incumbent_model))
    if planned.decision:
        pairs.append(("decision", stored.run.decision, planned.decision))
    differences = [f"{what} was {old}, the files say {new}" for what, old, new in pairs if old != new]
    if (
        is_scored(stored)
        and result.scored
        and _candidate_side(stored) != [(d.key, d.candidate) for d in result.dimensions]
    ):
        differences.append("its dimensions differ")
    if stored.items_digest not in (planned.digest, planned.legacy_digest) and result.identity is not None:
        differences.append("its task versions, shots or limit differ")
    return differences


def _candidate_side(stored: BenchmarkRun) -> list[tuple[str, float | None]]:
    return [(row["dimension"], row["candidate"]) for row in stored.per_dimension]
