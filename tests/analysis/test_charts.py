"""Figures: colours that everybody can tell apart, marks that say what the numbers say, words for those who hear them."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle

from analysis.pages import charts, drawing, figures

# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009),
# severity 1.0, for linear RGB.
EYES = {
    "all colours": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
# IEC 61966-2-1: linear sRGB to XYZ, and its white.
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = XYZ @ np.ones(3)
APART = 15.0
"""The least distance in CIELAB; 2.3 are just noticeable (Mahy, Van Eycken and Oosterlinck 1994)."""


def lab(colour: str, eye: str) -> np.ndarray:
    """CIELAB (CIE 1976) of a colour as an eye sees it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    part = XYZ @ np.clip(EYES[eye] @ linear, 0, 1) / WHITE
    x, y, z = np.where(part > 216 / 24389, np.cbrt(part), (24389 / 27 * part + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: str, other: str, eye: str) -> float:
    return float(np.linalg.norm(lab(one, eye) - lab(other, eye)))


def lines(names: list[str], by: str = "run") -> pl.DataFrame:
    rows = [
        {by: name, "title": title, "round": place, "mean": 0.1 * place, "mean_low": 0.0, "mean_high": 0.9}
        for name in names
        for place, title in enumerate(("turns", "rounds"))
    ]
    return pl.DataFrame(rows)


def marks(axes: Axes) -> list[tuple[str, str]]:
    """Colour and shape of each series of marks."""
    return [
        (to_hex(line.get_color()), str(line.get_marker()))
        for line in axes.get_lines()
        if str(line.get_marker()) in drawing.MARKERS and len(np.asarray(line.get_xdata())) > 0
    ]


def test_the_distance_is_that_of_known_colours() -> None:
    """Black, white, and the red primary of sRGB, CIELAB (53.24, 80.09, 67.20) under D65."""
    assert distance("#000000", "#FFFFFF", "all colours") == pytest.approx(100, abs=0.01)
    assert lab("#FF0000", "all colours") == pytest.approx([53.24, 80.09, 67.20], abs=0.1)
    assert distance("#FF0000", "#4C4C00", "protanopia") < 0.6 * distance("#FF0000", "#4C4C00", "all colours")
    for eye in EYES:
        assert np.allclose(lab("#808080", eye)[1:], 0, atol=0.2), "what has no colour has none for any eye"


@pytest.mark.parametrize("eye", EYES)
def test_the_colours_of_a_figure_are_told_apart_by_every_eye(eye: str) -> None:
    for palette in (drawing.COLOURS, drawing.UNNAMED):
        nearest = min((distance(a, b, eye), a, b) for a, b in combinations(palette, 2))
        assert nearest[0] >= APART, nearest


@pytest.mark.parametrize("eye", EYES)
def test_parts_of_a_bar_are_told_apart_however_many(eye: str) -> None:
    names = ["Red spires", "Blue spires", *(f"part {letter}" for letter in "abcdefgh")]
    rows = pl.DataFrame(
        [{"bot": bot, "action": name, "share": 0.1} for bot in ("ann", "bob") for name in names]
    )
    drawn = charts.stacked_shares(rows, "bot", "action", "What seats do")
    bars = [patch for patch in drawn.axes[0].patches if isinstance(patch, Rectangle)]
    colours = list(dict.fromkeys(to_hex(bar.get_facecolor()) for bar in bars))
    assert len(colours) == len(drawing.COLOURS), "of ten parts the small ones are one"
    assert min(distance(a, b, eye) for a, b in combinations(colours, 2)) >= APART
    assert {to_hex(bar.get_edgecolor()) for bar in bars} == {"#ffffff"}, "a line lies between two parts"


@pytest.mark.parametrize("eye", EYES)
def test_choices_and_halves_are_told_apart_by_every_eye(eye: str) -> None:
    row = {"source": "a", "name": "A", "effect": 0.4, "effect_low": 0.3, "effect_high": 0.5, "effect_n": 9}
    drawn = charts.choice_dots(pl.DataFrame([row]), "The effect or the VP?")
    effect, points = (
        to_hex(patch.get_facecolor()) for patch in drawn.axes[0].patches if isinstance(patch, Rectangle)
    )
    assert distance(effect, points, eye) >= APART
    low, half, high = (to_hex(drawing.DIVERGING(place)) for place in (0.0, 0.5, 1.0))
    assert min(distance(a, b, eye) for a, b in combinations((low, half, high), 2)) >= APART


def test_more_runs_than_colours_differ_in_their_shape() -> None:
    names = [f"run {place}" for place in range(20)]
    for drawn in (
        charts.run_dots(lines(names), "Length", "run", True),
        charts.round_lines(lines(names), "run", "mean", ["1", "2"], "Length"),
    ):
        found = marks(drawn.axes[0])
        assert len(set(found)) == len(names), "no two runs have colour and shape alike"
        assert all(a[1] != b[1] for a, b in pairwise(dict.fromkeys(found))), "neighbours differ in shape too"


def test_what_stands_out_differs_in_shape_from_chance() -> None:
    rows = pl.DataFrame(
        [
            {
                "name": name,
                "difference": value,
                "difference_low": None,
                "difference_high": None,
                "stands_out": how,
            }
            for name, value, how in (("A", 0.1, "above"), ("B", 0.0, None), ("C", -0.1, "below"))
        ],
        schema_overrides={"difference_low": pl.Float64, "difference_high": pl.Float64},
    )
    shapes = [shape for _, shape in marks(charts.difference_dots(rows, "Who wins more", "points").axes[0])]
    assert len(shapes) == len(set(shapes)) == 3


def test_the_median_is_named_above_the_bars() -> None:
    rows = pl.DataFrame({"turns": [1, 2, 3], "share": [0.05, 0.9, 0.05]})
    drawn = charts.histogram(rows, "turns", "How long", "turns")
    drawn.canvas.draw()
    axes = drawn.axes[0]
    (label,) = [text for text in axes.texts if "median" in text.get_text()]
    tallest = max(patch.get_window_extent().y1 for patch in axes.patches)
    box = label.get_window_extent()
    assert box.y0 >= tallest
    (title,) = [text for text in drawn.texts if text.get_text() == "How long"]
    assert box.y1 <= title.get_window_extent().y0, "and below the title"
    line = axes.get_lines()[0].get_xdata()
    middle = axes.transData.transform((float(np.asarray(line)[0]), 0))[0]
    assert 0 < box.x0 - middle < 10, "beside its line"


def bars(rows: pl.DataFrame) -> list[Rectangle]:
    axes = charts.histogram(rows, "turns", "How long", "turns").axes[0]
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def test_lengths_in_steps_of_four_leave_no_hole_and_stand_in_the_middle_of_their_bar() -> None:
    turns = pl.DataFrame({"turns": [*range(80, 200, 4), 137], "share": [0.999 / 30] * 30 + [0.001]})
    drawn = bars(turns.sort("turns"))
    heights = [bar.get_height() for bar in drawn]
    assert len(drawn) == 30
    assert min(heights) == pytest.approx(0.999 / 30)
    assert sum(heights) == pytest.approx(1)
    assert [bar.get_x() + bar.get_width() / 2 for bar in drawn] == pytest.approx(list(range(80, 200, 4)))
    assert [
        bar.get_x() + bar.get_width() / 2 for bar in bars(pl.DataFrame({"turns": [3], "share": [1.0]}))
    ] == [3]


def seated(shares: list[float], key: str) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                key: place,
                "win_share": share,
                "win_share_low": share - 0.01,
                "win_share_high": share + 0.01,
                "fair": 0.25,
            }
            for place, share in enumerate(shares)
        ]
    ).with_columns(pl.col(key).cast(pl.String))


