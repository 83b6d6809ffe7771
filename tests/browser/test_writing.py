"""A benchmark from its first conversation to its end, in a person's browser."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser import looking
from tests.browser.conftest import PHONE, WIDE
from tests.browser.population import FILED, JUDGE, PARCELS, PICKABLE, RULE

NAME = "Pinned in a browser"
A_PAGE = 25


def test_a_benchmark_is_picked_reviewed_frozen_once_attached_and_retired(page: Page, witness: list[Any]) -> None:
    fill_in(page)
    pick_twelve(page)
    page.get_by_role("button", name="Review", exact=True).click()
    expect(page.get_by_role("heading", name="12 conversations, in this order")).to_be_visible()
    expect(page.locator(".facts")).to_contain_text("$4")
    assert_fits_a_phone(page)

    address = freeze_twice(page)
    rules = open_beside(page, f"{address}attach/")  # as it was before the rule and the benchmark changed
    page.get_by_role("link", name="Attach", exact=True).click()
    page.get_by_role("button", name=f"Attach to {RULE}").click()
    expect(page.get_by_role("status")).to_contain_text(f"“{RULE}” replays “{NAME}” on every run from now on.")
    assert_fits_a_phone(page)

    page.goto(address)
    page.get_by_role("link", name="Retire", exact=True).click()
    expect(page.get_by_text("It is detached from 1 rule")).to_be_visible()
    page.get_by_label("Reason").fill("It was made to see it end.")
    page.get_by_role("button", name="Retire", exact=True).click()
    expect(page.get_by_role("heading", name=f"{NAME} is retired")).to_be_visible()
    expect(page.get_by_text("It was made to see it end.")).to_be_visible()
    assert_fits_a_phone(page)

    witness[-1].expect("status of 409")
    rules.get_by_role("button", name=f"Attach to {RULE}").click()
    expect(rules.get_by_role("alert")).to_contain_text("The rule is unchanged.")
    expect(rules.get_by_role("alert")).to_contain_text("retired")
    rules.goto("/rules/")
    rules.get_by_role("link", name=RULE).click()
    expect(rules.get_by_text("It replays no benchmark")).to_be_visible()


def test_what_is_ticked_and_typed_on_a_slow_network_is_kept_in_its_order(page: Page, witness: list[Any]) -> None:
    witness[-1].expect("status of 422")
    page.goto("/benchmarks/new/")
    page.get_by_label("Source", exact=True).fill(FILED)
    find(page, A_PAGE, PICKABLE)
    slow_down(page)
    count, boxes = page.locator("#picked-count"), page.locator("input[name=tick]")

    address = page.url
    boxes.first.click()
    page.get_by_role("button", name="Next").click()
    assert page.locator("#_picker").evaluate("list => list.inert")  # a tick in the old list would go with it
    page.get_by_label("Name", exact=True).fill("typed meanwhile")
    expect(page.locator(".list-head")).to_contain_text(f"{A_PAGE + 1}–{PICKABLE}")
    expect_kept(page)
    page.get_by_label("Search", exact=True).focus()
    boxes.first.click()
    page.wait_for_timeout(600)  # that tick is under way now
    boxes.nth(1).click()
    page.get_by_role("button", name="Review", exact=True).click()
    expect(page.get_by_text("Nothing was pinned.")).to_be_visible()
    expect(count).to_have_text("3 of 10–200")
    expect(page.get_by_label("Name", exact=True)).to_have_value("typed meanwhile")

    boxes.first.click()
    page.get_by_role("button", name="Pick none").click()
    expect(page.get_by_text("None is picked.")).to_be_visible()
    expect_kept(page)
    boxes.first.click()
    page.get_by_role("link", name="Benchmarks", exact=True).first.click()
    page.wait_for_url(re.compile("://[^/]+/$"))
    page.goto(address)
    expect(count).to_have_text("1 of 10–200")


def test_what_could_not_be_kept_is_said_and_kept_later(page: Page, witness: list[Any]) -> None:
    page.goto("/benchmarks/new/")
    witness[-1].expect("ERR_INTERNET_DISCONNECTED")
    witness[-1].expect("Failed to fetch")
    page.context.set_offline(True)
    page.get_by_label("Name", exact=True).fill("typed on a train")
    expect(page.locator("#kept")).to_have_text("Not kept yet.")
    page.context.set_offline(False)
    expect_kept(page)
    page.reload()
    expect(page.get_by_label("Name", exact=True)).to_have_value("typed on a train")


def slow_down(page: Page, latency_ms: int = 800) -> None:
    conditions = {"offline": False, "latency": latency_ms, "downloadThroughput": -1, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", conditions)


def fill_in(page: Page) -> None:
    page.goto("/benchmarks/new/")
    page.get_by_label("Name", exact=True).fill(NAME)
    page.get_by_role("radio", name=JUDGE).check()
    page.get_by_label("Cap for one replay").fill("4")
    page.get_by_label("Source", exact=True).fill(FILED)
    find(page, A_PAGE, PICKABLE)


def pick_twelve(page: Page) -> None:
    """Over two pages, with a search between."""
    tick(page, 1, 5)
    expect(page.locator("#picked-count")).to_have_text("5 of 10–200")
    page.get_by_label("Search", exact=True).fill("parcel")
    find(page, PARCELS, PARCELS)
    tick(page, 1, 2)
    expect(page.locator("#picked-count")).to_have_text("7 of 10–200")
    page.get_by_label("Search", exact=True).fill("")
    find(page, A_PAGE, PICKABLE)
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".list-head")).to_contain_text(f"{A_PAGE + 1}–{PICKABLE} of {PICKABLE}")
    tick(page, 1, 5)
    expect(page.locator("#picked-count")).to_have_text("12 of 10–200")
    assert_fits_a_phone(page)


def find(page: Page, last: int, total: int) -> None:
    """Enter in the search, and the list that answers it: not the one that stood there, which may say the same."""
    page.locator(".picks").evaluate("list => list.classList.add('old')")
    page.get_by_label("Search", exact=True).press("Enter")
    expect(page.locator(".picks.old")).to_have_count(0)
    expect(page.locator(".list-head")).to_contain_text(f"1–{last} of {total}")


def tick(page: Page, first: int, last: int) -> None:
    """These rows of a page without ticks, counted from 1, with Shift; and until the form has kept them all."""
    boxes = page.locator("input[name=tick]")
    boxes.nth(first - 1).click()
    expect_kept(page)
    boxes.nth(last - 1).click(modifiers=["Shift"])
    expect_kept(page)


def expect_kept(page: Page) -> None:
    """The form says at once when something is not kept yet, and then that it is."""
    expect(page.locator("#kept")).to_have_text("All of it is kept.")


def freeze_twice(page: Page) -> str:
    """Pressed twice here and once more in another tab: the address of the one benchmark that came of it."""
    beside = open_beside(page, page.url)
    freeze = re.compile("^Freeze")
    page.get_by_role("button", name=freeze).dblclick()
    expect(page.get_by_role("status").filter(has_text="is pinned: 12 conversations")).to_be_visible()
    beside.get_by_role("button", name=freeze).click()
    expect(beside).to_have_url(page.url)
    beside.goto(f"/?q={NAME}")
    expect(beside.get_by_role("link", name=NAME, exact=True)).to_have_count(1)
    beside.close()
    return page.url


def open_beside(page: Page, address: str) -> Page:
    beside = page.context.new_page()
    beside.goto(address)
    return beside


def assert_fits_a_phone(page: Page) -> None:
    page.set_viewport_size(PHONE)
    assert not looking.overflows_sideways(page)
    page.set_viewport_size(WIDE)
