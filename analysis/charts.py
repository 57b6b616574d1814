"""Frame in, figure out, in one style: light, colour-blind safe, labelled at the marks, intervals drawn.

Figures are plain matplotlib figures without pyplot; `svg` turns one into text for a page, the same for the
same numbers. Names come from designers' files, so nothing in them is read as mathematics.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analysis.words import heading

# Okabe and Ito, "Color universal design" (2008), from the most to the least legible on white.
BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, GREY = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6B7280",
)  # fmt: skip
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, GREY)
UNNAMED = (PURPLE, SKY, ORANGE, GREY, BLUE, VERMILLION, GREEN)
"""For parts of a whole: those first that a game's pieces hardly have, so that none is taken for such a piece."""
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
INK, FAINT = "#1F2933", "#D9DEE4"

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

_PERCENT = FuncFormatter(lambda share, _: f"{100 * share:.0f} %")


def _styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
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


@_styled
def payout_dots(rows: pl.DataFrame, title: str) -> Figure:
    """How often each source came within reach (ring) and paid (dot) when it was offered, by group."""
    rows = rows.filter(pl.col("offered") > 0).sort(
        "group", "paid_offered", descending=[False, True], maintain_order=True
    )
    places, labels, bands = _grouped(rows["group"].to_list(), rows["name"].to_list())
    figure, (axes,) = _panels(len(labels) * 0.215 + 1.1, 1)
    at = np.array(places)
    axes.hlines(at, rows["paid_offered"], rows["reachable_offered"], color=FAINT, linewidth=2.5, zorder=1)
    axes.scatter(
        rows["reachable_offered"],
        at,
        s=26,
        facecolors="white",
        edgecolors=GREY,
        linewidths=1.2,
        label="within reach of a seat",
        zorder=2,
    )
    _error_bars(axes, rows, "paid_offered", at, BLUE, "o", "paid", zorder=3)
    for y, row in zip(places, rows.iter_rows(named=True), strict=True):
        axes.annotate(
            f"{100 * row['paid_offered']:.0f} %",
            (1.005, y),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8.5,
            color=BLUE,
        )
    axes.set_yticks(range(len(labels)), labels, fontsize=8.5)
    for y in bands:
        axes.get_yticklabels()[y].set_fontweight("bold")
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(False, axis="y")
    _percent_axis(axes.xaxis, axes.set_xlim, float(rows["reachable_offered"].max() or 1))  # type: ignore[arg-type]
    _title(figure, title)
    _legend(axes)
    return figure


@_styled
def round_grid(rows: pl.DataFrame, title: str, label: Callable[[int], str] = "round {}".format) -> Figure:
    """P(paid | offered) of each source (by name) and round of its offer, as a grid of shades with numbers."""
    names = rows["name"].unique(maintain_order=True).to_list()
    rounds = rows["round"].unique().sort().to_list()
    grid = np.full((len(names), len(rounds)), np.nan)
    for name, number, share in rows.select("name", "round", "paid_offered").iter_rows():
        grid[names.index(name), rounds.index(number)] = share
    figure, (axes,) = _panels(len(names) * 0.19 + 1.1, 1)
    top = float(np.nanmax(grid, initial=0.01))
    axes.pcolormesh(
        grid, cmap=mpl.colormaps["Blues"], vmin=0, vmax=1.15 * top, edgecolors="white", linewidth=1.5
    )
    for (y, x), share in np.ndenumerate(grid):
        if not np.isnan(share):
            colour = "white" if share > 0.62 * top else INK
            axes.text(
                x + 0.5, y + 0.5, f"{100 * share:.0f}", ha="center", va="center", fontsize=8, color=colour
            )
    axes.set_ylim(len(names), 0)
    axes.set_xticks(np.arange(len(rounds)) + 0.5, [label(number) for number in rounds])
    axes.xaxis.tick_top()
    axes.set_yticks(np.arange(len(names)) + 0.5, [_short(name) for name in names], fontsize=8.5)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    _title(figure, title)
    return figure


