"""`make bench`: how long a person waits, and what it costs, on the real server with a real Chromium.

Server: started as `make run` starts it, over a temporary state folder, and warm: each address is asked a few times
before it counts. Server time is from sending the request to the last byte, on an open connection from this machine.

Browser: headless Chromium, 1280 pixels wide, a new context (so an empty cache and no connection) for each load. A frame
callback looks for the thing on the page; its time is that of the next frame, when what it saw has been painted, in
milliseconds after the navigation began. `first line` is the candidate's line of the drawn chart; `interactive` is the
chart of plotly.js in its place. Bytes are as they came over the wire, compressed, headers included. Each is a median.

Memory is what all server processes hold after this, shared pages counted once (PSS).
"""

import argparse
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.running import ROOT, Server, run_python, serve

LENGTHS = [100, 1_000, 10_000]
MANY, EACH = 100, 200
LOADS = 7
REQUESTS, WARMING = 15, 3
API_PAGE = 200
"""As many replays as a client may ask for at once; the whole history is this many at a time, one after the other."""
README = ROOT / "README.md"

# What a load has to show, each as a test in the page that says whether it stands there now.
FIRST_LINE = (
    "[...document.querySelectorAll('#trend-wide .line.candidate')].some(one => one.getBoundingClientRect().width)"
)
INTERACTIVE = "document.querySelector('#trend-live[data-state=ready]')"
ALL_ROWS = (
    "document.readyState !== 'loading' && document.querySelector('.overview tbody tr')"
    " && !document.querySelector('[aria-busy=true]')"
)

_WATCH = """
const watched = %s;
window.allSeen = new Promise(resolve => {
  const seen = {};
  const wanted = Object.keys(watched).length;
  function look() {
    for (const [name, stands] of Object.entries(watched)) {
      if (!stands()) continue;
      delete watched[name];
      requestAnimationFrame(() => {
        seen[name] = performance.now();
        if (Object.keys(seen).length === wanted) resolve(seen);
      });
    }
    if (Object.keys(watched).length) requestAnimationFrame(look);
  }
  requestAnimationFrame(look);
});
"""


@dataclass(frozen=True)
class Load:
    """One cold load: milliseconds to each watched thing, bytes over the wire, requests."""

    at_ms: dict[str, float]
    size: int
    requests: int


def load_cold(browser: Browser, server: Server, session: Any, path: str, watched: dict[str, str]) -> Load:
    context = browser.new_context(
        base_url=server.url, storage_state=session, viewport={"width": 1280, "height": 900}, color_scheme="light"
    )
    page = context.new_page()
    sizes: list[float] = []
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    things = ",".join(f"{json.dumps(name)}: () => {test}" for name, test in watched.items())
    page.add_init_script(_WATCH % f"{{{things}}}")
    page.goto(path)
    seen = page.evaluate("window.allSeen")
    page.wait_for_load_state("networkidle")
    load = Load(seen, round(sum(sizes)), len(sizes))
    context.close()
    return load


def time_request(ask: Callable[[], httpx.Response], count: int = REQUESTS) -> float:
    """The median milliseconds of a request, after some that do not count."""
    taken = []
    for number in range(WARMING + count):
        begin = time.perf_counter()
        answer = ask()
        if number >= WARMING:
            taken.append((time.perf_counter() - begin) * 1000)
        assert answer.status_code == 200, answer.status_code
    return median(taken)


def read_pages(api: httpx.Client, history: str, offsets: Iterable[int]) -> httpx.Response:
    """The last page of a history, after all those before it."""
    answers = [api.get(f"{history}?limit={API_PAGE}&offset={offset}") for offset in offsets]
    assert {answer.status_code for answer in answers} == {200}
    return answers[-1]


def read_memory_mb(pid: int) -> float:
    """PSS of a process and its children, in megabytes, as Linux counts it."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss:\s+(\d+) kB", rollup, flags=re.MULTILINE)
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return (int(found[1]) / 1024 if found else 0) + sum(read_memory_mb(int(child)) for child in children)


def sign_in(browser: Browser, server: Server) -> Any:
    """The cookies of somebody who followed the printed link."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.link)
    page.wait_for_url(f"{server.url}/")
    state = context.storage_state()
    context.close()
    return state


