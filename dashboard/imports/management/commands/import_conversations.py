"""`manage.py import_conversations`: brings conversations in from a file, to be pinned."""

from __future__ import annotations

import json
import re
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from dashboard.imports.record import remember
from dashboard.signals import wrote
from dashboard.store.command import DataCommand
from dashboard.store.conversations.keep import Stored, identify, store_conversations
from dashboard.store.conversations.read import ROLES, Conversation, RowUnreadable, read_row
from dashboard.store.models import Trace, Workspace
from dashboard.store.text.printing import escape_unseen
from dashboard.store.text.strict_json import NotJson, find_unstorable, parse_json

BATCH = 1000
WHITE = re.compile(r"[ \t\r\n]*")
SCANNER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str, strict=False)
"""Finds where a value ends; what it may hold is judged afterwards."""
EPILOG = """
The file is JSONL, one conversation a line, or one JSON list of them, or objects that span lines, each in one of these
shapes:

  {"messages": [{"role": "user", "content": "…"}, …], "tools": […]}      OpenAI
  {"conversations": [{"from": "human", "value": "…"}, …]}                ShareGPT
  {"turns": ["first question", "second question"]}                       questions without answers
  {"prompt": "…", "completion": "…"}                                     also question, instruction; answer, output

Other keys are kept as metadata. A conversation is known by its own id (external_id, id, conversation_id, question_id
or uuid), else by what it says, so importing a file again adds nothing. A row that cannot be read is named by its line
and the others are imported; then, as when an id came back with other words, the exit status is 1.
"""


class Command(DataCommand):
    help = "Import conversations from a JSONL or JSON file."

    def create_parser(self, *args: Any, **kwargs: Any) -> CommandParser:
        return super().create_parser(*args, epilog=EPILOG, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--source", required=True, metavar="NAME", help="what they are filed under")
        parser.add_argument("--model", default="", help="what answered, for rows that do not say")
        parser.add_argument(
            "--role", action="append", default=[], metavar="NAME=ROLE", help="whose turns are called NAME in the file"
        )
        parser.add_argument("--dry-run", action="store_true", help="read the file, write nothing")

    def handle(self, *args: Any, file: Path, source: str, model: str, dry_run: bool, **options: Any) -> None:
        for name, text in (("--source", source), ("--model", model)):
            if len(text) > 200 or find_unstorable(text) is not None or (name == "--source" and not text.strip()):
                raise CommandError(f"{name} has 1 to 200 characters.")
        try:
            raw = file.read_bytes()
        except OSError as error:
            raise CommandError(escape_unseen(f"{file} cannot be read: {error.strerror}.")) from error
        rows, problems = self._read(raw, _read_roles(options["role"]))
        created = present = conflicts = 0
        ids: list[str] = []
        with transaction.atomic() if dry_run else nullcontext():
            for start in range(0, len(rows), BATCH):
                some = rows[start : start + BATCH]
                stored = self._store(source, model, some)
                created, present = created + len(stored.created), present + len(stored.present)
                conflicts += len(stored.conflicts)
                ids += stored.created.values()
                for n in stored.conflicts:
                    line, external_id, _ = some[n]
                    self.stderr.write(
                        escape_unseen(f"{line}: conflict, left as it was: {external_id} says something else there")
                    )
            if dry_run:
                transaction.set_rollback(True)
        record = None if dry_run else remember(Trace, ids, "conversations", source.strip(), timezone.now())
        if created and not dry_run:
            wrote.send(
                type(self),
                action="import",
                target_kind="conversations",
                target_name=source.strip(),
                message=f"{created} imported, {problems} refused, {conflicts} in conflict",
            )
        verb = "would import" if dry_run else "imported"
        self.stdout.write(
            escape_unseen(f'{verb} {created} conversations under "{source.strip()}"; {present} already there')
        )
        if record:
            self.stdout.write(f"to take it back: python manage.py import undo {record.pk}")
        if problems or conflicts:
            raise CommandError(f"{problems} rows could not be read, {conflicts} in conflict")

    def _store(self, source: str, model: str, rows: list[tuple[str, str, Conversation]]) -> Stored:
        given = [(external_id, conversation) for _, external_id, conversation in rows]
        return store_conversations(Workspace.default().pk, source.strip(), given, timezone.now(), model=model)

    def _read(self, raw: bytes, roles: dict[str, str]) -> tuple[list[tuple[str, str, Conversation]], int]:
        """(place, id, conversation) of every row that can be read, and how many cannot, which are named."""
        rows, problems = [], 0
        for place, row in _split(raw):
            try:
                if isinstance(row, NotJson):
                    raise row
                conversation = read_row(parse_json(row), roles)
            except (NotJson, RowUnreadable) as error:
                led = " (--role NAME=assistant says it)" if "nothing says whose turn" in str(error) else ""
                self.stderr.write(escape_unseen(f"{place}: not read: {error}{led}"))
                problems += 1
            else:
                rows.append((place, identify(conversation), conversation))
        return rows, problems


def _read_roles(given: list[str]) -> dict[str, str]:
    """The usual names, and those of NAME=ROLE before them."""
    said = {}
    for text in given:
        name, _, role = text.rpartition("=")
        if not name.strip() or role.strip() not in ROLES.values():
            raise CommandError(
                f"--role {text}: it is NAME=ROLE, and a role is one of {', '.join(sorted(set(ROLES.values())))}"
            )
        said[name.strip().casefold()] = role.strip()
    return ROLES | said


def _split(raw: bytes) -> Iterator[tuple[str, bytes | NotJson]]:
    """Each row's bytes, or why nothing can be read from there on, with its place, such as "line 7"."""
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    # A byte that is no UTF-8 becomes a character that turns back into it: it spoils its own row and no other.
    text = raw.decode(errors="surrogateescape")
    if _spans_lines(text):
        yield from _split_values(text)
        return
    for n, line in enumerate(raw.split(b"\n"), 1):
        if line.strip():
            yield f"line {n}", line


def _spans_lines(text: str) -> bool:
    """True for a list, and for objects that are laid out over several lines: line by line they are nothing."""
    start = _skip(text, 0)
    if text[start : start + 1] == "[":
        return True
    try:
        _, end = SCANNER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return False
    return "\n" in text[start:end]


def _split_values(text: str) -> Iterator[tuple[str, bytes | NotJson]]:
    """The entries of a list, or values one after another, each with the line that it starts in."""
    at = _skip(text, 0)
    listed = text.startswith("[", at)
    at = _skip(text, at + listed)
    line, counted = 1, 0
    while at < len(text) and not (listed and text[at] == "]"):
        line, counted = line + text.count("\n", counted, at), at
        try:
            _, end = SCANNER.raw_decode(text, at)
        except (ValueError, RecursionError):
            yield f"line {line}", NotJson("it is not JSON, and the rest of the file cannot be read after it")
            return
        yield f"line {line}", text[at:end].encode(errors="surrogateescape")
        at = _skip(text, end)
        if listed and text.startswith(",", at):
            at = _skip(text, at + 1)
    if listed and text[at:].rstrip() != "]":
        yield f"line {1 + text.count(chr(10), 0, at)}", NotJson("the list has to end here, and the file with it")


def _skip(text: str, at: int) -> int:
    """The place of the next character that is no white space."""
    found: re.Match[str] = WHITE.match(text, at)  # type: ignore[assignment]  # it matches nothing, too
    return found.end()
