"""Who has an account here and with which role: each change one locked transaction, with the rules inside it.

Every change takes its turn behind the row of the group "admin" (on SQLite, behind the database's write lock). So two
admins who demote each other at once are one after the other: the second is no admin any more, or would be the last.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import transaction
from django.urls import reverse
from sesame.utils import get_query_string

from dashboard.web.common.refusals import Refusal
from dashboard.web.site import access
from dashboard.web.site.access import ROLES, Role

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@contextmanager
def one_at_a_time(actor: User | None) -> Iterator[None]:
    """A transaction in which nobody else changes people. NotAllowed when `actor` is no admin any more.

    None stands for somebody on the server itself, who may.
    """
    with transaction.atomic():
        Group.objects.select_for_update().get_or_create(name="admin")
        if actor is not None:
            access.check(get_user_model().objects.get(pk=actor.pk), "manage_people")
        yield


def fold_name(name: str) -> str:
    """Two names with the same fold are one name: case and compatible forms of a letter do not tell people apart."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def find_person(name: str) -> User | None:
    """The person of that name, as it is written or else in any case."""
    users = get_user_model().objects
    exact = users.filter(username=name).first()
    if exact is not None:
        return exact
    wanted = fold_name(name)
    names = users.order_by("pk").values_list("pk", "username")
    numbers = [pk for pk, known in names if fold_name(known) == wanted]
    return users.filter(pk__in=numbers[:1]).first()


def add_person(actor: User | None, name: str, role: Role, password: str | None) -> User:
    """A new account. Without a password only a sign-in link lets them in. Refusal for a name that is taken."""
    with one_at_a_time(actor):
        if (known := find_person(name)) is not None:
            raise Refusal("NAME_TAKEN", f"There is somebody called {known.get_username()} already.")
        user = get_user_model().objects.create_user(name, password=password)
        give_role(user, role)
    return user


def change_role(actor: User, person_id: int, role: Role) -> Role | None:
    """Give the person this role instead of theirs, which is returned. Refusal for the last active admin."""
    with one_at_a_time(actor):
        person = get_user_model().objects.get(pk=person_id)
        before = access.role_of(person)
        if role != "admin":
            keep_an_admin(person)
        if role != before:
            give_role(person, role)
    return before


def set_active(actor: User, person_id: int, active: bool) -> None:
    """Let the person in again, or end their sessions at their next request. Refusal for the last active admin."""
    with one_at_a_time(actor):
        person = get_user_model().objects.get(pk=person_id)
        if not active:
            keep_an_admin(person)
        person.is_active = active
        person.save(update_fields=["is_active"])


def keep_an_admin(person: User) -> None:
    """Refusal when nobody but this person is an active admin."""
    admins = list(access.list_admins())
    if person in admins and len(admins) == 1:
        message = f"{person.get_username()} is the last active administrator: make somebody else one first."
        raise Refusal("LAST_ADMIN", message)


def give_role(person: User, role: Role) -> None:
    """This role and no other of ours; a superuser stays one only as an admin."""
    if person.is_superuser and role != "admin":
        person.is_superuser = person.is_staff = False
        person.save(update_fields=["is_superuser", "is_staff"])
    person.groups.remove(*Group.objects.filter(name__in=ROLES))
    person.groups.add(Group.objects.get_or_create(name=role)[0])


def make_link_path(person: User) -> str:
    """Path and query of a sign-in link that works once. Whoever holds it is that person: show it once, log it never."""
    query: str = get_query_string(person)
    return reverse("sign-in-link") + query
