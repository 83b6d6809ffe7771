"""Gaps: which replays carry a number, and what stands in the place of those that do not."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from dashboard.sources.loop.wire import HistoryPoint, Instant, Unreadable

LABELS = {
    "open": "open",
    "failed": "failed",
    "budget_stopped": "budget stopped",
    "abandoned": "abandoned",
    "unreadable": "unreadable score",
    "unscored": "no score",
    "not_comparable": "not comparable",
}
"""The kinds of gap that we know, as people read them. Any other status is a kind of its own, shown as given."""

NO_REASON = "the service gave no reason"


class Gap(NamedTuple):
    """A replay without a number. `reason` is never empty."""

    kind: str
    label: str
    reason: str


def find_gap(point: HistoryPoint, digest: str, now: datetime) -> Gap | None:
    """The gap that this replay is, or None where it is a scored slot.

    Status comes before scores: only `done` with three readable numbers over the benchmark's own set is scored.
    `digest` is the benchmark's items_digest, empty where it is unknown; then, or where the replay names none, no
    replay is called not comparable.
    """
    if point.status != "done":
        return _gap_by_status(point, now)
    if digest and point.items_digest and point.items_digest != digest:
        given = (point.status_reason or "").strip()
        return _gap("not_comparable", given or "replayed over another set of conversations than the benchmark's")
    candidate, incumbent, delta = point.candidate_score, point.incumbent_score, point.score_delta
    if type(candidate) is float and type(incumbent) is float and type(delta) is float:
        return None
    scores = {"candidate score": candidate, "incumbent score": incumbent, "score delta": delta}
    unreadable = [f"the {name} is not a number: {v.raw}" for name, v in scores.items() if isinstance(v, Unreadable)]
    if unreadable:
        return _gap("unreadable", "; ".join(unreadable))
    return _gap("unscored", _explain_missing([name for name, v in scores.items() if v is None], point.status_reason))


def describe_age(age: timedelta) -> str:
    """How long ago, in the largest whole unit that fits: "9 days", "1 hour", "less than a minute"."""
    seconds = int(age.total_seconds())
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        count = seconds // length
        if count >= 1:
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "less than a minute"


def _gap(kind: str, reason: str) -> Gap:
    return Gap(kind, LABELS.get(kind, kind), reason)


def describe_running(started_at: Instant, now: datetime) -> str:
    """What is to be said of something that has not ended: since when it runs, by the clock it is given."""
    age = f", started {describe_age(now - started_at)} ago" if isinstance(started_at, datetime) else ""
    return f"still running{age}"


def _gap_by_status(point: HistoryPoint, now: datetime) -> Gap:
    given = (point.status_reason or "").strip()
    if point.status == "open":
        started_at = None if point.undated else point.created_at
        return _gap("open", describe_running(started_at, now) + (f": {given}" if given else ""))
    if not point.status.strip():
        return Gap("unknown", "no status", given or "the service gave no status")
    return _gap(point.status, given or NO_REASON)


def _explain_missing(missing: list[str], given: str | None) -> str:
    """Why a finished replay has no number, in the service's words where it gave any."""
    if missing[0] == "incumbent score":
        found = "no baseline: the incumbent has no score"
    elif len(missing) == 3:
        found = "finished without a score"
    else:
        found = f"no {' and no '.join(missing)}"
    given = (given or "").strip()
    return f"{found}: {given}" if given else found
