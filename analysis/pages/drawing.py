"""The one style of all figures: light, colour-blind safe, labelled at the marks, intervals drawn.

Figures are plain matplotlib figures without pyplot; `svg` turns one into text for a page, the same for the
same numbers. Names come from designers' files, so nothing in them is read as mathematics.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import matplotlib as mpl
import matplotlib.colors
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

# Okabe and Ito, "Color universal design" (2008), from the most to the least legible on white.
BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, GREY = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4F5864",
)  # fmt: skip
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, GREY)
UNNAMED = (PURPLE, SKY, ORANGE, GREY, BLUE, VERMILLION, GREEN)
"""For parts of a whole: those first that a game's pieces hardly have, so that none is taken for such a piece."""
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
INK, FAINT = "#1F2933", "#D9DEE4"
BAND = "#F3F5F7"
DIVERGING = matplotlib.colors.LinearSegmentedColormap.from_list("halves", ["#F0A876", "#FFFFFF", "#7FB8DB"])
"""Vermillion below half, blue above, light enough for dark numbers."""

STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["Inter", "Segoe UI", "Helvetica Neue", "Arial", "Liberation Sans", "DejaVu Sans"],
    "font.size": 10,
    "text.color": INK,
    "text.parse_math": False,
    "figure.titlesize": 11.5,
    "figure.titleweight": "bold",
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.edgecolor": "#9AA5B1",
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "xtick.color": "#52606D",
    "ytick.color": "#52606D",
    "ytick.labelcolor": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "counterpoise",
}
WIDTH = 8.6
NAME_LENGTH = 34


def _signed(value: float) -> str:
    return f"{value:+.3g}".replace("-", "−") if abs(value) > 1e-12 else "0"


PERCENT = FuncFormatter(lambda share, _: f"{100 * share:.0f} %")
SIGNED = FuncFormatter(lambda value, _: _signed(value))
SIGNED_PERCENT = FuncFormatter(lambda share, _: _signed(100 * share))


def styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    @wraps(draw)
    def inner(*args: Any, **kwargs: Any) -> Figure:
        with mpl.rc_context(STYLE):
            return draw(*args, **kwargs)

    return inner


def svg(figure: Figure) -> str:
    """The figure as an `<svg>` element with text as text."""
    target = io.StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(
            target, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
        )
    text = target.getvalue()
    text = text[text.index("<svg") :]
    # Several figures on one page: counted ids would meet again, and nothing refers to them.
    text = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", text)
    return re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)


class Chart(Figure):
    """A figure that a notebook shows."""

    def _repr_svg_(self) -> str:
        return svg(self)


def mark(place: int) -> tuple[str, str]:
    """The colour and the shape of the mark of a place in a list: no two of 49 places have both alike."""
    count = len(COLOURS)
    return COLOURS[place % count], MARKERS[(place + place // count) % count]


def paper(
    height: float, count: int, width: float = WIDTH, ratios: Sequence[float] | None = None
) -> tuple[Figure, list[Axes]]:
    """An empty figure of so many inches, and `count` axes side by side in it."""
    figure = Chart(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, count, squeeze=False, width_ratios=ratios)[0]
    return figure, list(axes)


def entitle(figure: Figure, title: str) -> None:
    """The title at the left; none where the heading above the figure says it already."""
    if title:
        figure.suptitle(title, x=0.005, ha="left")


def _arms(rows: pl.DataFrame, name: str) -> np.ndarray:
    """Lengths of the error bars below and above, shape (2, rows); none where there is no interval."""
    value = rows[name].cast(pl.Float64)
    arms = [value - rows[f"{name}_low"].fill_null(value), rows[f"{name}_high"].fill_null(value) - value]
    return np.array([arm.clip(0).to_numpy() for arm in arms])


def bars_across(
    axes: Axes,
    rows: pl.DataFrame,
    name: str,
    at: np.ndarray,
    colour: Any,
    marker: str,
    label: str | None,
    zorder: float = 3,
) -> None:
    """Marks of the column `name` with its interval from left to right, at the heights `at`."""
    axes.errorbar(
        rows[name],
        at,
        xerr=_arms(rows, name),
        fmt=marker,
        color=colour,
        markersize=5,
        elinewidth=1.4,
        label=label,
        zorder=zorder,
        clip_on=False,
    )


def bars_up(
    axes: Axes,
    rows: pl.DataFrame,
    name: str,
    at: np.ndarray,
    colour: Any,
    line: bool = True,
    marker: str = "o",
) -> None:
    """The interval of the column `name` upright at the places `at`, with marks on a line or without both."""
    style: dict[str, Any] = (
        {"fmt": f"{marker}-", "markersize": 4.5, "linewidth": 1.8} if line else {"fmt": "none"}
    )
    axes.errorbar(at, rows[name], yerr=_arms(rows, name), color=colour, elinewidth=1.3, **style)


def told_beside(axes: Axes, at: Iterable[float], texts: Iterable[str]) -> None:
    """What the marks at the heights `at` say, right of the axes, where no mark and no line runs through it."""
    for y, text in zip(at, texts, strict=True):
        axes.annotate(
            text,
            (1, y),
            xycoords=("axes fraction", "data"),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=BLUE,
        )


def percent_axis(axis: Any, limits: Callable[..., Any], largest: float) -> None:
    """Percent from 0 to a little above the largest share."""
    limits(0, min(1.0, 1.08 * largest) if largest > 0 else 1.0)
    axis.set_major_formatter(PERCENT)


def legend_below(figure: Figure, names: Sequence[Any]) -> None:
    """A legend with as many columns as the longest of the names leaves room for."""
    longest = max(len(short(str(name), 2 * NAME_LENGTH)) for name in names)
    columns = min(len(names), max(1, 100 // (longest + 5)))
    figure.legend(loc="outside lower left", ncols=columns, frameon=False, fontsize=9)


def legend_above(axes: Axes) -> None:
    """A legend in one line above the axes, at the right."""
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(
        handles,
        labels,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=len(handles),
        frameon=False,
        fontsize=9,
        borderaxespad=0.2,
        handletextpad=0.4,
    )


def short(name: str, most: int = NAME_LENGTH) -> str:
    """A name that finds room beside the axes."""
    return name if len(name) <= most else name[: most - 1] + "…"
