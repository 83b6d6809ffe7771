"""`manage.py apikey create|list|revoke`: the keys of the embedded service."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from dashboard.contract import READ, SCOPES
from dashboard.signals import wrote
from dashboard.store.key import create_key
from dashboard.store.models import ApiKey, Workspace


class Command(BaseCommand):
    help = "Create, list or revoke API keys of the embedded service."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="make a key; the secret is shown once, alone on the last line")
        create.add_argument("--name", required=True)
        create.add_argument("--scopes", default=READ, help="comma-separated, of: " + ", ".join(SCOPES))
        create.add_argument("--days", type=int, help="days until it expires; for ever when absent")
        create.add_argument("--workspace", help="the workspace's id; the dashboard's own when absent")
        actions.add_parser("list", help="show the keys, without their secrets")
        revoke = actions.add_parser("revoke", help="refuse a key from now on")
        revoke.add_argument("id")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        if action == "create":
            self.create(**options)
        elif action == "list":
            self.list()
        else:
            self.revoke(options["id"])

    def create(self, *, name: str, scopes: str, days: int | None, workspace: str | None, **_: Any) -> None:
        wanted = [scope.strip() for scope in scopes.split(",")]
        if unknown := [scope for scope in wanted if scope not in SCOPES]:
            raise CommandError(f"Unknown scope {unknown[0]!r}: there are {' and '.join(SCOPES)}.")
        if days is not None and days < 1:
            raise CommandError("--days must be 1 or more.")
        owner = Workspace.objects.filter(pk=workspace).first() if workspace else Workspace.default()
        if owner is None:
            raise CommandError(f"There is no workspace {workspace!r}.")
        expires_at = timezone.now() + timedelta(days=days) if days else None
        key, secret = create_key(owner, name, wanted, expires_at)
        until = f"until {expires_at:%Y-%m-%d %H:%M} UTC" if expires_at else "for ever"
        self._tell("create", key, f"scopes {', '.join(wanted)}, {until}")
        self.stdout.write(f"Key {key.pk} for workspace {owner.pk}, {', '.join(wanted)}. It is shown this once:")
        self.stdout.write(secret)

    def list(self) -> None:
        now = timezone.now()
        for key in ApiKey.objects.order_by("created_at", "id"):
            expired = key.expires_at is not None and key.expires_at <= now
            state = "revoked" if key.revoked_at else "expired" if expired else "active"
            used = f"last used {key.last_used_at:%Y-%m-%d %H:%M} UTC" if key.last_used_at else "never used"
            scopes = ",".join(key.scopes)
            self.stdout.write(f"{key.pk}  {key.prefix}…  {state}  {key.workspace_id}  {scopes}  {used}  {key.name}")

    def revoke(self, key_id: str) -> None:
        key = ApiKey.objects.filter(pk=key_id).first()
        if key is None:
            raise CommandError(f"There is no key {key_id!r}. `manage.py apikey list` shows the ids.")
        if key.revoked_at is None:
            key.revoked_at = timezone.now()
            key.save(update_fields=["revoked_at"])
            self._tell("revoke", key)
        self.stdout.write(f"Key {key.pk} is revoked.")

    def _tell(self, action: str, key: ApiKey, message: str = "") -> None:
        wrote.send(
            type(self), action=action, target_kind="API key", target_id=key.pk, target_name=key.name, message=message
        )
