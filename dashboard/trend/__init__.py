"""Pure: points to slots, lines, gaps and eras. Nothing here knows of HTTP, Django, an API or drawing.

What a trend means is stated in docs/trend.md; each of its rules T1 to T14 is named where it lives.
"""

from dashboard.trend.eras import DECISION_LABELS, Decision
from dashboard.trend.flags import Flag, find_flags
from dashboard.trend.gaps import MISSING, Gap, describe_age, find_gap, find_missing
from dashboard.trend.lines import MOST_LINES, Line
from dashboard.trend.pairs import PAIR_KINDS
from dashboard.trend.points import Duration, Instant, Point, Score, Unreadable, find_newest
from dashboard.trend.scale import Scale, read_scale
from dashboard.trend.slots import Slot
from dashboard.trend.trend import Group, Grouping, Trend, build_trend
from dashboard.trend.vocabulary import Kind, Vocabulary
from dashboard.trend.window import Window

__all__ = [
    "DECISION_LABELS",
    "MISSING",
    "MOST_LINES",
    "PAIR_KINDS",
    "Decision",
    "Duration",
    "Flag",
    "Gap",
    "Group",
    "Grouping",
    "Instant",
    "Kind",
    "Line",
    "Point",
    "Scale",
    "Score",
    "Slot",
    "Trend",
    "Unreadable",
    "Vocabulary",
    "Window",
    "build_trend",
    "describe_age",
    "find_flags",
    "find_gap",
    "find_missing",
    "find_newest",
    "read_scale",
]
