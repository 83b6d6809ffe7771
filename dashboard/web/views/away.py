"""The page for when the API behind the dashboard gives nothing to show."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import http_date

from dashboard.sources.errors import SourceError, Unauthorized


def answer_away(request: HttpRequest, error: SourceError) -> HttpResponse:
    """503 with the source's one sentence, its request id, and when another try makes sense."""
    context = {"error": error, "refused": isinstance(error, Unauthorized)}
    response = render(request, "web/away.html", context, status=503)
    if error.retry_at and error.retry_at > datetime.now(UTC):
        response["Retry-After"] = http_date(error.retry_at.timestamp())
    return response
