"""`manage.py import list` and `manage.py import undo ID`: what was imported, and taking it back as a whole."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from dashboard.imports.record import CannotUndo, undo_import
from dashboard.signals import wrote
from dashboard.store.command import DataCommand
from dashboard.store.models import Import, Workspace
from dashboard.store.text.printing import escape_unseen


class Command(DataCommand):
    help = "List the imports, or take one back as a whole while nothing was decided on it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["list", "undo"])
        parser.add_argument("id", nargs="?", default="", help="which import to take back; its id was printed with it")

    def handle(self, *args: Any, action: str, id: str, **options: Any) -> None:  # noqa: A002 - the argument's name
        workspace = Workspace.default()
        if action == "list" or not id:
            for record in Import.objects.filter(workspace=workspace).order_by("-created_at", "-id"):
                gone = f", taken back {record.undone_at:%Y-%m-%d %H:%M}" if record.undone_at else ""
                line = f"{record.pk}  {record.created_at:%Y-%m-%d %H:%M} UTC  {record.kind}  {record.target}{gone}"
                self.stdout.write(escape_unseen(line))
            if action == "undo":
                raise CommandError("Say which import to take back: manage.py import undo ID")
            return
        try:
            record, removed = undo_import(workspace, id, timezone.now())
        except CannotUndo as error:
            raise CommandError(escape_unseen(f"{id}: {error}.")) from error
        said = ", ".join(f"{count} {noun}" for noun, count in removed.items()) or "nothing was left of it"
        wrote.send(
            type(self),
            action="undo_import",
            target_kind=record.kind,
            target_id=record.pk,
            target_name=record.target,
            message=f"taken back: {said}",
        )
        self.stdout.write(escape_unseen(f'taken back from "{record.target}": {said}'))
