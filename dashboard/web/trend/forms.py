"""What a trend's page is asked: its range, its axis, its table, its lines, and how the figure is drawn."""

from __future__ import annotations

from django import forms

from dashboard.charts import AxisKind, Theme
from dashboard.trend import Window
from dashboard.web.common.forms import LARGEST_PAGE, RangeForm
from dashboard.web.common.ids import IdField, ShortIdField, is_short
from dashboard.web.trend.groupings import CHOICE, SIDES


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
