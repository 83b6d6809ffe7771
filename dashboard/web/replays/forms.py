"""What the pages of replays are asked."""

from __future__ import annotations

from django import forms

from dashboard.trend.rows import FAILED, LOST, TIED, WON
from dashboard.web.common.forms import LARGEST_PAGE, QueryForm
from dashboard.web.common.ids import IdField, ShortIdField

NEWLY = "newly"
ONLY = {
    LOST: "candidate lost",
    WON: "candidate won",
    TIED: "tied",
    FAILED: "failed",
    NEWLY: "newly failing",
}
LASTS = (20, 60, 200)
CELLS = {"score": "score", "outcome": "lost, tied, won"}


class RowsForm(QueryForm):
    """The rows of a replay: which of them, a page of these, or one alone by its ordinal."""

    only = forms.ChoiceField(required=False, choices=list(ONLY.items()))
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE)
    row = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_PAGE)


class GridForm(QueryForm):
    """The grid of a benchmark: of which rule, how many of its last replays, what a cell says."""

    says_something_empty = frozenset({"rule"})

    rule = IdField(required=False)
    last = forms.TypedChoiceField(required=False, choices=[(str(one), str(one)) for one in LASTS], coerce=int)
    cell = forms.ChoiceField(required=False, choices=list(CELLS.items()))


class CompareForm(QueryForm):
    """Two replays."""

    a = ShortIdField()
    b = ShortIdField()
