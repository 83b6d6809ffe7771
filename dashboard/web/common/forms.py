"""Everything that comes in, GET too, goes through one of these forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.charts import AxisKind, Theme
from dashboard.contract import BENCHMARK_STATUSES
from dashboard.sources.http.decoding import MAX_ID_LENGTH
from dashboard.sources.reader import Source
from dashboard.trend import Window
from dashboard.web.common.ids import IdField, IdsField, ShortIdField, is_short
from dashboard.web.overview.histories import SOURCES, Key
from dashboard.web.trend.groupings import CHOICE, SIDES

LARGEST_PAGE = 1_000_000
LONGEST_ID = MAX_ID_LENGTH
ROWS_A_PAGE = 100
"""Of the overview, and so the most that it asks for in one request."""


class LinkForm(forms.Form):
    """The token of a one-time sign-in link."""

    sesame = forms.CharField(max_length=200, widget=forms.HiddenInput)


@dataclass(frozen=True)
class Problem:
    """What is wrong with a parameter, led by its name as it stands in the address when it is printed."""

    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


class QueryForm(forms.Form):
    """A page's query. A wrong value is named, kept as it was typed, and its default used instead."""

    says_something_empty: frozenset[str] = frozenset()

    @property
    def problems(self) -> list[Problem]:
        """What is wrong, one for each wrong parameter."""
        return [Problem(name, " ".join(map(str, messages))) for name, messages in self.errors.items()]

    def value(self, name: str) -> Any:
        """The value of a parameter; None where it is absent, empty or wrong."""
        return self.cleaned_data.get(name) or None

    @property
    def valid_query(self) -> dict[str, str]:
        """The parameters that were given and are right, as they were typed: what the page's links carry on."""
        given = {name: self.data[name] for name in self.fields if name in self.data and name not in self.errors}
        return {name: value for name, value in given.items() if value or name in self.says_something_empty}


SORTS = {
    "name": "name",
    "newest": "newest replay or run",
    "candidate": "candidate",
    "incumbent": "incumbent",
    "delta": "delta",
    "score": "score of a run",
    "replays": "replays or runs",
    "gaps": "those without a score",
}


class SourceForm(QueryForm):
    """Which source's benchmarks are asked for: what must be known before there are any to choose from."""

    source = forms.ChoiceField(required=False, label="Source", choices=[("", "both sources"), *SOURCES.items()])

    @property
    def sources(self) -> list[Source]:
        """Both where none is asked for, or none that there is. The form must have been validated."""
        asked = self.value("source")
        return [name for name in SOURCES if asked in (None, name)]


class OverviewForm(SourceForm):
    field_order = ("q",)

    q = forms.CharField(
        required=False,
        max_length=200,
        label="Search",
        widget=forms.TextInput({"type": "search", "placeholder": "name, id or judge"}),
    )
    status = forms.ChoiceField(required=False, label="Status")
    sort = forms.ChoiceField(
        required=False,
        label="Sort",
        choices=[
            ("", "newest benchmark"),
            *((key, f"{label}, up") for key, label in SORTS.items()),
            *((f"-{key}", f"{label}, down") for key, label in SORTS.items()),
        ],
    )
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE, widget=forms.HiddenInput)

    def __init__(self, data: Any, statuses: Iterable[str]) -> None:
        super().__init__(data, auto_id="%s")
        known = sorted({*BENCHMARK_STATUSES, *statuses})
        self.fields["status"].choices = [("", "any status"), *((s, s) for s in known if s)]  # type: ignore[attr-defined]


class RowsForm(forms.Form):
    """The overview's rows that were not there yet, and whether to wait for the slow ones.

    `id`, repeated, names benchmarks of the Loop source, `runloop` those of the other.
    """

    id = IdsField(most=ROWS_A_PAGE, required=False)
    runloop = IdsField(most=ROWS_A_PAGE, required=False)
    patient = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not self.errors and not self.keys:
            raise ValidationError("No row is named.")
        return data

    @property
    def keys(self) -> list[Key]:
        loop = [Key("loop", one) for one in self.cleaned_data["id"]]
        return loop + [Key("runloop", one) for one in self.cleaned_data["runloop"]]


