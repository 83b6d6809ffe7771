"""`manage.py import_results`: brings measured checkpoints in as the replays of a benchmark."""

from __future__ import annotations

import re
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from dashboard.imports.address import build_address
from dashboard.imports.results.files import Wanted, read_results
from dashboard.imports.results.harness.naming import Naming
from dashboard.imports.results.plan import (
    ImportRefused,
    Plan,
    find_benchmark,
    get_standard,
    list_frozen_tasks,
    plan_import,
)
from dashboard.imports.results.table.rows import TableOptions
from dashboard.imports.results.table.sheet import is_table
from dashboard.imports.results.table.words import STATUSES, fold_word
from dashboard.imports.results.types import ResultsError, ResultSet
from dashboard.imports.results.write import Written, write_import
from dashboard.imports.samples.write import SamplesImport, import_samples
from dashboard.signals import wrote
from dashboard.store.command import DataCommand
from dashboard.store.models import Benchmark, Workspace
from dashboard.store.seq import take_seqs
from dashboard.store.text.printing import escape_unseen

PROGRESS_FROM_FILES = 200

EPILOG = """
result files  --candidate DIR --incumbent DIR     each checkpoint against its counterpart
              --candidate DIR --incumbent FILE    every checkpoint against one fixed baseline
              --candidate DIR                     one line, and no differences
a table       --candidate FILE (.csv .tsv .jsonl) columns checkpoint, candidate_score; optionally incumbent_score,
              created_at, status, status_reason, decision, rule, candidate_stderr, incumbent_stderr, n; every other
              column of numbers is a rubric dimension: NAME_candidate with NAME_incumbent is measured on both sides, a
              lone NAME on the candidate only

with --samples, samples_<task>_<date>.jsonl beside each side's results bring the answers to every document.

Importing the same files again changes nothing, and another incumbent pairs nothing anew that is there. An evaluation
is known by its rule, checkpoint, model and time (without a time, by what it says); one that was imported before with
other numbers is reported and left as it was. The exit status is 1 when a file could not be read or a checkpoint is in
conflict. `manage.py import undo` takes an import back as a whole.
"""


