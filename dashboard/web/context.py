"""What every template knows of the person it is shown to."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from dashboard.web import access


def permissions(request: HttpRequest) -> dict[str, object]:
    """`may.<action>`: the one permission rule, asked only where a template asks. `role`: the person's, or None."""

    def ask() -> dict[str, bool]:
        return {action: access.may(request.user, action) for action in access.ACTIONS}

    return {"may": SimpleLazyObject(ask), "role": SimpleLazyObject(lambda: access.role_of(request.user))}
