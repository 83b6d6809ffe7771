"""The audit log of what was not done on a page: writes over the API with a key, and commands on the server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from dashboard.web.common.links import API_PREFIXES
from dashboard.web.site.audit import log as audit

KEY = "benchtrend.key"
"""Where the service leaves the (id, name) of the key that a request carried. No header can set it."""
WRITES = {
    ("POST", "/loop/benchmarks"): ("create", "benchmark"),
    ("POST", "/retire"): ("retire", "benchmark"),
    ("PUT", "/benchmark"): ("attach", "rule"),
    ("POST", "/loop/judges"): ("create", "judge"),
    ("POST", "/loop/import"): ("import", "conversations"),
    ("DELETE", "/loop/traces/<opaque:trace_id>"): ("delete", "conversation"),
}
"""Method and end of a route -> what the write is and of what. A service's route that is not here is named as it is."""
_PARAMETER = re.compile(r"<[^>]*>")
"""An id in a route, which people read as {id}."""
SAFE = ("GET", "HEAD", "OPTIONS")


def record_api_writes(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware just outside the API: one entry for each write that a known key tried, whatever came of it.

    A call without a key, or with one that nobody knows, is nobody's, and reaches nothing: strangers do not fill the
    log. Pages call the service in this process, past this middleware, and have written their own entry.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.method not in SAFE and request.path_info.startswith(API_PREFIXES) and KEY in request.META:
            key_id, key_name = request.META[KEY]
            audit.write(None, describe_call(request, response), who=f"API key {key_name} ({key_id})")
        return response

    return middleware


def describe_call(request: HttpRequest, response: HttpResponse) -> audit.Draft:
    """What the call was and what came of it, from its route and its answer."""
    match = request.resolver_match
    route = match.route if match else request.path_info
    known = (what for (method, end), what in WRITES.items() if method == request.method and route.endswith(end))
    action, kind = next(known, (f"{request.method} /{_PARAMETER.sub('{id}', route.lstrip('/'))}", ""))
    ids = list(match.kwargs.values()) if match else []
    entry = audit.Draft(action[:50], kind, target_id=ids[0] if ids else "")
    body = _read_object(response.content)
    if response.status_code >= 400:
        error = body.get("error")
        error = error if isinstance(error, dict) else {}
        entry.outcome = "refused" if response.status_code < 500 else "failed"
        entry.code = error.get("code") or str(response.status_code)
        entry.message = f"{response.status_code}: {error.get('message') or 'no reason was given'}"
        return entry
    made = body.get(kind)
    if isinstance(made, dict):
        entry.target_id, entry.target_name = str(made.get("id")), str(made.get("name"))
    match action, kind:
        case "create", "benchmark":
            entry.message = f"{body[kind]['item_count']} conversations, judge {body[kind]['judge_name']}"
        case "attach", "rule":
            entry.action = "attach" if body[kind]["benchmark_id"] else "detach"
            entry.message = f"replays {body[kind]['benchmark_id'] or 'nothing'}"
        case "import", _:
            entry.target_id = body["import_id"]
            entry.message = f"{body['imported']} imported, {body['refused']} refused"
    return entry


def record_command(sender: object, **told: Any) -> None:
    """The receiver of `command_wrote`."""
    told.pop("signal")
    audit.write(None, audit.Draft(**told), who=audit.COMMAND_LINE)


def _read_object(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
