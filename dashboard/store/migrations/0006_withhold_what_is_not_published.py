"""Moves scores over another set or over some of the rows to where no route answers them. Nothing is lost."""

from django.db import migrations
from django.db.models import F, Q, Value
from django.db.models.functions import Concat

BATCH = 500
OLD_PAUSE = "imported results: this rule fires no training"
SCORES = ("candidate_score", "incumbent_score", "score_delta")


def withhold(apps, schema_editor):
    replays = apps.get_model("service", "BenchmarkRun").objects.filter(candidate_score__isnull=False)
    unfit = ~Q(items_digest=F("benchmark__items_digest")) | Q(rows_scored__lt=F("rows_total"))
    moved = []
    for replay in replays.filter(unfit).select_related("benchmark").iterator(BATCH):
        replay.withheld = {
            "candidate_score": replay.candidate_score,
            "incumbent_score": replay.incumbent_score,
            "per_dimension": replay.per_dimension,
        }
        if replay.items_digest != replay.benchmark.items_digest:
            why = "its score is not published: it is over another set than the benchmark's"
        else:
            why = f"its score is not published: {replay.rows_scored} of {replay.rows_total} rows were scored"
        replay.status_reason = replay.status_reason or why
        replay.candidate_score = replay.incumbent_score = replay.score_delta = None
        replay.per_dimension = []
        moved.append(replay)
    fields = [*SCORES, "per_dimension", "withheld", "status_reason"]
    replays.model.objects.bulk_update(moved, fields, batch_size=BATCH)
    replays.update(published_over=Concat("benchmark_id", Value(":"), "items_digest"))
    apps.get_model("service", "Rule").objects.filter(paused_reason=OLD_PAUSE).update(paused_reason=None)


def publish_again(apps, schema_editor):
    model = apps.get_model("service", "BenchmarkRun")
    held = [replay for replay in model.objects.filter(status="done", withheld__isnull=False)]
    for replay in held:
        replay.candidate_score = replay.withheld["candidate_score"]
        replay.incumbent_score = replay.withheld["incumbent_score"]
        replay.per_dimension = replay.withheld["per_dimension"]
        if None not in (replay.candidate_score, replay.incumbent_score):
            replay.score_delta = replay.candidate_score - replay.incumbent_score
        else:
            replay.candidate_score = replay.incumbent_score = None
    model.objects.bulk_update(held, [*SCORES, "per_dimension"], batch_size=BATCH)


class Migration(migrations.Migration):
    dependencies = [("service", "0005_imports")]

    operations = [migrations.RunPython(withhold, publish_again)]
