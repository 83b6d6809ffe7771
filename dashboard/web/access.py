"""The one permission rule: which person may do what. Pages, fragments and exports all ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from django.core.exceptions import PermissionDenied

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

Action = Literal["read"]


def may(user: User | AnonymousUser, action: Action) -> bool:
    """True when this person may do this. Today every active, signed-in person reads and nobody writes."""
    return user.is_authenticated and user.is_active and action == "read"


def check(user: User | AnonymousUser, action: Action) -> None:
    """Raise PermissionDenied unless `may` says yes."""
    if not may(user, action):
        raise PermissionDenied