@_styled
def choice_dots(rows: pl.DataFrame, title: str) -> Figure:
    """Of the winners who chose between an effect and VP, the share that took the effect."""
    rows = rows.filter(pl.col("effect_n") > 0).sort("effect", "source", descending=[True, False])
    figure, (axes,) = _panels(rows.height * 0.215 + 1.0, 1)
    at = np.arange(rows.height)
    axes.barh(at, rows["effect"], height=0.62, color=SKY, label="took the effect")
    axes.barh(
        at,
        1 - rows["effect"].to_numpy(),
        left=rows["effect"],
        height=0.62,
        color="#F6D58A",
        label="took the VP",
    )
    _error_bars(axes, rows, "effect", at, INK, "none", None)
    axes.set_yticks(at, [_short(name) for name in rows["name"]], fontsize=8.5)
    axes.set_ylim(rows.height - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(_PERCENT)
    _title(figure, title)
    _legend(axes)
    return figure


@_styled
def track_pace(rounds: pl.DataFrame, turns: pl.DataFrame, title: str, round_name: str = "round") -> Figure:
    """Share of seats on each step of a track or above, by the end of each round and by own turn."""
    steps = rounds["step"].unique().sort().to_list()
    shades = mpl.colormaps["viridis"](np.linspace(0.0, 0.75, len(steps)))
    figure, (left, right) = _panels(4.3, 2, width=WIDTH * 1.12, ratios=(1, 1.35))
    for step, shade in zip(steps, shades, strict=True):
        of_step = rounds.filter(step=step).sort("round")
        _error_bars_up(left, of_step, "reached", of_step["round"].to_numpy(), shade)
        curve = turns.filter(step=step).sort("time")
        curve = curve.filter(pl.col("n") >= 0.02 * curve["n"].max())  # type: ignore[operator]
        right.step(curve["time"], curve["share"], where="post", color=shade, linewidth=1.8)
        right.fill_between(
            curve["time"], curve["low"], curve["high"], step="post", color=shade, alpha=0.18, linewidth=0
        )
    for axes in (left, right):
        axes.set_ylim(-0.02, 1.02)
        axes.yaxis.set_major_formatter(_PERCENT)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=10))
    ends = [
        turns.filter(step=step).sort("time").filter(pl.col("n") >= 0.02 * pl.col("n").max())["share"][-1]
        for step in steps
    ]
    # The curves end at different turns, but no step is reached by more seats than the one before.
    heights = _apart(np.minimum.accumulate(ends)[::-1], 0.05)[::-1]
    for y, step, shade in zip(heights, steps, shades, strict=True):
        right.annotate(
            f"step {step}",
            (1.01, y),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=9,
            color=shade,
        )
    left.set_xlabel(f"by the end of {round_name}")
    right.set_xlabel("own turn (game end as censoring)")
    _title(figure, title)
    return figure


@_styled
def margin_bars(margins: pl.DataFrame, title: str) -> Figure:
    """How far the winner is ahead: share of games by margin, the ties on points in another colour."""
    figure, (axes,) = _panels(3.2, 1)
    at = np.arange(margins.height)
    colours = [VERMILLION if margin == 0 else BLUE for margin in margins["margin"]]
    axes.bar(at, margins["share"], width=0.78, color=colours)
    _error_bars_up(axes, margins, "share", at, INK, line=False)
    axes.set_xticks(at, margins["label"])
    axes.grid(False, axis="x")
    axes.yaxis.set_major_formatter(_PERCENT)
    axes.set_xlabel("points between the best and the second seat (0: tied on points)")
    _title(figure, title)
    return figure


@_styled
def win_shares(by_seat: pl.DataFrame, by_bot: pl.DataFrame | None, title: str) -> Figure:
    """Win share of each seat and, if given, of each bot, with the fair share as a line."""
    tables = [(by_seat, [f"seat {seat}" for seat in by_seat["seat"]])]
    if by_bot is not None:
        tables.append((by_bot, [_short(bot) for bot in by_bot["bot"]]))
    rows = max(table.height for table, _ in tables)
    figure, panels = _panels(rows * 0.36 + 1.2, len(tables))
    for axes, (table, names), colour in zip(panels, tables, (BLUE, GREEN), strict=False):
        at = np.arange(table.height)
        fair = table["fair"].to_numpy()
        axes.vlines(fair, at - 0.42, at + 0.42, color=VERMILLION, linewidth=1.4, label="fair share", zorder=1)
        _error_bars(axes, table, "win_share", at, colour, "o", "win share")
        for y, share, high in zip(at, table["win_share"], table["win_share_high"], strict=True):
            axes.annotate(
                f"{100 * share:.1f} %",
                (high or share, y),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
                color=colour,
            )
        axes.set_yticks(at, names)
        axes.set_ylim(table.height - 0.4, -0.6)
        axes.grid(False, axis="y")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
        axes.margins(x=0.25)
    _title(figure, title)
    _legend(panels[-1])
    return figure


