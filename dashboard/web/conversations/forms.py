"""What the pages of conversations are asked: a page of them, one of them, or one turn."""

from __future__ import annotations

from typing import Any

from django import forms

from dashboard.web.common.forms import LARGEST_PAGE, QueryForm


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