class Command(DataCommand):
    help = "Import results of lm-evaluation-harness, or a CSV or JSONL table, as the replays of a benchmark."

    def create_parser(self, *args: Any, **kwargs: Any) -> CommandParser:
        return super().create_parser(*args, epilog=EPILOG, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--benchmark", required=True, metavar="NAME", help="made when there is no active one")
        parser.add_argument("--metric", default="", help='such as "acc", or with its filter "exact_match,strict-match"')
        parser.add_argument("--task", default="", help='a task, or a pattern such as "hendrycksTest-*" to average over')
        parser.add_argument("--candidate", required=True, type=Path, metavar="DIR_OR_FILE")
        parser.add_argument("--incumbent", type=Path, metavar="DIR_OR_FILE")
        parser.add_argument("--rule", default="", metavar="NAME", help="the training rule that the runs belong to")
        parser.add_argument(
            "--incumbent-is", choices=["serving", "baseline-run"], default="",
            help="one model that serves (a file, a table), or a run matched by checkpoint (a folder)",
        )  # fmt: skip
        parser.add_argument(
            "--checkpoint", default="", metavar="NAME", help="the one checkpoint that the files measured"
        )
        parser.add_argument(
            "--checkpoint-from",
            default="",
            metavar="REGEX",
            help="where a checkpoint stands in the model's or file's path",
        )
        better = parser.add_mutually_exclusive_group()
        better.add_argument("--lower-is-better", dest="lower", action="store_true", default=None)
        better.add_argument("--higher-is-better", dest="lower", action="store_false")
        parser.add_argument(
            "--status-is",
            action="append",
            default=[],
            metavar="WORD=STATUS",
            help="what a word in a table's status means",
        )
        parser.add_argument("--promote", choices=["best"], help="record promoting each new best candidate")
        parser.add_argument(
            "--order", choices=["date", "checkpoint"], default="date", help="what places checkpoints in time"
        )
        parser.add_argument(
            "--samples", action="store_true", help="samples_*.jsonl beside the results become the rows of the replays"
        )
        parser.add_argument("--dry-run", action="store_true", help="print what would be imported, write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        dry_run = options["dry_run"]
        try:
            results, plan, written, samples = self._import(options)
        except (ResultsError, ImportRefused) as error:
            raise CommandError(escape_unseen(str(error))) from error
        rows = samples.rows if samples else 0
        if written.benchmark and (written.record or rows):
            wrote.send(
                type(self),
                action="import",
                target_kind="benchmark",
                target_id=written.benchmark.pk,
                target_name=plan.name,
                message=f"{_count(len(plan.new), 'new point')}, {_count(len(plan.filled), 'gap')} filled, "
                f"{_count(len(plan.conflicts), 'conflict')}" + (f", {_count(rows, 'row')}" if rows else ""),
            )
        for problem in results.problems:
            self.stderr.write(escape_unseen(f"not read: {problem.path}: {problem.message}"))
        for conflict in plan.conflicts:
            self.stderr.write(escape_unseen(f"conflict, left as it was: {conflict}"))
        for _gap, number in plan.filled:
            self._say(f"a gap is filled: {number.result.checkpoint}")
        for note in plan.notes:
            if note not in results.notes:  # those were said before anything was written
                self._say(f"note: {note}")
        if dry_run:
            self._print_table(plan)
        self._print_summary(plan, results, written.benchmark, dry_run=dry_run)
        if written.record:
            self._say(f"to take it back: python manage.py import undo {written.record.pk}")
        if samples:
            self._print_samples(samples)
        elif options["samples"]:
            self._say("samples are not looked at in a dry run")
        without_rows = samples.problems if samples else []
        if results.problems or plan.conflicts or without_rows:
            raise CommandError(
                f"{_count(len(results.problems), 'file')} could not be read, "
                f"{_count(len(plan.conflicts), 'checkpoint')} in conflict"
                + (" (another --benchmark or --rule takes them as new)" if plan.conflicts else "")
                + (f", {_count(len(without_rows), 'replay')} without rows" if without_rows else "")
            )

    def _print_samples(self, samples: SamplesImport) -> None:
        failed = f", {samples.failed} of them failed" if samples.failed else ""
        there = f"; {_count(samples.already_there, 'replay')} had rows already" if samples.already_there else ""
        self._say(f"{_count(samples.rows, 'row')} of {_count(samples.replays, 'replay')}{failed}{there}")
        for problem in samples.problems:
            self.stderr.write(escape_unseen(f"no rows: {problem}"))

    def _say(self, line: str) -> None:
        self.stdout.write(escape_unseen(line))

    def _import(self, options: dict[str, Any]) -> tuple[ResultSet, Plan, Written, SamplesImport | None]:
        if options["samples"] and is_table(options["candidate"]):
            raise ResultsError("samples lie beside result files, and a table has none: leave --samples out")
        now = timezone.now()
        workspace = Workspace.default()
        benchmark = find_benchmark(workspace, options["benchmark"])
        wanted = Wanted(
            metric=options["metric"],
            task=options["task"],
            frozen_tasks=list_frozen_tasks(benchmark),
            standard=get_standard(benchmark),
            naming=Naming(_compile(options["checkpoint_from"]), options["checkpoint"].strip()),
            incumbent_is=options["incumbent_is"],
            lower_is_better=options["lower"],
            table=TableOptions(_read_statuses(options["status_is"])),
        )
        results = read_results(options["candidate"], options["incumbent"], wanted, self._show_progress)
        for note in results.notes:
            self._say(f"note: {note}")
        # One transaction, so that nothing can change between comparing and writing.
        with transaction.atomic():
            take_seqs(workspace)
            plan = plan_import(
                workspace,
                options["benchmark"],
                results,
                now=now,
                rule=options["rule"],
                promote_best=options["promote"] == "best",
                order=options["order"],
            )
            if options["dry_run"]:
                return results, plan, Written(plan.benchmark), None
            written, samples = write_import(workspace, plan, now=now), None
            if options["samples"] and written.benchmark:
                sides = options["candidate"], options["incumbent"]
                samples = import_samples(written.benchmark, *sides, metric=options["metric"], task=options["task"])
        return results, plan, written, samples

    def _show_progress(self, done: int, total: int) -> None:
        terminal = self.stderr.isatty()
        if not terminal and (total <= PROGRESS_FROM_FILES or (done % PROGRESS_FROM_FILES and done < total)):
            return
        start, end = ("\r", "\n" if done == total else "") if terminal else ("", "\n")
        self.stderr.write(f"{start}read {done} of {total} files", self.style.NOTICE, ending=end)
        self.stderr.flush()

    def _print_table(self, plan: Plan) -> None:
        rows = [("checkpoint", "time (UTC)", "candidate", "incumbent", "delta", "decision", "status")]
        for planned in plan.new:
            result = planned.result
            rows.append(
                (
                    escape_unseen(result.checkpoint),
                    f"{planned.created_at:%Y-%m-%d %H:%M}",
                    *_format_scores(result.candidate, result.incumbent),
                    planned.decision or "",
                    result.status if result.scored else _shorten(f"{result.status}: {result.reason}"),
                )
            )
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
        for row in rows:
            self._say("  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[-1]]).rstrip())

    def _print_summary(self, plan: Plan, results: ResultSet, benchmark: Benchmark | None, *, dry_run: bool) -> None:
        verb = "would import" if dry_run else "imported"
        gaps = [r for r in results.results if not r.scored]
        self._say(
            f'{verb} {_count(len(plan.new), "new point")} into "{plan.name}"; {plan.unchanged} already there; '
            f"the files hold {_count(len(results.results), 'point')}, {_count(len(gaps), 'gap')}"
        )
        reasons: dict[str, list[str]] = {}
        for gap in gaps:
            reason = (gap.reason or gap.status).replace(f" for {gap.checkpoint}", "")
            reasons.setdefault(reason, []).append(gap.checkpoint)
        for reason, checkpoints in reasons.items():
            more = f" and {len(checkpoints) - 3} more" if len(checkpoints) > 3 else ""
            self._say(f"  {_count(len(checkpoints), 'gap')}: {_shorten(reason)} ({', '.join(checkpoints[:3])}{more})")
        for rule in dict.fromkeys(p.rule for p in plan.new):
            self._say(f'on the line "{rule}" (--rule continues it)')
        last = plan.new[-1].result if plan.new else results.results[-1]
        scores = dict(
            zip(("candidate", "incumbent", "delta"), _format_scores(last.candidate, last.incumbent), strict=True)
        )
        numbers = ", ".join(f"{k} {v}" for k, v in scores.items() if v)
        self._say(
            f"last point: {last.checkpoint}, {numbers if last.scored else _shorten(f'{last.status}: {last.reason}')}"
        )
        if benchmark:
            self._say(f"see {build_address('trend', benchmark.id)}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _format_scores(candidate: float | None, incumbent: float | None) -> tuple[str, str, str]:
    """Both scores and their difference; "" for what there is none of."""
    if candidate is None:
        return ("", "", "")
    if incumbent is None:
        return (f"{candidate:.6g}", "", "")
    return (f"{candidate:.6g}", f"{incumbent:.6g}", f"{candidate - incumbent:+.6g}")


def _shorten(text: str, most: int = 300) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _compile(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern) if pattern else None
    except re.error as error:
        raise ResultsError(f"--checkpoint-from {pattern} is no regular expression: {error}") from error


def _read_statuses(given: list[str]) -> dict[str, str]:
    """Folded word -> status, of WORD=STATUS."""
    known = {*STATUSES.values()}
    said = {}
    for text in given:
        word, equals, status = text.rpartition("=")
        if not equals or not word.strip() or status.strip() not in known:
            raise ResultsError(
                f"--status-is {text}: it is WORD=STATUS, and a status is one of {', '.join(sorted(known))}"
            )
        said[fold_word(word)] = status.strip()
    return said
