"""Print a sign-in link that works once: `manage.py signin_link NAME`. The link stands alone on the last line."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from sesame.utils import get_query_string


class Command(BaseCommand):
    help = "Print a sign-in link for NAME that works once. Makes an administrator of that name where there is no user."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the user's name")
        parser.add_argument("--base-url", help="where the dashboard is reached, when not at HOST and PORT")

    def handle(self, *args: Any, **options: Any) -> None:
        users = get_user_model().objects
        user = users.filter(username=options["name"]).first()
        if user is None:
            user = users.model(username=options["name"], is_staff=True, is_superuser=True)
            user.set_unusable_password()
            try:
                user.full_clean()
            except ValidationError as error:
                raise CommandError("; ".join(error.messages)) from error
            user.save()
            self.stdout.write(f"Made the administrator {user.get_username()}.")
        if not user.is_active:
            raise CommandError(f"{user.get_username()} is switched off and cannot sign in.")
        base = (options["base_url"] or _own_base_url()).rstrip("/")
        self.stdout.write(base + reverse("sign-in-link") + get_query_string(user))


def _own_base_url() -> str:
    """Where this server listens, as a browser on the same machine would call it."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.HOST, settings.HOST)  # noqa: S104
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    return f"{'https' if settings.HTTPS else 'http'}://{host}:{settings.PORT}"
