"""`manage.py create_judge`: a rubric for the embedded workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.api.http.body import read_fields
from dashboard.api.loop.sources import CREATE_JUDGE
from dashboard.signals import command_wrote
from dashboard.store.models import Judge, Workspace


class Command(BaseCommand):
    help = "Write a judge: what makes an answer good, and what is scored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--model", default="", help="the model that judges; else each benchmark names one")
        parser.add_argument("--instructions", required=True, metavar="TEXT", help="@FILE reads them from a file")
        parser.add_argument(
            "--dimension", action="append", required=True, metavar="KEY=DESCRIPTION", help="may be given many times"
        )

    def handle(self, *_: Any, name: str, model: str, instructions: str, dimension: list[str], **options: Any) -> None:
        if instructions.startswith("@"):
            try:
                instructions = Path(instructions[1:]).read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise CommandError(f"{instructions[1:]} cannot be read.") from error
        given = {
            "name": name,
            "model": model or None,
            "instructions": instructions,
            "dimensions": [
                {"key": key, "description": description.strip()}
                for key, description in (text.partition("=")[::2] for text in dimension)
            ],
        }
        body, faults = read_fields(given, CREATE_JUDGE.fields or ())
        if faults:
            raise CommandError(" ".join(f"{at} {fault.message}." for at, fault in faults))
        if len({entry["key"] for entry in body["dimensions"]}) < len(dimension):
            raise CommandError("A dimension is given twice.")
        judge = Judge(
            workspace=Workspace.default(),
            name=body["name"],
            model=body["model"] or "",
            instructions=body["instructions"],
            dimensions=body["dimensions"],
        )
        judge.save(force_insert=True)
        command_wrote.send(
            type(self),
            action="create",
            target_kind="judge",
            target_id=judge.pk,
            target_name=judge.name,
            message=f"scores {', '.join(entry['key'] for entry in judge.dimensions)}",
        )
        self.stdout.write(f'made judge {judge.pk} "{judge.name}"')
