"""Where a browser finds what an import made."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse

ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared with, not bound to


def build_address(route: str, *args: str) -> str:
    """The whole address of a page: at the proxy of HTTPS=1 if it is named, else where the server listens."""
    named = [origin for origin in settings.CSRF_TRUSTED_ORIGINS if "*" not in origin] if settings.HTTPS else []
    host = ANY_ADDRESS.get(settings.HOST, settings.HOST)
    origin = f"http://[{host}]:{settings.PORT}" if ":" in host else f"http://{host}:{settings.PORT}"
    return (named[0].rstrip("/") if named else origin) + reverse(route, args=args)
