"""A reviewer's ten minutes: from the top bar to a run that awaits them, its answers, the decision, and its record."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import looking
from tests.browser.conftest import PHONE, Witness


def open_inconclusive(page: Page) -> None:
    """The run of the sample workspace that awaits review and whose comparison came to no verdict."""
    page.goto("/")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=re.compile("Runs")).click()
    page.get_by_role("row").filter(has_text="inconclusive").first.get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="The paired comparison", exact=True)).to_be_visible()


@pytest.mark.parametrize("viewport", [PHONE, {"width": 1280, "height": 900}], ids=["phone", "desktop"])
def test_no_page_of_a_decision_scrolls_sideways_or_complains(
    open_context: Callable[..., BrowserContext], viewport: dict[str, int]
) -> None:
    page = open_context(viewport=viewport).new_page()
    open_inconclusive(page)
    assert not looking.overflows_sideways(page)
    run = page.url
    for address in ("/runs/", f"{run}answers/", f"{run}decide/promote/", f"{run}decide/reject/"):
        answer = page.goto(address)
        assert answer
        assert answer.ok
        assert not looking.overflows_sideways(page)


def test_a_run_is_promoted_with_force_recorded_and_rolled_back_without_any_script(
    open_context: Callable[..., BrowserContext], witness: list[Witness]
) -> None:
    page = open_context(java_script_enabled=False).new_page()
    witness[-1].expect("409 (Conflict)")  # the refusal
    open_inconclusive(page)
    page.get_by_role("link", name="Promote…").click()
    page.get_by_label("Reason (optional)").fill("The losses are matters of taste.")
    page.get_by_role("button", name=re.compile("^Promote")).click()
    expect(page.get_by_role("alert")).to_contain_text("promoting it takes force")
    expect(page.get_by_label("Reason (optional)")).to_have_value("The losses are matters of taste.")
    page.get_by_label(re.compile("Promote all the same")).check()
    page.get_by_role("button", name=re.compile("^Promote")).click()
    expect(page.get_by_role("status").first).to_contain_text("is promoted.")
    page.get_by_role("link", name="the record of the decision").click()
    expect(page.get_by_role("status")).to_have_text("Checked just now: it stands as it was kept.")
    expect(page.get_by_text("The losses are matters of taste.")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Roll back…").click()
    page.get_by_role("button", name="Roll back").click()
    expect(page.get_by_role("status").first).to_contain_text("is rolled back.")
