"""API keys: made once, stored as a digest, looked up by what a caller sent."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import OperationalError
from django.db.models import Q

from dashboard.store.models import ApiKey, Workspace, new_id

SHAPE = re.compile(r"btk_[0-9a-f]{48}", re.ASCII)
PREFIX_LENGTH = 12
TOUCH_EVERY = timedelta(minutes=1)

logger = logging.getLogger(__name__)


def digest_of(secret: str) -> str:
    """The SHA-256 of a secret. It holds 192 random bits, so a slow hash would add nothing but time to each call."""
    return hashlib.sha256(secret.encode()).hexdigest()


def create_key(
    workspace: Workspace, name: str, scopes: Sequence[str], expires_at: datetime | None = None
) -> tuple[ApiKey, str]:
    """A new key and its secret, which is nowhere else. `scopes` are some of SCOPES."""
    secret = f"btk_{secrets.token_hex(24)}"
    key = ApiKey.objects.create(
        id=new_id("key"),
        workspace=workspace,
        name=name,
        prefix=secret[:PREFIX_LENGTH],
        digest=digest_of(secret),
        scopes=list(scopes),
        expires_at=expires_at,
    )
    return key, secret


def find_key(secret: str) -> ApiKey | None:
    """The key with this secret, its workspace loaded; None when there is none. It may be revoked or expired."""
    if not SHAPE.fullmatch(secret):
        return None
    return ApiKey.objects.select_related("workspace").filter(digest=digest_of(secret)).first()


def touch_key(key: ApiKey, now: datetime) -> None:
    """Note that the key was used, at most once a minute, so that reading does not mean writing."""
    before = now - TOUCH_EVERY
    if key.last_used_at is not None and key.last_used_at > before:
        return
    try:
        ApiKey.objects.filter(Q(last_used_at=None) | Q(last_used_at__lte=before), pk=key.pk).update(last_used_at=now)
    except OperationalError as error:  # a long write holds the database: the note is not worth the caller's answer
        logger.warning("could not note the use of key %s: %s", key.pk, error)
