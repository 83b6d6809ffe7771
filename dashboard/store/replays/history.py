"""The hot read: one page of a benchmark's replays.

A dashboard reads a long history as many pages in a row, so this is the one query written out by hand. The ORM takes
about twice as long for it, most of it in making datetimes only to print them again. The page's rows are found in
the index alone (benchmark, created_at, id), so a deep offset skips index entries and never joins a row it drops.
"""

from __future__ import annotations

from typing import Any

from django.db import connection

# SQLite keeps times as text in UTC, two characters away from the wire's form, and finds a row fastest by its rowid.
DIALECTS = {"sqlite": {"created_at": "replace(replay.created_at, ' ', 'T') || 'Z'", "key": "rowid"}}
ANY_DIALECT = {"created_at": "replay.created_at", "key": "id"}

PAGE = """
    SELECT replay.id, replay.run_id, run.seq, run.rule_id, run.rule_name, {created_at},
           replay.candidate_score, replay.incumbent_score, replay.score_delta,
           run.checkpoint_id, run.decision, replay.status, replay.status_reason,
           replay.items_digest, replay.rows_total, replay.rows_scored, CAST(replay.incumbent_ref AS text),
           replay.undated, replay.candidate_stderr, replay.incumbent_stderr
      FROM service_benchmarkrun AS replay
      JOIN service_trainingrun AS run ON run.id = replay.run_id
     WHERE replay.{key} IN (
               SELECT {key} FROM service_benchmarkrun
                WHERE benchmark_id = %s ORDER BY created_at DESC, id DESC LIMIT %s OFFSET %s
           )
     ORDER BY replay.created_at DESC, replay.id DESC
"""
TOTAL = """
    SELECT (SELECT COUNT(*) FROM service_benchmarkrun WHERE benchmark_id = benchmark.id)
      FROM service_benchmark AS benchmark WHERE benchmark.id = %s AND benchmark.workspace_id = %s
"""


def count_replays(workspace_id: str, benchmark_id: str) -> int | None:
    """How many replays the benchmark has; None when the workspace has no such benchmark."""
    with connection.cursor() as cursor:
        cursor.execute(TOTAL, (benchmark_id, workspace_id))
        row = cursor.fetchone()
    return row[0] if row else None


def list_replays(benchmark_id: str, limit: int, offset: int) -> list[tuple[Any, ...]]:
    """The replays from `offset` on, newest first by created_at and then id, each with the columns of PAGE.

    `incumbent_ref` is JSON text. `created_at` and `undated` are as the database has them: text or a datetime, and 0 or
    1 or a bool.
    """
    sql = PAGE.format(**DIALECTS.get(connection.vendor, ANY_DIALECT))
    with connection.cursor() as cursor:
        cursor.execute(sql, (benchmark_id, limit, offset))
        return list(cursor.fetchall())
