"""The rows of the table of replays, as HTML: fifty of them took a template as long as all the rest of their page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from django.utils.safestring import SafeString

from dashboard.web.common.numbers import NOTHING, Number
from dashboard.web.common.times import Moment
from dashboard.web.trend.present import ReplayRow

UNDECIDED = '<span class="soft">undecided</span>'


def render_rows(rows: Iterable[ReplayRow], *, with_rule: bool) -> SafeString:
    """The <tr> elements of this page of the table; every text in them is escaped here."""
    return SafeString("\n".join(_render_row(row, with_rule) for row in rows))


def _render_row(row: ReplayRow, with_rule: bool) -> str:
    replay, checkpoint = escape(row.id), escape(row.checkpoint)
    addressed = ' class="addressed" aria-current="true"' if row.addressed else ""
    rule = f"<td><bdi>{escape(row.rule or NOTHING)}</bdi></td>" if with_rule else ""
    flags = "".join(f'<span class="flag">{escape(note)}</span>' for note in row.notes)
    # A gap has its shape beside its status, a decision on a scored replay has it beside the decision.
    status = f"{row.glyph} {escape(row.status)}" if row.reason else escape(row.status)
    decision = escape(row.decision) if row.reason else f"{row.glyph} {escape(row.decision)}"
    return (
        f'<tr id="replay-{replay}"{addressed}>'
        f'<th scope="row"><bdi class="clip" title="{checkpoint}">{checkpoint}</bdi></th>{rule}'
        f"{_render_number(row.candidate)}{_render_number(row.incumbent)}{_render_number(row.delta)}"
        f'<td><span class="status">{status}</span></td>'
        f'<td class="reason"><bdi>{escape(row.reason)}</bdi>{flags}</td>'
        f'<td><span class="status">{decision if row.decision else UNDECIDED}</span></td>'
        f'<td class="when">{_render_moment(row.at)}</td>'
        f'<td><code class="clip" title="{replay}">{replay}</code></td></tr>'
    )


def _render_number(number: Number) -> str:
    text = escape(number.text)
    if number.machine:
        direction = f' class="{number.direction}"' if number.direction else ""
        title = f' title="{escape(number.whole)}"' if number.whole else ""
        text = f'<data{direction} value="{escape(number.machine)}"{title}>{text}</data>'
    return f'<td class="num">{text}</td>'


def _render_moment(at: Moment) -> str:
    text = escape(at.text)
    if at.hint:
        return f'<span class="soft" title="{escape(at.hint)}">{text}</span>'
    return f'<time datetime="{escape(at.machine)}" title="{escape(at.age)}">{text}</time>' if at.machine else text
