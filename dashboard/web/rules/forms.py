"""The forms that change something. Texts stay as they were typed; what is wrong is said at its field."""

from __future__ import annotations

from typing import Any

from django import forms

from dashboard.web.common.forms import LARGEST_PAGE, LONGEST_ID, QueryForm


class RulesForm(QueryForm):
    """The query of the list of rules."""

    q = forms.CharField(
        required=False,
        max_length=200,
        label="Search",
        widget=forms.TextInput({"type": "search", "placeholder": "rule, model or benchmark"}),
    )
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE, widget=forms.HiddenInput)

    def __init__(self, data: Any) -> None:
        super().__init__(data, auto_id="%s")


class AttachForm(forms.Form):
    """Which benchmark a rule shall replay. `go` is the button: "attach" or "detach"."""

    go = forms.ChoiceField(choices=[("attach", "attach"), ("detach", "detach")], widget=forms.HiddenInput)
    benchmark = forms.CharField(
        required=False, max_length=LONGEST_ID, label="Benchmark", strip=False, widget=forms.Select
    )
    seen = forms.CharField(required=False, max_length=LONGEST_ID, strip=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, benchmarks: list[tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["benchmark"].widget.choices = [("", "choose one"), *(benchmarks or [])]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("go") == "attach" and not data.get("benchmark"):
            self.add_error("benchmark", "Choose a benchmark to attach.")
        return data


class AttachRuleForm(forms.Form):
    """The same from the benchmark's page, where the rule is what is chosen."""

    go = forms.ChoiceField(choices=[("attach", "attach"), ("detach", "detach")])
    rule = forms.CharField(max_length=LONGEST_ID, strip=False)
    seen = forms.CharField(required=False, max_length=LONGEST_ID, strip=False)


class RetireForm(forms.Form):
    """Why a benchmark ends. `go` is the button; "successor" opens a new benchmark's form afterwards."""

    reason = forms.CharField(
        required=False,
        max_length=2000,
        label="Reason (optional)",
        widget=forms.Textarea({"rows": 3}),
        error_messages={"max_length": "At most %(limit_value)d characters; this has %(show_value)d."},
    )
    go = forms.ChoiceField(required=False, choices=[("retire", "retire"), ("successor", "successor")])
