"""What every command over the stored data begins with: that there is a database, of this release."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


class DataCommand(BaseCommand):
    """A command that reads or writes stored data, and says in a sentence where nobody has set it up."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            state = "is of another release" if executor.loader.applied_migrations else "was never opened"
            raise CommandError(
                f"The database of {settings.DATA_DIR} {state}: start the server once (make run) with the same "
                "BENCHTREND_DATA and DATABASE_URL, and then run this command."
            )
        return super().execute(*args, **options)
