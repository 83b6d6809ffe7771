"""Conversations × replays: the grid of a benchmark, and one conversation's history over its replays."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.sources import reader
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.points import build_points
from dashboard.sources.loop.wire import Benchmark, History
from dashboard.sources.reader import Known, Late, Reading, Unread, describe_old
from dashboard.sources.reader.nouns import Marks
from dashboard.trend import Point, find_newest
from dashboard.trend.points import order_points
from dashboard.trend.rows import Mark
from dashboard.web.common.links import with_query
from dashboard.web.conversations.present import summarise
from dashboard.web.replays.forms import CELLS, LASTS, GridForm
from dashboard.web.replays.grid_table import build_history, build_lines, render_lines
from dashboard.web.replays.loading import FINISHED, NOT_LISTED, build_marks, is_not_listed
from dashboard.web.site import access
from dashboard.web.site.away import answer_away

MOST_ITEMS = 1_000


@dataclass(frozen=True)
class Grid:
    """A benchmark's replays of one rule over its own set, oldest first, and what the rows of each came to."""

    benchmark: Known[Benchmark]
    history: Known[History]
    rule: str
    groups: dict[str, str]
    """Every rule with a replay, and its name."""
    points: list[Point]
    marks: list[dict[int, Mark] | None]
    """None where a replay's rows are not known."""
    late: int
    failure: str
    """Why rows could not be read; empty where nothing failed."""
    not_listed: bool

    @property
    def read(self) -> int:
        return sum(one is not None for one in self.marks)


def load_grid(benchmark_id: str, rule: str | None, last: int) -> Grid:
    """Raises `SourceError` where the benchmark or its history cannot be read. Rows: of `last` replays."""
    readings = reader.together(reader.benchmark.ask(benchmark_id), reader.history.ask(benchmark_id))
    benchmark, history = readings[0].need(), readings[1].need()
    points = order_points(build_points(history.value.points))
    groups = {point.group: point.group_name or "no rule" for point in reversed(points)}
    newest = find_newest(points)
    chosen = rule if rule in groups else newest.group if newest else ""
    digest = benchmark.value.items_digest
    shown = [p for p in points if p.group == chosen and (p.digest in (None, digest) or not digest)][-last:]
    marks, late, failure, not_listed = _read_marks(shown, benchmark.value.scoring.scale)
    return Grid(benchmark, history, chosen, groups, shown, marks, late, failure, not_listed)


def _read_marks(points: list[Point], scale: str) -> tuple[list[dict[int, Mark] | None], int, str, bool]:
    """The newest is read first and alone: an API that lists no rows is asked once, not once a replay."""
    asks = {p.id: reader.replay_marks.ask(p.id, finished=p.status in FINISHED) for p in reversed(points)}
    newest = next(iter(asks), None)
    if newest is None:
        return [], 0, "", False
    found: dict[str, Reading[Marks]] = reader.each({newest: asks.pop(newest)})
    not_listed = is_not_listed(found[newest])
    if not not_listed:
        found |= reader.each(asks)
    unread = [one.failure for one in found.values() if isinstance(one, Unread)]
    late = sum(isinstance(failure, Late) for failure in unread)
    failed = [failure.message for failure in unread if not isinstance(failure, Late)]
    marks: list[dict[int, Mark] | None] = []
    for point in points:
        reading = found.get(point.id)
        marks.append((build_marks(reading.value[0], scale) or None) if isinstance(reading, Known) else None)
    return marks, late, failed[0] if failed and not not_listed else "", not_listed


@require_safe
def show_grid(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """The page. A wrong query value is named on it, with status 400."""
    access.check(request.user, "read")
    form = GridForm(request.GET)
    form.is_valid()
    last, cell = form.value("last") or LASTS[0], form.value("cell") or "score"
    try:
        grid = load_grid(benchmark_id, form.cleaned_data.get("rule") if "rule" in form.data else None, last)
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    titles = read_titles(benchmark_id)
    scale = grid.benchmark.value.scoring.scale
    lines = build_lines(grid.points, grid.marks)
    here, query = reverse("grid", args=[benchmark_id]), form.valid_query
    context = {
        "form": form,
        "benchmark": grid.benchmark.value,
        "grid": grid,
        "columns": [{"label": p.label, "url": reverse("replay", args=[p.id])} for p in reversed(grid.points)],
        "lines": lines,
        "body": render_lines(lines, grid.points, titles, benchmark_id, cell, scale),
        "rules": [
            {"label": name, "url": with_query(here, query, rule=key), "current": key == grid.rule}
            for key, name in grid.groups.items()
        ],
        "lasts": [
            {"label": f"last {one}", "url": with_query(here, query, last=one), "current": one == last} for one in LASTS
        ],
        "cells": [
            {"label": label, "url": with_query(here, query, cell=one), "current": one == cell}
            for one, label in CELLS.items()
        ],
        "again": request.get_full_path(),
        "not_listed": NOT_LISTED if grid.not_listed else "",
        "old": describe_old(grid.history, grid.benchmark),
    }
    return render(request, "web/replays/grid.html", context, status=400 if form.errors else 200)


def read_titles(benchmark_id: str) -> dict[int, str]:
    """The first words of each pinned conversation, by its ordinal; empty where they could not be read."""
    items = reader.items(benchmark_id, limit=MOST_ITEMS)
    return {item.ordinal: summarise(item.prompt) for item in items.value[0]} if isinstance(items, Known) else {}


@require_safe
def show_item_history(request: HttpRequest, benchmark_id: str, ordinal: int) -> HttpResponse:
    """One conversation over the replays that the grid shows at most."""
    access.check(request.user, "read")
    form = GridForm(request.GET)
    form.is_valid()
    try:
        rule = form.cleaned_data.get("rule") if "rule" in form.data else None
        grid = load_grid(benchmark_id, rule, form.value("last") or LASTS[1])
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)
    title = read_titles(benchmark_id).get(ordinal, "")
    lines = [line for line in build_lines(grid.points, grid.marks) if line.ordinal == ordinal]
    if not lines and not title and not (grid.late or grid.failure or grid.not_listed):
        raise Http404
    context = {
        "form": form,
        "benchmark": grid.benchmark.value,
        "ordinal": ordinal,
        "title": title,
        "line": lines[0] if lines else None,
        "replays": build_history(lines[0], grid.points, grid.benchmark.value.scoring.scale) if lines else [],
        "grid": grid,
        "again": request.get_full_path(),
        "not_listed": NOT_LISTED if grid.not_listed else "",
        "old": describe_old(grid.history, grid.benchmark),
    }
    return render(request, "web/replays/grid_item.html", context, status=400 if form.errors else 200)
