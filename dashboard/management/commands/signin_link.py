"""manage.py signin_link NAME: prints a link that signs that user in once, alone on its last line."""

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandParser
from sesame.utils import get_query_string


class Command(BaseCommand):
    help = "Print a link that signs in once. Makes an admin of that name where there is no user yet."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--base-url", default=f"http://{settings.HOST}:{settings.PORT}", help="where the server is")

    def handle(self, *args: Any, **options: Any) -> None:
        users = get_user_model()
        user = users.objects.filter(username=options["name"]).first() or users.objects.create_superuser(options["name"])
        self.stdout.write(f"{options['base_url']}/sign-in/link/{get_query_string(user)}")
