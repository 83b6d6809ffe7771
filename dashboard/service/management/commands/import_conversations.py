"""`manage.py import_conversations`: brings conversations in from a file, to be pinned."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from dashboard.service.conversations import Conversation, RowUnreadable, read_row
from dashboard.service.conversations_store import Stored, identify, store_conversations
from dashboard.service.models import Workspace
from dashboard.service.strict_json import NotJson, find_unstorable, parse_json

BATCH = 1000
EPILOG = """
The file is JSONL, one conversation a line, or one JSON list of them, each in one of these shapes:

  {"messages": [{"role": "user", "content": "…"}, …], "tools": […]}      OpenAI
  {"conversations": [{"from": "human", "value": "…"}, …]}                ShareGPT
  {"turns": ["first question", "second question"]}                       questions without answers
  {"prompt": "…", "completion": "…"}                                     also question, instruction; answer, output

Other keys are kept as metadata. A conversation is known by its own id (external_id, id, conversation_id, question_id
or uuid), else by what it says, so importing a file again adds nothing. A row that cannot be read is named by its line
and the others are imported; then, as when an id came back with other words, the exit status is 1.
"""


class Command(BaseCommand):
    help = "Import conversations from a JSONL or JSON file."

    def create_parser(self, *args: Any, **kwargs: Any) -> CommandParser:
        return super().create_parser(*args, epilog=EPILOG, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--source", required=True, metavar="NAME", help="what they are filed under")
        parser.add_argument("--model", default="", help="what answered, for rows that do not say")
        parser.add_argument("--dry-run", action="store_true", help="read the file, write nothing")

    def handle(self, *_: Any, file: Path, source: str, model: str, dry_run: bool, **options: Any) -> None:
        for name, text in (("--source", source), ("--model", model)):
            if len(text) > 200 or find_unstorable(text) is not None or (name == "--source" and not text.strip()):
                raise CommandError(f"{name} has 1 to 200 characters.")
        try:
            raw = file.read_bytes()
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        rows, problems = self._read(raw)
        created = present = conflicts = 0
        with transaction.atomic() if dry_run else nullcontext():
            for start in range(0, len(rows), BATCH):
                some = rows[start : start + BATCH]
                stored = self._store(source, model, some)
                created, present = created + len(stored.created), present + len(stored.present)
                conflicts += len(stored.conflicts)
                for n in stored.conflicts:
                    self.stderr.write(f"{some[n][0]}: conflict, left as it was: {some[n][1]} says something else there")
            if dry_run:
                transaction.set_rollback(True)
        verb = "would import" if dry_run else "imported"
        self.stdout.write(f'{verb} {created} conversations under "{source.strip()}"; {present} already there')
        if problems or conflicts:
            raise CommandError(f"{problems} rows could not be read, {conflicts} in conflict")

    def _store(self, source: str, model: str, rows: list[tuple[str, str, Conversation]]) -> Stored:
        given = [(external_id, conversation) for _, external_id, conversation in rows]
        return store_conversations(Workspace.default().pk, source.strip(), given, timezone.now(), model=model)

    def _read(self, raw: bytes) -> tuple[list[tuple[str, str, Conversation]], int]:
        """(place, id, conversation) of every row that can be read, and how many cannot, which are named."""
        rows, problems = [], 0
        for place, row in _split(raw):
            try:
                conversation = read_row(parse_json(row) if isinstance(row, bytes) else row)
            except (NotJson, RowUnreadable) as error:
                self.stderr.write(f"{place}: not read: {error}")
                problems += 1
            else:
                rows.append((place, identify(conversation), conversation))
        return rows, problems


def _split(raw: bytes) -> Iterator[tuple[str, Any]]:
    """Each row with its place: ("line 7", bytes) of JSONL, ("row 7", value) of a JSON list. Raises CommandError."""
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    if raw.lstrip().startswith(b"["):
        try:
            values = parse_json(raw)
        except NotJson as error:
            raise CommandError(f"The file starts as a JSON list and cannot be taken: {error}.") from error
        yield from ((f"row {n}", value) for n, value in enumerate(values, 1))
        return
    for n, line in enumerate(raw.split(b"\n"), 1):
        if line.strip():
            yield f"line {n}", line
