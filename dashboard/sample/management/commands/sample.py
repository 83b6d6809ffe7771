"""`manage.py sample create|remove`: the sample workspace, marked as such in the database."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.sample.make import SampleRefused, create_sample, fill_if_empty, remove_sample
from dashboard.signals import wrote


class Command(BaseCommand):
    help = "Make or remove the sample workspace: a team's year of benchmarks, replays and decisions."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["create", "remove"])
        parser.add_argument(
            "--if-empty", action="store_true", help="create only in an empty database, and not again once removed"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        if options["action"] == "remove":
            removed, kept = remove_sample()
            said = ", ".join(f"{count} {noun}" for noun, count in removed.items())
            if removed:
                wrote.send(type(self), action="remove", target_kind="sample workspace", message=said)
            self.stdout.write(f"removed {said}" if removed else "there was no sample data")
            for sentence in kept:
                self.stdout.write(f"kept {sentence}")
            return
        try:
            made = fill_if_empty() if options["if_empty"] else create_sample()
        except SampleRefused as error:
            raise CommandError(str(error)) from error
        if made:
            wrote.send(type(self), action="create", target_kind="sample workspace")
        self.stdout.write(
            "made the sample workspace" if made else "nothing made: there is data, or it was removed before"
        )