@_styled
def band_dots(rows: pl.DataFrame, title: str) -> Figure:
    """The rates of a family with their intervals over the band that they should lie in, marked by verdict."""
    rows = rows.sort("value", "name", descending=[True, False])
    figure, (axes,) = _panels(rows.height * (0.34 if rows.height < 8 else 0.215) + 1.0, 1)
    at = np.arange(rows.height)
    width = rows["most"] - rows["least"]
    axes.barh(at, width, left=rows["least"], height=1.0, color="#E3F1EC", label="band", zorder=0)
    # Marks differ too, so that no colour carries the verdict alone.
    for verdict, colour, marker in (
        ("within", GREEN, "o"), ("above", VERMILLION, "^"), ("below", VERMILLION, "v"), ("open", GREY, "D"),
    ):  # fmt: skip
        of_verdict = rows["verdict"] == verdict
        if of_verdict.any():
            _error_bars(
                axes, rows.filter(of_verdict), "value", at[of_verdict.to_numpy()], colour, marker, verdict
            )
    axes.set_yticks(at, [_short(name) for name in rows["name"]], fontsize=8.5)
    axes.set_ylim(rows.height - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    _title(figure, title)
    _legend(axes)
    return figure


@_styled
def part_dots(parts: pl.DataFrame, title: str, by: str = "bot") -> Figure:
    """Where the points come from: mean points a seat of each part of the score, a mark for each bot."""
    order = (
        parts.group_by("title")
        .agg(pl.col("mean").mean())
        .sort("mean", "title", descending=[True, False])["title"]
        .to_list()
    )
    return _dots(parts, order, title, by, "mean points a seat")


@_styled
def run_dots(rows: pl.DataFrame, title: str, by: str, shares: bool) -> Figure:
    """The `mean` of each thing (`title`) in each of several runs (`by`), with its interval, in the given order."""
    figure = _dots(rows, rows["title"].unique(maintain_order=True).to_list(), title, by, "")
    if shares:
        figure.axes[0].xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))
    return figure


def _dots(parts: pl.DataFrame, order: list[str], title: str, by: str, label_below: str) -> Figure:
    figure, (axes,) = _panels(len(order) * 0.34 + 1.1, 1)
    bots = parts[by].unique(maintain_order=True).to_list() if by in parts.columns else [None]
    for place, bot in enumerate(bots):
        rows = parts if bot is None else parts.filter(pl.col(by) == bot)
        at = np.array([order.index(part) for part in rows["title"]]) + (
            place - (len(bots) - 1) / 2
        ) * 0.55 / max(len(bots), 1)
        label = None if bot is None else _short(str(bot), 2 * NAME_LENGTH)
        _error_bars(
            axes, rows, "mean", at, COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)], label
        )
    axes.set_yticks(range(len(order)), [_short(part) for part in order])
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.set_xlabel(label_below)
    axes.grid(False, axis="y")
    _title(figure, title)
    if bots != [None]:
        figure.legend(loc="outside lower left", ncols=min(len(bots), 4), frameon=False, fontsize=9)
    return figure