class RangeForm(QueryForm):
    """A query with a range of whole days in UTC, `from` and `to`, both included."""

    def __init__(self, data: Any) -> None:
        super().__init__(data, auto_id="%s")
        for name, label in (("from", "From"), ("to", "to")):  # "from" cannot be a class attribute
            self.fields[name] = forms.DateField(
                required=False,
                label=label,
                input_formats=["%Y-%m-%d"],
                widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
                error_messages={"invalid": "Give a date as YYYY-MM-DD."},
            )

    def add_error(self, field: str | None, error: Any) -> None:
        super().add_error(field, error)
        if field in {"from", "to"}:  # a date picker would hide a text that is no date
            self.fields[field].widget.input_type = "text"

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("from") and data.get("to") and data["from"] > data["to"]:
            self.add_error("from", "It lies after the end of the range.")
            self.add_error("to", "It lies before the start of the range.")
        return data

    @property
    def since(self) -> datetime | None:
        """The first moment of the range."""
        day = self.value("from")
        return datetime.combine(day, time.min, UTC) if day else None

    @property
    def until(self) -> datetime | None:
        """The last moment of the range."""
        day = self.value("to")
        return datetime.combine(day, time.max, UTC) if day else None


class ChartForm(RangeForm):
    """The query of a page with a chart: its range, its axis, the page of its table, and how the figure is drawn."""

    axis = forms.ChoiceField(required=False, choices=[("slot", "one slot each"), ("time", "time")])
    last = forms.ChoiceField(required=False, choices=[("30", "last 30"), ("90", "last 90"), ("all", "all")])
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE)
    theme = forms.ChoiceField(required=False, choices=[("light", "light"), ("dark", "dark")])
    frame = forms.ChoiceField(required=False, choices=[("wide", "wide"), ("narrow", "narrow")])

    @property
    def axis_kind(self) -> AxisKind:
        return "time" if self.value("axis") == "time" else "slot"

    @property
    def chart_theme(self) -> Theme:
        return "dark" if self.value("theme") == "dark" else "light"

    @property
    def window(self) -> Window:
        """The range asked for: whole days in UTC, both included, and of these the newest."""
        last = self.value("last")
        return Window(last=int(last) if last and last != "all" else None, since=self.since, until=self.until)


class TrendForm(ChartForm):
    says_something_empty = frozenset({"rule"})  # the replays that name no rule

    rule = IdField(required=False, widget=forms.HiddenInput)
    replay = IdField(required=False)


class RunTrendForm(ChartForm):
    """The query of a Runloop benchmark's trend, and what its picker sends: see `groupings`."""

    says_something_empty = frozenset({"group"})  # one line, whatever is remembered

    group = ShortIdField(required=False)
    label = ShortIdField(required=False)
    candidate = ShortIdField(required=False)
    incumbent = ShortIdField(required=False)
    run = IdField(required=False)

    @property
    def chooses(self) -> bool:
        """True where a choice was made, if only that of one line."""
        return any(name in self.data for name in CHOICE)

    @property
    def choice(self) -> dict[str, str]:
        """What is right of the choice; empty where nothing was chosen. The form must have been validated."""
        return {name: self.value(name) or "" for name in CHOICE}


class PickerForm(RunTrendForm):
    """What the picker sends: a choice, and the key `of` whose groups it offered as the two sides."""

    of = IdField(required=False, widget=forms.HiddenInput)

    @property
    def choice(self) -> dict[str, str]:
        """Likewise, without the sides where they are groups of another key than the one that is sent now."""
        choice = super().choice
        kept = (self.value("of") or "") == choice["group"]
        return choice if kept else choice | dict.fromkeys(SIDES, "")

    @property
    def wrong(self) -> list[str]:
        """Which parameters of the choice are wrong."""
        return [name for name in CHOICE if name in self.errors]

    @property
    def too_long(self) -> bool:
        """True where no address can carry what was sent, right or wrong."""
        return any(not is_short(self.data[name]) for name in self.wrong)

    @property
    def query(self) -> dict[str, str]:
        """The query of the page that shows this choice; it names what is wrong, so that goes along as it was typed."""
        choice = self.choice | {name: self.data[name] for name in self.wrong}
        carried = {name: value for name, value in self.valid_query.items() if name not in (*CHOICE, "of")}
        return carried | {name: value for name, value in choice.items() if value or name in self.says_something_empty}


class RunForm(QueryForm):
    """A page of the scenario runs of one run."""

    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE)


class TurnForm(QueryForm):
    """One turn of a conversation, by its place from 0."""

    turn = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_PAGE, widget=forms.HiddenInput)


class ItemsForm(TurnForm):
    """The conversations of a benchmark: a page of them, or one (`item`, its ordinal), or one turn of that one."""

    q = forms.CharField(
        required=False,
        max_length=200,
        label="Search within this page",
        widget=forms.TextInput({"type": "search", "placeholder": "words on this page"}),
    )
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE, widget=forms.HiddenInput)
    item = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_PAGE, widget=forms.HiddenInput)

    def __init__(self, data: Any) -> None:
        super().__init__(data, auto_id="%s")
