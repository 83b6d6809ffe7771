"""Pure: history to slots, lines, gaps and eras. Nothing here knows of HTTP, Django or drawing."""

from dashboard.trend.flags import Flag
from dashboard.trend.gaps import LABELS as GAP_LABELS
from dashboard.trend.gaps import Gap, describe_age
from dashboard.trend.lines import Line
from dashboard.trend.scale import Scale, read_scale
from dashboard.trend.slots import DECISION_LABELS, Decision, Slot
from dashboard.trend.trend import ALL_RULES, RuleSummary, Trend, Window, build_trend

__all__ = [
    "ALL_RULES",
    "DECISION_LABELS",
    "GAP_LABELS",
    "Decision",
    "Flag",
    "Gap",
    "Line",
    "RuleSummary",
    "Scale",
    "Slot",
    "Trend",
    "Window",
    "build_trend",
    "describe_age",
    "read_scale",
]
