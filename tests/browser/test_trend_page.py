"""The trend on screen: drawn first, interactive after, and honest in both."""

from playwright.sync_api import Page, Route, expect

from tests.browser import looking
from tests.browser.population import GAPS, HISTORY, OPEN, OPEN_ID
from tests.running import Server

GAP_PLACES = [1, 4, 5, 8, 10, 11, 12]
SCORED_RUNS = [[0], [2, 3], [6, 7], [9]]
MOST_PX = 2


def test_the_drawn_chart_stays_where_the_library_does_not_arrive(page: Page, witness) -> None:
    witness[-1].expect("ERR_FAILED")
    page.route("**/plotly-basic*", lambda route: route.abort())
    looking.open_trend(page, GAPS)
    expect(page.locator("#trend-wide .line.candidate")).to_be_visible()
    expect(page.get_by_text("The interactive chart could not load")).to_be_visible()
    expect(page.locator("#trend-wide .line.candidate")).to_be_visible()


def test_the_interactive_chart_takes_the_place_of_the_drawn_one_without_a_jump(page: Page) -> None:
    held: list[Route] = []
    page.route("**/plotly-basic*", lambda route: held.append(route))
    looking.open_trend(page, HISTORY)
    before = page.locator("#trend-chart").bounding_box()
    drawn = page.locator("#trend-wide .line.candidate").first.bounding_box()
    below = page.locator("table.replays").bounding_box()
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    looking.wait_for_live_chart(page)
    assert page.locator("#trend-chart").bounding_box() == before
    assert page.locator("table.replays").bounding_box() == below
    live = looking.read_live_line_box(page, "candidate")
    assert all(abs(live[side] - drawn[side]) <= MOST_PX for side in drawn), (drawn, live)


def test_every_gap_has_a_marker_and_no_drawn_line_spans_one(page: Page) -> None:
    looking.open_trend(page, GAPS)
    gaps = looking.read_marker_xs(page, "#trend-wide .gap")
    assert len(gaps) == len(GAP_PLACES)
    for role in ("candidate", "incumbent"):
        stretches = looking.read_segments(page, f"#trend-wide .line.{role}")
        assert [len(stretch) for stretch in stretches] == [2, 2]
        for stretch in stretches:
            assert not [x for x in gaps if min(stretch) <= x <= max(stretch)]


def test_no_line_of_the_interactive_chart_spans_a_gap(page: Page) -> None:
    looking.open_trend(page, GAPS)
    looking.wait_for_live_chart(page)
    lines = [trace for trace in looking.read_traces(page) if trace["name"] in ("candidate", "incumbent")]
    assert len(lines) == 2
    for line in lines:
        assert line["connectgaps"] is False
        assert split_at_nulls(line["x"], line["y"]) == SCORED_RUNS


def split_at_nulls(xs: list[float | None], ys: list[float | None]) -> list[list[float]]:
    """The places of each unbroken stretch."""
    stretches: list[list[float]] = [[]]
    for x, y in zip(xs, ys, strict=True):
        if x is None or y is None:
            stretches.append([])
        else:
            stretches[-1].append(x)
    return [stretch for stretch in stretches if stretch]


def test_without_script_chart_table_and_filters_are_all_there(open_context) -> None:
    page = open_context(java_script_enabled=False).new_page()
    looking.open_trend(page, GAPS)
    expect(page.locator("#trend-wide .line.candidate")).to_be_visible()
    expect(page.locator("table.replays tbody tr")).to_have_count(13)
    expect(page.locator("table.replays").get_by_text("It ended as budget_stopped.")).to_be_visible()
    page.get_by_role("link", name="last 30").click()
    expect(page.get_by_role("link", name="last 30")).to_have_attribute("aria-current", "true")
    page.goto("/?q=kind+of+gap")
    expect(page.locator("table.overview tbody tr")).to_have_count(1)
    expect(page.locator("table.overview svg .line.candidate").first).to_be_visible()


