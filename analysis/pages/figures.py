"""The figures that a page and a notebook share, each with its title and what it says in words for those who hear it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import polars as pl

from analysis.frames import Tables
from analysis.pages import charts
from analysis.strength import LEVEL
from analysis.words import decimal, heading, percentage, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Drawn = tuple["Figure", str]
"""A figure, and what is seen on it in words."""

BINS, FAIR = "Games by their turns", "Wins per fair share"
"""Tables of several runs that are drawn otherwise than the rest: spans of turns, and wins of which 1 is fair."""
FEW = 4
"""So many marks are told one by one, of more the ends."""
WINS = "Who wins: share of the wins, 95 % interval"


def share(value: float) -> str:
    return f"{percentage(value)} %"


def points(value: float) -> str:
    """A difference of shares in percentage points with its sign."""
    return f"{signed(percentage, value)} points"


def ends(rows: pl.DataFrame, name: str, value: str, write: Callable[[float], str] = share) -> str:
    """`highest Deep Registers 96.4 %, lowest Mirror of the Lake 16.0 %`: what is seen first on a figure."""
    known = rows.drop_nulls(value).sort(value, name, descending=[True, False])
    if known.is_empty():
        return "nothing to show"
    first, last = known.row(0, named=True), known.row(-1, named=True)
    if known.height == 1:
        return f"{first[name]} {write(first[value])}"
    return f"highest {first[name]} {write(first[value])}, lowest {last[name]} {write(last[value])}"


def each(rows: pl.DataFrame, name: str, value: str, write: Callable[[float], str] = share) -> str:
    """`seat 0 24.8 %, seat 1 24.6 %`: a figure of few marks told in full."""
    return ", ".join(f"{row[name]} {write(row[value])}" for row in rows.drop_nulls(value).to_dicts())


def by_part(rows: pl.DataFrame, line: str, part: str, value: str = "share") -> str:
    """`Of balanced draw 35 %; of climber claim 40 %`: the largest part of each whole."""
    largest = rows.sort(value, descending=True, nulls_last=True).group_by(line, maintain_order=True).first()
    order = rows[line].unique(maintain_order=True).to_list()
    told = {row[line]: f"{row[part]} {share(row[value])}" for row in largest.drop_nulls(value).to_dicts()}
    return "the largest part " + "; ".join(f"of {name}: {told[name]}" for name in order if name in told)


def verdicts(rows: pl.DataFrame) -> Drawn:
    """The rates of a family over the band that they should lie in."""
    title = f"{heading(rows['family'][0])} and the band that they should lie in"
    counts = rows.group_by("verdict").len().sort("len", "verdict", descending=[True, False])
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.iter_rows())
    return charts.band_dots(rows, title), f"{title}: {told}; {ends(rows, 'name', 'value')}."


def payouts(rows: pl.DataFrame, what: str, race: bool = False) -> Drawn:
    """How often each source of a family is paid; in a race the sources are finishes, which win."""
    title = (
        f"{what.capitalize()}: how often each wins, of the games that offered it"
        if race
        else f"{what.capitalize()}: how often each is paid, of the games that offered it"
    )
    told = f"{title}. {rows.height} dots with 95 % intervals: {ends(rows, 'name', 'paid_offered')}"
    half = rows["paid_offered"].median()
    if isinstance(half, float):
        told += f"; half of them above {share(half)}"
    return charts.payout_dots(rows, title, "wins" if race else "paid"), f"{told}."


def pace(tables: Tables, source: str, name: str) -> Drawn:
    """The share of seats on each step of a track or above."""
    rounds, turns = (tables[key].filter(source=source) for key in ("round", "turn"))
    title = f"{name}: seats on each step or above"
    last = rounds.filter(pl.col("round") == pl.col("round").max()).sort("step")
    told = each(last.select(pl.format("step {}", "step").alias("line"), "reached"), "line", "reached")
    return charts.track_pace(rounds, turns, title), (
        f"{title}, by the end of each round and by own turn. By the end of the last round: {told}."
    )


def positions(tables: Tables, source: str, name: str) -> Drawn:
    """On which step of a track the seats stand by the end of each round."""
    rows = tables["position"].filter(source=source).sort("round")
    title = f"{name}: where the seats stand by the end of each round"
    told = [
        f"round {row['round']} median step {row['q50']:g}, nine in ten from {row['q05']:g} to {row['q95']:g}"
        for row in rows.to_dicts()
    ]
    kept = told if len(told) <= FEW else [told[0], told[len(told) // 2], told[-1]]
    return charts.position_bands(rows, title), f"{title}. {'; '.join(kept)}."


def margins(rows: pl.DataFrame, players: int | None = None) -> Drawn:
    """How far the winner is ahead."""
    title = "How far ahead the winner is" + ("" if players is None else f", {players} players")
    named = rows.with_columns(pl.format("a margin of {}", "label").alias("line"))
    return charts.margin_bars(rows, title), (
        f"{title}: share of games by margin in points, 0 is a tie; {ends(named, 'line', 'share')}."
    )


def wins(tables: Tables) -> Drawn:
    """The share of the wins of each seat and, of several bots, of each bot."""
    by_bot = tables["by_bot"] if tables["by_bot"].height > 1 else None
    seats = tables["by_seat"].with_columns(pl.format("seat {}", "seat").alias("line"))
    told = each(seats, "line", "win_share")
    if by_bot is not None:
        told += f"; {each(by_bot, 'bot', 'win_share')}"
    drawn = charts.win_shares(tables["by_seat"], by_bot, WINS)
    return drawn, f"{WINS}. {told}; a fair share is {share(seats['fair'][0])}."


def against(rows: pl.DataFrame) -> Drawn:
    """Bot against bot: how often each ends ahead of each other."""
    title = "Bot against bot: how often the line ends ahead of the column (%)"
    pairs = rows.with_columns(pl.format("{} before {}", "bot", "other").alias("line"))
    return charts.against_grid(rows, title), f"{title}. {ends(pairs, 'line', 'ahead')}."


def worth(rows: pl.DataFrame) -> Drawn:
    """The strength of bots where ties count."""
    title = "Strength of the bots: the chance to be first among one of each"
    dots = rows.select(
        pl.col("bot").alias("title"),
        *(pl.col(f"worth{end}").alias(f"mean{end}") for end in ("", "_low", "_high")),
    )
    drawn = charts.run_dots(dots, title, "run", True, fair=1 / rows.height)
    return drawn, f"{title}. {each(rows, 'bot', 'worth')}; all alike would be {share(1 / rows.height)}."


def spread(rows: pl.DataFrame, column: str, title: str, label: str) -> Drawn:
    """A histogram of whole numbers."""
    order = rows.sort(column)
    middle = order.filter(pl.col("share").cum_sum() >= 0.5 - 1e-9)[column][0]
    low, high = order[column][0], order[column][-1]
    drawn = charts.histogram(rows, column, title, label)
    return drawn, f"{title}: {label}, from {low:,} to {high:,}, half at {middle:,} or below."


def side_by_side(rows: pl.DataFrame, labels: Sequence[str], name: str, title: str) -> Drawn:
    """A table of several runs: a mark for each, and of two runs the differences beside."""
    rate = bool(rows["rate"].all())
    write: Callable[[float], str] = share if rate else decimal
    marks = runs_long(rows, labels)
    told = []
    for label in labels:
        of_run = marks.filter(run=label)
        tell = each if of_run.height <= FEW else ends
        told.append(f"{label}: {tell(of_run, 'title', 'mean', write)}")
    said = f"{name}, 95 % intervals. {'; '.join(told)}."
    if name == BINS:
        places = {what: place for place, what in enumerate(rows["what"])}
        numbered = marks.with_columns(pl.col("title").replace_strict(places).alias("round"))
        return charts.round_lines(numbered, "run", "mean", list(places), title), said
    differences = None
    if "difference" in rows.columns:
        columns = (f"difference{end}" for end in ("", "_low", "_high"))
        stands_out = (pl.col("q") <= LEVEL).fill_null(False).alias("stands_out")
        differences = rows.select(pl.col("what").alias("title"), *columns, stands_out).drop_nulls(
            "difference"
        )
        names = differences.filter("stands_out")["title"].to_list()
        said += f" Differences that stand out: {', '.join(names) or 'none'}."
    fair = 1.0 if name.startswith(FAIR) else None
    return charts.run_dots(marks, title, "run", rate, fair, differences), said


def runs_long(rows: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    """One row a thing (`title`) and `run`: its `mean` with bounds."""
    return pl.concat(
        rows.select(
            pl.col("what").alias("title"),
            pl.lit(label).alias("run"),
            *(
                pl.col(f"run{place}{end}").cast(pl.Float64).alias(f"mean{end}")
                for end in ("", "_low", "_high")
            ),
        )
        for place, label in enumerate(labels)
    ).drop_nulls("mean")
