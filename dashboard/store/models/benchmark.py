"""Benchmarks and what is pinned in them."""

from __future__ import annotations

from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Concat

from dashboard.store.models.base import Brought, Owned
from dashboard.store.models.conversation import Trace
from dashboard.store.models.judge import Judge


class Benchmark(Brought, Owned):
    """The frozen definition. Nothing but status, retired_at and retired_by changes after creation."""

    id_prefix = "bm"
    name = models.CharField(max_length=200)
    status = models.CharField(max_length=20, default="active")
    judge = models.ForeignKey(Judge, models.SET_NULL, null=True)
    judge_name = models.CharField(max_length=200)
    judge_model = models.CharField(max_length=200)
    judge_instructions = models.TextField()
    judge_dimensions = models.JSONField(default=list)
    judge_system_prompt = models.TextField(null=True)  # noqa: DJ001
    decoding = models.JSONField(default=dict)  # {temperature, max_tokens, stream}
    scoring = models.JSONField(default=dict)  # {metric, scale, aggregate, require_all_rows}
    item_count = models.IntegerField(default=0)
    items_digest = models.CharField(max_length=64, default="")
    per_run_ceiling_cents = models.BigIntegerField(default=0)
    created_by = models.CharField(max_length=200, default="")
    retired_at = models.DateTimeField(null=True)
    retired_by = models.CharField(max_length=200, null=True)  # noqa: DJ001
    retired_reason = models.TextField(null=True)  # noqa: DJ001
    # The id while the benchmark is active, else null. Rules refer to this column, so that the database itself never
    # holds a rule on a retired benchmark, whoever writes and whenever.
    attachable_id = models.GeneratedField(
        expression=Case(When(status="active", then=F("id"))),
        output_field=models.CharField(max_length=64, null=True),
        db_persist=True,
        unique=True,
    )
    # What a published score is over: replays that carry one refer to this column, so that the database itself never
    # holds a score over another set, whoever writes and whenever.
    measured_key = models.GeneratedField(
        expression=Concat("id", Value(":"), "items_digest"),
        output_field=models.CharField(max_length=129),
        db_persist=True,
        unique=True,
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "workspace", "name", condition=Q(status="active"), name="benchmark_name_while_active"
            )
        ]
        indexes = [models.Index("workspace", F("created_at").desc(), F("id").desc(), name="benchmark_newest")]


class BenchmarkItem(models.Model):
    """One pinned conversation, copied: the source may go, the copy stays."""

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="items")
    ordinal = models.IntegerField()
    source_trace = models.ForeignKey(Trace, models.SET_NULL, null=True)
    prompt = models.JSONField()
    tools = models.JSONField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint("benchmark", "ordinal", name="item_ordinal_once")]
