"""Which benchmark a rule replays, and the end of a benchmark: the two writes that must never cross.

Both lock the benchmark first and the rule after it, so they wait for each other and cannot lock each other out. What
holds without any lock is the database's own: a rule refers to `Benchmark.attachable_id`, which a retired one lacks.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from dashboard.store.errors import Fault, Kind, not_found, refuse
from dashboard.store.models import Benchmark, Rule


def retire_benchmark(workspace_id: str, benchmark_id: str, reason: str | None, actor: str, now: datetime) -> Benchmark:
    """Detach the benchmark from every rule and release its name. Retiring again changes nothing. Raises DomainError.

    A replay that runs already goes on: it is of its own training run, and no rule is asked again.
    """
    with transaction.atomic():
        row = Benchmark.objects.select_for_update().filter(workspace_id=workspace_id, pk=benchmark_id).first()
        if row is None:
            raise not_found("benchmark")
        if row.status != "retired":
            Rule.objects.filter(benchmark_id=row.pk).update(benchmark=None, updated_at=now)
            row.status, row.retired_at, row.retired_by, row.retired_reason = "retired", now, actor, reason
            row.save(update_fields=["status", "retired_at", "retired_by", "retired_reason"])
    return row


def set_benchmark(workspace_id: str, rule_id: str, benchmark_id: str | None, now: datetime) -> Rule:
    """Have the rule replay this benchmark on every run from now on; None detaches. Consent is not touched.

    Raises DomainError: MISSING for a rule or benchmark that is not in the workspace, CONFLICT BENCHMARK_RETIRED or
    BENCHMARK_WITHOUT_ITEMS. A rule that an import tied to a benchmark without conversations keeps it.
    """
    with transaction.atomic():
        benchmark = None
        if benchmark_id is not None:
            benchmarks = Benchmark.objects.select_for_update().filter(workspace_id=workspace_id, pk=benchmark_id)
            benchmark = benchmarks.first()
            if benchmark is None:
                raise not_found("benchmark", field="benchmark_id")
            if benchmark.status == "retired":
                message = f"The benchmark {benchmark.name!r} is retired, so no rule can replay it."
                raise refuse(Kind.CONFLICT, [Fault("benchmark_id", "BENCHMARK_RETIRED", message)])
        rule = Rule.objects.select_for_update().filter(workspace_id=workspace_id, pk=rule_id).first()
        if rule is None:
            raise not_found("training rule")
        if rule.benchmark_id != benchmark_id:
            if benchmark and not benchmark.item_count:
                message = f"The benchmark {benchmark.name!r} has no conversations, so no rule can replay it."
                raise refuse(Kind.CONFLICT, [Fault("benchmark_id", "BENCHMARK_WITHOUT_ITEMS", message)])
            rule.benchmark_id, rule.updated_at = benchmark_id, now
            rule.save(update_fields=["benchmark", "updated_at"])
    return rule
