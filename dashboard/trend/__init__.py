"""Pure: histories and runs to slots, lines, gaps and eras. Nothing here knows of HTTP, Django or drawing."""

from dashboard.trend.flags import Flag
from dashboard.trend.gaps import LABELS as GAP_LABELS
from dashboard.trend.gaps import Gap, describe_age
from dashboard.trend.lines import Line
from dashboard.trend.runs import COMPLETED, RUN_GAP_LABELS, RUN_SCALE, RunSlot, find_run_flags, find_run_gap
from dashboard.trend.runs_trend import MOST_LINES, GroupSummary, KeySeen, RunTrend, build_run_trend
from dashboard.trend.scale import Scale, read_scale
from dashboard.trend.slots import DECISION_LABELS, Decision, Slot
from dashboard.trend.trend import ALL_RULES, RuleSummary, Trend, build_trend
from dashboard.trend.window import Window

__all__ = [
    "ALL_RULES",
    "COMPLETED",
    "DECISION_LABELS",
    "GAP_LABELS",
    "MOST_LINES",
    "RUN_GAP_LABELS",
    "RUN_SCALE",
    "Decision",
    "Flag",
    "Gap",
    "GroupSummary",
    "KeySeen",
    "Line",
    "RuleSummary",
    "RunSlot",
    "RunTrend",
    "Scale",
    "Slot",
    "Trend",
    "Window",
    "build_run_trend",
    "build_trend",
    "describe_age",
    "find_run_flags",
    "find_run_gap",
    "read_scale",
]