def test_no_line_runs_through_a_share_and_the_legend_has_the_colours_of_both_sides() -> None:
    """Shares just below the fair one were once written over its line."""
    shares = [0.235, 0.24, 0.26, 0.265]
    drawn = charts.win_shares(seated(shares, "seat"), seated(shares, "bot"), "Who wins")
    drawn.canvas.draw()
    for axes in drawn.axes:
        edge = axes.get_window_extent().x1
        assert len(axes.texts) == 4
        assert all(text.get_window_extent().x0 > edge for text in axes.texts)
    assert len({colour for axes in drawn.axes for colour, _ in marks(axes)}) == 1


def test_a_ring_at_every_offer_is_whole_and_touches_no_number() -> None:
    row = {"paid_offered": 1.0, "paid_offered_low": 0.98, "paid_offered_high": 1.0, "reachable_offered": 1.0}
    rows = pl.DataFrame([{"group": "", "name": "A", "offered": 9} | row])
    drawn = charts.payout_dots(rows, "How often")
    drawn.canvas.draw()
    axes = drawn.axes[0]
    (rings,) = [each for each in axes.collections if isinstance(each, PathCollection)]
    assert not rings.get_clip_on()
    right = axes.transData.transform((1.0, 0))[0] + np.sqrt(rings.get_sizes()[0]) / 2 * drawn.dpi / 72
    (told,) = axes.texts
    assert told.get_text() == "100 %"
    assert told.get_window_extent().x0 > right + 1