def measure_histories(browser: Browser, folder: Path) -> list[list[str]]:
    rows = []
    with serve(folder, DEMO="0") as server:
        ids = json.loads(run_python(folder, "-m", "tests.load.population", *map(str, LENGTHS)))
        session = sign_in(browser, server)
        key = server.manage("apikey", "create", "--name", "bench", "--scopes", "loop:read").split()[-1]
        cookies = {cookie["name"]: cookie["value"] for cookie in session["cookies"]}
        with (
            httpx.Client(base_url=server.url, headers={"X-API-Key": key}) as api,
            httpx.Client(base_url=server.url, cookies=cookies, headers={"Accept-Encoding": "br"}) as pages,
        ):
            for length in LENGTHS:
                path = f"/benchmarks/{ids[str(length)]}/"
                history = f"/api/loop/benchmarks/{ids[str(length)]}/history"
                api_ms = time_request(lambda history=history: api.get(f"{history}?limit={API_PAGE}"))
                offsets = range(0, length, API_PAGE)
                whole_ms = time_request(lambda history=history, offsets=offsets: read_pages(api, history, offsets))
                page_ms = time_request(lambda path=path: pages.get(path))
                figure_ms = time_request(lambda path=path: pages.get(f"{path}figure.json"))
                watched = {"line": FIRST_LINE, "interactive": INTERACTIVE}
                loads = [load_cold(browser, server, session, path, watched) for _ in range(LOADS)]
                rows.append(
                    [
                        f"{length:,}",
                        f"{api_ms:.0f}",
                        f"{whole_ms:.0f}",
                        f"{page_ms:.0f}",
                        f"{figure_ms:.0f}",
                        f"{median(load.at_ms['line'] for load in loads):.0f}",
                        f"{median(load.at_ms['interactive'] for load in loads):.0f}",
                        f"{median(load.size for load in loads) / 1e6:.2f}",
                        f"{median(load.requests for load in loads):.0f}",
                        f"{read_memory_mb(server.pid):.0f}",
                    ]
                )
    return rows


def measure_overview(browser: Browser, folder: Path) -> list[str]:
    with serve(folder, DEMO="0") as server:
        run_python(folder, "-m", "tests.load.population", "many", str(MANY), str(EACH))
        session = sign_in(browser, server)
        cookies = {cookie["name"]: cookie["value"] for cookie in session["cookies"]}
        with httpx.Client(base_url=server.url, cookies=cookies, headers={"Accept-Encoding": "br"}) as pages:
            page_ms = time_request(lambda: pages.get("/"), count=LOADS)
            rows = pages.get("/").text.count('role="rowheader"')
        loads = [load_cold(browser, server, session, "/", {"rows": ALL_ROWS}) for _ in range(LOADS)]
        return [
            f"{MANY} × {EACH}",
            f"{rows}",
            f"{page_ms:.0f}",
            f"{median(load.at_ms['rows'] for load in loads):.0f}",
            f"{median(load.size for load in loads) / 1e6:.2f}",
            f"{median(load.requests for load in loads):.0f}",
            f"{read_memory_mb(server.pid):.0f}",
        ]


def build_table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["--:"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure Benchtrend.")
    parser.add_argument("--write", action="store_true", help="keep the tables in README.md")
    options = parser.parse_args()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        histories = measure_histories(browser, Path(one))
        overview = measure_overview(browser, Path(two))
        browser.close()
    head = [
        "replays",
        f"API, {API_PAGE} replays, ms",
        "API, all, ms",
        "page, ms",
        "figure, ms",
        "first line, ms",
        "interactive, ms",
        "MB",
        "requests",
        "memory, MB",
    ]
    many = ["overview", "rows on the page", "page, ms", "all rows shown, ms", "MB", "requests", "memory, MB"]
    tables = f"{build_table(head, histories)}\n\n{build_table(many, [overview])}"
    print(tables)
    if options.write:
        text = README.read_text()
        begin, rest = text.split("<!-- bench -->\n")
        _, end = rest.split("<!-- /bench -->")
        README.write_text(f"{begin}<!-- bench -->\n{tables}\n<!-- /bench -->{end}")


if __name__ == "__main__":
    main()
