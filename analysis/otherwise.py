"""Games to read of several runs: those that stand out in each, and the deals that went otherwise in the second of two.

Where several games would do it is those with the lowest numbers, so the same runs name the same games.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from analysis import examples
from analysis.frames import Row
from analysis.intervals import Measure, ratios
from simulator.store import kept_tables

if TYPE_CHECKING:
    from simulator.store import Run

MOST_DEALS = 3
"""Games of each kind of change."""

_ENDS = ("", "_low", "_high", "_n")


def outliers(runs: Sequence[Run]) -> pl.DataFrame:
    """One row a thing that stands out, `what`: the game of each run in which it is the most, `run0_example` ...

    `run0`, `run1` ... is how much of it, in points, turns or seats as `what` says.
    """
    race = runs[0].experiment["race"]
    tables = [
        examples.outliers(run.games, run.seats if _has_seats([run]) else None, race)
        .unique("what", keep="first", maintain_order=True)
        .select("what", pl.col("value").alias(f"run{place}"), pl.col("example").alias(f"run{place}_example"))
        for place, run in enumerate(runs)
    ]
    names = pl.DataFrame({"what": list(dict.fromkeys(what for each in tables for what in each["what"]))})
    for each in tables:
        names = names.join(each, on="what", how="left", maintain_order="left")
    return names


def deals(runs: Sequence[Run]) -> pl.DataFrame:
    """How the same deals went in the second of two runs that share them: one row a kind of change and game.

    `what` changed, the `share` of the games in which it did with its 95 % interval over setups, and of those where it
    changed the most the game (`run0_example` and `run1_example`, of the same number), its turns in either run
    (`run0_turns`, `run1_turns`) and who won it (`run0_winners`, `run1_winners`: seats, null where no seats were kept).
    """
    together = _paired_games(runs)
    turns = pl.col("run1_turns") - pl.col("run0_turns")
    # Of games that another seat wins those are told in which it was least close; a race knows no margin.
    clear = pl.min_horizontal("run0_margin", "run1_margin") if not runs[0].experiment["race"] else turns.abs()
    changes = [("longer in the second", turns > 0, turns), ("shorter in the second", turns < 0, -turns)]
    if _has_seats(runs):
        other = pl.col("run0_winners") != pl.col("run1_winners")
        changes.insert(0, ("won by another seat", other, clear))
    shares = ratios(together, (), [Measure(what, happened, pl.lit(1)) for what, happened, _ in changes]).row(
        0, named=True
    )
    rows: list[Row] = []
    for what, happened, most in changes:
        share = {f"share{end}": shares[f"{what}{end}"] for end in _ENDS}
        found = together.filter(happened).sort(most, "game", descending=[True, False]).head(MOST_DEALS)
        for game in found.collect(engine="streaming").iter_rows(named=True):
            row = {"what": what} | share
            for place in (0, 1):
                row |= {
                    f"run{place}_turns": game[f"run{place}_turns"],
                    f"run{place}_winners": game.get(f"run{place}_winners"),
                    f"run{place}_example": game["game"],
                }
            rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def _has_seats(runs: Sequence[Run]) -> bool:
    return all("seats" in kept_tables(run.experiment["keep"]) for run in runs)


def _paired_games(runs: Sequence[Run]) -> pl.LazyFrame:
    """One row a game of both runs: its `setup`, and as `run0_...`, `run1_...` its turns, margin and winners."""
    frames = []
    for place, run in enumerate(runs):
        columns = ["turns", "margin"]
        frame = run.games.select("game", "setup", pl.col("turns").cast(pl.Int64), "margin")
        if _has_seats(runs):
            winners = run.seats.filter(pl.col("win_share") > 0).sort("game", "seat").group_by("game")
            frame = frame.join(
                winners.agg(winners=pl.col("seat").cast(pl.String).str.join(", ")), on="game", how="left"
            )
            columns.append("winners")
        kept = ("game", "setup") if place == 0 else ("game",)
        frames.append(frame.select(*kept, *(pl.col(name).alias(f"run{place}_{name}") for name in columns)))
    return frames[0].join(frames[1], on="game")