def test_bands_of_positions_hold_the_middle_half_within_nine_in_ten() -> None:
    rows = pl.DataFrame(
        {
            "source": ["t", "t"], "round": [1, 2], "q05": [0, 1], "q25": [1, 2], "q50": [2, 3], "q75": [3, 5],
            "q95": [4, 7], "mean": [2.1, 3.2], "n": [9, 9],
        }
    )  # fmt: skip
    drawn, said = figures.positions({"position": rows}, "t", "Track")
    wide, narrow = (
        area.get_paths()[0].get_extents().intervaly.tolist() for area in drawn.axes[0].collections[:2]
    )
    assert (wide, narrow) == ([0, 7], [1, 5])
    assert np.asarray(drawn.axes[0].get_lines()[0].get_ydata()).tolist() == [2, 3]
    assert "round 2 median step 3, nine in ten from 1 to 7" in said


def test_bot_against_bot_is_written_in_the_cells() -> None:
    pairs = {("ann", "bob"): 0.7, ("bob", "ann"): 0.3, ("ann", "cid"): 0.5, ("cid", "ann"): 0.5}
    rows = pl.DataFrame(
        [
            {"bot": one, "other": other, "ahead": ahead, "ahead_low": ahead - 0.1, "ahead_high": ahead + 0.1}
            for (one, other), ahead in pairs.items()
        ]
    )
    drawn, said = figures.against(rows)
    axes = drawn.axes[0]
    cells = {
        (int(text.get_position()[1]), int(text.get_position()[0]), text.get_text()) for text in axes.texts
    }
    assert {(0, 1, "70"), (0, 1, "60–80"), (1, 0, "30"), (0, 2, "50"), (2, 0, "50")} <= cells
    (mesh,) = [each for each in axes.collections if isinstance(each, QuadMesh)]
    above, below, half = mesh.to_rgba(np.array([0.7, 0.3, 0.5]))[:, :3]
    assert above[2] > above[0], "above half it is blue"
    assert below[0] > below[2], "below half red"
    assert min(half) > 0.99, "half is white"
    assert "highest ann before bob 70.0 %, lowest bob before ann 30.0 %" in said


def test_the_words_of_a_figure_tell_what_is_seen_first() -> None:
    rows = pl.DataFrame({"name": ["B", "A", "C", "none"], "share": [0.5, 0.125, 0.031, None]})
    assert figures.ends(rows, "name", "share") == "highest B 50.0 %, lowest C 3.1 %"
    assert figures.ends(rows.head(1), "name", "share") == "B 50.0 %"
    assert figures.ends(rows.tail(1), "name", "share") == "nothing to show"
    assert figures.each(rows, "name", "share") == "B 50.0 %, A 12.5 %, C 3.1 %"
    parts = pl.DataFrame({"bot": ["x", "x", "y"], "part": ["a", "b", "a"], "share": [0.2, 0.8, 1.0]})
    assert figures.by_part(parts, "bot", "part") == "the largest part of x: b 80.0 %; of y: a 100 %"


def test_of_two_runs_the_differences_stand_beside() -> None:
    both = lines(["before", "after"]).filter(pl.col("title") == "turns")
    change = pl.DataFrame(
        [
            {
                "title": "turns",
                "difference": -0.02,
                "difference_low": -0.03,
                "difference_high": -0.01,
                "stands_out": True,
            }
        ]
    )
    drawn = charts.run_dots(both, "", "run", True, differences=change)
    drawn.canvas.draw()
    beside = drawn.axes[1]
    assert beside.get_xlabel() == "difference, in percentage points"
    labels = {text.get_text() for text in beside.get_xticklabels()}
    assert "0" in labels
    assert {"−1", "−2", "−3"} & labels, "in percentage points, with a sign"
    assert [text.get_text() for text in beside.get_legend().get_texts()] == ["stands out"]
