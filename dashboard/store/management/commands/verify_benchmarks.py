"""`manage.py verify_benchmarks`: recomputes the fingerprint of every benchmark from its pinned conversations."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.store.digest import digest_items
from dashboard.store.models import Benchmark


class Command(BaseCommand):
    help = "Recompute every benchmark's digest. The exit status is 1 when a pinned set is not what was frozen."

    def handle(self, *_: Any, **options: Any) -> None:
        drifted = unpinned = matching = 0
        for benchmark in Benchmark.objects.order_by("created_at", "id").iterator():
            rows = list(benchmark.items.order_by("ordinal").values("prompt", "tools"))
            named = f'{benchmark.pk} "{benchmark.name}"'
            if not rows and not benchmark.item_count:
                unpinned += 1
                self.stdout.write(f"not pinned: {named} was imported with results; its digest stands for the tasks")
            elif len(rows) != benchmark.item_count:
                drifted += 1
                self.stderr.write(f"CHANGED: {named} pinned {benchmark.item_count} conversations and has {len(rows)}")
            elif (found := digest_items(rows)) != benchmark.items_digest:
                drifted += 1
                self.stderr.write(f"CHANGED: {named} was frozen as {benchmark.items_digest} and is now {found}")
            else:
                matching += 1
        self.stdout.write(f"{matching} match, {unpinned} without pinned conversations, {drifted} changed")
        if drifted:
            raise CommandError("A benchmark that changed must not be replayed: its scores would not be comparable.")
