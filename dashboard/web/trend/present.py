"""A benchmark's trend as its page prints it: the newest point, the chart, its key and the links that lead on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString

from dashboard.charts import (
    DECISIONS,
    NARROW,
    UNKNOWN_DECISION,
    WIDE,
    choose_glyph,
    draw_trend,
    render_glyph,
    render_svg,
)
from dashboard.charts.numbers import choose_decimals
from dashboard.charts.palette import STYLES
from dashboard.sources.reader import describe_old
from dashboard.trend import DECISION_LABELS, PAIR_KINDS, Trend
from dashboard.web.common.links import link_pages, with_query
from dashboard.web.common.numbers import Number, show_count
from dashboard.web.common.times import Moment, show_moment
from dashboard.web.trend.rows import build_columns, find_table, render_rows, show_numbers, shows_groups
from dashboard.web.trend.series import Asked, Choice, Series

CARRIED_BY_DATES = ("rule", "group", "label", "candidate", "incumbent", "axis")
"""What stays as it is when a range of days is sent."""


class KeyEntry(NamedTuple):
    """What a shape or a line of the chart stands for. `swatch` is the kind of line, with the class of its stroke."""

    glyph: SafeString
    label: str
    swatch: str = ""
    css: str = ""


class LegendEntry(NamedTuple):
    """A line of the chart: its name, and the CSS class of its stroke."""

    name: str
    css: str


class Latest(NamedTuple):
    """The newest scored point, or pair of them, in one line."""

    label: str
    group: str
    """That it is of, where several are shown; else empty."""
    numbers: list[tuple[str, Number]]
    """What each is called, and the number."""
    note: str
    at: Moment
    notes: tuple[str, ...]


def build_page(series: Series, asked: Asked, trend: Trend, now: datetime) -> dict[str, Any]:
    """What the whole page prints."""
    return {
        **build_region(series, asked, trend, now),
        **series.describe(trend, asked, now),
        "lapsed": asked.lapsed,
        "key": build_key(trend),
    }


def build_region(series: Series, asked: Asked, trend: Trend, now: datetime) -> dict[str, Any]:
    """What the region prints of the chart and its table, and its links."""
    form, query, words = asked.form, asked.query, trend.words
    here, row = reverse(series.route, args=[series.id]), words.thing
    wanted = form.value(row)
    table = find_table(trend, page=form.value("page"), wanted=wanted)
    first = {"page": None, row: None}
    title = f"{series.name}: {describe_axes(trend)}"
    description = f"{trend.scored_count} {words.things} with a score and {trend.gap_count} without, oldest first."
    # Made by our own charts, which escape every text that they place.
    wide, narrow = (
        SafeString(
            render_svg(draw_trend(trend, axis=form.axis_kind, frame=frame), title=title, description=description)
        )
        for frame in (WIDE, NARROW)
    )
    return {
        "series": series,
        "words": words,
        "trend": trend,
        "form": form,
        "axis": form.axis_kind,
        "wide": wide,
        "narrow": narrow,
        "row_name": row,
        "here": here,
        "table": table,
        "table_of": "Rows" if trend.paired or trend.missing_count else words.things.capitalize(),
        "columns": build_columns(trend),
        "rows": render_rows(table, trend, wanted=wanted, now=now),
        "notes": (*series.notes, *asked.notes),
        "old": describe_old(*series.readings, *asked.readings, now=now),
        "latest": summarise_latest(trend, now),
        "counted": count_points(trend, asked.missing),
        "undated": describe_undated(trend),
        "offers_time": offers_time(trend, asked),
        "empty": None if series.size else series.describe_empty(),
        "legend": build_legend(trend),
        "legend_note": f"Candidates alone. Choose one {words.group} to see its incumbent and its {words.delta}s."
        if trend.overlaid and not trend.alone
        else "",
        "caption": series.caption(trend),
        "carried_by_dates": {name: query[name] for name in CARRIED_BY_DATES if name in query},
        "group_choices": series.choose_groups(trend, here, query),
        "range_choices": build_range_choices(here, query),
        "axis_choices": build_axis_choices(form.axis_kind, here, query, slot=f"one slot a {words.thing}"),
        "poll_s": choose_poll_s((None if point.undated else point.created_at for point in trend.open_points), now),
        "page_url": with_query(here, query, **first),
        "all_url": with_query(here, query, **first, **{"last": None, "from": None, "to": None}),
        "region_url": with_query(reverse(f"{series.route}-region", args=[series.id]), query),
        "figure_url": with_query(reverse(f"{series.route}-figure", args=[series.id]), query, **first),
        **link_pages(table, here, query, **{row: None}),
    }


def describe_axes(trend: Trend) -> str:
    """What the chart shows, in a few words."""
    if trend.paired:
        return "candidate and incumbent score by checkpoint"
    scores = trend.words.score_names[:1] if trend.alone or trend.overlaid else trend.words.numbers
    return f"{' and '.join(scores)}{'' if len(scores) == 1 else ' score'} by {trend.words.thing}"


def summarise_latest(trend: Trend, now: datetime) -> Latest | None:
    """None where no point has a score."""
    slot = trend.latest
    if slot is None:
        return None
    numbers = show_numbers(slot, trend, choose_decimals((slot.candidate, slot.incumbent, slot.delta), trend.scale))
    names = ("candidate", "incumbent", trend.words.delta) if trend.paired else trend.numbers
    # Side by side the candidate can have a score where the incumbent has none, for a reason.
    notes = ((slot.gap.reason,) if slot.gap else ()) + tuple(flag.text for flag in slot.flags)
    return Latest(
        slot.label,
        (slot.point.group_name or trend.words.ungrouped) if shows_groups(trend) else "",
        list(zip(names, numbers, strict=True)),
        trend.words.scale_note if trend.alone else "",
        show_moment(slot.point.at, now, undated=slot.undated),
        notes,
    )


def count_points(trend: Trend, missing: int) -> str:
    """How many are shown of how many, how many of these have no score, and how many have not ended.

    `missing`: how many of all slots are runs that were never replayed.
    """
    words, here = trend.words, trend.missing_count
    shown, total = trend.scored_count + trend.gap_count - here, trend.total_slots - missing
    of = f"{shown:,} of {show_count(total, words.thing)}"
    said = [
        show_count(shown, words.thing) if trend.paired or shown == total else of,
        f"{trend.gap_count - here} without a score",
        f"{show_count(here, 'run')} never replayed" if here else "",
        f"{len(trend.open_points)} still {words.open}" if trend.open_points else "",
    ]
    return ", ".join(filter(None, said))


def offers_time(trend: Trend, asked: Asked) -> bool:
    """False where nothing shown has a date, so that a time axis and a range of days mean nothing: who came by one of
    them is still led out of it."""
    in_use = asked.form.axis_kind == "time" or any(asked.form.data.get(name) for name in ("from", "to"))
    return in_use or not trend.slots or any(slot.created_at and not slot.undated for slot in trend.slots)


def describe_undated(trend: Trend) -> str:
    """How many points shown have an invented time, and what that means; empty where all have their own."""
    count = sum(slot.undated for slot in trend.slots)
    if not count:
        return ""
    return (
        f"Without a date of their own: {count:,} of {len(trend.slots):,} {trend.words.things} shown. They stand in the "
        "order of import and checkpoint; a time axis and a range of dates mean nothing for them."
    )


def build_key(trend: Trend) -> dict[str, list[KeyEntry]]:
    """Every line and glyph that such a chart can hold, with what it stands for."""
    words = trend.words
    gaps = [
        KeyEntry(SafeString(render_glyph(choose_glyph(words, kind), "gap")), words.name_gap(kind))
        for kind in [*(kind for kind in words.gaps if trend.paired or kind not in PAIR_KINDS), ""]
    ]
    gaps[-1] = gaps[-1]._replace(label=f"any other {words.status}, named as the service gave it")
    shapes = [*((DECISIONS[kind], label) for kind, label in DECISION_LABELS.items())]
    shapes.append((UNKNOWN_DECISION, "any other decision"))
    decisions = [KeyEntry(SafeString(render_glyph(glyph, "decision")), label) for glyph, label in shapes]
    return {"lines": _explain_lines(trend), "gaps": gaps, "decisions": decisions if words.decisions else []}


def _explain_lines(trend: Trend) -> list[KeyEntry]:
    def line(css: str, label: str) -> KeyEntry:
        return KeyEntry(SafeString(""), label, "line", css)

    neutral = "neutral, because nothing here says how large the noise is"
    if trend.paired:
        return [
            line("candidate", "the group set as candidate"),
            line("incumbent", "the group set as incumbent"),
            KeyEntry(SafeString(""), f"difference, candidate less incumbent, computed here; {neutral}", "bar"),
        ]
    if trend.alone and trend.overlaid:
        ordered = f"the {trend.words.things} of a group in the order of their start"
        return [line("rule-1", f"{ordered}; a line breaks where a {trend.words.thing} has no score")]
    if trend.alone:
        return [line("candidate", "candidate: the checkpoint that was trained; nothing was measured beside it")]
    return [
        line("candidate", "candidate: the checkpoint that was trained"),
        line("incumbent", "incumbent: what served at that time"),
        KeyEntry(SafeString(""), f"{trend.words.delta} as the service gave it; {neutral}", "bar"),
        KeyEntry(SafeString(""), "another model came to serve; the incumbent's line begins anew", "era"),
    ]


def build_legend(trend: Trend) -> list[LegendEntry]:
    """The lines in the order of their colours; nothing where one group is all there is to see."""
    if trend.paired:
        return [LegendEntry(f"{line.role}: {line.name}", line.role) for line in trend.lines]
    return [LegendEntry(line.name, line_class(line.number)) for line in trend.lines] if shows_groups(trend) else []


def line_class(number: int | None) -> str:
    """The CSS class of one of several lines, as the charts give it; None is for points that no line joins."""
    return "others" if number is None else f"rule-{number % STYLES + 1}"


def build_axis_choices(axis: str, address: str, query: Mapping[str, str], *, slot: str) -> list[Choice]:
    return [
        Choice(slot, with_query(address, query, axis=None), axis == "slot"),
        Choice("time", with_query(address, query, axis="time"), axis == "time"),
    ]


def build_range_choices(address: str, query: Mapping[str, str]) -> list[Choice]:
    dated = "from" in query or "to" in query
    current = query.get("last", "all")
    free = {**query, "from": None, "to": None, "page": None, "replay": None, "run": None}
    return [
        Choice(label, with_query(address, free, last=given), not dated and current == (given or "all"))
        for label, given in (("last 30", "30"), ("last 90", "90"), ("all", None))
    ]


POLLING = ((timedelta(hours=1), 15), (timedelta(days=1), 60), (timedelta(days=7), 300))
"""Open for less than this -> ask again after so many seconds. After the last, nobody asks any more."""


def choose_poll_s(opened: Iterable[datetime | None], now: datetime) -> int | None:
    """How long until the region looks again: by the youngest of what is open. None where it need not look."""
    started = [at for at in opened if at]
    if not started:
        return None
    age = now - max(started)
    return next((seconds for limit, seconds in POLLING if age < limit), None)
