"""What holds on every page: no error, no sideways scroll on a phone, everything by keyboard."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import looking
from tests.browser.conftest import PHONE
from tests.browser.population import GAPS, HOSTILE, HOSTILE_ID, LONG_NAME, LONG_NAME_ID

PAGES = ["", *(f"{name}" for name in (GAPS, HOSTILE, LONG_NAME))]


OTHERS = [
    "/benchmarks/new/",
    "/judges/new/",
    "/rules/",
    f"/rules/{HOSTILE_ID}/",
    f"/conversations/{HOSTILE_ID}/",
    *(f"/benchmarks/{i}/{page}/" for i in (HOSTILE_ID, LONG_NAME_ID) for page in ("items", "attach", "retire", "grid")),
]


@pytest.mark.parametrize("name", PAGES, ids=["overview", "gaps", "hostile", "no replay"])
@pytest.mark.parametrize("viewport", [PHONE, {"width": 1280, "height": 900}], ids=["phone", "desktop"])
def test_no_page_scrolls_sideways_or_complains(
    open_context: Callable[..., BrowserContext], name: str, viewport: dict[str, int]
) -> None:
    """That nothing complains (script errors, content policy, requests to anybody else) is what open_context checks."""
    page = open_context(viewport=viewport).new_page()
    open_page(page, name)
    assert not looking.overflows_sideways(page)


@pytest.mark.parametrize("address", OTHERS)
def test_no_page_that_lists_or_changes_scrolls_sideways_on_a_phone_or_complains(
    open_context: Callable[..., BrowserContext], address: str
) -> None:
    page = open_context(viewport=PHONE).new_page()
    answer = page.goto(address)
    assert answer
    assert answer.ok
    page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert not looking.overflows_sideways(page)


def open_page(page: Page, name: str) -> None:
    if not name:
        page.goto("/")
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        return
    looking.open_trend(page, name)
    if page.locator("#trend-chart").count():
        looking.wait_for_live_chart(page)


def test_the_sign_in_page_fits_a_phone(open_context: Callable[..., BrowserContext]) -> None:
    page = open_context(signed_in=False, viewport=PHONE).new_page()
    page.goto("/sign-in/")
    assert not looking.overflows_sideways(page)


def test_hostile_text_appears_letter_for_letter_everywhere(page: Page) -> None:
    """Names, checkpoints and reasons; that no request leaves for elsewhere is what open_context checks."""
    looking.open_trend(page, HOSTILE)
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    expect(page.locator("table.replays tbody th").first).to_have_text(f"{HOSTILE}3")
    expect(page.locator("table.replays .reason").nth(2)).to_contain_text(HOSTILE)
    titles = page.locator("#trend-wide title").evaluate_all("titles => titles.map(title => title.textContent)")
    assert any(HOSTILE in title for title in titles)
    looking.wait_for_live_chart(page)
    assert page.locator("#trend-live a, #trend-live image[href*=evil], img").count() == 0
    assert HOSTILE.split("{{")[0] in looking.hover(page, "candidate", 0)


def test_the_chart_offers_to_send_itself_to_nobody(page: Page) -> None:
    looking.open_trend(page, GAPS)
    looking.wait_for_live_chart(page)
    buttons = page.locator("#trend-live .modebar-btn").evaluate_all("all => all.map(one => one.dataset.title)")
    assert "Reset axes" in buttons
    assert [title for title in buttons if "hare" in title or "loud" in title or "ownload" in title] == []


def test_every_control_of_the_trend_page_is_reached_by_keyboard(page: Page) -> None:
    looking.open_trend(page, GAPS)
    looking.wait_for_live_chart(page)
    page.evaluate(_MARK_CONTROLS)
    wanted = page.locator("[data-control]").count()
    reached = set()
    for _ in range(wanted * 3 + 20):  # a date field takes several
        page.keyboard.press("Tab")
        found = page.evaluate(_READ_FOCUS)
        if found:
            reached.add(found)
    assert len(reached) == wanted


_MARK_CONTROLS = """() => {
    const kinds = ["a[href]", "button", "input:not([type=hidden])", "summary"];
    const controls = document.querySelectorAll(kinds.map(kind => `main ${kind}`));
    [...controls].filter(one => one.checkVisibility()).forEach((one, number) => { one.dataset.control = number + 1; });
}"""

# The number of the focused control that shows its focus. A date field's own button shows it inside.
_READ_FOCUS = """() => {
    const style = getComputedStyle(document.activeElement);
    return style.outlineStyle === "none" ? null : document.activeElement.dataset.control ?? null;
}"""


def test_the_first_tab_skips_to_the_content(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to content")
