"""`manage.py create_judge`: a rubric for the embedded workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.signals import wrote
from dashboard.store.errors import DomainError
from dashboard.store.judge import Draft, create_judge
from dashboard.store.models import Workspace


class Command(BaseCommand):
    help = "Write a judge: what makes an answer good, and what is scored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument(
            "--model", default="", help="the model that judges; else a benchmark names one, or DEFAULT_JUDGE_MODEL"
        )
        parser.add_argument("--scale", default=None, help='what it scores on, such as "1-5"; 0-1 when not given')
        parser.add_argument("--instructions", required=True, metavar="TEXT", help="@FILE reads them from a file")
        parser.add_argument(
            "--dimension", action="append", required=True, metavar="KEY=DESCRIPTION", help="may be given many times"
        )

    def handle(
        self,
        *_: Any,
        name: str,
        model: str,
        scale: str | None,
        instructions: str,
        dimension: list[str],
        **options: Any,
    ) -> None:
        if instructions.startswith("@"):
            try:
                instructions = Path(instructions[1:]).read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise CommandError(f"{instructions[1:]} cannot be read.") from error
        pairs = [text.partition("=")[::2] for text in dimension]
        draft = Draft(name, instructions, [(key, told.strip()) for key, told in pairs], model or None, scale=scale)
        try:
            judge = create_judge(Workspace.default(), draft)
        except DomainError as error:
            raise CommandError(" ".join(fault.message for fault in error.faults)) from error
        wrote.send(
            type(self),
            action="create",
            target_kind="judge",
            target_id=judge.pk,
            target_name=judge.name,
            message=f"scores {', '.join(entry['key'] for entry in judge.dimensions)}",
        )
        self.stdout.write(f'made judge {judge.pk} "{judge.name}"')
