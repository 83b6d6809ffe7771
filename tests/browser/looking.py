"""What the browser tests read off a page: the drawn lines, the interactive chart, sizes."""

from typing import Any

from playwright.sync_api import Page, expect

LIVE = "#trend-live[data-state=ready]"


def open_trend(page: Page, name: str, query: str = "") -> None:
    """The trend page of the benchmark of that name, through the overview's link."""
    page.goto("/")
    address = page.get_by_role("link", name=name, exact=True).get_attribute("href")
    assert address
    page.goto(address + query)


def wait_for_live_chart(page: Page) -> None:
    page.wait_for_selector(LIVE)


def read_segments(page: Page, selector: str) -> list[list[float]]:
    """The xs of each unbroken stretch of a drawn line, in the drawing's units."""
    paths = page.locator(selector).evaluate_all("paths => paths.map(path => path.getAttribute('d'))")
    stretches = [stretch for path in paths for stretch in path.split("M") if stretch]
    return [[float(point.split()[0]) for point in stretch.split("L")] for stretch in stretches]


def read_marker_xs(page: Page, selector: str) -> list[float]:
    """The middle of each marker, in the drawing's units."""
    middles = "marks => marks.map(mark => { const box = mark.getBBox(); return box.x + box.width / 2; })"
    return sorted(page.locator(selector).evaluate_all(middles))


def read_traces(page: Page) -> list[dict[str, Any]]:
    """The interactive chart's traces: name, connectgaps, x and y (null where a line breaks)."""
    return page.evaluate(
        """() => document.getElementById("trend-live").data.map(({name, x, y, connectgaps}) =>
            ({name, connectgaps, x: [...(x ?? [])], y: [...(y ?? [])]}))"""
    )


def read_live_line_box(page: Page, name: str) -> dict[str, float]:
    """The box around every stretch of one line of the interactive chart, in pixels of the page."""
    return page.evaluate(
        """name => {
            const colour = getComputedStyle(document.querySelector(`#trend-wide .line.${name}`)).stroke;
            const lines = [...document.querySelectorAll("#trend-live .subplot.xy .js-line")];
            const ours = lines.filter(line => getComputedStyle(line).stroke === colour);
            const boxes = ours.map(line => line.getBoundingClientRect());
            const [x, y] = ["left", "top"].map(side => Math.min(...boxes.map(box => box[side])));
            const [right, bottom] = ["right", "bottom"].map(side => Math.max(...boxes.map(box => box[side])));
            return {x, y, width: right - x, height: bottom - y};
        }""",
        name,
    )


def hover(page: Page, name: str, point: int) -> str:
    """What the interactive chart says over a point of the trace of that name."""
    page.evaluate(
        """([name, pointNumber]) => {
            const curveNumber = document.getElementById("trend-live").data.findIndex(trace => trace.name === name);
            Plotly.Fx.hover("trend-live", [{curveNumber, pointNumber}]);
        }""",
        [name, point],
    )
    said = page.locator("#trend-live .hoverlayer")
    expect(said).not_to_be_empty()
    return said.text_content() or ""


def overflows_sideways(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
