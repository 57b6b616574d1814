"""How those fare who had a source: their share of the wins, beside that of others who did likewise.

Strong seats get more and better sources, early or late, so that the plain share of the wins says little. Beside
it stands what would be expected: the mean share of all events of the kind at the same seat, with the same bot,
in the same span of rounds. What remains is screened over all sources of the kind; it is still no experiment.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from polars import selectors

from analysis.decisions import chance_of_mean, false_discoveries
from analysis.intervals import (
    DECIMALS,
    Measure,
    Tally,
    coded,
    estimates,
    in_batches,
    ratio_variance,
    student,
)
from analysis.rounds import Rounds, rounds_of
from analysis.shrinkage import shrunk_effects

BATCH = 20_000
"""Games in memory at a time."""

NEARLY_ALL = 0.95
"""A source that so many seats had tells nothing of them: together they win their fair share."""

LEVEL = 0.05
"""The share of false discoveries among all sources that are said to stand out."""

_STRATUM = ("kind", "seat", "bot", "round")

_WON = Measure("win_share", pl.col("win_share"), pl.lit(1))
_IN_GROUP = Measure("in_group", pl.col("win_share") - pl.col("expected_in_group"), pl.lit(1), rate=False)
_OF_SOURCE = (
    _WON,
    Measure("by_chance", pl.col("expected") * (1 - pl.col("expected")), pl.lit(1), rate=False),
    Measure("expected", pl.col("expected"), pl.lit(1), rate=False),
    Measure("difference", pl.col("win_share") - pl.col("expected"), pl.lit(1), rate=False),
    _IN_GROUP,
)
_OF_SORT = (_WON, _IN_GROUP)


def held(
    events: pl.LazyFrame,
    games: pl.LazyFrame,
    seats: pl.LazyFrame,
    catalogue: pl.LazyFrame,
    rounds: Rounds,
) -> pl.LazyFrame:
    """One row a game, seat, kind and source: the `round` of the first such event, and of what stratum it is.

    That is the `bot` of the seat and the `group` of the source; besides `setup`, `win_share` and `sort`.
    """
    return (
        events.group_by("game", "seat", "kind", "source")
        .agg(pl.col("round").min())
        .with_columns(rounds.first_of())
        .join(seats.select("game", "seat", "bot", "win_share"), on=["game", "seat"])
        .join(games.select("game", "setup"), on="game")
        .join(catalogue.select("source", "group", sort="kind"), on="source")
    )


def strength_tables(
    events: pl.LazyFrame,
    games: pl.LazyFrame,
    seats: pl.LazyFrame,
    catalogue: pl.LazyFrame,
    kinds: Sequence[str],
    race: bool,
) -> dict[str, pl.DataFrame]:
    """How the seats fare that had an event of the kinds, by `source` and by `sort` of source.

    `source`: one row a kind and source, of kinds with several sources, but for sources that nearly all seats had,
    which together win their fair share. `win_share` is the seats' mean share of the win, `win_share_n` their number
    (a seat of a game counts once); `expected` that of all seats with an event of the kind at the same seat, bot and
    span of rounds; `difference` how much they win above it, with a 95 % interval over setups that is a little too
    wide: the expected share counts as known, and no difference errs less than wins at random would.
    `difference_shrunk` is the same drawn to the others of the kind (empirical Bayes), by which the rows are ranked:
    the first of many is there by luck too. `in_group` is the difference from the sources of the same group alone
    (null of the only one in its group). `q` is the p of the difference adjusted over all sources of the kind
    (Benjamini and Hochberg); `stands_out` is `above` or `below` where q is at most 5 %.
    `sort`: one row a kind, group and sort of source (the catalogue's `kind`), of groups of several sorts:
    `win_share` and `in_group` over all sources of the sort, such as what cards with a drawback win beside the
    other cards of their level.

    A payment below 0 is no gain; in a race that of the finish is the win itself and left out.
    """
    amount = pl.col("amount")
    gains = (pl.col("kind") != "paid") | (amount == 0 if race else amount >= 0)
    had = coded(events.filter(pl.col("kind").is_in(list(kinds)) & gains))
    seats, catalogue, rounds = coded(seats), coded(catalogue), rounds_of(games)
    batches = [
        held(happened, table, places, catalogue, rounds)
        for table, happened, places in in_batches(BATCH, games, had, seats)
    ]
    # The seats of all games are too many to be kept: they are read once for what to expect, once to compare.
    expected = _expected(batches).lazy()
    sources, sorts = (
        Tally(("kind", "group", "source"), _OF_SOURCE),
        Tally(("kind", "group", "sort"), _OF_SORT),
    )
    several = catalogue.group_by("group").agg(pl.col("kind").n_unique()).filter(pl.col("kind") > 1)
    for batch in batches:
        compared = batch.join(expected, on=[*_STRATUM, "group"]).collect(engine="streaming").lazy()
        sources.add(compared)
        sorts.add(compared.join(several, on="group", how="semi"))
    place = pl.col("kind").cast(pl.Enum(list(kinds)))
    all_seats = int(seats.select(pl.len()).collect(engine="streaming").item())
    return {"source": _by_source(sources, place, all_seats), "sort": _by_sort(sorts, place)}


def _expected(batches: Sequence[pl.LazyFrame]) -> pl.DataFrame:
    """The mean share of the win in each stratum: `expected`, and `expected_in_group` of each group in it."""
    strata = (*_STRATUM, "group")
    sums = (pl.len().cast(pl.Int64).alias("n"), pl.col("win_share").sum().alias("wins"))
    found = pl.concat([batch.group_by(strata).agg(sums).collect(engine="streaming") for batch in batches])
    found = found.group_by(strata).agg(pl.col("n", "wins").sum())
    wins, n = pl.col("wins"), pl.col("n")
    whole = wins.sum().over(_STRATUM) / n.sum().over(_STRATUM)
    return found.select(*strata, expected=whole, expected_in_group=wins / n)


def _by_source(tally: Tally, place: pl.Expr, seats: int) -> pl.DataFrame:
    sums = tally.added().sort(tally.by).filter(pl.col("win_share|count") < NEARLY_ALL * seats)
    return (
        _screened(sums, tally.by, tally.measures)
        .with_columns(
            pl.when(pl.len().over("kind", "group") > 1).then(pl.col("^in_group.*$")).name.keep(),
        )
        .filter(pl.len().over("kind") > 1)
        .with_columns(selectors.float().round(DECIMALS))  # else the order of equals is that of the threads
        .sort(place, "difference_shrunk", "source", descending=[False, True, False], nulls_last=True)
        .drop("group", "^expected_.*$", "^by_chance.*$", "difference_n", "in_group_n")
    )


def _by_sort(tally: Tally, place: pl.Expr) -> pl.DataFrame:
    return (
        tally.estimates()
        .filter(pl.len().over("kind", "group") > 1)
        .sort(place, "group", "sort")
        .drop("in_group_n")
        .with_columns(selectors.float().round(DECIMALS))
    )


def _screened(sums: pl.DataFrame, by: tuple[str, ...], measures: tuple[Measure, ...]) -> pl.DataFrame:
    """The estimates with `q`, `stands_out` and `difference_shrunk`, kind by kind."""
    value, variance, count, setups = ratio_variance(sums, "difference")
    # A few seats that all lost, or all won, hardly vary: less than chance alone would have it is no precision.
    by_chance = sums["by_chance|total"].to_numpy() / count**2
    variance = np.fmax(variance, by_chance)
    half = student(setups) * np.sqrt(variance)
    found = estimates(sums, by, measures).with_columns(  # sorted alike
        pl.Series("p", chance_of_mean(value, variance, np.maximum(setups - 1, 1))),
        pl.Series("variance", variance),
        pl.Series("difference_low", value - half, nan_to_null=True),
        pl.Series("difference_high", value + half, nan_to_null=True),
    )
    parts = found.partition_by("kind") or [found]
    screened = pl.concat(rows.with_columns(_among_all(rows)) for rows in parts)
    direction = pl.when(pl.col("difference") > 0).then(pl.lit("above")).otherwise(pl.lit("below"))
    return screened.with_columns(stands_out=pl.when(pl.col("q") <= LEVEL).then(direction)).drop(
        "p", "variance"
    )


def _among_all(rows: pl.DataFrame) -> list[pl.Series]:
    """What the sources of a kind tell about each other: `q`, and the differences drawn together."""
    shrunk = shrunk_effects(rows["difference"].to_numpy(), rows["variance"].to_numpy())
    columns = {
        "difference_shrunk": shrunk.value,
        "difference_shrunk_low": shrunk.low,
        "difference_shrunk_high": shrunk.high,
        "q": false_discoveries(rows["p"].to_numpy()),
    }
    return [pl.Series(name, numbers, nan_to_null=True) for name, numbers in columns.items()]
