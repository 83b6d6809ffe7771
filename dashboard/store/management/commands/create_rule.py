"""`manage.py create_rule`: a training rule for the embedded workspace."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.signals import wrote
from dashboard.store.errors import DomainError, Fault
from dashboard.store.models import Workspace
from dashboard.store.rule import Draft, create_rule


class Command(BaseCommand):
    help = "Make a training rule, so that a benchmark can be attached to it. The name must be free."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--serving", required=True, metavar="MODEL", help="the model that serves today")
        parser.add_argument("--model", default="", help="the base model that is trained; the serving one when absent")
        parser.add_argument("--deployment", metavar="ID", help="the deployment that serves, when it is no alias")

    def handle(self, *_: Any, name: str, serving: str, model: str, deployment: str | None, **options: Any) -> None:
        try:
            rule = create_rule(Workspace.default(), Draft(name, serving, model or None, deployment or None))
        except DomainError as error:
            raise CommandError(" ".join(_say(fault) for fault in error.faults)) from error
        wrote.send(
            type(self),
            action="create",
            target_kind="rule",
            target_id=rule.pk,
            target_name=rule.name,
            message=f"serving {rule.serving['name']}, training {rule.model_id}",
        )
        self.stdout.write(f'made rule {rule.pk} "{rule.name}", serving {rule.serving["name"]}; see /rules/{rule.pk}/')


def _say(fault: Fault) -> str:
    """The fault, of the option that it was given by."""
    return fault.message if fault.field == "name" else f"--{fault.message}"
