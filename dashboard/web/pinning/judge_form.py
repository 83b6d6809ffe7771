"""The form of a new judge: name, model, instructions, and the dimensions that it scores."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django import forms

from dashboard.trend.scale import read_scale
from dashboard.web.common.converters import DraftId

MOST_DIMENSIONS, LONGEST_KEY, LONGEST_DESCRIPTION = 20, 80, 2_000
"""What the API takes."""
TYPED = ("name", "model", "scale", "instructions")
SENT_AS = {
    "name": "name",
    "model": "model",
    "scale": "scale",
    "instructions": "instructions",
    "dimensions": "dimensions",
}


class JudgeQuery(forms.Form):
    """Which benchmark's form wants the judge."""

    draft = forms.RegexField(f"^{DraftId.regex}$", required=False)


class DimensionsField(forms.Field):
    """Rows of (key, description), of which empty ones do not count: a dict in their order."""

    widget = forms.HiddenInput

    def clean(self, value: Any) -> dict[str, str]:
        rows = [(key.strip(), told.strip()) for key, told in value or ()]
        unnamed = [told for key, told in rows if told and not key]
        if unnamed:
            raise forms.ValidationError(f"“{unnamed[0][:60]}” describes a dimension that has no key.")
        rows = [(key, told) for key, told in rows if key]
        if not rows:
            raise forms.ValidationError("Name at least one dimension to score.")
        twice = [key for key, times in Counter(key for key, _told in rows).items() if times > 1]
        if twice:
            raise forms.ValidationError(f"The key “{twice[0][:60]}” stands there more than once.")
        if len(rows) > MOST_DIMENSIONS:
            raise forms.ValidationError(f"At most {MOST_DIMENSIONS} dimensions; these are {len(rows)}.")
        for key, told in rows:
            if len(key) > LONGEST_KEY:
                raise forms.ValidationError(
                    f"A key has at most {LONGEST_KEY} characters; “{key[:60]}…” has {len(key)}."
                )
            if len(told) > LONGEST_DESCRIPTION:
                raise forms.ValidationError(
                    f"A description has at most {LONGEST_DESCRIPTION} characters; that of “{key}” has {len(told)}."
                )
        return dict(rows)


class JudgeForm(forms.Form):
    name = forms.CharField(
        max_length=200,
        label="Name",
        widget=forms.TextInput({"autocomplete": "off"}),
        error_messages={"required": "Give it a name."},
    )
    model = forms.CharField(
        required=False,
        max_length=200,
        label="Model",
        help_text="The model that judges. Empty: each benchmark names one, else the workspace's default.",
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    scale = forms.CharField(
        required=False,
        max_length=100,
        label="Scale",
        help_text="The lowest and the highest score, such as 1-5. Empty: 0-1. A benchmark freezes it.",
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    instructions = forms.CharField(
        max_length=50_000,
        label="Instructions",
        help_text="What makes an answer good here, as it is handed to the model.",
        widget=forms.Textarea({"rows": 8}),
        error_messages={"required": "Say what makes an answer good."},
    )
    dimensions = DimensionsField(label="Dimensions")

    def __init__(self, *args: Any, with_scale: bool, **kwargs: Any) -> None:
        """`with_scale`: whether the service takes a scale."""
        super().__init__(*args, **kwargs)
        if not with_scale:
            del self.fields["scale"]

    def clean_scale(self) -> str:
        scale: str = self.cleaned_data["scale"]
        if scale and read_scale(scale) is None:
            raise forms.ValidationError("Name the lowest score and a higher highest one, such as 1-5.")
        return scale
