"""What every page answer has in common: who must sign in first, and that nothing of it is kept by caches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.cache import patch_vary_headers

from dashboard.contract import API_ROOTS
from dashboard.web.site import unsent
from dashboard.web.site.addresses import find_page


class SignInMiddleware(LoginRequiredMiddleware):
    """Send a stranger to sign in and back to the page they were on, with what they had typed there.

    A script's request (htmx, or the chart's fetch) gets a 401 that carries the address: following a redirect it would
    put the sign-in page into a table.
    """

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        request.carried_out = request.method not in unsent.SAFE and request.user.is_authenticated  # type: ignore[attr-defined]
        return super().process_view(request, view_func, args, kwargs)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """What was typed before is no longer waited for once its page has sent a form and nothing broke."""
        if getattr(request, "carried_out", False) and response.status_code < 500:
            unsent.forget(request)
        return response

    def handle_no_permission(  # type: ignore[override]  # not every answer to a stranger is a redirect
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseBase:
        fate = unsent.keep(request) if request.method not in unsent.SAFE else unsent.Fate()
        if request.htmx:  # type: ignore[attr-defined]
            answer = HttpResponse(status=401)
            answer["HX-Redirect"] = lead_to_sign_in(request, fate, find_current_page(request))
            return answer
        if request.headers.get("Accept", "").startswith("application/json"):
            return JsonResponse({"sign_in": sign_in_address(request, request.get_full_path())}, status=401)
        answer = HttpResponse(status=302)
        answer["Location"] = lead_to_sign_in(request, fate, request.get_full_path())
        return answer


def lead_to_sign_in(request: HttpRequest, fate: unsent.Fate, page: str | None = None) -> str:
    """Where to sign in, which then says what became of the form. `page`: what to come back to, without a form."""
    if fate.notice:
        messages.warning(request, fate.notice)
    return sign_in_address(request, fate.page or page)


def sign_in_address(request: HttpRequest, came_from: str | None) -> str:
    """Where to sign in, with the page to come back to. An unusable origin is left out."""
    page = find_page(request, came_from)
    return resolve_url("sign-in") + ("?" + urlencode({"next": page}) if page else "")


def find_current_page(request: HttpRequest) -> str | None:
    """Path and query of the page that htmx says it is on; None where it does not say, or nothing that is an address."""
    try:
        page: str | None = request.htmx.current_url_abs_path  # type: ignore[attr-defined]
    except ValueError:  # such as "http://[", which urlsplit refuses
        return None
    return page


def keep_out_of_caches(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Pages are one person's and of one moment: no cache and no Back button shows them again after sign-out."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not request.path_info.startswith(API_ROOTS):
            response.headers.setdefault("Cache-Control", "no-store, private")
            patch_vary_headers(response, ["Cookie", "HX-Request"])
        return response

    return middleware