def test_the_theme_changes_every_colour_of_the_chart(open_context) -> None:
    colours = {}
    for theme in ("light", "dark"):
        page = open_context(color_scheme=theme).new_page()
        looking.open_trend(page, GAPS)
        look = "element => { const style = getComputedStyle(element); return [style.stroke, style.fill]; }"
        drawn = {
            part: page.locator(f"#trend-wide .{part}").first.evaluate(look)
            for part in ("line.candidate", "line.incumbent", "gap", "bar", "tick")
        }
        looking.wait_for_live_chart(page)
        live = page.evaluate(
            "document.getElementById('trend-live').data.map(trace => trace.line?.color).filter(Boolean)"
        )
        body = page.evaluate("getComputedStyle(document.body).backgroundColor")
        colours[theme] = [*drawn.values(), *live, body]
    assert not [pair for pair in zip(colours["light"], colours["dark"], strict=True) if pair[0] == pair[1]]


def test_the_drawn_chart_comes_back_where_a_later_figure_does_not_arrive(page: Page, witness) -> None:
    """What the interactive chart shows is older by then, and the next one that arrives takes its place again."""
    witness[-1].expect("status of 503")
    looking.open_trend(page, GAPS)
    looking.wait_for_live_chart(page)
    page.route("**/figure.json*", lambda route: route.fulfill(status=503))
    refresh_region(page)
    expect(page.get_by_text("The interactive chart could not load")).to_be_visible()
    expect(page.locator("#trend-live")).not_to_be_visible()
    expect(page.locator("#trend-wide")).to_have_css("opacity", "1")
    page.unroute("**/figure.json*")
    refresh_region(page)
    looking.wait_for_live_chart(page)
    expect(page.get_by_text("The interactive chart could not load")).to_have_count(0)


def refresh_region(page: Page) -> None:
    """What htmx does after each look at an open replay, without the wait for it."""
    page.evaluate("document.dispatchEvent(new Event('htmx:after:swap'))")


def test_a_point_leads_to_its_row(page: Page) -> None:
    looking.open_trend(page, HISTORY)
    looking.wait_for_live_chart(page)
    page.evaluate("document.getElementById('trend-live').emit('plotly_click', {points: [{customdata: 0}]})")
    oldest = figure_ids(page)[0]
    expect(page.locator("table.replays tr[aria-current=true]")).to_have_attribute("id", f"replay-{oldest}")
    expect(page.locator("table.replays tr[aria-current=true]")).to_be_in_viewport()


def figure_ids(page: Page) -> list[str]:
    """The replays of the chart, oldest first, as its figure names them."""
    address = page.locator("#trend-chart").get_attribute("data-figure")
    return page.request.get(address).json()["slots"]["id"]


def test_a_replay_that_closes_changes_in_place(page: Page, server: Server) -> None:
    """Zoom, scroll and focus stay as the reader has them, and the chart and the table show the new score."""
    looking.open_trend(page, OPEN)
    looking.wait_for_live_chart(page)
    row = page.locator(f"#replay-{OPEN_ID}")
    expect(row).to_contain_text("still running")
    whole = read_range(page)
    drag_across(page)
    page.wait_for_function(f"document.getElementById('trend-live').layout.xaxis.range[0] > {whole[0]}")
    zoomed = read_range(page)
    focused = page.get_by_role("region", name="Replays")
    focused.focus()
    page.evaluate("scrollTo(0, 300)")
    server.manage("shell", "-v0", "-c", _CLOSE)
    expect(row).to_contain_text("0.91")
    expect(row).not_to_contain_text("still running")
    page.wait_for_function("document.getElementById('trend-live').data.some(({y}) => [...(y ?? [])].includes(0.91))")
    assert read_range(page) == zoomed
    assert page.evaluate("scrollY") == 300
    expect(focused).to_be_focused()


def read_range(page: Page) -> list[float]:
    """The places between which the interactive chart is seen."""
    return page.evaluate("document.getElementById('trend-live').layout.xaxis.range")


def drag_across(page: Page) -> None:
    """Zooms as a person does, into the middle of the chart: what a script sets is not kept."""
    box = page.locator("#trend-live .nsewdrag").first.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.4, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, middle, steps=5)
    page.mouse.up()


_CLOSE = f"""
from dashboard.store.models import BenchmarkRun
replay = BenchmarkRun.objects.get(id={OPEN_ID!r})
replay.status, replay.rows_scored = "done", 10
replay.candidate_score, replay.incumbent_score, replay.score_delta = 0.91, 0.8, 0.11
replay.save()
"""
