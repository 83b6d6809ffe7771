"""Is it up, and can it work?"""

from __future__ import annotations

import pytest


def test_the_process_says_ok_to_anybody(client):
    assert client.get("/healthz").content == b"ok\n"


@pytest.mark.django_db
def test_the_database_answers(client):
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"database": "ok"}
