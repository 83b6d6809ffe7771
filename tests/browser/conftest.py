"""A real server and a real Chromium for the browser tests. They fail, and never skip, where there is no browser."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.chromium import ARGUMENTS, NoChromium, find_chromium
from tests.running import Server, run_python, serve

WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 375, "height": 740}
AMPLE_MS = 60_000
"""How long a page may take on a machine that is busy with other things, hashing a password among them."""
expect.set_options(timeout=AMPLE_MS)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the sample workspace and, beside it, the hostile benchmark."""
    with serve(tmp_path_factory.mktemp("state"), WORKERS="1") as running:
        run_python(running.data, "-m", "tests.browser.population")
        yield running


@pytest.fixture(scope="session")
def chromium() -> str:
    try:
        return find_chromium()
    except NoChromium as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser a module: while Playwright's loop runs, Django refuses its database to the same thread."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def session(browser: Browser, server: Server) -> Any:
    """The cookies of somebody who signed in."""
    context = browser.new_context()
    context.set_default_timeout(AMPLE_MS)
    page = context.new_page()
    page.goto(server.make_link())
    page.wait_for_url(f"{server.url}/")
    state = context.storage_state()
    context.close()
    return state


class Witness:
    """What a page must not do: write an error, break its content policy, or ask anybody but its own server."""

    def __init__(self, context: BrowserContext, server: Server) -> None:
        self.complaints: list[str] = []
        self.expected: list[str] = []
        self.server = server
        context.on("console", lambda message: self._note(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: self._note(str(error.error)))
        context.on("request", lambda request: self._look_at(request.url))

    def _look_at(self, url: str) -> None:
        if not url.startswith((f"{self.server.url}/", "data:", "blob:", "about:")):
            self._note(f"asked {url}")

    def _note(self, complaint: str) -> None:
        self.complaints.append(complaint)

    def expect(self, part: str) -> None:
        """A complaint that holds this text is what the test is about."""
        self.expected.append(part)

    @property
    def unexpected(self) -> list[str]:
        return [text for text in self.complaints if not any(part in text for part in self.expected)]


@pytest.fixture
def witness() -> list[Witness]:
    return []


@pytest.fixture
def open_context(
    browser: Browser, server: Server, session: Any, witness: list[Witness]
) -> Iterator[Callable[..., BrowserContext]]:
    """Makes signed-in contexts of a given kind, and fails the test if any page in one misbehaved."""
    opened: list[BrowserContext] = []

    def open_one(*, signed_in: bool = True, **options: Any) -> BrowserContext:
        settings = {"viewport": WIDE, "base_url": server.url, "reduced_motion": "reduce"} | options
        context = browser.new_context(storage_state=session if signed_in else None, **settings)
        context.set_default_timeout(AMPLE_MS)
        witness.append(Witness(context, server))
        opened.append(context)
        return context

    yield open_one
    for context in opened:
        context.close()
    assert [text for one in witness for text in one.unexpected] == []


@pytest.fixture
def page(open_context: Callable[..., BrowserContext]) -> Page:
    """A signed-in page, wide and light."""
    return open_context(color_scheme="light").new_page()
