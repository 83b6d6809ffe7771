"""The forms about people."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator

from dashboard.web.common.forms import LARGEST_PAGE, QueryForm
from dashboard.web.site.access import ROLES

ROLE_CHOICES = [(role, role) for role in ROLES]


class AddPersonForm(forms.Form):
    name = UsernameField(
        max_length=150,
        label="Name",
        help_text="Letters of any script, digits and @ . + - _",
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    role = forms.ChoiceField(choices=ROLE_CHOICES, label="Role")
    password = forms.CharField(
        required=False,
        strip=False,
        max_length=1000,
        label="Password",
        help_text="Leave it empty to get a sign-in link that works once.",
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("password"):
            try:
                validate_password(data["password"], get_user_model()(username=data.get("name", "")))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return data


class SureForm(forms.Form):
    """`sure`: the person was told that this takes their own rights away."""

    sure = forms.BooleanField(required=False)


class RoleForm(SureForm):
    role = forms.ChoiceField(choices=ROLE_CHOICES)


class ActiveForm(SureForm):
    active = forms.ChoiceField(choices=[("yes", "yes"), ("no", "no")])


class PeopleForm(QueryForm):
    q = forms.CharField(
        required=False,
        max_length=200,
        label="Search by name",
        widget=forms.TextInput({"type": "search", "placeholder": "name"}),
    )
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE, widget=forms.HiddenInput)

    def __init__(self, data: Any) -> None:
        super().__init__(data, auto_id="%s")
