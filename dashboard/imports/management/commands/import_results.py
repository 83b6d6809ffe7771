"""`manage.py import_results`: brings measured checkpoints in as the replays of a benchmark."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from dashboard.imports.results.files import TABLE_SUFFIXES, read_results
from dashboard.imports.results.plan import ImportRefused, Plan, find_benchmark, list_frozen_tasks, plan_import
from dashboard.imports.results.types import ResultsError, ResultSet
from dashboard.imports.results.write import write_import
from dashboard.imports.samples.write import SamplesImport, import_samples
from dashboard.signals import wrote
from dashboard.store.models import Benchmark, Workspace
from dashboard.store.text.printing import escape_unseen

PROGRESS_FROM_FILES = 200

EPILOG = """
result files  --candidate DIR --incumbent DIR     each checkpoint against its counterpart
              --candidate DIR --incumbent FILE    every checkpoint against one fixed baseline
a table       --candidate FILE.csv or FILE.jsonl  columns checkpoint, candidate_score, incumbent_score; optionally
              created_at, status, status_reason, decision, rule; every other column of numbers is a rubric dimension:
              NAME_candidate with NAME_incumbent is measured on both sides, a lone NAME on the candidate only

with --samples, samples_<task>_<date>.jsonl beside each side's results bring the answers to every document.

Importing the same files again changes nothing. A checkpoint that was imported before with other numbers is reported
and left as it was. The exit status is 1 when a file could not be read or a checkpoint is in conflict.
"""


class Command(BaseCommand):
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
        parser.add_argument("--promote", choices=["best"], help="record promoting each new best candidate")
        parser.add_argument(
            "--order", choices=["date", "checkpoint"], default="date", help="what places checkpoints in time"
        )
        parser.add_argument(
            "--samples", action="store_true", help="samples_*.jsonl beside the results become the rows of the replays"
        )
        parser.add_argument("--dry-run", action="store_true", help="print what would be imported, write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            results, plan, benchmark, samples = self._import(options)
        except (ResultsError, ImportRefused) as error:
            raise CommandError(escape_unseen(str(error))) from error
        rows = samples.rows if samples else 0
        if benchmark and (plan.new or plan.filled or rows) and not options["dry_run"]:
            wrote.send(
                type(self),
                action="import",
                target_kind="benchmark",
                target_id=benchmark.pk,
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
            self._say(f"note: {note}")
        if options["dry_run"]:
            self._print_table(plan)
        self._print_summary(plan, results, benchmark, dry_run=options["dry_run"])
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

    def _import(self, options: dict[str, Any]) -> tuple[ResultSet, Plan, Benchmark | None, SamplesImport | None]:
        if options["samples"] and options["candidate"].suffix.lower() in TABLE_SUFFIXES:
            raise ResultsError("samples lie beside result files, and a table has none: leave --samples out")
        workspace, now = Workspace.default(), timezone.now()
        frozen = list_frozen_tasks(find_benchmark(workspace, options["benchmark"]))
        results = read_results(
            options["candidate"],
            options["incumbent"],
            metric=options["metric"],
            task=options["task"],
            frozen_tasks=frozen,
            progress=self._show_progress,
        )
        # One transaction, so that nothing can change between comparing and writing.
        with transaction.atomic():
            plan = plan_import(
                workspace,
                options["benchmark"],
                results,
                now=now,
                rule=options["rule"].strip(),
                promote_best=options["promote"] == "best",
                order=options["order"],
            )
            benchmark = plan.benchmark if options["dry_run"] else write_import(workspace, plan, now=now)
            samples = None
            if options["samples"] and benchmark and not options["dry_run"]:
                sides = options["candidate"], options["incumbent"]
                samples = import_samples(benchmark, *sides, metric=options["metric"], task=options["task"])
        return results, plan, benchmark, samples

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
                    result.status if result.scored else f"{result.status}: {result.reason}",
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
            self._say(f"  {_count(len(checkpoints), 'gap')}: {reason} ({', '.join(checkpoints[:3])}{more})")
        last = plan.new[-1].result if plan.new else results.results[-1]
        scores = dict(
            zip(("candidate", "incumbent", "delta"), _format_scores(last.candidate, last.incumbent), strict=True)
        )
        said = ", ".join(f"{k} {v}" for k, v in scores.items()) if last.scored else f"{last.status}: {last.reason}"
        self._say(f"last point: {last.checkpoint}, {said}")
        if benchmark:
            self._say(f"see /benchmarks/{benchmark.id}/")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _format_scores(candidate: float | None, incumbent: float | None) -> tuple[str, str, str]:
    if candidate is None or incumbent is None:
        return ("", "", "")
    return (f"{candidate:.6g}", f"{incumbent:.6g}", f"{candidate - incumbent:+.6g}")
