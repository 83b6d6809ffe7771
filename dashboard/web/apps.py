"""The pages as a Django app."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.apps import apps as all_apps
from django.db.models.signals import post_migrate

from dashboard.signals import wrote


class WebConfig(AppConfig):
    name = "dashboard.web"
    label = "web"

    def ready(self) -> None:
        from dashboard.web.site.audit.log import record_outside  # it needs the models

        wrote.connect(record_outside, dispatch_uid="audit")
        post_migrate.connect(make_roles, sender=self, dispatch_uid="roles")


def make_roles(*, using: str, apps: Any = all_apps, **_: Any) -> None:
    """Make the roles' groups where they are missing: a migration made them, but Django's `flush` takes them away."""
    from dashboard.web.site.access import ROLES

    try:
        groups = apps.get_model("auth", "Group").objects.using(using)
    except LookupError:  # migrated back to before there were groups
        return
    for role in ROLES:
        groups.get_or_create(name=role)
