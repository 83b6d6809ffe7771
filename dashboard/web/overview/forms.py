"""What the overview is asked: which benchmarks, in what order, and which late rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.contract import BENCHMARK_STATUSES
from dashboard.sources.reader import Source
from dashboard.web.common.forms import LARGEST_PAGE, QueryForm
from dashboard.web.common.ids import IdsField
from dashboard.web.common.sources import SOURCES, Key

ROWS_A_PAGE = 100
"""Of the overview, and so the most that it asks for in one request."""
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
