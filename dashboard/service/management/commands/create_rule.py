"""`manage.py create_rule`: a training rule for the embedded workspace."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import IntegrityError, transaction

from dashboard.service.body import Fault, Text
from dashboard.service.models import Rule, Workspace
from dashboard.signals import command_wrote


class Command(BaseCommand):
    help = "Make a training rule, so that a benchmark can be attached to it. The name must be free."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--serving", required=True, metavar="MODEL", help="the model that serves today")
        parser.add_argument("--model", default="", help="the base model that is trained; the serving one when absent")
        parser.add_argument("--deployment", metavar="ID", help="the deployment that serves, when it is no alias")

    def handle(self, *_: Any, name: str, serving: str, model: str, deployment: str | None, **options: Any) -> None:
        try:
            name, serving = Text(name="name").read(name), Text(name="serving").read(serving)
            model = Text(name="model").read(model or serving)
            deployment = Text(name="deployment").read(deployment) if deployment else None
        except Fault as fault:
            raise CommandError(f"A name {fault.message}.") from fault
        kind = "deployment" if deployment else "serverless_slug"
        try:
            with transaction.atomic():
                rule = Rule.objects.create(
                    workspace=Workspace.default(),
                    name=name,
                    serving={"kind": kind, "name": serving, "deployment_id": deployment},
                    model_id=model,
                )
        except IntegrityError as error:  # a rule's name is unique in its workspace
            raise CommandError(f"There is a rule named {name!r} already.") from error
        command_wrote.send(
            type(self),
            action="create",
            target_kind="rule",
            target_id=rule.pk,
            target_name=name,
            message=f"serving {serving}, training {model}",
        )
        self.stdout.write(f'made rule {rule.pk} "{name}", serving {serving}; see /rules/{rule.pk}/')
