"""`manage.py import_runloop`: brings runs in from what Runloop's API answered, saved in a file."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from dashboard.imports.address import build_address
from dashboard.imports.record import remember
from dashboard.imports.runloop.file import (
    Run,
    RunFile,
    RunUnreadable,
    has_environment,
    read_file,
    read_run,
    read_scenario_run,
)
from dashboard.imports.runloop.write import ImportRefused, Outcome, store_runs, store_scenario_runs
from dashboard.signals import wrote
from dashboard.store.command import DataCommand
from dashboard.store.models import RunloopBenchmark, RunloopRun, Workspace
from dashboard.store.text.printing import escape_unseen
from dashboard.store.text.strict_json import find_unstorable

EARLIEST_MS = int(datetime(2015, 1, 1, tzinfo=UTC).timestamp() * 1000)
FOR_RUNS = ("benchmark", "name", "keep_environment")
EPILOG = """
FILE holds what GET /v1/benchmark_runs answered: an answer as it came, a list of runs, or one answer or run a line.

  curl -H "Authorization: Bearer $RUNLOOP_API_KEY" \\
      "https://api.runloop.ai/v1/benchmark_runs?benchmark_id=ID&limit=5000" > runs.json

A run is known by its id, so importing a file again changes nothing. One that was running, or had no score yet, is
filled in; another score of a completed run is a conflict, named and not written over. Names and metadata follow the
file. A row that cannot be read is named and the others are imported; then, as after a conflict, the exit status is 1.
Environment values and secret names are left out unless --keep-environment is given.

