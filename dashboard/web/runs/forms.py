"""What a run's page is asked."""

from __future__ import annotations

from django import forms

from dashboard.web.common.forms import LARGEST_PAGE, QueryForm


class RunForm(QueryForm):
    """A page of the scenario runs of one run."""

    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE)
