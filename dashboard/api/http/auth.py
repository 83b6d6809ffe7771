"""Who calls, and what they may do: an API key from the network, or the dashboard itself in this process."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from dashboard.api.http.errors import Refusal
from dashboard.contract import ACTOR_KEY, READ, SCOPES, WORKSPACE_KEY, WRITE
from dashboard.store.key import find_key, touch_key
from dashboard.store.models import ApiKey, Workspace

ACTOR_LENGTH = 200
API_KEY = "benchtrend.key"
"""The META key for the (id, name) of the known key that a request carried, be it revoked, expired or too narrow."""


@dataclass(frozen=True)
class Caller:
    """The workspace a request reads and writes, with which scopes, and in whose name.

    `actor` is what records of the write carry: the key's name, or whom a call in this process (no `key`) is made for.
    """

    workspace_id: str
    scopes: frozenset[str]
    actor: str
    key: ApiKey | None = None
    is_authenticated = True

    @property
    def in_process(self) -> bool:
        return self.key is None

    def ensure_workspace(self) -> Workspace:
        """The caller's workspace, made when a call in this process is the first thing that happens in it."""
        return Workspace.objects.get_or_create(id=self.workspace_id, defaults={"name": "Local workspace"})[0]


class CallerAuthentication(BaseAuthentication):
    """Reads X-API-Key or Authorization: Bearer. The website's session counts for nothing here."""

    def authenticate(self, request: Request) -> tuple[Caller, None] | None:
        caller = self._trusted(request) or self._by_key(request)
        asked = request.META.get("HTTP_X_WORKSPACE_ID")
        if caller and asked and asked != caller.workspace_id:
            raise Refusal(403, "WORKSPACE_MISMATCH", "This key belongs to another workspace than X-Workspace-ID names.")
        org = request.META.get("HTTP_X_ORG_ID")
        if caller and caller.key and org and org != caller.key.workspace.org_id:
            raise Refusal(403, "ORG_MISMATCH", "This key belongs to another organisation than X-Org-ID names.")
        return (caller, None) if caller else None

    def _trusted(self, request: Request) -> Caller | None:
        workspace_id = request.META.get(WORKSPACE_KEY)
        if not workspace_id:
            return None
        actor = str(request.META.get(ACTOR_KEY) or "dashboard")[:ACTOR_LENGTH]
        return Caller(workspace_id, frozenset(SCOPES), actor)

    def _by_key(self, request: Request) -> Caller | None:
        secret = request.META.get("HTTP_X_API_KEY", "").strip()
        if not secret:
            scheme, _, secret = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
            secret = secret.strip() if scheme.lower() == "bearer" else ""
        if not secret:
            return None
        key, now = find_key(secret), timezone.now()
        if key is None:
            raise Refusal(401, "INVALID_API_KEY", "The API key is not known.")
        request.META[API_KEY] = key.pk, key.name
        if key.revoked_at is not None:
            raise Refusal(401, "API_KEY_REVOKED", "The API key was revoked.")
        if key.expires_at is not None and key.expires_at <= now:
            raise Refusal(401, "API_KEY_EXPIRED", "The API key has expired.")
        touch_key(key, now)
        return Caller(key.workspace_id, frozenset(key.scopes), key.name, key)


class HasScope(BasePermission):
    """The one permission rule: reading needs loop:read, everything else loop:write.

    A view may set `needs_scope = False` (any valid key will do). A method that the view does not have passes, so that
    it is answered 405 and not 403.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        caller = caller_of(request)
        if caller is None:
            raise Refusal(401, "MISSING_API_KEY", "Send an API key as X-API-Key or Authorization: Bearer.")
        if not getattr(view, "needs_scope", True) or request.method not in view.allowed_methods:
            return True
        needed = READ if request.method in ("GET", "HEAD") else WRITE
        if needed not in caller.scopes:
            raise Refusal(403, "MISSING_SCOPE", f"This key lacks the scope {needed}.", scope=needed)
        return True


def caller_of(request: Request) -> Caller | None:
    """Who is calling; None when the request carried no key."""
    return request.user if isinstance(request.user, Caller) else None
