"""What the tests of a run trend's page share: two models on three checkpoints, and what a page's selects offer."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from tests.factories import HOUR_MS, START_MS, make_runloop_benchmark, make_runloop_run

HTMX = {"HX-Request": "true"}
BOTH = {"group": "model", "label": "checkpoint", "candidate": "b", "incumbent": "a"}


def make_two_models() -> Any:
    """Two models on three checkpoints; b was canceled on the second, and of the third there is only a's run."""
    benchmark = make_runloop_benchmark("Repairs", id="bmd_1", description="Mends <b>things</b>.", attribution="Us")
    runs = [("a", 1, 0.5), ("b", 1, 0.75), ("a", 2, 0.25), ("b", 2, None), ("a", 3, 0.0)]
    for hour, (model, step, score) in enumerate(runs):
        make_runloop_run(
            benchmark,
            id=f"bmr_{model}{step}",
            name=f"{model} {step}",
            state="canceled" if score is None else "completed",
            score=score,
            start_time_ms=START_MS + hour * HOUR_MS,
            metadata={"model": model, "checkpoint": f"step-{step}"},
        )
    return benchmark


def page_of(client: Any, benchmark: Any, **query: str) -> Any:
    """The page, at the address where a remembered choice leads."""
    return client.get(f"/runloop/benchmarks/{benchmark.pk}/", query, follow=True)


def selects_of(page: Any) -> dict[str, dict[str, str]]:
    """Of each select: the values that are offered with their labels; the chosen one stands under "chosen"."""
    found = {}
    for name, body in re.findall(r'<select name="(\w+)"[^>]*>(.*?)</select>', page.content.decode(), re.DOTALL):
        options = re.findall(r'<option value="([^"]*)"( selected)?>([^<]*)</option>', body)
        found[name] = {unescape(value): unescape(label) for value, _, label in options}
        found[name]["chosen"] = next(unescape(value) for value, chosen, _ in options if chosen)
    return found