With --scenario-runs RUN_ID the file holds what GET /v1/benchmark_runs/RUN_ID/scenario_runs answered, in the same forms,
for a run that is there already.
"""


class Command(DataCommand):
    help = "Import benchmark runs of Runloop from a JSON or JSONL file."

    def create_parser(self, *args: Any, **kwargs: Any) -> CommandParser:
        return super().create_parser(*args, epilog=EPILOG, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--benchmark", metavar="ID", help="where runs go that name no benchmark")
        parser.add_argument("--name", help="the benchmark's name; its id when absent")
        parser.add_argument("--scenario-runs", metavar="RUN_ID", help="the file has what this run's scenarios came to")
        parser.add_argument("--dry-run", action="store_true", help="say what would be imported, write nothing")
        parser.add_argument(
            "--keep-environment", action="store_true", help="store environment values and secret names too"
        )

    def handle(self, *args: Any, file: Path, dry_run: bool, **options: Any) -> None:
        for option in ("benchmark", "name", "scenario-runs"):
            text = options[option.replace("-", "_")]
            if text is not None and (not text.strip() or len(text) > 200 or find_unstorable(text) is not None):
                raise CommandError(f"--{option} has 1 to 200 characters.")
        if options["scenario_runs"] is not None and any(options[name] for name in FOR_RUNS):
            raise CommandError(
                "--benchmark, --name and --keep-environment are for runs, and --scenario-runs brings none."
            )
        try:
            found = read_file(file.read_bytes())
        except OSError as error:
            raise CommandError(escape_unseen(f"{file} cannot be read: {error.strerror}.")) from error
        except RunUnreadable as error:
            raise CommandError(escape_unseen(f"{file} cannot be read: {error}.")) from error
        try:
            with transaction.atomic():
                store = self._import_runs if options["scenario_runs"] is None else self._import_scenario_runs
                outcome, problems = store(found, dry_run=dry_run, **options)
                record = None
                if options["scenario_runs"] is None:
                    target = outcome.benchmarks[0].name if len(outcome.benchmarks) == 1 else str(file.name)
                    record = remember(RunloopRun, outcome.created, "agent runs", target, timezone.now())
                    RunloopBenchmark.objects.filter(pk__in=outcome.made).update(brought_by=record)
                transaction.set_rollback(dry_run)
        except ImportRefused as error:
            raise CommandError(escape_unseen(str(error))) from error
        if outcome.wrote and not dry_run:
            self._tell(outcome, problems, options["scenario_runs"])
            if record:
                self._say(f"to take it back: python manage.py import undo {record.pk}")
        if found.cut:
            self._say("note: the last answer says that more rows follow (has_more); fetch and import those too")
        if problems or outcome.conflicts:
            bad = "unreadable or without a benchmark" if options["scenario_runs"] is None else "unreadable"
            raise CommandError(f"not imported: {problems} {bad}, {len(outcome.conflicts)} in conflict")

    def _import_runs(
        self,
        found: RunFile,
        *,
        benchmark: str | None,
        name: str | None,
        keep_environment: bool,
        dry_run: bool,
        **options: Any,
    ) -> tuple[Outcome, int]:
        """What came of the runs, and how many could not be stored at all."""
        rows: list[tuple[str, Run]] = []
        for place, value in found.rows:
            try:
                run = read_run(value, keep_environment=keep_environment)
            except RunUnreadable as error:
                self._complain(f"{place}: not read: {error}")
                continue
            if run.benchmark_id is None and benchmark is None:
                self._complain(f"{place}: not imported: {run.id} names no benchmark; --benchmark ID says where it goes")
                continue
            rows.append((place, msgspec.structs.replace(run, benchmark_id=run.benchmark_id or benchmark)))
        now = timezone.now()
        outcome = store_runs(Workspace.default(), rows, name=name, now=now)
        self._report(outcome, "runs", dry_run=dry_run)
        for row in outcome.benchmarks:
            # No address holds these two: whatever stands between us and a page takes them for a step.
            seen = "no page can show this id" if row.pk in (".", "..") else f"see {build_address('run-trend', row.pk)}"
            self._say(f'benchmark {row.pk} "{row.name}"; {seen}')
        for pk, before, after in outcome.renamed:
            self._say(f'benchmark {pk}: {"would be " if dry_run else ""}renamed "{before}" to "{after}"')
        carried = sum(has_environment(value) for _, value in found.rows)
        if carried:
            done = "stored" if keep_environment else "left out; --keep-environment stores them"
            self._say(f"note: {carried} runs carry environment values or secret names, which are {done}")
        latest_ms = int((now + timedelta(days=1)).timestamp() * 1000)
        odd = sum(not EARLIEST_MS <= run.start_time_ms <= latest_ms for _, run in rows)
        if odd:
            self._say(f"note: {odd} runs start before 2015 or after tomorrow; start_time_ms counts milliseconds")
        return outcome, len(found.rows) - len(rows)

    def _import_scenario_runs(
        self, found: RunFile, *, scenario_runs: str, dry_run: bool, **options: Any
    ) -> tuple[Outcome, int]:
        """What came of the scenario runs of the run with the id `scenario_runs`, and how many could not be read."""
        run = RunloopRun.objects.filter(workspace=Workspace.default(), pk=scenario_runs).first()
        if run is None:
            raise ImportRefused(f"there is no run {scenario_runs}; import it first")
        rows = []
        for place, value in found.rows:
            try:
                rows.append((place, read_scenario_run(value)))
            except RunUnreadable as error:
                self._complain(f"{place}: not read: {error}")
        outcome = store_scenario_runs(run, rows)
        self._report(outcome, f"scenario runs of {run.pk}", dry_run=dry_run)
        return outcome, len(found.rows) - len(rows)

    def _report(self, outcome: Outcome, noun: str, *, dry_run: bool) -> None:
        for place, row_id, why in outcome.conflicts:
            self._complain(f"{place}: conflict, left as it was: {row_id}: {why}")
        counts = [f"{len(outcome.present)} already there"]
        if outcome.relabelled:
            counts.insert(0, f"{len(outcome.relabelled)} with other labels")
        if outcome.filled:
            counts.insert(0, f"{len(outcome.filled)} filled in")
        verb = "would import" if dry_run else "imported"
        self._say(f"{verb} {len(outcome.created)} {noun}; {', '.join(counts)}")

    def _tell(self, outcome: Outcome, problems: int, run_id: str | None) -> None:
        """The audit log, by the signal."""
        one = outcome.benchmarks[0] if len(outcome.benchmarks) == 1 else None
        wrote.send(
            type(self),
            action="import",
            target_kind="agent runs" if run_id is None else "scenario runs",
            target_id=run_id or (one.pk if one else ""),
            target_name=one.name if one else f"{len(outcome.benchmarks)} benchmarks" if run_id is None else "",
            message=f"{len(outcome.created)} imported, {len(outcome.filled)} filled in, "
            f"{len(outcome.relabelled)} with other labels, {problems} refused, {len(outcome.conflicts)} in conflict"
            + _describe_benchmarks(outcome),
        )

    def _say(self, text: str) -> None:
        self.stdout.write(escape_unseen(text))

    def _complain(self, text: str) -> None:
        self.stderr.write(escape_unseen(text))


def _describe_benchmarks(outcome: Outcome) -> str:
    """Which benchmarks were made and which renamed, as the end of a sentence; empty for none."""
    said = ""
    if outcome.made:
        said += (
            f", {len(outcome.made)} benchmark{'' if len(outcome.made) == 1 else 's'} made: {', '.join(outcome.made)}"
        )
    for pk, before, after in outcome.renamed:
        said += f', benchmark {pk} renamed "{before}" to "{after}"'
    return said
