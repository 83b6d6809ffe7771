"""The replay, its rows, the grid and two replays, as a person walks through them in the sample workspace."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import looking
from tests.browser.conftest import PHONE, WIDE

BENCHMARK = "Support answers"


def open_grid(page: Page) -> None:
    looking.open_trend(page, BENCHMARK)
    page.goto(page.url.partition("?")[0] + "grid/")


@pytest.mark.parametrize("viewport", [PHONE, WIDE], ids=["phone", "desktop"])
def test_from_what_changed_to_both_answers(open_context: Callable[..., BrowserContext], viewport) -> None:
    page = open_context(viewport=viewport).new_page()
    open_grid(page)
    assert not looking.overflows_sideways(page)
    page.locator(".grid-table tbody th a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Conversation")
    assert not looking.overflows_sideways(page)
    page.get_by_role("link", name="both answers").first.click()
    expect(page.locator(".row .side")).to_have_count(2)
    assert not looking.overflows_sideways(page)
    page.locator(".crumb a").last.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Replay")
    assert not looking.overflows_sideways(page)
    page.get_by_role("link", name="Beside the replay before").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Two replays side by side")
    assert not looking.overflows_sideways(page)


def test_j_and_k_move_between_the_rows(page: Page) -> None:
    open_grid(page)
    page.locator(".grid-table thead a").first.click()
    page.get_by_role("link", name="Its rows").click()
    rows = page.locator(".row")
    expect(rows.nth(1)).to_be_visible()
    page.wait_for_load_state("load")  # the module that listens has run
    page.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(rows.nth(0)).to_be_focused()
