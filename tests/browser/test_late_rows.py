"""Rows that come after the page, from a remote workspace whose histories are slow: they arrive, or say why not."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import AMPLE_MS, WIDE
from tests.running import Server, serve
from tests.sources.faulty_server import FaultyServer, Request, reply_json
from tests.sources.faulty_server import serve as serve_faulty
from tests.web.conftest import Workspace, one_benchmark, one_point


class SlowWorkspace(Workspace):
    """Lists at once, and gives no history until it is `released`; with `refusing` it lists no more."""

    refusing = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.released = threading.Event()
        self.released.set()  # for the page that signing in leads to

    def __call__(self, request: Request) -> list[bytes]:
        if self.refusing:
            return reply_json({"error": {"code": "FORBIDDEN", "message": "No."}}, 403)
        if request.path.endswith("/history"):
            self.released.wait(AMPLE_MS / 1000)
        return super().__call__(request)


@pytest.fixture
def remote() -> Iterator[FaultyServer]:
    benchmarks = [one_benchmark(id=f"bm_{number}", name=f"Remote {number}") for number in range(3)]
    workspace = SlowWorkspace(benchmarks, {one["id"]: [one_point(1)] for one in benchmarks})
    with serve_faulty(workspace) as server:
        yield server
        workspace.released.set()


@pytest.fixture
def dashboard(remote: FaultyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("remote")
    with serve(data, WORKERS="1", DEMO="0", RUNBIOS_BASE_URL=remote.url, RUNBIOS_API_KEY="rb_key") as server:
        yield server


@pytest.fixture
def page(browser: Browser, dashboard: Server) -> Iterator[Page]:
    """A page that somebody has signed in on."""
    context = browser.new_context(viewport=WIDE, base_url=dashboard.url)
    context.set_default_timeout(AMPLE_MS)
    page = context.new_page()
    page.goto(dashboard.link)
    page.wait_for_url(f"{dashboard.url}/")
    yield page
    context.close()


def test_late_rows_come_in_after_the_page(page: Page, remote: FaultyServer) -> None:
    remote.answer.released.clear()
    page.goto("/", wait_until="commit")
    rows = page.locator("table.overview tbody tr")
    expect(page.locator("[aria-busy=true]")).to_have_count(1)
    expect(rows.first).to_contain_text("Reading its replays")
    remote.answer.released.set()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    expect(rows).to_have_count(3)
    for row in rows.all():
        expect(row.locator("[data-label=Candidate]")).to_have_text("0.60")
        expect(row.locator("svg.sparkline")).to_be_visible()


def test_late_rows_of_a_list_that_fails_end_with_the_reason(page: Page, remote: FaultyServer) -> None:
    remote.answer.released.clear()
    page.route("**/rows/?*", lambda route: refuse_then_go_on(remote, route))
    page.goto("/", wait_until="commit")
    expect(page.locator("table.overview .note-warn").first).to_contain_text("not allowed with this key")
    expect(page.locator("table.overview .note-warn")).to_have_count(3)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def refuse_then_go_on(remote: FaultyServer, route) -> None:
    remote.answer.refusing = True
    route.continue_()
