"""A benchmark's trend as its page prints it: what is frozen, the newest point, the table, the key and the links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.paginator import Page
from django.utils.safestring import SafeString

from dashboard.charts import DECISIONS, GAPS, UNKNOWN_DECISION, UNKNOWN_GAP, render_glyph
from dashboard.charts.numbers import choose_decimals
from dashboard.charts.palette import STYLES
from dashboard.sources.loop.wire import Benchmark
from dashboard.sources.reader import Reading
from dashboard.trend import ALL_RULES, DECISION_LABELS, GAP_LABELS, Slot, Trend
from dashboard.web.common.links import with_query
from dashboard.web.common.numbers import NOTHING, Number, show_cents, show_delta, show_score
from dashboard.web.common.times import Moment, show_age, show_moment
from dashboard.web.trend.tables import choose_table_decimals, find_page

NO_NUMBER = Number(NOTHING, "")
CAPTION = (
    "This number does not gate promotion. The paired comparison of a run does the comparing, because it cancels most "
    "of the judge's variance; an absolute mean carries that variance whole. A person reads the trend."
)


class ReplayRow(NamedTuple):
    """One replay as a row of the table."""

    id: str
    checkpoint: str
    rule: str
    candidate: Number
    incumbent: Number
    delta: Number
    status: str
    reason: str
    notes: tuple[str, ...]
    decision: str
    glyph: SafeString
    at: Moment
    addressed: bool


class Choice(NamedTuple):
    """One of several links of which one is current."""

    label: str
    url: str
    current: bool
    hint: str = ""


class KeyEntry(NamedTuple):
    glyph: SafeString
    label: str


class LegendEntry(NamedTuple):
    """A line of the chart: its name, and the CSS class of its stroke."""

    name: str
    css: str


class Fact(NamedTuple):
    """A line of the panel of what is frozen. `full` is the whole of a value that is shown short."""

    name: str
    text: str
    full: str = ""


def find_table(trend: Trend, *, page: int | None, replay: str | None) -> Page[Slot]:
    """The page of the table that was asked for, or the one that holds this replay."""
    place = next((slot.place for slot in trend.slots if slot.id == replay), None) if replay else None
    return find_page(trend.slots, page=page, place=place)


def build_rows(table: Page[Slot], trend: Trend, *, replay: str | None, now: datetime) -> list[ReplayRow]:
    """The rows of this page; `replay` is the one that was asked for."""
    decimals = choose_table_decimals(table, trend.scale)
    return [_show_slot(slot, trend, decimals, slot.id == replay, now) for slot in table.object_list]


def _show_slot(slot: Slot, trend: Trend, decimals: int, addressed: bool, now: datetime) -> ReplayRow:
    if slot.candidate is None or slot.incumbent is None or slot.delta is None:
        scores = (NO_NUMBER, NO_NUMBER, NO_NUMBER)
    else:
        scores = (
            show_score(slot.candidate, decimals),
            show_score(slot.incumbent, decimals),
            show_delta(slot.delta, decimals, lower_is_better=trend.lower_is_better, conclusive=not slot.partial),
        )
    return ReplayRow(
        slot.id,
        slot.label,
        slot.point.rule_name or slot.rule,
        *scores,
        status=slot.gap.label if slot.gap else "scored",
        reason=slot.gap.reason if slot.gap else "",
        notes=(*(flag.text for flag in slot.flags), *((f"new era: {slot.era_reason}",) if slot.era_reason else ())),
        decision=slot.decision.label if slot.decision else "",
        glyph=_glyph_of(slot),
        at=show_moment(slot.point.created_at, now, undated=slot.undated),
        addressed=addressed,
    )


def _glyph_of(slot: Slot) -> SafeString:
    """The shape that stands for this replay in the chart; none for a scored one without a decision."""
    if slot.gap:
        return SafeString(render_glyph(GAPS.get(slot.gap.kind, UNKNOWN_GAP), "gap"))
    if slot.decision:
        return SafeString(render_glyph(DECISIONS.get(slot.decision.key, UNKNOWN_DECISION), "decision"))
    return SafeString("")


def build_key() -> dict[str, list[KeyEntry]]:
    """Every glyph that a chart can hold, with what it stands for."""
    gaps = [
        KeyEntry(SafeString(render_glyph(glyph, "gap")), GAP_LABELS.get(kind, kind)) for kind, glyph in GAPS.items()
    ]
    gaps.append(
        KeyEntry(SafeString(render_glyph(UNKNOWN_GAP, "gap")), "any other status, named as the service gave it")
    )
    decisions = [
        KeyEntry(SafeString(render_glyph(glyph, "decision")), DECISION_LABELS.get(kind, kind))
        for kind, glyph in DECISIONS.items()
    ]
    decisions.append(KeyEntry(SafeString(render_glyph(UNKNOWN_DECISION, "decision")), "any other decision"))
    return {"gaps": gaps, "decisions": decisions}


def build_facts(benchmark: Benchmark, now: datetime) -> list[Fact]:
    """What the benchmark is frozen to, as far as the service says it."""
    decoding, scoring, digest = benchmark.decoding, benchmark.scoring, benchmark.items_digest
    decoded = [
        "unknown: the numbers were imported" if decoding.max_tokens == 0 else "",
        f"temperature {decoding.temperature:g}"
        if decoding.temperature is not None and decoding.max_tokens != 0
        else "",
        f"at most {decoding.max_tokens} tokens" if decoding.max_tokens else "",
        "streamed" if decoding.stream else "",
    ]
    scored = [scoring.metric, f"scale {scoring.scale}" if scoring.scale else "", scoring.aggregate]
    created = show_moment(benchmark.created_at, now)
    return [
        Fact("Judge", benchmark.judge_name or NOTHING),
        Fact("Judge's model", benchmark.judge_model or NOTHING),
        Fact("Scoring", _joined(scored) + ("; every row must be scored" if scoring.require_all_rows else "")),
        Fact("Conversations", str(benchmark.item_count)),
        Fact("Set's digest", digest[:12] or NOTHING, digest if len(digest) > 12 else ""),
        Fact("Decoding", _joined(decoded)),
        Fact("Cap for one replay", show_cents(benchmark.per_run_ceiling_cents)),
        Fact("Created", created.text + (f" by {benchmark.created_by}" if benchmark.created_by else "")),
    ]


def build_retired_line(benchmark: Benchmark, now: datetime) -> str:
    """When, by whom and why it was retired, as far as the service says; empty for one that was not."""
    if benchmark.status != "retired" and benchmark.retired_at is None:
        return ""
    retired = show_moment(benchmark.retired_at, now)
    when = f" {retired.text}" if retired.text != NOTHING else ""
    who = f" by {benchmark.retired_by}" if benchmark.retired_by else ""
    why = f": {benchmark.retired_reason}" if benchmark.retired_reason else ""
    return f"Retired{when}{who}{why}"


def describe_unchecked(trend: Trend) -> str:
    """What was not checked because no replay shown says it, in one sentence; empty where all was, or none is shown."""
    points = [slot.point for slot in trend.slots]
    checks: dict[str, list[object]] = {
        "which set each replay used": [point.items_digest for point in points],
        "how many of its rows were scored": [point.rows_scored for point in points],
        "which incumbent served": [point.incumbent_ref for point in points],
    }
    unsaid = [check for check, values in checks.items() if values and all(value is None for value in values)]
    if not unsaid:
        return ""
    listed = " or ".join([", ".join(unsaid[:-1]), unsaid[-1]] if len(unsaid) > 1 else unsaid)
    return f"Not checked: the service does not say {listed}."


def describe_undated(trend: Trend) -> str:
    """How many replays shown have an invented time, and what that means; empty where all have their own."""
    count = sum(slot.undated for slot in trend.slots)
    if not count:
        return ""
    return (
        f"Without a date of their own: {count:,} of {len(trend.slots):,} replays shown. They stand in the order of "
        "import and checkpoint; a time axis and a range of dates mean nothing for them."
    )


def build_frozen_line(benchmark: Benchmark) -> list[str]:
    """What it is frozen to in a few words; what the service does not say is left out."""
    count, cap = benchmark.item_count, benchmark.per_run_ceiling_cents
    parts = [
        f"judge {benchmark.judge_name}" if benchmark.judge_name else "",
        f"on {benchmark.judge_model}" if benchmark.judge_model else "",
        f"{count} conversation{'' if count == 1 else 's'}",
        f"scale {benchmark.scoring.scale}" if benchmark.scoring.scale else "",
        f"set {benchmark.items_digest[:12]}" if benchmark.items_digest else "",
        f"at most {show_cents(cap)} a replay" if cap is not None else "",
    ]
    return [part for part in parts if part]


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(part for part in parts if part) or NOTHING


def build_rule_choices(trend: Trend, address: str, query: Mapping[str, str]) -> list[Choice]:
    """A link for each rule and one for all; nothing where there is but one."""
    if len(trend.rules) < 2:
        return []
    choices = [
        Choice(
            rule.name,
            with_query(address, query, rule=rule.key, page=None, replay=None),
            rule.shown and not trend.overlaid,
            f"{rule.replays} replays",
        )
        for rule in trend.rules
    ]
    everything = with_query(address, query, rule=ALL_RULES, page=None, replay=None)
    return [*choices, Choice("all rules", everything, trend.overlaid, "candidates overlaid")]


def build_legend(trend: Trend) -> list[LegendEntry]:
    """The rules in the order of their colours, where all are shown at once."""
    return [LegendEntry(rule.name, line_class(n)) for n, rule in enumerate(trend.rules)] if trend.overlaid else []


def line_class(number: int | None) -> str:
    """The CSS class of one of several lines, as the charts give it; None is for points that no line joins."""
    return "others" if number is None else f"rule-{number % STYLES + 1}"


def build_axis_choices(
    axis: str, address: str, query: Mapping[str, str], *, slot: str = "one slot a replay"
) -> list[Choice]:
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


class Latest(NamedTuple):
    """The newest scored replay or run, or pair of runs, in one line."""

    label: str
    group: str
    """The rule or group that it is of, where several are shown; else empty."""
    candidate: Number
    incumbent: Number
    delta: Number
    at: Moment
    notes: tuple[str, ...]


def summarise_latest(trend: Trend, now: datetime) -> Latest | None:
    """None where no replay has a score."""
    slot = trend.latest
    if slot is None or slot.candidate is None or slot.incumbent is None or slot.delta is None:
        return None
    decimals = choose_decimals((slot.candidate, slot.incumbent, slot.delta), trend.scale)
    return Latest(
        slot.label,
        (slot.point.rule_name or "no rule") if trend.overlaid else "",
        show_score(slot.candidate, decimals),
        show_score(slot.incumbent, decimals),
        show_delta(slot.delta, decimals, lower_is_better=trend.lower_is_better, conclusive=not slot.partial),
        show_moment(slot.point.created_at, now, undated=slot.undated),
        tuple(flag.text for flag in slot.flags),
    )


POLLING = ((timedelta(hours=1), 15), (timedelta(days=1), 60), (timedelta(days=7), 300))
"""Open for less than this -> ask again after so many seconds. After the last, nobody asks any more."""


def choose_poll_s(opened: Iterable[datetime | None], now: datetime) -> int | None:
    """How long until the region looks again: by the youngest of what is open. None where it need not look."""
    started = [at for at in opened if at]
    if not started:
        return None
    age = now - max(started)
    return next((seconds for limit, seconds in POLLING if age < limit), None)


def describe_stale(*readings: Reading[Any] | None, now: datetime) -> str:
    """What to say above values of which one could not be read anew; empty where all were."""
    for one in readings:
        if one and one.failure:
            age = show_age(one.read_at, now)
            return f"The service did not answer, so this is what was read {age}. {one.failure.message}"
    return ""
