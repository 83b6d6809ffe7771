"""What the pages call the sources, and which setting holds the key of each."""

from __future__ import annotations

from dashboard.sources.reader import Source

SOURCES: dict[Source, str] = {"loop": "Loop", "runloop": "Runloop"}
"""The sources as people read them, in the order in which their benchmarks stand."""
KEY_SETTINGS: dict[Source, str] = {"loop": "RUNBIOS_API_KEY", "runloop": "RUNLOOP_API_KEY"}
