"""The table under a trend: its pages, newest first, and its rows as HTML.

Fifty rows took a template as long as all the rest of their page; every text in them is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from dashboard.charts import DECISIONS, UNKNOWN_DECISION, choose_glyph, render_glyph
from dashboard.charts.numbers import choose_decimals
from dashboard.trend import Point, Slot, Trend
from dashboard.web.common.ids import has_page
from dashboard.web.common.numbers import NOTHING, Number, show_delta, show_score
from dashboard.web.common.times import Moment, show_duration, show_moment

ROWS_A_PAGE = 50
LONGEST_STATUS = 80
NO_NUMBER = Number(NOTHING, "")
UNDECIDED = '<span class="soft">undecided</span>'


class Column(NamedTuple):
    title: str
    css: str = ""


class Link(NamedTuple):
    """A point's id. `url`: of its page, "" where it has none. `before`: what it is to the one before it."""

    id: str
    url: str = ""
    before: str = ""


class Row(NamedTuple):
    """One slot as a row: a point, or with two groups side by side a pair of them."""

    links: tuple[Link, ...]
    label: str
    group: str
    numbers: tuple[Number, ...]
    status: str
    reason: str
    notes: tuple[str, ...]
    decision: str
    gap_glyph: str
    decision_glyph: str
    at: Moment
    duration: str
    addressed: bool


def find_table(trend: Trend, *, page: int | None, wanted: str | None) -> Page[Slot]:
    """The page of the table that was asked for, else the one with the point of this id, else the first; the last one
    where the number is past it."""
    slots = trend.slots
    if page is None and wanted:
        place = next((slot.place for slot in slots if wanted in [point.id for point in slot.points]), None)
        page = None if place is None else (len(slots) - 1 - place) // ROWS_A_PAGE + 1
    return Paginator(slots[::-1], ROWS_A_PAGE).get_page(page or 1)


def build_columns(trend: Trend) -> list[Column]:
    """The headings of the table."""
    words = trend.words
    names = ("candidate", "incumbent", words.delta) if trend.paired else trend.numbers
    columns = [Column("Checkpoint")]
    if shows_groups(trend):
        columns.append(Column(words.group_title))
    columns += [Column(_title(name), "num two-lines" if len(name) > 12 else "num") for name in names]
    columns += [Column(_title(words.status)), Column("Reason")]
    columns += [Column("Decision")] if words.decisions else []
    columns.append(Column("Time (UTC)"))
    columns += [Column("Took", "num")] if words.durations else []
    return [*columns, Column(_title(words.thing))]


def shows_groups(trend: Trend) -> bool:
    """True where a point's group stands in a column."""
    return trend.overlaid and any(group.key for group in trend.groups)


def build_rows(table: Page[Slot], trend: Trend, *, wanted: str | None, now: datetime) -> list[Row]:
    """The rows of this page; `wanted` is the id of the point that was asked for."""
    scores = (score for slot in table.object_list for score in (slot.candidate, slot.incumbent, slot.delta))
    decimals = choose_decimals(scores, trend.scale)
    return [_show_slot(slot, trend, decimals, wanted, now) for slot in table.object_list]


def show_numbers(slot: Slot, trend: Trend, decimals: int) -> tuple[Number, ...]:
    """The numbers of a slot, as many as its trend has; a dash for each that is not there."""
    scores = [NO_NUMBER if score is None else show_score(score, decimals) for score in (slot.candidate, slot.incumbent)]
    delta = NO_NUMBER if slot.delta is None else show_delta(slot.delta, decimals)
    return (*scores, delta) if len(trend.numbers) == 3 else tuple(scores[:1])


