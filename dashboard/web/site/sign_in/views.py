"""Coming in, by password or by a link that works once, and going out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from django.contrib.auth import get_user_model, login, user_logged_in
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.contrib.sessions.models import Session
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods
from sesame.utils import get_user

from dashboard.web.site import unsent
from dashboard.web.site.addresses import find_page
from dashboard.web.site.sign_in import throttle
from dashboard.web.site.sign_in.forms import LinkForm

if TYPE_CHECKING:
    from django.contrib.auth.models import User

DEAD_LINK = "This sign-in link has been used, has expired or is not whole. Ask for a new one, or use your password."


@receiver(user_logged_in, dispatch_uid="sign_in.drop_expired_sessions")
def drop_expired_sessions(**_: Any) -> None:
    """Sessions that have expired go whenever somebody signs in, which is what makes new ones."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()


class SignIn(LoginView):
    """The password form. Whoever is signed in already is sent on."""

    template_name = "web/site/sign_in.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        name = request.POST.get("username", "")
        until = throttle.closed_until(request, name)
        if until is None:
            return super().post(request, *args, **kwargs)
        wait = math.ceil((until - timezone.now()).total_seconds())
        form = AuthenticationForm(request, initial={"username": name})
        context = self.get_context_data(form=form, closed_until=until, minutes=math.ceil(wait / 60))
        return self.render_to_response(context, status=429, headers={"Retry-After": str(wait)})

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        throttle.forgive(self.request, form.cleaned_data["username"])
        response = super().form_valid(form)
        throttle.remember_browser(response, form.get_user().pk)
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if form.non_field_errors():  # a name and a password came, and they do not fit
            throttle.note_failure(self.request, self.request.POST.get("username", ""))
        return super().form_invalid(form)

    def get_redirect_url(self, request: HttpRequest | None = None) -> str:
        return find_page(self.request, self.request.POST.get("next") or self.request.GET.get("next"))


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def use_link(request: HttpRequest) -> HttpResponse:
    """GET shows who would sign in, POST does it: a mail scanner that follows links does not use one up."""
    form = LinkForm(request.POST if request.method == "POST" else request.GET)
    user = _whose(form.cleaned_data["sesame"]) if form.is_valid() else None
    if user is None or (request.method == "POST" and not _claim(user)):
        context = {"form": AuthenticationForm(request), "dead_link": DEAD_LINK}
        return render(request, "web/site/sign_in.html", context, status=400)
    if request.method == "POST":
        login(request, user, backend="sesame.backends.ModelBackend")
        # A link knows no page to go back to, but a form that waits does.
        response = redirect(unsent.find_newest_page(user.pk) or "overview")
        throttle.remember_browser(response, user.pk)
        return response
    return render(request, "web/site/sign_in_link.html", {"form": form, "who": user.get_username()})


def _whose(token: str) -> User | None:
    """The person a whole, fresh, unused token is for. Looking does not use it up."""
    return cast("User | None", get_user(token, update_last_login=False))


def _claim(user: User) -> bool:
    """Use the link up: True for exactly one of several at the same time, for every link made before is dead now."""
    unused = get_user_model().objects.filter(pk=user.pk, last_login=user.last_login)
    return unused.update(last_login=timezone.now()) == 1
