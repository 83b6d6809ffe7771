"""What the page tests share."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User


@pytest.fixture
def person(db) -> User:
    """Somebody who is no administrator and has a password."""
    return User.objects.create_user("ada", password="correct horse")
