"""What the audit log is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms

from dashboard.web.common.forms import LARGEST_PAGE, RangeForm
from dashboard.web.site.models import OUTCOMES


class AuditForm(RangeForm):
    who = forms.CharField(required=False, max_length=200, label="Who")
    action = forms.ChoiceField(required=False, label="Action")
    target = forms.CharField(required=False, max_length=400, label="Target")
    outcome = forms.ChoiceField(required=False, label="Outcome", choices=[("", "any"), *OUTCOMES])
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE, widget=forms.HiddenInput)

    def __init__(self, data: Any, actions: Iterable[str]) -> None:
        super().__init__(data)
        self.fields["action"].choices = [("", "any"), *((one, one) for one in actions)]  # type: ignore[attr-defined]
