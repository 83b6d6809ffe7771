"""One's own account: the password. Everybody who is signed in may change theirs, whatever their role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib import messages
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpResponse
from django.urls import reverse_lazy

from dashboard.web.common.redirects import SeeOther
from dashboard.web.site.audit import log as audit

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class ChangePassword(PasswordChangeView):
    """Change it, or, for somebody who came by a link and has none, set the first one. Other sessions of theirs end."""

    template_name = "web/site/password.html"
    success_url = reverse_lazy("password")

    def get_form_class(self) -> type[Any]:
        has_one = cast("User", self.request.user).has_usable_password()
        return PasswordChangeForm if has_one else SetPasswordForm

    def form_valid(self, form: Any) -> HttpResponse:
        user = self.request.user
        with audit.record(
            self.request,
            action="change_password",
            target_kind="person",
            target_id=str(user.pk),
            target_name=user.get_username(),
        ):
            super().form_valid(form)
        messages.success(self.request, "Your password is changed. Wherever else you were signed in, you are no longer.")
        return SeeOther(self.success_url)
