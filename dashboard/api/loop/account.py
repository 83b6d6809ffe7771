"""Who a key is: the one route that needs no scope."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.http.auth import Caller
from dashboard.api.http.views import LoopView
from dashboard.api.loop.wire import account as wire
from dashboard.store.models import Workspace


class Introspect(LoopView):
    needs_scope = False
    answer = wire.Introspection

    def get(self, request: Request) -> Response:
        """The key that was sent, its workspace and its scopes; never the secret."""
        self.read_query()
        caller = self.caller
        key = caller.key
        workspace = key.workspace if key else self._own_workspace(caller)
        return Response(
            wire.Introspection(
                auth_type="api_key" if key else "in_process",
                key_id=key.pk if key else None,
                key_name=key.name if key else None,
                key_prefix=key.prefix if key else None,
                status="active",
                org=wire.Named(workspace.org_id, workspace.org_name),
                workspace=wire.Named(workspace.pk, workspace.name),
                user={},
                scopes=sorted(caller.scopes),
                rate_limit={},
                expires_at=key.expires_at if key else None,
                created_at=key.created_at if key else None,
                last_used_at=key.last_used_at if key else None,
            )
        )

    def _own_workspace(self, caller: Caller) -> Workspace:
        """The workspace of a call in this process, which may come before anything was stored in it."""
        default = Workspace(id=caller.workspace_id, name="Local workspace")
        return Workspace.objects.filter(pk=caller.workspace_id).first() or default
