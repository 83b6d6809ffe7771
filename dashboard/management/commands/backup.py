"""manage.py backup FILE: one whole copy of the database, of a server that runs."""

import os
import sqlite3
from argparse import ArgumentParser
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection


class Command(BaseCommand):
    help = "Copy the SQLite database to FILE, as it is at one moment, while the server runs. FILE must not exist yet."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="where the copy goes")

    def handle(self, *args: Any, **options: Any) -> None:
        target: Path = options["file"]
        if connection.vendor != "sqlite":
            raise CommandError(
                "This database is no file. Postgres has its own: pg_dump --format=custom --file FILE URL"
            )
        if target.exists():
            raise CommandError(f"{target} is there already, and no backup is written over.")
        source = Path(connection.settings_dict["NAME"])
        if not source.is_file():
            raise CommandError(f"There is no database at {source}. BENCHTREND_DATA names the state folder.")
        try:
            copy(source, target)
        except (OSError, sqlite3.Error) as error:
            raise CommandError(f"{target} was not written: {error}.") from error
        self.stdout.write(f"Copied {source} to {target}.")


def copy(source: Path, target: Path) -> None:
    """This database as a new file, whole or not at all, for its owner alone. Raises OSError, sqlite3.Error."""
    draft = target.with_name(f".{target.name}-{os.getpid()}")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL, 0o600))
        with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(draft)) as written:
            read.backup(written)
            written.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        os.link(draft, target)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()
