"""Frame in, figure out: one function for each kind of figure, in the style of `drawing`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analysis.examples import spans
from analysis.pages.drawing import (
    BAND,
    BLUE,
    COLOURS,
    DIVERGING,
    FAINT,
    GREEN,
    GREY,
    INK,
    NAME_LENGTH,
    ORANGE,
    PERCENT,
    PURPLE,
    SIGNED,
    SIGNED_PERCENT,
    SKY,
    UNNAMED,
    VERMILLION,
    WIDTH,
    bars_across,
    bars_up,
    entitle,
    legend_above,
    legend_below,
    mark,
    paper,
    percent_axis,
    short,
    styled,
    told_beside,
)
from analysis.words import heading


@styled
def payout_dots(rows: pl.DataFrame, title: str, paid: str = "paid") -> Figure:
    """How often each source came within reach (ring) and paid (dot) when it was offered, by group."""
    rows = rows.filter(pl.col("offered") > 0).sort(
        "group", "paid_offered", descending=[False, True], maintain_order=True
    )
    places, labels, bands = _grouped(rows["group"].to_list(), rows["name"].to_list())
    figure, (axes,) = paper(len(labels) * 0.215 + 1.1, 1)
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
        clip_on=False,
    )
    bars_across(axes, rows, "paid_offered", at, BLUE, "o", paid, zorder=3)
    told_beside(axes, places, [f"{100 * share:.0f} %" for share in rows["paid_offered"]])
    axes.set_yticks(range(len(labels)), labels, fontsize=8.5)
    for y in bands:
        axes.get_yticklabels()[y].set_fontweight("bold")
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(False, axis="y")
    percent_axis(axes.xaxis, axes.set_xlim, float(rows["reachable_offered"].max() or 1))  # type: ignore[arg-type]
    entitle(figure, title)
    legend_above(axes)
    return figure


@styled
def round_grid(rows: pl.DataFrame, title: str, label: Callable[[int], str] = "round {}".format) -> Figure:
    """P(paid | offered) of each source (by name) and round of its offer, as a grid of shades with numbers."""
    names = rows["name"].unique(maintain_order=True).to_list()
    rounds = rows["round"].unique().sort().to_list()
    grid = np.full((len(names), len(rounds)), np.nan)
    for name, number, share in rows.select("name", "round", "paid_offered").iter_rows():
        grid[names.index(name), rounds.index(number)] = share
    figure, (axes,) = paper(len(names) * 0.19 + 1.1, 1)
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
    axes.set_xticks(np.arange(len(rounds)) + 0.5, [label(number) for number in rounds])
    axes.set_yticks(np.arange(len(names)) + 0.5, [short(name) for name in names], fontsize=8.5)
    _as_grid(axes, len(names))
    entitle(figure, title)
    return figure


def _as_grid(axes: Axes, lines: int) -> None:
    """Cells from the top down, their columns named above them, with nothing around them."""
    axes.set_ylim(lines, 0)
    axes.xaxis.tick_top()
    axes.grid(False)
    axes.spines[:].set_visible(False)


@styled
def choice_dots(rows: pl.DataFrame, title: str) -> Figure:
    """Of the winners who chose between an effect and VP, the share that took the effect."""
    rows = rows.filter(pl.col("effect_n") > 0).sort("effect", "source", descending=[True, False])
    figure, (axes,) = paper(rows.height * 0.215 + 1.0, 1)
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
    bars_across(axes, rows, "effect", at, INK, "none", None)
    axes.set_yticks(at, [short(name) for name in rows["name"]], fontsize=8.5)
    axes.set_ylim(rows.height - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PERCENT)
    entitle(figure, title)
    legend_above(axes)
    return figure


@styled
def track_pace(rounds: pl.DataFrame, turns: pl.DataFrame, title: str, round_name: str = "round") -> Figure:
    """Share of seats on each step of a track or above, by the end of each round and by own turn."""
    steps = rounds["step"].unique().sort().to_list()
    shades = mpl.colormaps["viridis"](np.linspace(0.0, 0.75, len(steps)))
    figure, (left, right) = paper(4.3, 2, width=WIDTH * 1.12, ratios=(1, 1.35))
    for step, shade in zip(steps, shades, strict=True):
        of_step = rounds.filter(step=step).sort("round")
        bars_up(left, of_step, "reached", of_step["round"].to_numpy(), shade)
        curve = turns.filter(step=step).sort("time")
        curve = curve.filter(pl.col("n") >= 0.02 * curve["n"].max())  # type: ignore[operator]
        right.step(curve["time"], curve["share"], where="post", color=shade, linewidth=1.8)
        right.fill_between(
            curve["time"], curve["low"], curve["high"], step="post", color=shade, alpha=0.18, linewidth=0
        )
    for axes in (left, right):
        axes.set_ylim(-0.02, 1.02)
        axes.yaxis.set_major_formatter(PERCENT)
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
    entitle(figure, title)
    return figure


@styled
def position_bands(rows: pl.DataFrame, title: str) -> Figure:
    """On which step the seats stand by the end of each round: the median, and the bands of 50 % and 90 % of them."""
    rows = rows.sort("round")
    figure, (axes,) = paper(3.3, 1)
    at = rows["round"].to_numpy()
    bands = (("q05", "q95", 0.16, "nine in ten seats"), ("q25", "q75", 0.34, "half of the seats"))
    for low, high, shade, label in bands:
        axes.fill_between(at, rows[low], rows[high], color=BLUE, alpha=shade, linewidth=0, label=label)
    axes.plot(at, rows["q50"], "o-", color=BLUE, linewidth=1.8, markersize=5, label="median")
    axes.plot(at, rows["mean"], "D--", color=INK, linewidth=1, markersize=3.5, label="mean")
    axes.set_xlabel("by the end of round")
    axes.set_ylabel("step")
    axes.set_ylim(0, 1.03 * float(np.maximum(rows["q95"].to_numpy().max(), 1)))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    entitle(figure, title)
    figure.legend(loc="outside lower left", ncols=4, frameon=False, fontsize=9)
    return figure


@styled
def against_grid(rows: pl.DataFrame, title: str) -> Figure:
    """How often the bot of the line ends ahead of that of the column, with intervals; blue above half, red below."""
    bots = rows["bot"].unique(maintain_order=True).to_list()
    names = [short(bot, 22) for bot in bots]
    figure, (axes,) = paper(0.5 * len(bots) + 1.1, 1, width=min(WIDTH, max(6.0, 2.4 + 1.25 * len(bots))))
    grid = np.full((len(bots), len(bots)), np.nan)
    for row in rows.iter_rows(named=True):
        y, x = bots.index(row["bot"]), bots.index(row["other"])
        grid[y, x] = row["ahead"]
        axes.text(x + 0.5, y + 0.4, f"{100 * row['ahead']:.0f}", ha="center", va="center", fontsize=10.5)
        if row["ahead_low"] is not None:
            span = f"{100 * row['ahead_low']:.0f}–{100 * row['ahead_high']:.0f}"
            axes.text(x + 0.5, y + 0.74, span, ha="center", va="center", fontsize=7.5)
    # Bots that hardly differ are pale.
    most = max(0.2, float(np.nanmax(np.abs(grid - 0.5), initial=0)))
    axes.pcolormesh(
        grid, cmap=DIVERGING, vmin=0.5 - most, vmax=0.5 + most, edgecolors="white", linewidth=2, zorder=0
    )
    axes.set_xticks(np.arange(len(bots)) + 0.5, names, fontsize=8.5)
    axes.set_yticks(np.arange(len(bots)) + 0.5, names)
    _as_grid(axes, len(bots))
    entitle(figure, title)
    return figure


@styled
def margin_bars(margins: pl.DataFrame, title: str) -> Figure:
    """How far the winner is ahead: share of games by margin, the ties on points in another colour."""
    figure, (axes,) = paper(3.2, 1)
    at = np.arange(margins.height)
    colours = [VERMILLION if margin == 0 else BLUE for margin in margins["margin"]]
    axes.bar(at, margins["share"], width=0.78, color=colours)
    bars_up(axes, margins, "share", at, INK, line=False)
    axes.set_xticks(at, margins["label"])
    axes.grid(False, axis="x")
    axes.yaxis.set_major_formatter(PERCENT)
    axes.set_xlabel("points between the best and the second seat (0: tied on points)")
    entitle(figure, title)
    return figure


@styled
def win_shares(by_seat: pl.DataFrame, by_bot: pl.DataFrame | None, title: str) -> Figure:
    """Win share of each seat and, if given, of each bot, with the fair share as a line."""
    tables = [(by_seat, [f"seat {seat}" for seat in by_seat["seat"]])]
    if by_bot is not None:
        tables.append((by_bot, [short(bot) for bot in by_bot["bot"]]))
    rows = max(table.height for table, _ in tables)
    figure, panels = paper(rows * 0.36 + 1.2, len(tables))
    figure.get_layout_engine().set(wspace=0.06)  # type: ignore[union-attr, call-arg]
    for axes, (table, names) in zip(panels, tables, strict=True):
        at = np.arange(table.height)
        fair = table["fair"].to_numpy()
        axes.vlines(fair, at - 0.42, at + 0.42, color=VERMILLION, linewidth=1.4, label="fair share", zorder=1)
        bars_across(axes, table, "win_share", at, BLUE, "o", "win share")
        told_beside(axes, at, [f"{100 * share:.1f} %" for share in table["win_share"]])
        axes.set_yticks(at, names)
        axes.set_ylim(table.height - 0.4, -0.6)
        axes.grid(False, axis="y")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
        axes.margins(x=0.1)
    entitle(figure, title)
    legend_above(panels[-1])
    return figure


@styled
def band_dots(rows: pl.DataFrame, title: str) -> Figure:
    """The rates of a family with their intervals over the band that they should lie in, marked by verdict."""
    rows = rows.sort("value", "name", descending=[True, False])
    figure, (axes,) = paper(rows.height * (0.34 if rows.height < 8 else 0.215) + 1.0, 1)
    at = np.arange(rows.height)
    width = rows["most"] - rows["least"]
    axes.barh(at, width, left=rows["least"], height=1.0, color="#E3F1EC", label="band", zorder=0)
    # Marks differ too, so that no colour carries the verdict alone.
    for verdict, colour, marker in (
        ("within", GREEN, "o"), ("above", VERMILLION, "^"), ("below", VERMILLION, "v"), ("open", GREY, "D"),
    ):  # fmt: skip
        of_verdict = rows["verdict"] == verdict
        if of_verdict.any():
            bars_across(
                axes, rows.filter(of_verdict), "value", at[of_verdict.to_numpy()], colour, marker, verdict
            )
    axes.set_yticks(at, [short(name) for name in rows["name"]], fontsize=8.5)
    axes.set_ylim(rows.height - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    entitle(figure, title)
    legend_above(axes)
    return figure


@styled
def part_dots(parts: pl.DataFrame, title: str, by: str = "bot") -> Figure:
    """Where the points come from: mean points a seat of each part of the score, a mark for each bot."""
    order = (
        parts.group_by("title")
        .agg(pl.col("mean").mean())
        .sort("mean", "title", descending=[True, False])["title"]
        .to_list()
    )
    return _dots(parts, order, title, by, "mean points a seat")


@styled
def run_dots(
    rows: pl.DataFrame,
    title: str,
    by: str,
    shares: bool,
    fair: float | None = None,
    differences: pl.DataFrame | None = None,
) -> Figure:
    """The `mean` of each thing (`title`) in each of several runs (`by`), with its interval, in the given order.

    `fair` is drawn as a line. `differences`, the same things with `difference` and whether it `stands_out`, stand in a
    second panel beside.
    """
    order = rows["title"].unique(maintain_order=True).to_list()
    figure = _dots(rows, order, title, by, "", panels=1 if differences is None else 2)
    axes = figure.axes[0]
    if fair is not None:
        axes.axvline(fair, color=INK, linewidth=1, linestyle=(0, (4, 3)), label="fair", zorder=1)
    if shares:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8 if differences is None else 5, steps=[1, 2, 2.5, 5, 10]))
    if differences is not None:
        beside = figure.axes[1]
        beside.axvline(0, color=INK, linewidth=1)
        for (stands_out,), part in differences.group_by("stands_out", maintain_order=True):
            at = np.array([order.index(name) for name in part["title"]])
            look = (INK, "D", "stands out") if stands_out else (GREY, "o", "may be chance")
            bars_across(beside, part, "difference", at, *look)
        legend_above(beside)
        beside.xaxis.set_major_formatter(SIGNED_PERCENT if shares else SIGNED)
        beside.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]))
        beside.set_xlabel("difference, in percentage points" if shares else "difference")
    return figure


def _dots(
    parts: pl.DataFrame, order: list[str], title: str, by: str, label_below: str, panels: int = 1
) -> Figure:
    bots = parts[by].unique(maintain_order=True).to_list() if by in parts.columns else [None]
    many = len(bots) == 1 and len(order) > 15
    # So that the marks of one thing do not lie over each other.
    height = 0.215 if many else max(0.34, 0.13 * len(bots) + 0.1)
    ratios = (1,) if panels == 1 else (1.7, 1)
    figure, several = paper(len(order) * height + 1.1, panels, ratios=ratios)
    axes = several[0]
    for place, bot in enumerate(bots):
        rows = parts if bot is None else parts.filter(pl.col(by) == bot)
        at = np.array([order.index(part) for part in rows["title"]]) + (
            place - (len(bots) - 1) / 2
        ) * 0.62 / max(len(bots), 1)
        label = None if bot is None else short(str(bot), 2 * NAME_LENGTH)
        colour, marker = mark(place)
        bars_across(axes, rows, "mean", at, colour, marker, label)
    axes.set_yticks(range(len(order)), [short(part) for part in order], fontsize=8.5 if many else 10)
    axes.set_xlabel(label_below)
    for each in several:
        each.set_ylim(len(order) - 0.4, -0.6)
        each.grid(False, axis="y")
        for place in range(1, len(order), 2):
            each.axhspan(place - 0.5, place + 0.5, color=BAND, linewidth=0, zorder=0)
    for each in several[1:]:
        each.set_yticks(range(len(order)), [""] * len(order))
    entitle(figure, title)
    if bots != [None]:
        legend_below(figure, bots)
    return figure


@styled
def stacked_shares(rows: pl.DataFrame, line: str, part: str, title: str) -> Figure:
    """What a whole is made of: a bar for each value of `line`, cut into the `share` of each `part`, in order.

    Parts beyond those that can be told apart by colour are one, the last; parts of which there are none are no
    parts. What has the name of a colour has that colour.
    """
    lines = rows[line].unique(maintain_order=True).to_list()
    rows = rows.filter(pl.col("share").sum().over(part) > 0)
    parts = _most(rows, part, len(COLOURS))
    figure, (axes,) = paper(len(lines) * 0.3 + 1.2, 1)
    left = np.zeros(len(lines))
    for colour, (name, members) in zip(_colours_of(list(parts)), parts.items(), strict=True):
        of_part = rows.filter(pl.col(part).is_in(members)).group_by(line).agg(pl.col("share").sum())
        shares = dict(of_part.iter_rows())
        width = np.array([shares.get(each) or 0.0 for each in lines])
        axes.barh(
            range(len(lines)),
            width,
            left=left,
            height=0.74,
            color=colour,
            edgecolor="white",
            label=short(name),
        )
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
    axes.set_yticks(range(len(lines)), [short(str(each), 2 * NAME_LENGTH) for each in lines])
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_xlim(0, max(1.0, left.max(initial=0)))
    axes.grid(False, axis="y")
    axes.xaxis.set_major_formatter(PERCENT)
    entitle(figure, title)
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


@styled
def difference_dots(rows: pl.DataFrame, title: str, label: str) -> Figure:
    """Differences from what was expected with their intervals, from the largest; those that stand out in colour."""
    figure, (axes,) = paper(rows.height * 0.215 + 1.2, 1)
    marks = {"above": (BLUE, "^"), "below": (VERMILLION, "v"), None: (GREY, "o")}
    numbered = rows.with_row_index("at")
    for (stands_out,), part in numbered.group_by("stands_out", maintain_order=True):
        name = {"above": "stands out above", "below": "stands out below", None: "may be chance"}[stands_out]
        bars_across(axes, part, "difference", part["at"].to_numpy(), *marks[stands_out], name)
    axes.axvline(0, color=INK, linewidth=1)
    axes.set_yticks(range(rows.height), [short(name) for name in rows["name"]], fontsize=8.5)
    axes.set_ylim(rows.height - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.xaxis.set_major_formatter(SIGNED_PERCENT)
    axes.set_xlabel(label)
    entitle(figure, title)
    figure.legend(loc="outside lower left", ncols=3, frameon=False, fontsize=9)
    return figure


@styled
def round_lines(rows: pl.DataFrame, key: str, measure: str, labels: Sequence[str], title: str) -> Figure:
    """Shares by round, a line for each value of `key`; `labels` name the rounds in their order."""
    figure, (axes,) = paper(3.4, 1)
    rounds = rows["round"].unique().sort().to_list()
    lines = rows[key].unique(maintain_order=True).to_list()
    for place, line in enumerate(lines):
        part = rows.filter(pl.col(key) == line).sort("round")
        at = np.array([rounds.index(each) for each in part["round"]])
        colour, marker = mark(place)
        bars_up(axes, part, measure, at, colour, marker=marker)
        axes.plot(
            [], [], marker=marker, markersize=4.5, color=colour, label=short(str(line), 2 * NAME_LENGTH)
        )
    axes.set_xticks(range(len(rounds)), labels, rotation=30 if len(rounds) > 8 else 0, fontsize=8.5)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(PERCENT)
    entitle(figure, title)
    legend_below(figure, lines)
    return figure


@styled
def histogram(rows: pl.DataFrame, column: str, title: str, label: str) -> Figure:
    """Shares of whole-numbered values as bars, at most some forty, with the median marked."""
    values, shares = rows[column].to_numpy(), rows["share"].to_numpy()
    begins, grid = spans(rows.select(pl.col(column).alias("value"), pl.col("share").alias("rows")), 40)
    figure, (axes,) = paper(2.7, 1)
    heights = np.bincount((values - begins.start) // begins.step, shares, len(begins))
    # The middle of a bar is that of the values that it may hold.
    middles = np.array(begins) + (begins.step - grid) / 2
    axes.bar(middles, heights, width=begins.step * 0.92, color=SKY)
    median = float(values[np.searchsorted(np.cumsum(shares), 0.5 - 1e-9)])
    axes.axvline(median, color=VERMILLION, linewidth=1.4)
    # Above all bars.
    axes.set_ylim(0, 1.18 * heights.max())
    axes.annotate(
        f"median {median:g}",
        (median, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(5, 0),
        textcoords="offset points",
        va="top",
        color=VERMILLION,
        fontsize=9,
    )
    axes.yaxis.set_major_formatter(PERCENT)
    axes.grid(False, axis="x")
    axes.set_xlabel(label)
    entitle(figure, title)
    return figure


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
            labels.append(short(heading(group)))
        previous = group
        places.append(len(labels))
        labels.append(short(name))
    return places, labels, bands


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
