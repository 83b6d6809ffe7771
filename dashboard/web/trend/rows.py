"""The table under a trend: its pages, newest first, and its rows as HTML.

Fifty rows took a template as long as all the rest of their page; every text in them is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from html import escape
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from dashboard.charts import DECISIONS, UNKNOWN_DECISION, choose_glyph, render_glyph
from dashboard.charts.numbers import choose_decimals
from dashboard.trend import Slot, Trend, Vocabulary
from dashboard.web.common.ids import has_page
from dashboard.web.common.numbers import NOTHING, Number, show_delta, show_score
from dashboard.web.common.times import Moment, show_duration, show_moment
from dashboard.web.templatetags.unseen import unseen

ROWS_A_PAGE = 50
LONGEST_STATUS = 80
NO_NUMBER = Number(NOTHING, "")
UNDECIDED = '<span class="soft">undecided</span>'


class Column(NamedTuple):
    title: str
    css: str = ""


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


def render_rows(table: Page[Slot], trend: Trend, *, wanted: str | None, now: datetime) -> SafeString:
    """The <tr> elements of this page of the table; `wanted` is the id of the point that was asked for."""
    scores = (score for slot in table.object_list for score in (slot.candidate, slot.incumbent, slot.delta))
    decimals, with_group = choose_decimals(scores, trend.scale), shows_groups(trend)
    rows = []
    for slot in table.object_list:
        addressed = ' class="addressed" aria-current="true"' if wanted in [one.id for one in slot.points] else ""
        cells = "".join(_render_cells(slot, trend, decimals, with_group, now))
        rows.append(f'<tr id="{trend.words.thing}-{escape(slot.id)}"{addressed}>{cells}</tr>')
    return SafeString("\n".join(rows))


def show_numbers(slot: Slot, trend: Trend, decimals: int) -> tuple[Number, ...]:
    """The numbers of a slot, as many as its trend has; a dash for each that is not there."""
    scores = [NO_NUMBER if score is None else show_score(score, decimals) for score in (slot.candidate, slot.incumbent)]
    delta = NO_NUMBER if slot.delta is None else show_delta(slot.delta, decimals)
    return (*scores, delta) if len(trend.numbers) == 3 else tuple(scores[:1])


def _render_cells(slot: Slot, trend: Trend, decimals: int, with_group: bool, now: datetime) -> Iterator[str]:
    gap, decision, point, words = slot.gap, slot.decision, slot.point, trend.words
    yield f'<th scope="row">{_clip("bdi", slot.label)}</th>'
    if with_group:
        yield f"<td>{_clip('bdi', point.group_name or point.group or NOTHING)}</td>"
    yield from map(_render_number, show_numbers(slot, trend, decimals))
    status = _render_status(gap.label if gap else words.scored_label)
    glyph = render_glyph(choose_glyph(words, gap.kind), "gap") if gap else ""
    yield f'<td><span class="status">{glyph} {status}</span></td>'
    notes = [*(flag.text for flag in slot.flags), *([f"new era: {slot.era_reason}"] if slot.era_reason else [])]
    flags = "".join(f'<span class="flag">{unseen(note)}</span>' for note in notes)
    yield f'<td class="reason"><bdi>{unseen(gap.reason) if gap else ""}</bdi>{flags}</td>'
    if words.decisions:
        # A gap has its shape beside its status; a decision on it stands above it in the chart.
        shape = DECISIONS.get(decision.key, UNKNOWN_DECISION) if decision and not gap else None
        label = _link(words.run_page, point.run_id, escape(decision.label)) if decision else ""
        said = f"{render_glyph(shape, 'decision') if shape else ''} {label}" if decision else UNDECIDED
        yield f'<td><span class="status">{said}</span></td>'
    yield f'<td class="when">{_render_moment(show_moment(point.at, now, undated=slot.undated))}</td>'
    if words.durations:
        yield f'<td class="num">{escape(show_duration(point.duration))}</td>'
    yield f"<td>{''.join(_render_ids(slot, words))}</td>"


def _render_ids(slot: Slot, words: Vocabulary) -> Iterator[str]:
    """The id of each point, a link where it has a page; what is said before it makes it a lesser one."""
    for place, point in enumerate(slot.points):
        before = "run " if slot.missing else "beside " if place else ""
        text = _link(words.run_page if slot.missing else words.page, point.id, _clip("code", point.id))
        anchor = f' id="{words.thing}-{escape(point.id)}"' if place else ""
        yield f'<span class="run-link{" soft" if before else ""}"{anchor}>{before}{text}</span>'


def _link(route: str, one: str, inner: str) -> str:
    """A link to the page of this id around HTML that is safe; that alone where there is no such page."""
    return f'<a href="{escape(reverse(route, args=[one]))}">{inner}</a>' if route and has_page(one) else inner


def _clip(tag: str, text: str) -> str:
    """Text that may be cut where it is shown, with the whole of it as its title."""
    return f'<{tag} class="clip" title="{escape(text)}">{unseen(text)}</{tag}>'


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


def _title(words: str) -> str:
    return words[:1].upper() + words[1:]
