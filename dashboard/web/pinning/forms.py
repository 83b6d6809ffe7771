"""The form of a new benchmark: what is typed, what of it is wrong, and what is sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from django import forms

from dashboard.contract import LEAST_ITEMS, MOST_ITEMS
from dashboard.sources.loop.wire import Dataset, Judge
from dashboard.web.common.fields import MoneyField, WholeField
from dashboard.web.common.forms import LARGEST_PAGE, LONGEST_ID
from dashboard.web.common.numbers import show_cents
from dashboard.web.pinning.picks import Picks

MOST_CENTS = 10**9
TYPED = ("name", "judge", "judge_model", "max_tokens", "cap", "source", "dataset", "split", "paste")
"""The fields that are kept as they were typed."""
SENT_AS = {
    "name": "name",
    "judge_id": "judge",
    "judge_model": "judge_model",
    "max_tokens": "max_tokens",
    "per_run_ceiling_cents": "cap",
    "source.trace_ids": "conversations",
    "source.dataset_id": "dataset",
    "source.split": "split",
    "source": "conversations",
}
"""A path of the request's body -> the field that it comes from."""


class BenchmarkForm(forms.Form):
    """`judges` and `datasets` None: they could not be read, and what was chosen is taken as it is.

    `taken` holds the names of the active benchmarks, as far as they could be read: the service settles it in the end.
    """

    name = forms.CharField(
        max_length=200,
        label="Name",
        help_text="Unique among the active benchmarks. A retired one's name is free again.",
        widget=forms.TextInput({"autocomplete": "off"}),
        error_messages={"required": "Give it a name."},
    )
    judge = forms.CharField(
        max_length=LONGEST_ID,
        strip=False,
        label="Judge",
        widget=forms.RadioSelect,
        error_messages={"required": "Choose a judge."},
    )
    judge_model = forms.CharField(
        required=False,
        max_length=200,
        label="Judge model",
        help_text="Empty: the judge's own, else the workspace's default.",
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    source = forms.ChoiceField(
        label="Where the conversations come from",
        choices=[("traces", "Conversations, picked one by one"), ("dataset", "A dataset, whole or one split of it")],
        widget=forms.RadioSelect,
    )
    conversations = forms.CharField(required=False, label="Conversations", widget=forms.HiddenInput)
    dataset = forms.CharField(required=False, max_length=LONGEST_ID, strip=False, label="Dataset", widget=forms.Select)
    split = forms.CharField(
        required=False, max_length=40, label="Split", help_text="Such as train or holdout. Empty: the whole dataset."
    )
    max_tokens = WholeField(
        required=False,
        least=1,
        most=1_000_000,
        label="Longest answer, in tokens",
        help_text="Empty: what the service takes when nothing is said.",
        widget=forms.TextInput({"inputmode": "numeric", "autocomplete": "off"}),
    )
    cap = MoneyField(
        most_cents=MOST_CENTS,
        label="Cap for one replay",
        help_text="In dollars, such as 4 or $4.50. A replay that reaches it stops, and is a gap on the trend.",
        widget=forms.TextInput({"inputmode": "decimal", "autocomplete": "off"}),
        error_messages={"required": "Say what one replay may cost at most."},
    )

    def __init__(
        self,
        data: Any = None,
        *,
        judges: Sequence[Judge] | None,
        datasets: Sequence[Dataset] | None,
        picks: Picks,
        taken: Collection[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(data, **kwargs)
        self._judges, self._picks, self._taken = judges, picks, taken
        self.fields["judge"].widget.choices = [(judge.id, judge.name) for judge in judges or ()]
        choices = [(one.id, label_dataset(one)) for one in datasets or ()]
        self.fields["dataset"].widget.choices = [("", "choose one"), *choices]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name in self._taken:
            raise forms.ValidationError("An active benchmark has this name. Choose another, or retire that one first.")
        return name

    def clean_judge(self) -> str:
        judge_id: str = self.cleaned_data["judge"]
        if self._judges is not None and all(judge.id != judge_id for judge in self._judges):
            raise forms.ValidationError("That judge is not there any more. Choose another.")
        return judge_id

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        judge = next((one for one in self._judges or () if one.id == data.get("judge")), None)
        if judge and judge.freezes and not judge.freezes.judge_model and not data.get("judge_model"):
            self.add_error("judge_model", "This judge names no model and the workspace has no default: name one here.")
        if data.get("source") == "dataset":
            if not data.get("dataset"):
                self.add_error("dataset", "Choose a dataset.")
        elif data.get("source") == "traces":
            for fault in list_faults(self._picks):
                self.add_error("conversations", fault)
        return data

    @property
    def request_body(self) -> dict[str, Any]:
        """What `Loop.create_benchmark` takes, but for the ids of picked conversations. The form must be valid."""
        data = self.cleaned_data
        body = {
            "name": data["name"],
            "judge_id": data["judge"],
            "judge_model": data["judge_model"] or None,
            "max_tokens": data["max_tokens"],
            "per_run_ceiling_cents": data["cap"],
        }
        if data["source"] == "dataset":
            body |= {"dataset_id": data["dataset"], "split": data["split"] or None}
        return body


def list_faults(picks: Picks) -> list[str]:
    """Why these conversations cannot be pinned."""
    faults = []
    if not picks.fits:
        faults.append(f"A benchmark pins {LEAST_ITEMS} to {MOST_ITEMS} conversations; {picks.total} are picked.")
    if picks.unusable:
        named = "; ".join(f"{pick.id}: {pick.why}" for pick in picks.unusable[:3])
        more = f"; and {len(picks.unusable) - 3} more" if len(picks.unusable) > 3 else ""
        faults.append(f"{len(picks.unusable)} of the picked cannot be pinned. {named}{more}.")
    return faults


def label_dataset(dataset: Dataset) -> str:
    count = "" if dataset.item_count is None else f", {dataset.item_count} conversations"
    return f"{dataset.name} ({dataset.method or 'dataset'}{count})"


def fingerprint(body: Mapping[str, Any], judge: Judge | None, picks: Sequence[str]) -> str:
    """Stands for all that a review showed: equal when nothing of it has changed since."""
    frozen = (
        []
        if judge is None
        else [judge.name, judge.model, judge.instructions, judge.system_prompt, judge.scale]
        + [[dimension.key, dimension.description] for dimension in judge.dimensions]
        + [msgspec.to_builtins(judge.freezes)]
    )
    return hashlib.sha256(json.dumps([body, frozen, picks], sort_keys=True).encode()).hexdigest()[:32]


def show_typed_cents(cents: int | None) -> str:
    """Whole cents as somebody would type them."""
    return "" if cents is None else show_cents(cents).lstrip("$")


class PickerForm(forms.Form):
    """What the list of conversations shows: a search, filters, all or the picked ones, and which page."""

    q = forms.CharField(required=False, max_length=200, label="Search", widget=forms.TextInput({"type": "search"}))
    filed = forms.CharField(required=False, max_length=200, label="Source")
    model = forms.CharField(required=False, max_length=200, label="Model")
    show = forms.ChoiceField(required=False, choices=[("all", "all"), ("picked", "picked")])
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE)

    def value(self, name: str) -> str:
        return str(self.cleaned_data.get(name) or "")

    @property
    def query(self) -> dict[str, str]:
        """What the address carries on, less the page."""
        return {name: self.value(name) for name in ("q", "filed", "model", "show") if self.value(name)}
