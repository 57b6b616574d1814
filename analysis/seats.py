"""Who wins from which seat with which bot, where the points come from, and how long it takes.

Tied winners share one win (1/k each). The unit is the setup: all its rotations together are one observation.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from analysis.intervals import Measure, ratios

PART = "score_"
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_one = pl.lit(1)


def _with_setup(seats: pl.LazyFrame, games: pl.LazyFrame) -> pl.LazyFrame:
    return seats.join(games.select("game", "setup", "players"), on="game")


def results(seats: pl.LazyFrame, games: pl.LazyFrame, by: Sequence[str] = ("seat",)) -> pl.DataFrame:
    """One row a cell of `by` (seat, bot, players): mean `win_share`, `score` and `rank`, and `fair`.

    `fair` is the mean of 1/players there: what a seat without advantage would win.
    """
    frame = _with_setup(seats, games).with_columns(fair=1 / pl.col("players"))
    names = ("win_share", "score", "rank", "fair")
    found = ratios(frame, by, [Measure(name, pl.col(name), _one, rate=False) for name in names])
    # A share of a win lies between 0 and 1, which Student's t does not know.
    return found.with_columns(pl.col("win_share_low", "win_share_high").clip(0, 1)).drop(
        "fair_low", "fair_high", "fair_n"
    )


def parts(seats: pl.LazyFrame) -> list[str]:
    """The parts that scores are made of, in the order of their columns."""
    return [name.removeprefix(PART) for name in seats.collect_schema().names() if name.startswith(PART)]


def score_parts(seats: pl.LazyFrame, games: pl.LazyFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """One row a cell of `by` and `part`: its `mean` points a seat, and its `share` of all points there."""
    names = parts(seats)
    measures = [Measure(f"{name} mean", pl.col(PART + name), _one, rate=False) for name in names]
    measures += [Measure(f"{name} share", pl.col(PART + name), pl.col("score"), rate=False) for name in names]
    rows = []
    for cell in ratios(_with_setup(seats, games), by, measures).iter_rows(named=True):
        for name in names:
            row = {key: cell[key] for key in by} | {"part": name}
            for what in ("mean", "share"):
                row |= {f"{what}{suffix}": cell[f"{name} {what}{suffix}"] for suffix in ("", "_low", "_high")}
            rows.append(row | {"n": cell[f"{name} mean_n"]})
    return pl.DataFrame(rows)


def score_spread(seats: pl.LazyFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """One row a cell of `by`: `least`, quantiles `q05` to `q95`, `most`, deviation (`spread`) of scores."""
    return _spread(seats, "score", by)


def score_distribution(seats: pl.LazyFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """One row a cell of `by` and `score`: how many `seats` ended on it, and their `share` of the cell."""
    return _distribution(seats, "score", "seats", by)


def lengths(games: pl.LazyFrame) -> pl.DataFrame:
    """One row for `turns`, one for `rounds` of a game: `mean` with interval, `least`, quantiles, `most`."""
    rows = []
    for name in ("turns", "rounds"):
        mean = ratios(games, (), [Measure("mean", pl.col(name), _one, rate=False)])
        rows.append(
            pl.concat([pl.DataFrame({"length": [name]}), mean, _spread(games, name, ())], how="horizontal")
        )
    return pl.concat(rows)


def turn_distribution(games: pl.LazyFrame) -> pl.DataFrame:
    """One row a number of `turns`: how many `games` took it, and their `share`."""
    return _distribution(games, "turns", "games", ())


def endings(games: pl.LazyFrame) -> pl.DataFrame:
    """One row an `ending`: the `share` of the games that ended so, with its interval."""
    names = games.select("ending").unique().collect(engine="streaming")["ending"].sort().to_list()
    measures = [Measure(str(place), pl.col("ending") == name, _one) for place, name in enumerate(names)]
    row = ratios(games, (), measures).row(0, named=True)
    suffixes = ("", "_low", "_high", "_n")
    return pl.DataFrame(
        [
            {"ending": name} | {f"share{suffix}": row[f"{place}{suffix}"] for suffix in suffixes}
            for place, name in enumerate(names)
        ]
    )


def _spread(frame: pl.LazyFrame, name: str, by: Sequence[str]) -> pl.DataFrame:
    column = pl.col(name).cast(pl.Float64)
    numbers = [
        column.min().alias("least"),
        *(column.quantile(q, "nearest").alias(f"q{q * 100:02.0f}") for q in QUANTILES),
        column.max().alias("most"),
        column.std().alias("spread"),
    ]
    found = frame.group_by(*by).agg(numbers) if by else frame.select(numbers)
    result = found.collect(engine="streaming")
    return result.sort(*by) if by else result


def _distribution(frame: pl.LazyFrame, name: str, units: str, by: Sequence[str]) -> pl.DataFrame:
    counted = frame.group_by(*by, name).agg(pl.len().cast(pl.Int64).alias(units)).collect(engine="streaming")
    whole = pl.col(units).sum().over(*by) if by else pl.col(units).sum()
    return counted.with_columns((pl.col(units) / whole).alias("share")).sort(*by, name)
