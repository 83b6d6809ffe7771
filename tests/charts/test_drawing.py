"""The drawing model and its parts: axes that hold what they show, thinning that keeps every extreme."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.charts import NARROW, PALETTES, build_figure, draw_trend, render_svg
from dashboard.charts.axes import build_delta_axis, build_score_axis, build_time_axis
from dashboard.charts.palette import DASHES, STYLES
from dashboard.charts.thin import thin_bars, thin_line, thin_marks
from dashboard.charts.unseen import shorten
from dashboard.trend import MOST_LINES, Scale
from tests.trend.points import ALL_RULES, make_benchmark, make_failed, make_point, trend_of

finite = st.floats(-1e300, 1e300, allow_nan=False)


def test_it_works() -> None:
    drawing = draw_trend(trend_of([make_point(1), make_failed(2), make_point(3)]))
    assert drawing.xs == (0, 1, 2)
    assert [stroke.line.name for stroke in drawing.strokes] == ["candidate", "incumbent"]
    assert drawing.strokes[0].ys == {0: 0.62, 2: 0.62}
    assert [tick.label for tick in drawing.x.ticks] == ["step-100", "step-200", "step-300"]


def test_nothing_can_be_drawn_too() -> None:
    drawing = draw_trend(trend_of([]), axis="time", frame=NARROW)
    assert drawing.strokes == ()
    assert drawing.x.low < drawing.x.high


def test_on_the_time_axis_a_replay_stands_at_its_instant_and_an_untimed_one_behind_all() -> None:
    points = [make_point(1), make_point(3), make_point(2, created_at=None)]
    drawing = draw_trend(trend_of(points), axis="time")
    assert drawing.xs[1] - drawing.xs[0] == 2 * 86_400
    assert drawing.xs[2] == drawing.xs[1] + 3_600
    assert drawing.x.low < drawing.xs[0] < drawing.xs[2] < drawing.x.high


def test_an_era_stands_between_its_slot_and_the_one_before() -> None:
    points = [make_point(1, decision="promoted"), make_point(2), make_point(3)]
    assert [(era.at, era.reason) for era in draw_trend(trend_of(points)).eras] == [(0.5, "after step-100, promoted")]


def test_overlaid_rules_are_named_and_have_no_deltas_or_eras() -> None:
    points = [make_point(day, rule_id=f"rule-{day % 2}", rule_name=f"team {day % 2}") for day in range(4)]
    drawing = draw_trend(trend_of([*points, make_point(9, decision="promoted")], rule=ALL_RULES))
    assert [stroke.line.name for stroke in drawing.strokes] == ["support-bot", "team 0"]
    assert drawing.eras == ()


@given(st.lists(finite, max_size=30), st.sampled_from([None, Scale(0, 1), Scale(1, 5)]))
def test_the_score_axis_holds_every_score_and_its_own_ticks(values: list[float], scale: Scale | None) -> None:
    axis = build_score_axis(values, scale, 6)
    assert all(axis.low < value < axis.high for value in values if scale is None or scale.low <= value <= scale.high)
    assert axis.ticks or not values
    assert all(axis.low <= tick.at <= axis.high for tick in axis.ticks)
    assert len({tick.label for tick in axis.ticks}) == len(axis.ticks)
    for tick in axis.ticks:
        assert float(tick.label) == pytest.approx(tick.at, rel=0.05, abs=(axis.high - axis.low) / 1_000)


def test_one_absurd_score_stands_at_the_edge_and_stretches_no_axis() -> None:
    """C06: the axis stays that of the scale; T6: the number stays as it was given."""
    points = [
        make_point(1, candidate_score=-3.0, incumbent_score=0.5, score_delta=-3.5),
        make_point(2, candidate_score=9.2e124, incumbent_score=0.5, score_delta=9.2e124, decision="promoted"),
        make_point(3, candidate_score=0.55, incumbent_score=0.5, score_delta=0.05),
    ]
    drawing = draw_trend(trend_of(points, make_benchmark()))
    assert 0.4 < drawing.scores.low < 0.5
    assert 0.55 < drawing.scores.high < 0.6
    assert drawing.deltas.high < 0.1
    assert drawing.strokes[0].ys == {0: drawing.scores.low, 1: drawing.scores.high, 2: 0.55}
    assert [(one.place, one.score) for one in drawing.off_scale] == [(0, -3.0), (1, 9.2e124)]
    assert "step-200: 9.2e+124, outside the scale" in render_svg(drawing, title="t")
    figure = json.loads(build_figure(drawing, theme="light"))
    [marks] = [trace for trace in figure["data"] if trace["name"] == "outside the scale"]
    assert (marks["x"], marks["y"]) == ([0, 1], [drawing.scores.low, drawing.scores.high])
    assert figure["slots"]["printed"][1].startswith("9.20e+124 ")


def test_without_a_score_no_axis_is_invented() -> None:
    drawing = draw_trend(trend_of([make_failed(1)]))
    assert (drawing.scores.ticks, [tick.label for tick in drawing.deltas.ticks]) == ((), ["0"])


def test_the_score_axis_does_not_blow_noise_up() -> None:
    axis = build_score_axis([0.5, 0.501], Scale(0, 1), 6)
    assert axis.high - axis.low >= 0.05


@given(st.lists(finite, max_size=30))
def test_the_delta_axis_is_even_about_zero(values: list[float]) -> None:
    axis = build_delta_axis(values, None)
    assert axis.low == -axis.high
    ticks = [tick.at for tick in axis.ticks]
    assert ticks == pytest.approx([-ticks[2], 0, ticks[2]] if values else [0])
    assert all(axis.low <= value <= axis.high for value in values)


@pytest.mark.parametrize(
    ("span", "labels"),
    [
        (timedelta(minutes=40), ["09:00", "09:30"]),
        (timedelta(hours=9), ["09:00", "12:00", "15:00", "18:00"]),
        (timedelta(days=2), ["Mar 1 12:00", "Mar 2 00:00"]),
        (timedelta(days=30), ["Mar 3", "Mar 10"]),
        (timedelta(days=300), ["May 2025", "Jul 2025"]),
        (timedelta(days=3000), ["2026", "2028"]),
    ],
)
def test_the_time_axis_names_round_times(span: timedelta, labels: list[str]) -> None:
    start = datetime(2025, 3, 1, 9, tzinfo=UTC).timestamp()
    axis = build_time_axis([start, start + span.total_seconds()], 6)
    named = [tick.label for tick in axis.ticks]
    assert [label for label in labels if label not in named] == []
    assert len(named) <= 9


def test_a_long_label_is_cut_in_its_middle() -> None:
    assert shorten("checkpoint-000512", 12) == "check…000512"
    assert shorten("step-512", 12) == "step-512"
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    assert shorten(f"run-{family}-of-the-long-name", 12) == "run-…g-name"
    assert shorten(f"long-name-of-{family}", 8) == "lon…"
    assert shorten("cafe\u0301-and-a-long-name", 9) == "caf…name"


@given(st.lists(st.tuples(st.floats(0, 20), finite), max_size=200).map(sorted))
def test_a_thinned_line_keeps_its_ends_and_extremes_in_order(points: list[tuple[float, float]]) -> None:
    thinned = list(thin_line(points))
    assert len(thinned) <= 4 * 21
    remaining = iter(points)
    assert all(point in remaining for point in thinned)
    if points:
        assert (thinned[0], thinned[-1]) == (points[0], points[-1])
        for pick in (min, max):
            assert pick(y for _, y in thinned) == pick(y for _, y in points)


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)), max_size=100))
def test_of_marks_that_cover_each_other_one_stays(points: list[tuple[float, float]]) -> None:
    kept = thin_marks(points, 10)
    cells = {(int(x / 10), int(y / 10)) for x, y in points}
    assert {(int(points[i][0] / 10), int(points[i][1] / 10)) for i in kept} == cells
    assert len(kept) == len(cells)


def test_of_bars_in_one_column_the_furthest_of_each_direction_stays() -> None:
    assert sorted(thin_bars([(3.1, 0.2), (3.4, 0.5), (3.9, -0.1), (4.0, 0.1)])) == [1, 2, 3]


def test_the_style_sheet_has_the_colours_of_the_palette() -> None:
    css = Path("static/css/tokens.css").read_text()
    light, dark = css.split("prefers-color-scheme: dark", 1)
    for theme, text in (("light", light), ("dark", dark)):
        said = dict(re.findall(r"--chart-([\w-]+):\s*(#[0-9a-fA-F]{6})", text))
        palette = PALETTES[theme]._asdict()
        rules = palette.pop("rules")
        del palette["surface"]
        assert {name: said.get(name) for name in palette} == palette
        assert [said.get(f"rule-{number}") for number in range(1, 7)] == list(rules)


def test_the_style_sheet_has_the_dashes_of_the_figure() -> None:
    css = Path("static/css/components/chart.css").read_text()
    said = re.findall(r"\.line\.rule-\d+ \{[^}]*stroke-dasharray: ([^;]+);", css)
    assert ["solid" if one == "none" else ",".join(f"{n}px" for n in one.split()) for one in said] == list(DASHES)
    assert len(said) == STYLES == MOST_LINES, "each line of a trend of runs has a look of its own, and none is unused"


def test_text_can_be_read_on_both_themes() -> None:
    def luminance(colour: str) -> float:
        channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for palette in PALETTES.values():
        for colour in (palette.candidate, palette.incumbent, palette.gap, palette.text, palette.accent, *palette.rules):
            high, low = sorted((luminance(colour), luminance(palette.surface)), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.5, colour
