"""`manage.py create_rule`: a training rule for the embedded workspace."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import IntegrityError, transaction

from dashboard.api.http.body import Text, read_fields
from dashboard.signals import command_wrote
from dashboard.store.models import Rule, Workspace

FIELDS = (Text(name="name"), Text(name="--serving"), Text(name="--model"), Text(name="--deployment", required=False))


class Command(BaseCommand):
    help = "Make a training rule, so that a benchmark can be attached to it. The name must be free."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--serving", required=True, metavar="MODEL", help="the model that serves today")
        parser.add_argument("--model", default="", help="the base model that is trained; the serving one when absent")
        parser.add_argument("--deployment", metavar="ID", help="the deployment that serves, when it is no alias")

    def handle(self, *_: Any, name: str, serving: str, model: str, deployment: str | None, **options: Any) -> None:
        given = {"name": name, "--serving": serving, "--model": model or serving, "--deployment": deployment or None}
        texts, faults = read_fields(given, FIELDS)
        if faults:
            raise CommandError(" ".join(f"{at} {fault.message}." for at, fault in faults))
        name, serving, model, deployment = (texts[field.name] for field in FIELDS)
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