@_styled
def stacked_shares(rows: pl.DataFrame, line: str, part: str, title: str) -> Figure:
    """What a whole is made of: a bar for each value of `line`, cut into the `share` of each `part`, in order.

    Parts beyond those that can be told apart by colour are one, the last; parts of which there are none are no
    parts. What has the name of a colour has that colour.
    """
    lines = rows[line].unique(maintain_order=True).to_list()
    rows = rows.filter(pl.col("share").sum().over(part) > 0)
    parts = _most(rows, part, len(COLOURS))
    figure, (axes,) = _panels(len(lines) * 0.3 + 1.2, 1)
    left = np.zeros(len(lines))
    for colour, (name, members) in zip(_colours_of(list(parts)), parts.items(), strict=True):
        of_part = rows.filter(pl.col(part).is_in(members)).group_by(line).agg(pl.col("share").sum())
        shares = dict(of_part.iter_rows())
        width = np.array([shares.get(each) or 0.0 for each in lines])
        axes.barh(range(len(lines)), width, left=left, height=0.74, color=colour, label=_short(name))
        for y, share in enumerate(width):
            if share >= 0.045:
                axes.text(
                    left[y] + share / 2,
                    y,
                    f"{100 * share:.0f}",
                    ha="center",
                    va="center",
                    fontsize=8.5,
                    color="white" if colour in (BLUE, VERMILLION, GREEN, GREY) else INK,
                )
        left += width
    axes.set_yticks(range(len(lines)), [_short(str(each), 2 * NAME_LENGTH) for each in lines])
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_xlim(0, max(1.0, left.max(initial=0)))
    axes.grid(False, axis="y")
    axes.xaxis.set_major_formatter(_PERCENT)
    _title(figure, title)
    figure.legend(
        loc="outside lower left", ncols=min(len(parts), 5), frameon=False, fontsize=9, handlelength=1.2
    )
    return figure


def _colours_of(names: Sequence[str]) -> list[str]:
    """A colour for each name: the one that it names, if any, else the next one that is free."""
    named = {
        "blue": BLUE,
        "red": VERMILLION,
        "green": GREEN,
        "purple": PURPLE,
        "orange": ORANGE,
        "grey": GREY,
    }
    own = [next((named[word] for word in name.lower().split() if word in named), None) for name in names]
    if len({each for each in own if each}) < len([each for each in own if each]):
        own = [None] * len(names)  # two of one colour can't be told apart
    free = iter([colour for colour in UNNAMED if colour not in own])
    return [each or next(free) for each in own]


def _most(rows: pl.DataFrame, part: str, most: int) -> dict[str, list[str]]:
    """The names of the parts in order, each with its members; of too many the small ones are one."""
    names = rows[part].unique(maintain_order=True).to_list()
    if len(names) <= most:
        return {name: [name] for name in names}
    whole = rows.group_by(part).agg(pl.col("share").sum()).sort("share", part, descending=[True, False])
    kept = whole[part].head(most - 1).to_list()
    named = {name: [name] for name in names if name in kept}
    return named | {"others": [name for name in names if name not in kept]}


@_styled
def difference_dots(rows: pl.DataFrame, title: str, label: str) -> Figure:
    """Differences from what was expected with their intervals, from the largest; those that stand out in colour."""
    figure, (axes,) = _panels(rows.height * 0.215 + 1.2, 1)
    colours = {"above": BLUE, "below": VERMILLION, None: GREY}
    numbered = rows.with_row_index("at")
    for (stands_out,), part in numbered.group_by("stands_out", maintain_order=True):
        name = {"above": "stands out above", "below": "stands out below", None: "may be chance"}[stands_out]
        _error_bars(axes, part, "difference", part["at"].to_numpy(), colours[stands_out], "o", name)
    axes.axvline(0, color=INK, linewidth=1)
    axes.set_yticks(range(rows.height), [_short(name) for name in rows["name"]], fontsize=8.5)
    axes.set_ylim(rows.height - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:+.3g}"))
    axes.set_xlabel(label)
    _title(figure, title)
    figure.legend(loc="outside lower left", ncols=3, frameon=False, fontsize=9)
    return figure


