"""Gaps: which points carry a number, what stands in the place of those that do not, and which replays are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from dashboard.trend.points import Instant, Point, Unreadable
from dashboard.trend.vocabulary import Vocabulary

MISSING = "missing_replay"
"""The status of a point that stands for a run without a replay (T9). No service gives it."""


class Gap(NamedTuple):
    """A point without a number (T5). `reason` is never empty."""

    kind: str
    label: str
    reason: str


def find_gap(point: Point, words: Vocabulary, now: datetime, *, alone: bool) -> Gap | None:
    """The gap that this point is, or None where it is a scored slot (T4).

    Status comes before scores: only the vocabulary's `scored` with readable numbers over the benchmark's own set (T8)
    is scored. `alone`: there never was an incumbent, so the candidate's number is all there is to need.
    """
    if point.status != words.scored:
        return _gap_by_status(point, words, now)
    if words.digest and point.digest and point.digest != words.digest:
        given = (point.reason or "").strip()
        return _gap(words, "not_comparable", given or "replayed over another set of conversations than the benchmark's")
    candidate, incumbent, delta = point.candidate, point.incumbent, point.delta
    if type(candidate) is float and (alone or (type(incumbent) is float and type(delta) is float)):
        return None
    scores = dict(zip([*words.score_names, "score delta"], (candidate, incumbent, delta), strict=False))
    needed = dict(list(scores.items())[:1]) if alone else scores
    unreadable = [f"the {name} is not a number: {v.raw}" for name, v in needed.items() if isinstance(v, Unreadable)]
    if unreadable:
        return _gap(words, "unreadable", "; ".join(unreadable))
    missing = [name for name, score in needed.items() if score is None]
    return _gap(words, "unscored", _explain_missing(missing, len(needed), point, words))


def find_missing(points: Iterable[Point], runs: Iterable[Point], attached: Collection[str] = ()) -> list[Point]:
    """Of these runs those that have no replay among all `points` of a benchmark, each as the gap that it is (T9).

    A run counts where it was created after the first replay of its rule and before the last one, or at any time after
    the first while its rule is among the `attached`. Only facts are compared: what has no time of its own says nothing,
    and of a rule with a replay that does not name its run nothing is known to be missing.
    `runs`: those with a verdict, as points that name themselves in `run_id`.
    """
    runs = list(runs)
    if not runs:
        return []
    replayed: set[str] = set()
    unmatched: set[str] = set()
    dated: dict[str, list[datetime]] = defaultdict(list)
    for point in points:
        replayed.add(point.run_id)
        if not point.run_id:
            unmatched.add(point.group)
        if isinstance(point.at, datetime) and not point.undated:
            dated[point.group].append(point.at)
    spans = {group: (min(times), max(times)) for group, times in dated.items() if group not in unmatched}
    missing = []
    for run in runs:
        if run.run_id in replayed or run.group not in spans or not isinstance(run.at, datetime) or run.undated:
            continue
        first, last = spans[run.group]
        if first < run.at and (run.at < last or run.group in attached):
            missing.append(run._replace(status=MISSING))
    return missing


def describe_age(age: timedelta) -> str:
    """How long ago, in the largest whole unit that fits: "9 days", "1 hour", "less than a minute"."""
    seconds = int(age.total_seconds())
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        count = seconds // length
        if count >= 1:
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "less than a minute"


def _gap(words: Vocabulary, kind: str, reason: str) -> Gap:
    return Gap(kind, words.name_gap(kind), reason)


def _describe_running(started_at: Instant, now: datetime) -> str:
    """What is to be said of something that has not ended: since when it runs, by the clock it is given."""
    age = f", started {describe_age(now - started_at)} ago" if isinstance(started_at, datetime) else ""
    return f"still running{age}"


def _gap_by_status(point: Point, words: Vocabulary, now: datetime) -> Gap:
    status, given = point.status, (point.reason or "").strip()
    if status == words.open:
        running = _describe_running(None if point.undated else point.at, now)
        return _gap(words, status, running + (f": {given}" if given else ""))
    if not status.strip():
        return Gap("unknown", f"no {words.status}", given or f"the service gave no {words.status}")
    return _gap(words, status, given or words.reasons.get(status) or words.no_reason.replace("{status}", status))


def _explain_missing(missing: list[str], needed: int, point: Point, words: Vocabulary) -> str:
    """Why a finished point has no number, in the service's words where it gave any."""
    if needed > 1 and missing[0] != "candidate score" and "incumbent score" in missing:
        found = "no baseline: the incumbent has no score"
    elif len(missing) == needed:
        found = f"{words.finished} without a score"
    else:
        found = f"no {' and no '.join(missing)}"
    given = (point.reason or "").strip()
    return f"{found}: {given}" if given else found
