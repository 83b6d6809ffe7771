"""The overview: rows, their sparklines, and links that can be shared."""

from playwright.sync_api import Page, expect

from tests.browser import looking
from tests.browser.population import GAPS


def test_each_row_shows_its_numbers_and_its_line_with_every_gap(page: Page) -> None:
    page.goto("/")
    row = page.locator("table.overview tbody tr", has=page.get_by_role("link", name=GAPS))
    expect(row).to_contain_text("0.68")
    expect(row).to_contain_text("0.48")
    expect(row).to_contain_text("+0.20")
    expect(row.locator("[data-label=Replays]")).to_have_text("13")
    expect(row.locator("[data-label='No score']")).to_have_text("7")
    expect(row.locator("svg.sparkline .line.candidate").first).to_be_visible()


def test_search_status_and_order_are_in_the_address(page: Page) -> None:
    page.goto("/")
    page.get_by_role("searchbox").fill("kind of gap")
    page.get_by_label("Sort").select_option("name")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("table.overview tbody tr")).to_have_count(1)
    shared = page.url
    assert "sort=name" in shared
    page.goto("/")
    page.goto(shared)
    expect(page.locator("table.overview tbody tr")).to_have_count(1)
    expect(page.get_by_label("Sort")).to_have_value("name")


def test_a_row_leads_to_its_trend(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name=GAPS).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(GAPS)
    assert not looking.overflows_sideways(page)
