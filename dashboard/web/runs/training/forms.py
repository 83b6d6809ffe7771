"""The forms of the pages about training runs: which runs, which answers, and a decision."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms

from dashboard.web.common.forms import LARGEST_PAGE, QueryForm
from dashboard.web.common.ids import IdField

STATES = (
    "awaiting_review", "promoted", "rejected", "expired", "rolled_back", "superseded", "cancelled", "failed",
    "budget_stopped", "reported", "promoting", "waiting_funds", "evaluating", "candidate_running", "candidate_booking",
    "checkpoint_ready", "training", "job_creating", "preflighting", "dataset_validating", "registering", "built",
)  # fmt: skip
"""Those that the published contract names, in the order in which a reviewer asks for them."""
VERDICTS = ("better", "not_better", "inconclusive", "not_evaluated")
WINNERS = {"incumbent": "lost", "candidate": "won", "tie": "tied"}
"""Who won a paired conversation, as the wire says it -> what the candidate did."""


class RunsForm(QueryForm):
    """Which runs are listed."""

    rule = forms.CharField(required=False, max_length=512, label="Rule", widget=forms.Select)
    state = forms.ChoiceField(required=False, label="State", choices=[("", "any state"), *((s, s) for s in STATES)])
    verdict = forms.ChoiceField(
        required=False, label="Verdict", choices=[("", "any verdict"), *((v, v) for v in VERDICTS)]
    )
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE, widget=forms.HiddenInput)

    def __init__(self, data: Any, rules: Iterable[tuple[str, str]]) -> None:
        super().__init__(data, auto_id="%s")
        choices = [("", "any rule"), *rules]
        asked = self.data.get("rule", "")
        if asked and all(asked != value for value, _name in choices):
            choices.append((asked, asked))  # the service may know what this list does not have
        self.fields["rule"].widget.choices = choices


class AnswersForm(QueryForm):
    """Which paired conversations are shown."""

    winner = forms.ChoiceField(required=False, choices=[("", "all"), *WINNERS.items()])
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE)


class DecideForm(forms.Form):
    """A decision. `seen` stands for the evidence that the form was opened over, `revision` for the consent."""

    reason = forms.CharField(
        required=False,
        max_length=500,
        label="Reason (optional)",
        widget=forms.Textarea({"rows": 3}),
        error_messages={"max_length": "At most %(limit_value)d characters; this has %(show_value)d."},
    )
    force = forms.BooleanField(required=False, label="Promote all the same: the comparison came to no verdict")
    seen = IdField(required=False, widget=forms.HiddenInput)
    revision = forms.IntegerField(required=False, widget=forms.HiddenInput)
