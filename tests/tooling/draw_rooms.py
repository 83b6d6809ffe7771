"""Draws docs/rooms.svg, the rooms of the house and who imports whom, from the code itself: `make architecture`."""

from __future__ import annotations

from collections import Counter
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import grimp

PICTURE = Path(__file__).resolve().parent.parent.parent / "docs" / "rooms.svg"
HOUSES = {"dashboard": "The house", "dashboard.web": "The rooms of web", "dashboard.sources": "The rooms of sources"}
NO_ROOMS = {"migrations", "templatetags"}
WIDTH, MARGIN, BOX, HIGH, FLOOR, HEAD = 720, 24, (120, 34), 34, 86, 46
"""Pixels: of the picture, around it, of a box, its height, from one floor to the next, above the first."""
INK, PAPER, WALL, WRONG = "#1f2933", "#ffffff", "#e4edf5", "#b3261e"

Arrow = tuple[str, str]
"""A room that imports, and one that it imports."""


class House(NamedTuple):
    """Rooms by floor, the lowest first; arrows that a longer way does not say already; and arrows that run up."""

    floors: list[list[str]]
    down: list[Arrow]
    up: list[Arrow]


def read_imports(graph: grimp.ImportGraph, package: str) -> tuple[set[str], Counter[Arrow]]:
    """The packages directly in `package`, and how many imports lead from one of them into another."""
    rooms = {child for child in graph.find_children(package) if graph.find_children(child)}
    rooms = {room for room in rooms if room.rpartition(".")[2] not in NO_ROOMS}
    room_of = {module: room for room in rooms for module in (room, *graph.find_descendants(room))}
    arrows = Counter(
        (room_of[module], room_of[imported])
        for module in room_of
        for imported in graph.find_modules_directly_imported_by(module)
        if imported in room_of
    )
    short = {room: room.rpartition(".")[2] for room in rooms}
    return set(short.values()), Counter({(short[a], short[b]): n for (a, b), n in arrows.items() if a != b})


def reaches(arrows: set[Arrow], start: str, end: str) -> bool:
    """True where a way leads from one room to the other."""
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        seen |= (onward := {b for a, b in arrows if a == here} - seen)
        waiting += onward
    return end in seen


def build_house(rooms: set[str], imports: Counter[Arrow]) -> House:
    """Put each room above all that it imports. Of a circle, the arrow of fewest imports is the one that runs up."""
    kept: set[Arrow] = set()
    up: list[Arrow] = []
    for arrow, _ in sorted(imports.items(), key=lambda one: (-one[1], one[0])):
        if reaches(kept, arrow[1], arrow[0]):
            up.append(arrow)
        else:
            kept.add(arrow)

    def find_floor(room: str) -> int:
        return 1 + max((find_floor(below) for above, below in kept if above == room), default=-1)

    floors: list[list[str]] = [[] for _ in range(1 + max(map(find_floor, rooms)))]
    for room in sorted(rooms):
        floors[find_floor(room)].append(room)
    return House(floors, sorted(one for one in kept if not reaches(kept - {one}, *one)), sorted(up))


def place(house: House, top: float) -> dict[str, tuple[float, float]]:
    """The middle of each room's ceiling. Rooms of a floor share its width; every other floor is a little aside."""
    places = {}
    for number, floor in enumerate(reversed(house.floors)):
        step = (WIDTH - 2 * MARGIN) / len(floor)
        aside = step / 6 * (-1) ** number if len(floor) < 4 else 0
        for index, room in enumerate(floor):
            places[room] = (MARGIN + step * (index + 0.5) + aside, top + HEAD + FLOOR * number)
    return places


def draw_house(title: str, house: House, top: float) -> list[str]:
    """The lines of the drawing, arrows under the boxes."""
    places = place(house, top)
    lines = [f'<text x="{MARGIN}" y="{top + 24:.0f}" font-size="15" font-weight="bold">{escape(title)}</text>']
    for kind, arrows in (("down", house.down), ("up", house.up)):
        for above, below in arrows:
            (x1, y1), (x2, y2) = places[above], places[below]
            y1, y2 = (y1 + HIGH, y2 - 5) if kind == "down" else (y1, y2 + HIGH + 5)
            look = 'stroke="#6b7a89"' if kind == "down" else f'stroke="{WRONG}" stroke-dasharray="4 3"'
            bend = (y2 - y1) / 3
            lines.append(
                f'<path d="M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}" '
                f'{look} fill="none" marker-end="url(#{kind})"><title>{above} imports {below}</title></path>'
            )
    for room, (x, y) in places.items():
        lines += [
            f'<rect x="{x - BOX[0] / 2:.0f}" y="{y:.0f}" width="{BOX[0]}" height="{HIGH}" rx="4" fill="{WALL}"/>',
            f'<text x="{x:.0f}" y="{y + 22:.0f}" text-anchor="middle">{escape(room)}</text>',
        ]
    return lines


def draw() -> str:
    """The whole picture, the same for the same imports."""
    graph = grimp.build_graph("dashboard", cache_dir=None)
    houses = {title: build_house(*read_imports(graph, package)) for package, title in HOUSES.items()}
    tops = [0.0]
    for house in houses.values():
        tops.append(tops[-1] + HEAD + FLOOR * len(house.floors) - HIGH / 2)
    heads = "".join(
        f'<marker id="{kind}" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 8 4 0 8z" fill="{colour}"/></marker>'
        for kind, colour in (("down", "#6b7a89"), ("up", WRONG))
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tops[-1]:.0f}" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="{INK}" role="img">',
        "<!-- Drawn by `make architecture` from the imports; not to be edited. -->",
        "<title>Which room imports which: an arrow leads to what is imported</title>",
        f"<defs>{heads}</defs>",
        f'<rect width="{WIDTH}" height="{tops[-1]:.0f}" fill="{PAPER}"/>',
    ]
    for (title, house), (top, _) in zip(houses.items(), pairwise(tops), strict=True):
        lines += draw_house(title, house, top)
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(draw())
