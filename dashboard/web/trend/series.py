"""A series: a benchmark's points as its page needs them, from whichever API; `loop` and `runloop` make theirs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from django.contrib.auth.models import User

from dashboard.sources.reader import Known, Source
from dashboard.trend import Grouping, Point, Trend, Vocabulary
from dashboard.web.trend.forms import ChartForm


class Fact(NamedTuple):
    """A line of the panel that says what a benchmark is. `full` is the whole of a value that is shown short."""

    name: str
    text: str
    full: str = ""


class Choice(NamedTuple):
    """One of several links of which one is current."""

    label: str
    url: str
    current: bool
    hint: str = ""


@dataclass(frozen=True)
class Asked:
    """What of a series is shown: the query as a form that was validated, and the points that it asks for."""

    form: ChartForm
    points: list[Point]
    grouping: Grouping
    query: dict[str, str]
    """What the page's links carry on."""
    notes: tuple[str, ...] = ()
    """What could not be done that was asked for, each a sentence."""
    lapsed: tuple[str, ...] = ()
    """What no longer fits of a remembered choice."""
    readings: tuple[Known[Any], ...] = ()
    """What was read besides the series."""
    missing: int = 0
    """How many of the points are runs that were never replayed (T9)."""


@dataclass(frozen=True)
class Series(ABC):
    """A benchmark with its points, as they were read."""

    source: ClassVar[Source]
    route: ClassVar[str]
    """Of its page; its parts have "-region" and "-figure" behind that."""

    id: str
    name: str
    words: Vocabulary
    readings: tuple[Known[Any], ...]
    """What it was made of, for saying how old it is."""
    size: int
    """How many points were read."""
    notes: tuple[str, ...]
    """What is to be said of how they were read, each a sentence."""

    @abstractmethod
    def ask(self, user: User, query: dict[str, str]) -> Asked:
        """What this query asks for. What it says wrong stands among the form's errors, and a default in its place."""

    @abstractmethod
    def caption(self, trend: Trend) -> str:
        """What is to be known of the numbers in the chart."""

    @abstractmethod
    def choose_groups(self, trend: Trend, here: str, query: dict[str, str]) -> list[Choice]:
        """A link for each group that can be shown alone; nothing where there is but one, or a form chooses."""

    @abstractmethod
    def describe(self, trend: Trend, asked: Asked, now: datetime) -> dict[str, Any]:
        """What the page says around the region: its head, how points are grouped, what the benchmark is."""

    @abstractmethod
    def describe_empty(self) -> dict[str, Any]:
        """What stands in the place of a chart while there is no point."""
