"""Two replays of one benchmark beside each other: their numbers, and row by row what changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.charts.numbers import choose_decimals
from dashboard.contract import ROUNDING, TIE_SHARE
from dashboard.sources import reader
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.wire import DimensionScore, Replay
from dashboard.sources.reader import Known, describe_old
from dashboard.trend import read_scale
from dashboard.trend.rows import Mark
from dashboard.trend.scale import read_direction
from dashboard.web.common.links import with_query
from dashboard.web.common.numbers import NOTHING, Number, show_delta
from dashboard.web.replays import present
from dashboard.web.replays.forms import CompareForm
from dashboard.web.replays.loading import NOT_LISTED, LoadedReplay, build_marks, is_not_listed, load_replay
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

NEWLY_FAILING, NEWLY_PASSING, MOVED = "newly failing", "newly passing", "moved"
MOST_ROWS = 1_000


class Change(NamedTuple):
    """What became of one conversation's candidate from replay a to replay b."""

    ordinal: int
    kind: str
    a: Number
    b: Number
    change: Number
    a_url: str
    b_url: str


@require_safe
def show_comparison(request: HttpRequest) -> HttpResponse:
    """The page, or why these two cannot be compared."""
    access.check(request.user, "read")
    form = CompareForm(request.GET)
    if not form.is_valid():
        return render(request, "web/replays/compare.html", {"form": form}, status=400)
    try:
        a, b = load_replay(form.cleaned_data["a"]), load_replay(form.cleaned_data["b"])
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    refusal = find_refusal(a.replay.value, b.replay.value)
    context = {"form": form, "refusal": refusal, "old": describe_old(a.replay, b.replay, a.benchmark)}
    if not refusal:
        context |= _compare(a, b)
    return render(request, "web/replays/compare.html", context)


def find_refusal(a: Replay, b: Replay) -> str:
    """Why the two cannot be compared; empty where they can."""
    if a.id == b.id:
        return "That is one replay twice."
    if a.benchmark_id != b.benchmark_id:
        return "They are replays of two benchmarks, whose conversations and judges differ."
    if not a.items_digest or not b.items_digest:
        return (
            "The service does not say over which set of conversations each was run, so nobody knows whether it was one."
        )
    if a.items_digest != b.items_digest:
        return f"They were run over two sets of conversations, {a.items_digest[:12]} and {b.items_digest[:12]}."
    return ""


def _compare(a: LoadedReplay, b: LoadedReplay) -> dict[str, object]:
    now = datetime.now(UTC)
    benchmark = b.benchmark.value if b.benchmark else None
    asks = {one.replay.value.id: reader.replay_marks.ask(one.replay.value.id, finished=one.finished) for one in (a, b)}
    readings = list(reader.each(asks).values())
    marks = [build_marks(one.value[0], b.scale) if isinstance(one, Known) else {} for one in readings]
    unread = [one for one in readings if not isinstance(one, Known)]
    if any(is_not_listed(one) for one in readings):
        missing = NOT_LISTED
    elif unread:
        missing = f"Rows could not be read: {unread[0].failure.message}"
    elif not all(marks):
        missing = "The service does not have the rows of both."
    else:
        missing = ""
    replays = [present.build_replay(one.replay.value, benchmark, None, now) for one in (a, b)]
    changes = [] if missing else build_changes(marks[0], marks[1], b.scale, a.replay.value.id, b.replay.value.id)
    return {
        "benchmark": benchmark,
        "a": replays[0],
        "b": replays[1],
        "facts": [(left[0], left[1], right[1]) for left, right in zip(replays[0].facts, replays[1].facts, strict=True)],
        "dimensions": pair_dimensions(a.replay.value, b.replay.value, b.scale),
        "missing": missing,
        "changes": changes[:MOST_ROWS],
        "counts": [(kind, sum(one.kind == kind for one in changes)) for kind in (NEWLY_FAILING, NEWLY_PASSING, MOVED)],
        "unchanged": len(marks[0].keys() & marks[1].keys()) - len(changes),
        "alone": len(marks[0].keys() ^ marks[1].keys()) if not missing else 0,
        "swap_url": with_query(reverse("compare"), {"a": b.replay.value.id, "b": a.replay.value.id}),
    }


def pair_dimensions(a: Replay, b: Replay, scale: str) -> list[present.ShownDimension]:
    """The candidate's score of each dimension in a (as `incumbent`) and in b (as `candidate`), and their difference."""
    left, right = ({one.dimension: one.candidate for one in replay.per_dimension} for replay in (a, b))
    pairs = []
    for name in dict.fromkeys([*left, *right]):
        one, other = left.get(name), right.get(name)
        delta = other - one if isinstance(one, float) and isinstance(other, float) else None
        pairs.append(DimensionScore(name, one, other, delta))
    return present.build_dimensions(pairs, read_scale(scale))


def build_changes(a: Mapping[int, Mark], b: Mapping[int, Mark], scale: str, a_id: str, b_id: str) -> list[Change]:
    """Those that newly fail, newly pass, or moved by as much as tells two answers apart; the worst first."""
    bounds, direction = read_scale(scale), read_direction(scale) or 1
    numbers = [mark.candidate for marks in (a, b) for mark in marks.values()]
    decimals = choose_decimals(numbers, bounds)
    found: list[tuple[tuple[int, float, int], Change]] = []
    for ordinal in a.keys() & b.keys():
        before, after = a[ordinal], b[ordinal]
        change = None if before.candidate is None or after.candidate is None else after.candidate - before.candidate
        least = TIE_SHARE * bounds.width - ROUNDING if bounds else ROUNDING
        if before.passed and after.passed is False:
            place, kind = 0, NEWLY_FAILING
        elif before.passed is False and after.passed:
            place, kind = 1, NEWLY_PASSING
        elif change is not None and abs(change) >= least:
            place, kind = 2, MOVED
        else:
            continue
        shown = Change(
            ordinal,
            kind,
            present.show(before.candidate, decimals),
            present.show(after.candidate, decimals),
            Number(NOTHING, "") if change is None else show_delta(change, decimals),
            f"{reverse('replay-rows', args=[a_id])}?row={ordinal}",
            f"{reverse('replay-rows', args=[b_id])}?row={ordinal}",
        )
        found.append(((place, (change or 0.0) * direction, ordinal), shown))
    return [change for _order, change in sorted(found, key=lambda one: one[0])]
