"""Making a training rule, whose runs replay the benchmark that is attached to it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import IntegrityError, transaction

from dashboard.store.errors import Fault, Kind, refuse
from dashboard.store.models import Rule, Workspace
from dashboard.store.text.rules import TextReader, TextRule

NAME = SERVING = MODEL = DEPLOYMENT = TextRule()


@dataclass(frozen=True)
class Draft:
    """What a rule is to be. `model` None: what serves is trained; `deployment` None: what serves is an alias."""

    name: str
    serving: str
    model: str | None = None
    deployment: str | None = None


def create_rule(workspace: Workspace, draft: Draft) -> Rule:
    """Make the rule. Raises DomainError: INVALID with every fault of the draft, CONFLICT RULE_NAME_TAKEN."""
    reader = TextReader()
    name = reader.read("name", draft.name, NAME)
    serving = reader.read("serving", draft.serving, SERVING)
    model = serving if draft.model is None else reader.read("model", draft.model, MODEL)
    deployment = None if draft.deployment is None else reader.read("deployment", draft.deployment, DEPLOYMENT)
    reader.finish()
    kind = "deployment" if deployment else "serverless_slug"
    rule = Rule(
        workspace=workspace,
        name=name,
        serving={"kind": kind, "name": serving, "deployment_id": deployment},
        model_id=model,
    )
    try:
        with transaction.atomic():
            rule.save(force_insert=True)
    except IntegrityError as error:  # its one constraint that a new id can meet is the name's
        message = f"There is a rule named {name!r} already."
        raise refuse(Kind.CONFLICT, [Fault("name", "RULE_NAME_TAKEN", message)]) from error
    return rule
