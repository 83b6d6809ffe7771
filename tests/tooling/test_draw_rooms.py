"""The picture of the rooms shows the house as it is."""

from collections import Counter

from tests.tooling.draw_rooms import PICTURE, build_house, draw


def test_the_picture_is_the_one_that_the_code_draws() -> None:
    assert PICTURE.read_text() == draw(), "the rooms changed: run make architecture"


def test_a_room_stands_above_all_that_it_imports() -> None:
    house = build_house({"a", "b", "c", "alone"}, Counter({("a", "b"): 1, ("b", "c"): 1, ("a", "c"): 5}))
    assert house.floors == [["alone", "c"], ["b"], ["a"]]


def test_an_arrow_that_a_longer_way_says_already_is_left_out() -> None:
    house = build_house({"a", "b", "c"}, Counter({("a", "b"): 1, ("b", "c"): 1, ("a", "c"): 5}))
    assert house.down == [("a", "b"), ("b", "c")]


def test_of_a_circle_the_arrow_of_fewest_imports_runs_up() -> None:
    house = build_house({"a", "b"}, Counter({("a", "b"): 1, ("b", "a"): 3}))
    assert (house.floors, house.down, house.up) == ([["a"], ["b"]], [("b", "a")], [("a", "b")])
