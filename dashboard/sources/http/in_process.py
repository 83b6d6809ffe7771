"""The httpx transport onto our own service: its whole HTTP path in this process, without a socket.

Not `httpx.WSGITransport`: that runs the WSGI application, whose request signals close the database connection of the
request that we are in the middle of, and which resets the script prefix. Calling the handler below keeps both, and
works inside `atomic()`.

The site's middleware does not run for these calls: there is no session, no browser, no compression and no HTTPS to
enforce between a process and itself, and a redirect to HTTPS or to the sign-in would be wrong. The service's own
middleware does, so that what the API does (its request id, its log) is the same for every caller.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

import httpx
from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.exception import convert_exception_to_response
from django.core.handlers.wsgi import WSGIRequest
from django.http.response import HttpResponseBase
from django.utils.module_loading import import_string

from dashboard.contract import ACTOR_KEY, WORKSPACE_KEY

logger = logging.getLogger(__name__)

SERVICE_MIDDLEWARE = ("dashboard.request_id.", "dashboard.api.")


class _ServiceHandler(BaseHandler):
    """Django's handler with the service's middleware alone."""

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: ARG002 - Django's signature
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
        handle = convert_exception_to_response(self._get_response)  # type: ignore[attr-defined]
        for path in reversed(settings.MIDDLEWARE):
            if path.startswith(SERVICE_MIDDLEWARE):
                handle = convert_exception_to_response(import_string(path)(handle))
        self._middleware_chain = handle


@lru_cache(maxsize=1)
def _get_handler() -> _ServiceHandler:
    handler = _ServiceHandler()
    handler.load_middleware()
    return handler


class InProcessTransport(httpx.BaseTransport):
    """Answers each request from this site's own URLs, as the named workspace."""

    def __init__(self, workspace_id: str) -> None:
        self._workspace_id = workspace_id

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            response = _get_handler().get_response(WSGIRequest(self._build_environ(request)))
            try:
                body = b"".join(_read(response))
            finally:
                _close(response)
        except Exception:  # what a server would do: whatever broke in there is a 500 out here
            logger.exception("The embedded service failed")
            return httpx.Response(500, stream=httpx.ByteStream(b""))
        return httpx.Response(response.status_code, headers=list(response.items()), stream=httpx.ByteStream(body))

    def _build_environ(self, request: httpx.Request) -> dict[str, Any]:
        body = request.read()
        environ: dict[str, Any] = {
            "REQUEST_METHOD": request.method,
            "SCRIPT_NAME": "",
            # WSGI wants the bytes of the decoded path, each as one latin-1 character.
            "PATH_INFO": unquote_to_bytes(request.url.raw_path.partition(b"?")[0]).decode("latin-1"),
            "QUERY_STRING": request.url.query.decode("ascii"),
            "SERVER_NAME": request.url.host,
            "SERVER_PORT": str(request.url.port or 80),
            "SERVER_PROTOCOL": "HTTP/1.1",
            "CONTENT_LENGTH": str(len(body)),
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
            "wsgi.input": BytesIO(body),
            "wsgi.url_scheme": request.url.scheme,
            WORKSPACE_KEY: self._workspace_id,
            ACTOR_KEY: request.extensions.get("actor", ""),
        }
        for name, value in request.headers.items():
            if name not in ("content-type", "content-length"):
                environ[f"HTTP_{name.upper().replace('-', '_')}"] = value
        return environ


def _read(response: HttpResponseBase) -> Iterator[bytes]:
    return iter(response.streaming_content if response.streaming else [response.content])  # type: ignore[attr-defined]


def _close(response: HttpResponseBase) -> None:
    """What `response.close()` does, less the signal that would close the database connection we are using."""
    for close in response._resource_closers:  # type: ignore[attr-defined]
        close()
    response.closed = True
