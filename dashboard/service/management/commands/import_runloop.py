"""`manage.py import_runloop`: brings runs in from what Runloop's API answered, saved in a file."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from dashboard.service.models import Workspace
from dashboard.service.printing import escape_unseen
from dashboard.service.runloop_file import Run, RunUnreadable, read_file, read_run
from dashboard.service.runloop_importing import ImportRefused, Outcome, store_runs
from dashboard.service.strict_json import find_unstorable
from dashboard.signals import command_wrote

EARLIEST_MS = int(datetime(2015, 1, 1, tzinfo=UTC).timestamp() * 1000)
EPILOG = """
FILE holds what GET /v1/benchmark_runs answered: an answer as it came, a list of runs, or one answer or run a line.

  curl -H "Authorization: Bearer $RUNLOOP_API_KEY" \\
      "https://api.runloop.ai/v1/benchmark_runs?benchmark_id=ID&limit=5000" > runs.json

A run is known by its id, so importing a file again changes nothing. One that was running, or had no score yet, is
filled in; another score of a completed run is a conflict, named and not written over. Names and metadata follow the
file. A row that cannot be read is named and the others are imported; then, as after a conflict, the exit status is 1.
Environment values and secret names are left out unless --keep-environment is given.
"""


class Command(BaseCommand):
    help = "Import benchmark runs of Runloop from a JSON or JSONL file."

    def create_parser(self, *args: Any, **kwargs: Any) -> CommandParser:
        return super().create_parser(*args, epilog=EPILOG, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--benchmark", metavar="ID", help="where runs go that name no benchmark")
        parser.add_argument("--name", help="the benchmark's name; its id when absent")
        parser.add_argument("--dry-run", action="store_true", help="say what would be imported, write nothing")
        parser.add_argument(
            "--keep-environment", action="store_true", help="store environment values and secret names too"
        )

    def handle(self, *args: Any, file: Path, dry_run: bool, **options: Any) -> None:
        for option in ("benchmark", "name"):
            text = options[option]
            if text is not None and (not text.strip() or len(text) > 200 or find_unstorable(text) is not None):
                raise CommandError(f"--{option} has 1 to 200 characters.")
        try:
            found = read_file(file.read_bytes())
        except OSError as error:
            raise CommandError(escape_unseen(f"{file} cannot be read: {error.strerror}.")) from error
        except RunUnreadable as error:
            raise CommandError(escape_unseen(f"{file} cannot be read: {error}.")) from error
        rows = self._read(found.rows, options["benchmark"], keep_environment=options["keep_environment"])
        now = timezone.now()
        try:
            with transaction.atomic():
                outcome = store_runs(Workspace.default(), rows, name=options["name"], now=now)
                transaction.set_rollback(dry_run)
        except ImportRefused as error:
            raise CommandError(escape_unseen(str(error))) from error
        problems, conflicts = len(found.rows) - len(rows), len(outcome.conflicts)
        if (outcome.created or outcome.filled or outcome.relabelled) and not dry_run:
            self._tell(outcome, problems)
        self._report(outcome, "would import" if dry_run else "imported")
        self._note(rows, now, cut=found.cut, keep_environment=options["keep_environment"])
        if problems or conflicts:
            raise CommandError(f"not imported: {problems} unreadable or without a benchmark, {conflicts} in conflict")

    def _read(
        self, given: tuple[tuple[str, Any], ...], benchmark_id: str | None, *, keep_environment: bool
    ) -> list[tuple[str, Run]]:
        """(place, run) of every row that can be read and has a benchmark. The others are named."""
        rows = []
        for place, value in given:
            try:
                run = read_run(value, keep_environment=keep_environment)
            except RunUnreadable as error:
                self._complain(f"{place}: not read: {error}")
                continue
            if run.benchmark_id is None and benchmark_id is None:
                self._complain(f"{place}: not imported: {run.id} names no benchmark; --benchmark ID says where it goes")
                continue
            rows.append((place, msgspec.structs.replace(run, benchmark_id=run.benchmark_id or benchmark_id)))
        return rows

    def _report(self, outcome: Outcome, verb: str) -> None:
        for place, run_id, why in outcome.conflicts:
            self._complain(f"{place}: conflict, left as it was: {run_id}: {why}")
        counts = [f"{len(outcome.present)} already there"]
        if outcome.relabelled:
            counts.insert(0, f"{len(outcome.relabelled)} with other labels")
        if outcome.filled:
            counts.insert(0, f"{len(outcome.filled)} filled in")
        self._say(f"{verb} {len(outcome.created)} runs; {', '.join(counts)}")
        for benchmark in outcome.benchmarks:
            self._say(
                f'benchmark {benchmark.pk} "{benchmark.name}"; see /runloop/benchmarks/{quote(benchmark.pk, safe="")}/'
            )

    def _note(self, rows: list[tuple[str, Run]], now: datetime, *, cut: bool, keep_environment: bool) -> None:
        carried = sum(run.had_environment for _, run in rows)
        if carried:
            done = "stored" if keep_environment else "left out; --keep-environment stores them"
            self._say(f"note: {carried} runs carry environment values or secret names, which are {done}")
        latest_ms = int((now + timedelta(days=1)).timestamp() * 1000)
        odd = sum(not EARLIEST_MS <= run.start_time_ms <= latest_ms for _, run in rows)
        if odd:
            self._say(f"note: {odd} runs start before 2015 or after tomorrow; start_time_ms counts milliseconds")
        if cut:
            self._say("note: the last answer says that more runs follow (has_more); fetch and import those too")

    def _tell(self, outcome: Outcome, problems: int) -> None:
        """The audit log, by the signal."""
        one = outcome.benchmarks[0] if len(outcome.benchmarks) == 1 else None
        command_wrote.send(
            type(self),
            action="import",
            target_kind="agent runs",
            target_id=one.pk if one else "",
            target_name=one.name if one else f"{len(outcome.benchmarks)} benchmarks",
            message=f"{len(outcome.created)} imported, {len(outcome.filled)} filled in, "
            f"{len(outcome.relabelled)} with other labels, {problems} refused, {len(outcome.conflicts)} in conflict",
        )

    def _say(self, text: str) -> None:
        self.stdout.write(escape_unseen(text))

    def _complain(self, text: str) -> None:
        self.stderr.write(escape_unseen(text))
