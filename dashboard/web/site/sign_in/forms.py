"""What a one-time sign-in link sends."""

from __future__ import annotations

from django import forms


class LinkForm(forms.Form):
    """The token of a one-time sign-in link."""

    sesame = forms.CharField(max_length=200, widget=forms.HiddenInput)
