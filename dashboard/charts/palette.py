"""The one palette, light and dark. static/css/tokens.css holds the same values; a test compares the two.

The hues are those of Okabe and Ito's set for colour-blind readers, lightened for the dark theme. Nothing is told by
colour alone: every role has its dash and every kind its glyph.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Theme = Literal["light", "dark"]


DASHES = (
    *("solid", "7px,3px", "2px,2px", "9px,3px,2px,3px", "4px,4px", "12px,4px"),
    *("7px,3px", "2px,2px", "9px,3px,2px,3px", "4px,4px", "12px,4px", "solid"),
)
"""How overlaid lines are told apart beside their colours, which repeat after six; chart.css has the same."""
STYLES = len(DASHES)
"""So many overlaid lines differ in colour or dash."""


class Palette(NamedTuple):
    """Colours by role, as #rrggbb. `rules` tell lines apart where they are overlaid; they repeat after the last."""

    candidate: str
    incumbent: str
    gap: str
    grid: str
    text: str
    accent: str
    surface: str
    rules: tuple[str, ...]


PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        candidate="#0063a6",
        incumbent="#b45309",
        gap="#8a2e62",
        grid="#dfe3ea",
        text="#3d4657",
        accent="#5b5bd6",
        surface="#ffffff",
        rules=("#0063a6", "#00734f", "#8a2e62", "#6b5900", "#00707f", "#a3361b"),
    ),
    "dark": Palette(
        candidate="#5ab8f5",
        incumbent="#f0a346",
        gap="#e58cbf",
        grid="#2c3444",
        text="#b8c1d1",
        accent="#a3a3ff",
        surface="#141a24",
        rules=("#5ab8f5", "#4cc79a", "#e58cbf", "#d9c64a", "#55cfdc", "#ff8a6b"),
    ),
}
