"""Check every decision record: `manage.py verify_records`. It fails where one is not what was kept."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.web.runs.models import DecisionRecord
from dashboard.web.runs.training.records import find_faults


class Command(BaseCommand):
    help = "Check every decision record against its digest, its columns and the audit log."

    def handle(self, *args: Any, **options: Any) -> None:
        count = bad = 0
        for record in DecisionRecord.objects.order_by("at", "id").iterator():
            count += 1
            if faults := find_faults(record):
                bad += 1
                self.stdout.write(f"{record.pk} ({record.action} {record.run_id}): {'; '.join(faults)}")
        if bad:
            raise CommandError(f"{bad} of {count} decision records are not what was kept.")
        self.stdout.write(f"{count} decision record{'' if count == 1 else 's'}, each as it was kept.")
