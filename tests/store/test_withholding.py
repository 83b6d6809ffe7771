"""Rules 3 and 4 in the database: what no route may answer is refused as a score, and kept where it was measured."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from dashboard.store.models import BenchmarkRun
from tests.factories import make_benchmark, make_replay

pytestmark = pytest.mark.django_db(transaction=True)
SCORES = {"status": "done", "candidate_score": 0.5, "incumbent_score": 0.25, "score_delta": 0.25}


def test_it_works():
    replay = make_replay(make_benchmark(), **SCORES)
    assert replay.published_over_id == f"{replay.benchmark_id}:{replay.items_digest}"


@pytest.mark.parametrize("unfit", [{"items_digest": "other"}, {"rows_total": 10, "rows_scored": 9}])
def test_a_score_over_another_set_or_with_rows_missing_is_refused(unfit):
    benchmark = make_benchmark()
    with pytest.raises(IntegrityError), transaction.atomic():
        make_replay(benchmark, **(SCORES | unfit))
    assert BenchmarkRun.objects.count() == 0


def test_a_score_that_stands_cannot_lose_its_set():
    replay = make_replay(make_benchmark(), **SCORES)
    with pytest.raises(IntegrityError), transaction.atomic():
        BenchmarkRun.objects.filter(pk=replay.pk).update(items_digest="other")
    with pytest.raises(IntegrityError), transaction.atomic():
        BenchmarkRun.objects.filter(pk=replay.pk).update(published_over=None)


def test_the_migration_moves_what_is_not_published_and_loses_none_of_it():
    benchmark = make_benchmark()
    fits = make_replay(benchmark, **SCORES)
    others = [make_replay(benchmark, **SCORES) for _ in range(2)]
    executor = MigrationExecutor(connection)
    executor.migrate([("service", "0005_imports")])
    try:
        old = executor.loader.project_state([("service", "0005_imports")]).apps.get_model("service", "BenchmarkRun")
        old.objects.filter(pk=others[0].pk).update(published_over=None, items_digest="other")
        old.objects.filter(pk=others[1].pk).update(published_over=None, rows_scored=9)
    finally:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
    held = {replay.pk: replay for replay in BenchmarkRun.objects.all()}
    assert (held[fits.pk].candidate_score, held[fits.pk].withheld) == (0.5, None)
    for replay in others:
        assert held[replay.pk].candidate_score is None
        assert held[replay.pk].status_reason
        assert held[replay.pk].withheld == {"candidate_score": 0.5, "incumbent_score": 0.25, "per_dimension": []}
