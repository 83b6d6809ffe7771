"""manage.py forget: empty the memory of what was read from remote sources."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.sources.reader.memory import forget_all


class Command(BaseCommand):
    help = "Forget every answer of a remote source that is remembered for when it is slow, wrong or away."

    def handle(self, *args: Any, **options: Any) -> None:
        count, size = forget_all()
        answers = "answer" if count == 1 else "answers"
        self.stdout.write(f"Forgot {count:,} {answers}, {size:,} bytes.")
