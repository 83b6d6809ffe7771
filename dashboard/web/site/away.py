"""The page for when the API behind the dashboard gives nothing to show."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import http_date

from dashboard.sources.http.errors import SourceError, Unauthorized
from dashboard.sources.reader import Source
from dashboard.web.common.sources import KEY_SETTINGS, SOURCES


def answer_away(request: HttpRequest, error: SourceError | Mapping[Source, SourceError]) -> HttpResponse:
    """503 with each source's one sentence, its request id, and when another try makes sense.

    An error alone is the Loop source's.
    """
    errors: Mapping[Source, SourceError] = {"loop": error} if isinstance(error, SourceError) else error
    named = len(errors) > 1 or "loop" not in errors
    sources = [
        {
            "name": SOURCES[name] if named else "The service",
            "error": error,
            "refused": isinstance(error, Unauthorized),
            "key": KEY_SETTINGS[name],
        }
        for name, error in errors.items()
    ]
    response = render(request, "web/site/away.html", {"sources": sources}, status=503)
    tries = [error.retry_at for error in errors.values() if error.retry_at]
    if tries and min(tries) > datetime.now(UTC):
        response["Retry-After"] = http_date(min(tries).timestamp())
    return response
