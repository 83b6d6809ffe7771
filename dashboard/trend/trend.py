"""The trend of a benchmark: history in, slots, lines and rules out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from dashboard.sources.loop.wire import Benchmark, HistoryPoint
from dashboard.trend.lines import Line, build_lines
from dashboard.trend.scale import Scale, is_lower_better, read_scale
from dashboard.trend.slots import Slot, build_slots, order_key, order_points
from dashboard.trend.window import EVERYTHING, Window

ALL_RULES = "all"


@dataclass(frozen=True, slots=True)
class RuleSummary:
    """One rule seen in the history. `key` is its id, or empty for replays that name no rule."""

    key: str
    name: str
    replays: int
    newest_at: datetime | None
    shown: bool


@dataclass(frozen=True, slots=True)
class Trend:
    """What the page shows. `slots` run from oldest to newest; a line's places are indices into them."""

    slots: tuple[Slot, ...]
    lines: tuple[Line, ...]
    rules: tuple[RuleSummary, ...]
    """Every rule of the history, the one with the newest replay first."""
    overlaid: bool
    """True where every rule is shown, candidates alone."""
    total_slots: int
    """The replays of the shown rules before the window."""
    scale: Scale | None
    lower_is_better: bool
    """True where the scale says so: then a candidate below the incumbent is the better one."""

    @property
    def gap_count(self) -> int:
        return sum(slot.gap is not None for slot in self.slots)

    @property
    def scored_count(self) -> int:
        return len(self.slots) - self.gap_count

    @property
    def open_slots(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.gap and slot.gap.kind == "open"]

    @property
    def latest(self) -> Slot | None:
        """The newest scored slot; None where none is scored."""
        return next((slot for slot in reversed(self.slots) if slot.gap is None), None)

    @property
    def latest_decision(self) -> Slot | None:
        """The newest slot on which somebody decided; None where nobody did."""
        return next((slot for slot in reversed(self.slots) if slot.decision), None)


def build_trend(
    points: Iterable[HistoryPoint],
    benchmark: Benchmark | None,
    *,
    now: datetime,
    rule: str | None = None,
    window: Window = EVERYTHING,
) -> Trend:
    """The trend of these points, each replay once, in whatever order they come.

    `rule` is a rule's key, "all" for every rule at once, or None for the rule with the newest replay. A key that no
    replay names gives no slots. `benchmark` gives the digest and the scale; without it neither is checked.
    """
    by_rule: dict[str, list[HistoryPoint]] = defaultdict(list)
    for point in order_points(points):
        by_rule[point.rule_id or ""].append(point)
    newest_first = sorted(by_rule, key=lambda key: order_key(by_rule[key][-1]), reverse=True)
    if rule is None:
        rule = newest_first[0] if newest_first else ""
    overlaid = rule == ALL_RULES and ALL_RULES not in by_rule
    chosen = newest_first if overlaid else [key for key in newest_first if key == rule]

    scale = read_scale(benchmark.scoring.scale) if benchmark else None
    digest = benchmark.items_digest if benchmark else ""
    built = {key: build_slots(by_rule[key], digest=digest, scale=scale, now=now) for key in chosen}
    shown = _place(built, window)
    rules = tuple(_summarise(key, by_rule[key], shown=key in chosen) for key in newest_first)
    names = {rule.key: rule.name for rule in rules}
    return Trend(
        slots=tuple(shown),
        lines=tuple(
            line
            for number, key in enumerate(chosen)
            for line in build_lines(
                [slot for slot in shown if slot.rule == key],
                key,
                {"candidate": names[key]} if overlaid else {"candidate": "candidate", "incumbent": "incumbent"},
                number,
            )
        ),
        rules=rules,
        overlaid=overlaid,
        total_slots=sum(len(slots) for slots in built.values()),
        scale=scale,
        lower_is_better=bool(benchmark and is_lower_better(benchmark.scoring.scale)),
    )


def _place(built: dict[str, list[Slot]], window: Window) -> list[Slot]:
    """The slots that the window shows, of all rules in one order, numbered anew where that moved them."""
    slots = [slot for of_rule in built.values() for slot in of_rule]
    if len(built) > 1:
        slots.sort(key=lambda slot: order_key(slot.point))
    slots = window.select(slots)
    if not slots or (len(built) == 1 and slots[0].place == 0 and slots[-1].place == len(slots) - 1):
        return slots
    return [slot._replace(place=place) for place, slot in enumerate(slots)]


def _summarise(key: str, points: list[HistoryPoint], *, shown: bool) -> RuleSummary:
    newest = points[-1]
    at = newest.created_at if isinstance(newest.created_at, datetime) else None
    return RuleSummary(key, newest.rule_name or key or "no rule", len(points), at, shown)
