"""The one permission rule: which person may do what. Pages, fragments, exports and writes all ask it.

A role is a Django group of that name, and what a role may do stands here, in one table. A person has one role; of
several, all count. Superusers are admins. Somebody without a role may sign in, change their password, and be told whom
to ask. Roles are read from the database once a request and kept nowhere else, so a change counts from the next one.

The embedded API is asked with keys of its own, whose scopes (`loop:read`, `loop:write`) `manage.py apikey` gives: no
session and no role opens it. Pages write through it in a person's name only after this rule said yes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet, prefetch_related_objects

from dashboard.contract import WRITE
from dashboard.sources import reader
from dashboard.sources.connect import get_connection
from dashboard.sources.reader import Known

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

Action = Literal["read", "create", "retire", "attach", "decide", "see_environment", "manage_people", "read_audit"]
Role = Literal["viewer", "member", "reviewer", "admin"]

ACTIONS: tuple[Action, ...] = get_args(Action)
ROLES: tuple[Role, ...] = get_args(Role)
"""Each may all that those before it may."""

NEEDED_ROLE: dict[Action, Role] = {
    "read": "viewer",
    "create": "member",
    "retire": "member",
    "attach": "member",
    "decide": "reviewer",
    "see_environment": "member",
    "manage_people": "admin",
    "read_audit": "admin",
}
"""The least role for each action."""

WORDS: dict[Action, str] = {
    "read": "reading this workspace",
    "create": "creating benchmarks",
    "retire": "retiring benchmarks",
    "attach": "attaching benchmarks to rules",
    "decide": "deciding promotions",
    "see_environment": "seeing the environment values of a run",
    "manage_people": "managing people",
    "read_audit": "reading the audit log",
}
"""Each action as a sentence says it."""

THROUGH_THE_API: frozenset[Action] = frozenset({"create", "retire", "attach", "decide"})
"""Writes that are the workspace's, so its key must allow them too."""


class NotAllowed(PermissionDenied):
    """This person may not do this. `recorded` once the audit log says so."""

    code = "NOT_ALLOWED"

    def __init__(self, action: Action) -> None:
        super().__init__(self.explain(action))
        self.action = action
        self.recorded = False

    def explain(self, action: Action) -> str:
        return f"{WORDS[action]} needs the role {NEEDED_ROLE[action]}"


class KeyMayNotWrite(NotAllowed):
    """Nobody may do this here: the key of the remote workspace can only read."""

    code = "KEY_MAY_NOT_WRITE"

    def explain(self, action: Action) -> str:
        return f"{WORDS[action]} needs an API key with the scope {WRITE}"


def role_of(user: User | AnonymousUser) -> Role | None:
    """The person's role, the highest of several; None without one."""
    if not user.is_authenticated:
        return None
    if user.is_superuser:
        return "admin"
    prefetch_related_objects([user], "groups")  # once for each user object, and a request has its own
    names = {group.name for group in user.groups.all()}
    return next((role for role in reversed(ROLES) if role in names), None)


def may(user: User | AnonymousUser, action: Action) -> bool:
    """True when this person may do this."""
    if not user.is_authenticated or not user.is_active:
        return False
    role = role_of(user)
    return role is not None and ROLES.index(role) >= ROLES.index(NEEDED_ROLE[action])


def check(user: User | AnonymousUser, action: Action) -> None:
    """Raise NotAllowed, which is a PermissionDenied, unless `may` says yes and, for a write of the workspace, its key
    may write (KeyMayNotWrite): nobody fills in what could only be refused."""
    if not may(user, action):
        raise NotAllowed(action)
    if action in THROUGH_THE_API and not api_may_write():
        raise KeyMayNotWrite(action)


def list_admins() -> QuerySet[User]:
    """Every active admin, the oldest account first."""
    admins = Q(is_superuser=True) | Q(groups__name="admin")
    return get_user_model().objects.filter(admins, is_active=True).distinct().order_by("pk")


def api_may_write() -> bool:
    """False when the key of a remote workspace is known to lack `loop:write`: its pages can only read.

    Asked at most once a minute, and no page waits for it for long. When nobody can say, True: the service then refuses
    in its own words.
    """
    if get_connection().embedded:
        return True
    match reader.identity():
        case Known(value=identity):
            return not identity.scopes or WRITE in identity.scopes
        case _:
            return True
