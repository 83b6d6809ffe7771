"""The grid as it is printed: a line for each conversation, sorted by what changed, its cells as HTML.

Forty thousand cells are too many for a template; every text in them is escaped here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString

from dashboard.charts.numbers import choose_decimals, print_score
from dashboard.trend import Point, read_scale
from dashboard.trend.rows import FAILED, Mark, count_flips, find_failing_since, is_newly_failing, never_passed
from dashboard.web.common.numbers import NOTHING, Number
from dashboard.web.common.texts import cut_text
from dashboard.web.replays.loading import FINISHED
from dashboard.web.replays.present import show
from dashboard.web.templatetags.unseen import unseen

LONGEST_TITLE = 60
UNKNOWN = Mark(None, None, None, None, "")


class Line(NamedTuple):
    """One conversation over the replays, oldest first. `said`: what changed, in words; empty where nothing did."""

    ordinal: int
    marks: tuple[Mark | None, ...]
    order: tuple[int, int, int]
    said: str


class Told(NamedTuple):
    """One conversation in one replay."""

    label: str
    url: str
    row_url: str
    candidate: Number
    incumbent: Number
    outcome: str
    passed: str


def build_lines(points: Sequence[Point], marks: Sequence[Mapping[int, Mark] | None]) -> list[Line]:
    """A line for each conversation with a row, those first that changed."""
    ordinals = sorted({ordinal for found in marks if found for ordinal in found})
    serving = [point.serving for point in points]
    lines = []
    for ordinal in ordinals:
        own = tuple(found.get(ordinal) if found else None for found in marks)
        flips = count_flips([mark.incumbent_passed if mark else None for mark in own], serving)
        lines.append(Line(ordinal, own, *_judge_line(own, flips, points, ordinal)))
    return sorted(lines, key=lambda line: line.order)


def _judge_line(
    marks: Sequence[Mark | None], flips: int, points: Sequence[Point], ordinal: int
) -> tuple[tuple[int, int, int], str]:
    """Where the line stands, and why."""
    unreliable = f"the unchanged incumbent flipped {flips} time{'' if flips == 1 else 's'}" if flips else ""
    since = find_failing_since(marks)
    settled = len(marks)
    while settled and points[settled - 1].status not in FINISHED and (marks[settled - 1] or UNKNOWN).passed is None:
        settled -= 1  # a replay that is still running has not reached it yet
    if is_newly_failing(marks[:settled]):
        place, said = (0, 0), "newly failing"
    elif never_passed(marks):
        place, said = (2, 0), "never passed here"
    elif since is not None:
        place, said = (1, -since), f"failing since {points[since].label}"
    else:
        place, said = (3, -flips) if flips else (4, 0), ""
    return (*place, ordinal), "; ".join(part for part in (said, f"flaky: {unreliable}" if unreliable else "") if part)


def render_lines(
    lines: Sequence[Line], points: Sequence[Point], titles: Mapping[int, str], benchmark_id: str, cell: str, scale: str
) -> SafeString:
    """The <tr> elements, the newest replay's cell first."""
    scores = (mark.candidate for line in lines for mark in line.marks if mark)
    decimals = choose_decimals(scores, read_scale(scale))
    rows = []
    for line in lines:
        address = escape(reverse("grid-item", args=[benchmark_id, line.ordinal]))
        title = cut_text(titles.get(line.ordinal, ""), LONGEST_TITLE).text
        cells = "".join(_render_cell(mark, cell, decimals) for mark in reversed(line.marks))
        rows.append(
            f'<tr><th scope="row"><a href="{address}">{line.ordinal}</a> <bdi>{unseen(title)}</bdi></th>'
            f'<td class="said">{unseen(line.said)}</td>{cells}</tr>'
        )
    return SafeString("\n".join(rows))


def _render_cell(mark: Mark | None, cell: str, decimals: int) -> str:
    if mark is None:
        return "<td></td>"
    if mark.outcome == FAILED:
        return '<td class="broke">failed</td>'
    if cell == "outcome":
        text = mark.outcome or NOTHING
    else:
        text = NOTHING if mark.candidate is None else print_score(mark.candidate, decimals)
    return f'<td class="no">{text}</td>' if mark.passed is False else f"<td>{text}</td>"


def build_history(line: Line, points: Sequence[Point], scale: str) -> list[Told]:
    """The conversation in each replay, the newest first."""
    numbers = [n for mark in line.marks if mark for n in (mark.candidate, mark.incumbent)]
    decimals = choose_decimals(numbers, read_scale(scale))
    told = []
    for point, mark in zip(reversed(points), reversed(line.marks), strict=True):
        passed = None if mark is None else mark.passed
        told.append(
            Told(
                point.label,
                reverse("replay", args=[point.id]),
                f"{reverse('replay-rows', args=[point.id])}?row={line.ordinal}" if mark else "",
                show(mark.candidate if mark else None, decimals),
                show(mark.incumbent if mark else None, decimals),
                mark.outcome if mark else "no row is known",
                "" if passed is None else "passed" if passed else "not passed",
            )
        )
    return told
