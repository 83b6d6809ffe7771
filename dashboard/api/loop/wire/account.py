"""What a key says about itself."""

from __future__ import annotations

from datetime import datetime

from dashboard.api.http.shapes import Shape


class Named(Shape, frozen=True):
    id: str
    name: str


class Introspection(Shape, frozen=True):
    """`auth_type` is api_key, or in_process for the dashboard's own calls, which have no key."""

    auth_type: str
    key_id: str | None
    key_name: str | None
    key_prefix: str | None
    status: str
    org: Named
    workspace: Named
    user: dict[str, str]
    scopes: list[str]
    rate_limit: dict[str, int]
    expires_at: datetime | None
    created_at: datetime | None
    last_used_at: datetime | None
