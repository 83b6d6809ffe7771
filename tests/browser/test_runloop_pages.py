"""Runloop's benchmarks on screen: lines by group, two side by side, what is remembered, one run and its environment."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import looking
from tests.browser.conftest import PHONE
from tests.browser.population import HOSTILE, HOSTILE_ID

REPAIRS = "Repository repairs"
"""Of the sample workspace."""
OURS, THEIRS = "open-coder-32b", "open-coder-7b"
HOSTILE_RUNS = f"/runloop/benchmarks/{HOSTILE_ID}/"
HOSTILE_RUN = f"/runloop/runs/{HOSTILE_ID}-0/"


def choose(page: Page, **choice: str) -> None:
    """Send the picker with these options, each by the beginning of its text."""
    for name, beginning in choice.items():
        option = page.locator(f"#{name} option").filter(has_text=beginning).first
        page.locator(f"#{name}").select_option(value=option.get_attribute("value"))
    page.locator(".picker-runs").get_by_role("button", name="Show").click()


def names_of_lines(page: Page) -> list[str]:
    return [trace["name"] for trace in looking.read_traces(page) if trace["connectgaps"] is False]


def test_a_grouping_is_chosen_drawn_and_remembered(page: Page) -> None:
    looking.open_trend(page, REPAIRS)
    address = page.url
    looking.wait_for_live_chart(page)
    choose(page, group="model", label="checkpoint")
    page.wait_for_url("**group=model**")
    looking.wait_for_live_chart(page)
    assert sorted(names_of_lines(page)) == ["hosted-agent", OURS, THEIRS]
    choose(page, candidate=OURS, incumbent=THEIRS)
    page.wait_for_url("**incumbent=**")
    looking.wait_for_live_chart(page)
    assert sorted(names_of_lines(page)) == [OURS, THEIRS]
    expect(page.locator("#trend-wide").get_by_text("difference, computed here")).to_be_visible()
    page.goto(address)
    expect(page.locator("#candidate")).to_have_value(OURS)
    expect(page.locator("#incumbent")).to_have_value(THEIRS)
    looking.wait_for_live_chart(page)
    choose(page, group="nothing")  # for whoever comes after
    expect(page.locator("#candidate")).to_have_count(0)


def test_the_picker_works_without_script_and_a_row_leads_to_its_run(open_context) -> None:
    page = open_context(java_script_enabled=False).new_page()
    looking.open_trend(page, "Shell tasks")
    choose(page, group="model")
    expect(page.locator("#trend-wide .line.rule-2")).to_be_visible()
    expect(page.locator("table.replays tbody tr")).to_have_count(50)
    page.locator("table.replays tbody a").first.click()
    expect(page.get_by_role("heading", name="Scenario runs")).to_be_visible()
    page.get_by_role("link", name="its benchmark's trend").click()
    expect(page.locator("tr.addressed")).to_have_count(1)
    choose(page, group="nothing")


def test_a_point_of_the_chart_leads_to_its_row(page: Page) -> None:
    looking.open_trend(page, REPAIRS)
    looking.wait_for_live_chart(page)
    page.evaluate("document.getElementById('trend-live').emit('plotly_click', {points: [{customdata: 0}]})")
    page.wait_for_url("**run=**")
    expect(page.locator("tr.addressed")).to_be_in_viewport()


def test_the_environment_is_shown_to_who_asks_and_not_by_going_back_to_its_address(page: Page) -> None:
    page.goto(HOSTILE_RUN)
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    page.get_by_role("button", name="Show environment values and secret names").click()
    expect(page.locator("dl.metadata dt").first).to_have_text(HOSTILE)
    page.goto(f"{HOSTILE_RUN}environment/")
    expect(page).to_have_url(f"{page.url.partition('/runloop')[0]}{HOSTILE_RUN}")


@pytest.mark.parametrize("query", ["", "?group=model"])
def test_a_trend_of_hostile_runs_fits_a_phone_and_complains_of_nothing(
    open_context: Callable[..., BrowserContext], query: str
) -> None:
    page = open_context(viewport=PHONE).new_page()
    answer = page.goto(HOSTILE_RUNS + query)
    assert answer
    assert answer.ok
    looking.wait_for_live_chart(page)
    assert not looking.overflows_sideways(page)
    assert page.locator("#trend-live a, img").count() == 0


def test_a_hostile_run_and_its_environment_fit_a_phone(open_context: Callable[..., BrowserContext]) -> None:
    page = open_context(viewport=PHONE).new_page()
    page.goto(HOSTILE_RUN)
    page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert not looking.overflows_sideways(page)
    page.get_by_role("button", name="Show environment values and secret names").click()
    expect(page.get_by_role("heading", name="Secrets, by name")).to_be_visible()
    assert not looking.overflows_sideways(page)
