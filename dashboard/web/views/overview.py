"""The overview: every benchmark as a row."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.web import access


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    access.check(request.user, "read")
    return render(request, "web/overview.html")
