"""Print a sign-in link that works once: `manage.py signin_link NAME`. The link stands alone on the last line."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from dashboard.web.site.addresses import build_origin, explain_origin
from dashboard.web.site.audit.log import COMMAND_LINE, record
from dashboard.web.site.people.change import find_person, make_link_path, one_at_a_time

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Command(BaseCommand):
    help = "Print a sign-in link for NAME that works once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the user's name")
        parser.add_argument(
            "--create-admin", action="store_true", help="make an administrator of that name where there is nobody"
        )
        parser.add_argument(
            "--base-url", help="where the dashboard is reached, when not at HOST and PORT or TRUSTED_ORIGINS"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_person(options["name"])
        if user is None and not options["create_admin"]:
            raise CommandError(
                f"There is nobody called {options['name']}. With --create-admin an administrator of that name is made; "
                "people with less to do are added at /people/."
            )
        user = user or self._make_admin(options["name"])
        if not user.is_active:
            raise CommandError(f"{user.get_username()} is switched off and cannot sign in.")
        origin = build_origin(settings.HOST, settings.PORT)
        if not options["base_url"] and (note := explain_origin(origin)):
            self.stdout.write(note)
        name = user.get_username()
        with record(
            None, action="make_link", target_kind="person", target_id=str(user.pk), target_name=name, who=COMMAND_LINE
        ):
            path = make_link_path(user)
        self.stdout.write((options["base_url"] or origin).rstrip("/") + path)

    def _make_admin(self, name: str) -> User:
        user = get_user_model()(username=name, is_staff=True, is_superuser=True)
        user.set_unusable_password()
        try:
            user.full_clean()
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from error
        with (
            record(None, action="add_person", target_kind="person", target_name=name, who=COMMAND_LINE) as entry,
            one_at_a_time(None),
        ):
            user.save()
            entry.target_id, entry.message = str(user.pk), "role admin, by sign-in link"
        self.stdout.write(f"Made the administrator {user.get_username()}.")
        return user