def _show_slot(slot: Slot, trend: Trend, decimals: int, wanted: str | None, now: datetime) -> Row:
    gap, decision, words = slot.gap, slot.decision, trend.words
    flags = tuple(flag.text for flag in slot.flags)
    return Row(
        links=_link(slot, words.page),
        label=slot.label,
        group=slot.point.group_name or slot.group,
        numbers=show_numbers(slot, trend, decimals),
        status=gap.label if gap else words.scored_label,
        reason=gap.reason if gap else "",
        notes=(*flags, *((f"new era: {slot.era_reason}",) if slot.era_reason else ())),
        decision=decision.label if decision else "",
        gap_glyph=render_glyph(choose_glyph(words, gap.kind), "gap") if gap else "",
        # A gap has its shape beside its status; a decision on it stands above it in the chart.
        decision_glyph=render_glyph(DECISIONS.get(decision.key, UNKNOWN_DECISION), "decision")
        if decision and not gap
        else "",
        at=show_moment(slot.point.at, now, undated=slot.undated),
        duration=show_duration(slot.point.duration),
        addressed=wanted in [point.id for point in slot.points],
    )


def _link(slot: Slot, page: str) -> tuple[Link, ...]:
    if slot.missing:
        return (Link(slot.id, before="run"),)
    return tuple(
        Link(point.id, _address_of(point, page), "beside" if place else "") for place, point in enumerate(slot.points)
    )


def _address_of(point: Point, page: str) -> str:
    return reverse(page, args=[point.id]) if page and has_page(point.id) else ""


def render_rows(rows: Iterable[Row], trend: Trend) -> SafeString:
    """The <tr> elements of this page of the table."""
    return SafeString("\n".join(_render_row(row, trend, shows_groups(trend)) for row in rows))


def _render_row(row: Row, trend: Trend, with_group: bool) -> str:
    words, label = trend.words, escape(row.label)
    addressed = ' class="addressed" aria-current="true"' if row.addressed else ""
    flags = "".join(f'<span class="flag">{escape(note)}</span>' for note in row.notes)
    cells = [f'<th scope="row"><bdi class="clip" title="{label}">{label}</bdi></th>']
    if with_group:
        group = escape(row.group or NOTHING)
        cells.append(f'<td><bdi class="clip" title="{group}">{group}</bdi></td>')
    cells += map(_render_number, row.numbers)
    cells.append(f'<td><span class="status">{row.gap_glyph} {_render_status(row.status)}</span></td>')
    cells.append(f'<td class="reason"><bdi>{escape(row.reason)}</bdi>{flags}</td>')
    if words.decisions:
        decision = f"{row.decision_glyph} {escape(row.decision)}" if row.decision else UNDECIDED
        cells.append(f'<td><span class="status">{decision}</span></td>')
    cells.append(f'<td class="when">{_render_moment(row.at)}</td>')
    if words.durations:
        cells.append(f'<td class="num">{escape(row.duration)}</td>')
    cells.append(f"<td>{_render_links(row.links, words.thing)}</td>")
    return f'<tr id="{words.thing}-{escape(row.links[0].id)}"{addressed}>{"".join(cells)}</tr>'


def _render_status(status: str) -> str:
    title = f' title="{escape(status)}"' if len(status) > LONGEST_STATUS else ""
    return f"<bdi{title}>{escape(Truncator(status).chars(LONGEST_STATUS))}</bdi>"


def _render_number(number: Number) -> str:
    text = escape(number.text)
    if number.machine:
        title = f' title="{escape(number.whole)}"' if number.whole else ""
        text = f'<data value="{escape(number.machine)}"{title}>{text}</data>'
    return f'<td class="num">{text}</td>'


def _render_moment(at: Moment) -> str:
    text = escape(at.text)
    if at.hint:
        return f'<span class="soft" title="{escape(at.hint)}">{text}</span>'
    return f'<time datetime="{escape(at.machine)}" title="{escape(at.age)}">{text}</time>' if at.machine else text


def _render_links(links: Sequence[Link], thing: str) -> str:
    shown = []
    for place, link in enumerate(links):
        named = escape(link.id)
        code = f'<code class="clip" title="{named}">{named}</code>'
        text = f'<a href="{escape(link.url)}">{code}</a>' if link.url else code
        anchor = f' id="{thing}-{named}"' if place else ""
        soft = " soft" if link.before else ""
        before = f"{link.before} " if link.before else ""
        shown.append(f'<span class="run-link{soft}"{anchor}>{before}{text}</span>')
    return "".join(shown)


def _title(words: str) -> str:
    return words[:1].upper() + words[1:]
