"""Who wins from which seat with which bot, where the points come from, what seats do, how long it takes.

Tied winners share one win (1/k each). The unit is the setup: all its rotations together are one observation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from analysis.bootstrap import spread
from analysis.intervals import Measure, Tally, in_batches, never_seen, ratios

PART, ACTION = "score_", "did_"
BATCH = 100_000
"""Games in memory at a time."""

_one = pl.lit(1)


def _with_setup(seats: pl.LazyFrame, games: pl.LazyFrame) -> pl.LazyFrame:
    return seats.join(games.select("game", "setup", "players"), on="game")


def results(seats: pl.LazyFrame, games: pl.LazyFrame, by: Sequence[str] = ("seat",)) -> pl.DataFrame:
    """One row a cell of `by` (seat, bot, players): mean `win_share`, `score` and `rank`, and `fair`.

    `fair` is the mean of 1/players there: what a seat without advantage would win.
    """
    frame = _with_setup(seats, games).with_columns(fair=1 / pl.col("players"))
    names = ("win_share", "score", "rank", "fair")
    found = ratios(frame, by, [Measure(name, pl.col(name), _one, rate=name == "win_share") for name in names])
    return found.drop("fair_low", "fair_high", "fair_n")


def against(seats: pl.LazyFrame, games: pl.LazyFrame) -> pl.DataFrame:
    """One row a `bot` and an `other` that sit in one game: how often the one is `ahead`, and the difference.

    `ahead` is the share of the pairs of such seats in which the bot has the better rank, equal ranks half;
    `difference` how much more of the win it takes; 95 % intervals over setups, `_n` pairs.
    """
    names = ("game", "bot", "rank", "win_share")
    pairs = seats.select(*names).join(
        seats.select("game", *(pl.col(name).alias(f"other_{name}") for name in names[1:])), on="game"
    )
    rank, other = pl.col("rank"), pl.col("other_rank")
    ahead = (rank < other).cast(pl.Float64) + 0.5 * (rank == other)
    difference = pl.col("win_share") - pl.col("other_win_share")
    measures = (Measure("ahead", ahead, _one), Measure("difference", difference, _one, rate=False))
    apart = _with_setup(pairs.filter(pl.col("bot") != pl.col("other_bot")), games)
    return ratios(apart.rename({"other_bot": "other"}), ("bot", "other"), measures)


def score_parts(
    seats: pl.LazyFrame, games: pl.LazyFrame, by: Sequence[str] = (), spends: str = ""
) -> pl.DataFrame:
    """One row a cell of `by` and `part`: its `mean` points a seat, and its `share` of all points there.

    With `spends`, the column of what the seats spent, also its points `per_spent` one of all that was spent there.
    Bounds of a share stay within 0 and 1 unless some seat lost points in a part.
    """
    per = {"mean": _one, "share": pl.col("score")} | ({"per_spent": pl.col(spends)} if spends else {})
    parts = [PART + name for name in columns_of(seats, PART)]
    least = seats.select(pl.min_horizontal(pl.lit(0), *(pl.col(part).min() for part in parts)))
    lost = least.collect(engine="streaming").item() < 0
    return _parts_of(seats, games, by, PART, "part", per, () if lost else ("share",))


def spending(seats: pl.LazyFrame, games: pl.LazyFrame, spends: str) -> pl.DataFrame:
    """One row a `bot`, and one of all (null): what a seat `spent` in a game, and the points `per_spent` one."""
    spent = pl.col(spends)
    measures = (
        Measure("spent", spent, _one, rate=False),
        Measure("per_spent", pl.col("score"), spent, rate=False),
    )
    frame = _with_setup(seats, games)
    whole = ratios(frame, (), measures).with_columns(bot=pl.lit(None, pl.String))
    return pl.concat([whole, ratios(frame, ("bot",), measures)], how="diagonal_relaxed").select(
        "bot", pl.exclude("bot")
    )


def actions(seats: pl.LazyFrame, games: pl.LazyFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """One row a cell of `by` and `action`: its `mean` times a seat and game, its `share` of all actions there."""
    return _parts_of(
        seats, games, by, ACTION, "action", {"mean": _one, "share": all_actions(seats)}, ("share",)
    )


def all_actions(seats: pl.LazyFrame) -> pl.Expr:
    """How many actions of all kinds a seat took."""
    return pl.sum_horizontal(pl.lit(0), *(f"{ACTION}{name}" for name in columns_of(seats, ACTION)))


def columns_of(seats: pl.LazyFrame, prefix: str) -> list[str]:
    """What stands behind the prefix in the names of columns, in their order."""
    names = seats.collect_schema().names()
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def _parts_of(
    seats: pl.LazyFrame,
    games: pl.LazyFrame,
    by: Sequence[str],
    prefix: str,
    key: str,
    per: Mapping[str, pl.Expr],
    rates: Sequence[str] = (),
) -> pl.DataFrame:
    """One row a cell of `by` and column of the prefix: its sum `per` that of each of several others."""
    names = columns_of(seats, prefix)
    measures = [
        Measure(f"{name} {what}", pl.col(prefix + name), whole, rate=what in rates)
        for name in names
        for what, whole in per.items()
    ]
    # By setup and bot these are many columns: of all games at once they would take a gigabyte.
    tally = Tally(tuple(by), tuple(measures))
    for table, places in in_batches(BATCH, games, seats) if names else ():
        tally.add(_with_setup(places, table))
    rows = []
    for cell in tally.estimates().iter_rows(named=True) if names else ():
        for name in names:
            row = {each: cell[each] for each in by} | {key: name}
            for what in per:
                row |= {f"{what}{suffix}": cell[f"{name} {what}{suffix}"] for suffix in ("", "_low", "_high")}
            rows.append(row | {"n": cell[f"{name} mean_n"]})
    return pl.DataFrame(rows)


def score_spread(seats: pl.LazyFrame, games: pl.LazyFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """One row a cell of `by`: the `bootstrap.spread` of the scores."""
    return spread(_with_setup(seats, games), by, "score")


def score_distribution(seats: pl.LazyFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """One row a cell of `by` and `score`: how many `seats` ended on it, and their `share` of the cell."""
    return _distribution(seats, "score", "seats", by)


def lengths(games: pl.LazyFrame, seats: pl.LazyFrame | None = None, by: Sequence[str] = ()) -> pl.DataFrame:
    """One row a cell of `by` and length: `mean` with interval, and the `bootstrap.spread`.

    The lengths are the `turns` and `rounds` of a game and, with `seats`, the `own turns of the winner`: of
    seats that win alone, if turns go round from seat 0. `by` names columns of the games.
    """
    frames = {name: games.with_columns(length=pl.col(name)) for name in ("turns", "rounds")}
    if seats is not None:
        frames["own turns of the winner"] = winners_turns(games, seats)
    rows = []
    for name, frame in frames.items():
        mean = ratios(frame, by, [Measure("mean", pl.col("length"), _one, rate=False)])
        around = spread(frame, by, "length").drop("n")
        joined = mean.join(around, on=list(by)) if by else pl.concat([mean, around], how="horizontal")
        rows.append(joined.select(*by, pl.lit(name).alias("length"), pl.exclude("length", *by)))
    return pl.concat(rows).sort(*by, maintain_order=True) if by else pl.concat(rows)


def winners_turns(games: pl.LazyFrame, seats: pl.LazyFrame) -> pl.LazyFrame:
    """One row a game that one seat wins alone, with the own turns that this seat had as `length`."""
    winners = seats.filter(pl.col("win_share") == 1).select("game", "seat").join(games, on="game")
    players = pl.col("players").cast(pl.Int32)
    return winners.with_columns(length=(pl.col("turns") + players - 1 - pl.col("seat")) // players)


def turn_distribution(games: pl.LazyFrame) -> pl.DataFrame:
    """One row a number of `turns`: how many `games` took it, and their `share`."""
    return _distribution(games, "turns", "games", ())


def endings(games: pl.LazyFrame, declared: Sequence[str] = ()) -> pl.DataFrame:
    """One row an `ending`: the `share` of the games that ended so, with its interval.

    The `declared` endings come first and stand there if no game had them, bounded by the rule of three; the
    `example` is the first game with it.
    """
    seen = games.select("ending").unique().collect(engine="streaming")["ending"].sort().to_list()
    names = list(dict.fromkeys([*declared, *seen]))
    measures = [Measure(str(place), pl.col("ending") == name, _one) for place, name in enumerate(names)]
    row = ratios(games, (), measures).row(0, named=True)
    suffixes = ("", "_low", "_high", "_n")
    first = games.group_by("ending").agg(pl.col("game").min().cast(pl.Int64)).collect(engine="streaming")
    examples = dict(first.iter_rows())
    rows = [
        {"ending": name}
        | {f"share{suffix}": row[f"{place}{suffix}"] for suffix in suffixes}
        | {"example": examples.get(name)}
        for place, name in enumerate(names)
    ]
    return never_seen(pl.DataFrame(rows, schema_overrides={"example": pl.Int64}), "share", games)


def _distribution(frame: pl.LazyFrame, name: str, units: str, by: Sequence[str]) -> pl.DataFrame:
    counted = frame.group_by(*by, name).agg(pl.len().cast(pl.Int64).alias(units)).collect(engine="streaming")
    whole = pl.col(units).sum().over(*by) if by else pl.col(units).sum()
    return counted.with_columns((pl.col(units) / whole).alias("share")).sort(*by, name)