@_styled
def round_lines(rows: pl.DataFrame, key: str, measure: str, labels: Sequence[str], title: str) -> Figure:
    """Shares by round, a line for each value of `key`; `labels` name the rounds in their order."""
    figure, (axes,) = _panels(3.4, 1)
    rounds = rows["round"].unique().sort().to_list()
    lines = rows[key].unique(maintain_order=True).to_list()
    for place, line in enumerate(lines):
        part = rows.filter(pl.col(key) == line).sort("round")
        at = np.array([rounds.index(each) for each in part["round"]])
        colour = COLOURS[place % len(COLOURS)]
        _error_bars_up(axes, part, measure, at, colour)
        axes.plot([], [], marker="o", markersize=4, color=colour, label=_short(str(line)))
    axes.set_xticks(range(len(rounds)), labels, rotation=30 if len(rounds) > 8 else 0, fontsize=8.5)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(_PERCENT)
    _title(figure, title)
    columns = min(len(lines), max(1, 90 // max(len(_short(str(line))) + 4 for line in lines)))
    figure.legend(loc="outside lower left", ncols=columns, frameon=False, fontsize=9)
    return figure


@_styled
def histogram(rows: pl.DataFrame, column: str, title: str, label: str) -> Figure:
    """Shares of whole-numbered values as bars, at most some forty, with the median marked."""
    values, shares = rows[column].to_numpy(), rows["share"].to_numpy()
    low, high = int(values.min()), int(values.max())
    width = max(1, -(-(high - low + 1) // 40))
    bins = (values - low) // width
    figure, (axes,) = _panels(2.7, 1)
    heights = np.bincount(bins, shares)
    axes.bar(low + np.arange(heights.size) * width, heights, width=width * 0.92, align="edge", color=SKY)
    median = float(values[np.searchsorted(np.cumsum(shares), 0.5 - 1e-9)])
    axes.axvline(median + 0.5 * (width == 1), color=VERMILLION, linewidth=1.4)
    axes.annotate(
        f"median {median:g}",
        (median, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(6, -10),
        textcoords="offset points",
        color=VERMILLION,
        fontsize=9,
    )
    axes.yaxis.set_major_formatter(_PERCENT)
    axes.grid(False, axis="x")
    axes.set_xlabel(label)
    _title(figure, title)
    return figure


def _panels(
    height: float, count: int, width: float = WIDTH, ratios: Sequence[float] | None = None
) -> tuple[Figure, list[Axes]]:
    figure = Chart(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, count, squeeze=False, width_ratios=ratios)[0]
    return figure, list(axes)


def _title(figure: Figure, title: str) -> None:
    figure.suptitle(title, x=0.005, ha="left")


def _arms(rows: pl.DataFrame, name: str) -> np.ndarray:
    """Lengths of the error bars below and above, shape (2, rows); none where there is no interval."""
    value = rows[name].cast(pl.Float64)
    arms = [value - rows[f"{name}_low"].fill_null(value), rows[f"{name}_high"].fill_null(value) - value]
    return np.array([arm.clip(0).to_numpy() for arm in arms])


def _error_bars(
    axes: Axes,
    rows: pl.DataFrame,
    name: str,
    at: np.ndarray,
    colour: Any,
    marker: str,
    label: str | None,
    zorder: float = 3,
) -> None:
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


def _error_bars_up(
    axes: Axes, rows: pl.DataFrame, name: str, at: np.ndarray, colour: Any, line: bool = True
) -> None:
    style: dict[str, Any] = {"fmt": "o-", "markersize": 4, "linewidth": 1.8} if line else {"fmt": "none"}
    axes.errorbar(at, rows[name], yerr=_arms(rows, name), color=colour, elinewidth=1.3, **style)


def _percent_axis(axis: Any, limits: Callable[..., Any], largest: float) -> None:
    limits(0, min(1.0, 1.08 * largest) if largest > 0 else 1.0)
    axis.set_major_formatter(_PERCENT)


def _legend(axes: Axes) -> None:
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


def _grouped(groups: Sequence[str], names: Sequence[str]) -> tuple[list[int], list[str], list[int]]:
    """Row of each name, the labels of all rows, and the rows that head a group of several names."""
    places: list[int] = []
    labels: list[str] = []
    bands: list[int] = []
    sizes = Counter(groups)
    previous = None
    for group, name in zip(groups, names, strict=True):
        if group != previous and len(sizes) > 1 and sizes[group] > 1:
            bands.append(len(labels))
            labels.append(_short(heading(group)))
        previous = group
        places.append(len(labels))
        labels.append(_short(name))
    return places, labels, bands


def _short(name: str, most: int = NAME_LENGTH) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _apart(heights: Sequence[float] | np.ndarray, gap: float) -> list[float]:
    """The heights moved as little as a sweep needs for labels that do not overlap, in the same order."""
    order = np.argsort(heights, kind="stable")
    placed = np.array(heights, dtype=np.float64)
    for below, above in pairwise(order):
        placed[above] = max(placed[above], placed[below] + gap)
    placed = np.minimum(placed, 1.0)
    for above, below in pairwise(order[::-1]):
        placed[below] = min(placed[below], placed[above] - gap)
    return [float(height) for height in placed]
