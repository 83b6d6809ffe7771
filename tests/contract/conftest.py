"""A real server and the official SDK in front of it."""

from typing import Any

import pytest
from bios import RunBiOS

from tests.factories import make_key


@pytest.fixture
def loop(live_server: Any) -> Any:
    """The SDK's Loop resource with a key that may read the default workspace."""
    return RunBiOS(base_url=live_server.url, api_key=make_key("loop:read")).loop
