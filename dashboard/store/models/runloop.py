"""Runloop's benchmarks and their runs."""

from __future__ import annotations

from django.db import models
from django.db.models import F

from dashboard.store.models.base import Brought, Owned


class RunloopRow(Owned):
    """A row of Runloop's API: its id is Runloop's own, and no prefix of ours stands before it."""

    id = models.CharField(primary_key=True, max_length=200)

    class Meta:
        abstract = True


class RunloopBenchmark(Brought, RunloopRow):
    """A set of scenarios that agents are run on. Who defined it and in what order is all that is kept."""

    name = models.CharField(max_length=200)
    metadata = models.JSONField(default=dict)  # {str: str}
    scenario_ids = models.JSONField(default=list)
    attribution = models.TextField(null=True)  # noqa: DJ001
    description = models.TextField(null=True)  # noqa: DJ001
    is_public = models.BooleanField(null=True)

    class Meta:
        indexes = [models.Index("workspace", F("created_at").desc(), F("id").desc(), name="runloop_benchmark_newest")]


class RunloopRun(Brought, RunloopRow):
    """One run of a benchmark, as Runloop answers it: times in Unix milliseconds, a score only where there is one.

    `environment_variables` ({name: value}) and `secrets_provided` ({name: name of the secret}) are None where they are
    not known. Nothing but the one run's own answer reads them.
    """

    benchmark = models.ForeignKey(RunloopBenchmark, models.CASCADE, null=True, related_name="runs")
    name = models.TextField(null=True)  # noqa: DJ001
    purpose = models.TextField(null=True)  # noqa: DJ001
    state = models.CharField(max_length=40)
    score = models.FloatField(null=True)
    start_time_ms = models.BigIntegerField()
    duration_ms = models.BigIntegerField(null=True)
    metadata = models.JSONField(default=dict)  # {str: str}
    environment_variables = models.JSONField(null=True)
    secrets_provided = models.JSONField(null=True)

    class Meta:
        # A page after a cursor is a walk along one of these, with and without a benchmark.
        indexes = [
            models.Index("workspace", F("start_time_ms").desc(), F("id").desc(), name="runloop_run_newest"),
            models.Index(
                "workspace", "benchmark", F("start_time_ms").desc(), F("id").desc(), name="runloop_run_of_benchmark"
            ),
        ]


class RunloopScenarioRun(models.Model):
    """What one scenario of a run came to. `ordinal` is its place in the run's answer."""

    id = models.CharField(primary_key=True, max_length=200)
    run = models.ForeignKey(RunloopRun, models.CASCADE, related_name="scenario_runs")
    ordinal = models.IntegerField()
    scenario_id = models.CharField(max_length=200)
    devbox_id = models.CharField(max_length=200, default="")
    name = models.TextField(null=True)  # noqa: DJ001
    state = models.CharField(max_length=40)
    start_time_ms = models.BigIntegerField(null=True)
    duration_ms = models.BigIntegerField(null=True)
    metadata = models.JSONField(default=dict)  # {str: str}
    scoring_contract_result = models.JSONField(null=True)  # {score, scoring_function_results[]}, as on the wire

    class Meta:
        constraints = [models.UniqueConstraint("run", "ordinal", name="runloop_scenario_run_ordinal_once")]
