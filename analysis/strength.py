"""How those fare who had a source: their share of the wins, beside that of others who did likewise.

Strong seats get more and better sources, early or late, so that the plain share of the wins says little. Beside
it stands what would be expected: the mean share of all events of the kind at the same seat, with the same bot,
in the same span of rounds. What remains is screened over all sources of the kind; it is still no experiment.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from polars import selectors

from analysis.decisions import chance_of_mean, false_discoveries
from analysis.intervals import (
    DECIMALS,
    Measure,
    Tally,
    in_batches,
    ratio_variance,
)
from analysis.rounds import Rounds, rounds_of

BATCH = 20_000
"""Games in memory at a time."""

LEVEL = 0.05
"""The share of false discoveries among all sources that are said to stand out."""

_STRATUM = ("kind", "seat", "bot", "round")

_WON = Measure("win_share", pl.col("win_share"), pl.lit(1))
_IN_GROUP = Measure("in_group", pl.col("win_share") - pl.col("expected_in_group"), pl.lit(1), rate=False)


def held(
    events: pl.LazyFrame,
    games: pl.LazyFrame,
    seats: pl.LazyFrame,
    kinds: Sequence[str],
    race: bool,
    rounds: Rounds,
) -> pl.LazyFrame:
    """One row a game, seat, kind and source: the `round` of the first such event, `bot`, `win_share`, `setup`.

    A payment below 0 is no gain; in a race that of the finish is the win itself and left out.
    """
    amount = pl.col("amount")
    gains = amount == 0 if race else amount >= 0
    return (
        events.filter(pl.col("kind").is_in(list(kinds)))
        .filter((pl.col("kind") != "paid") | gains)
        .group_by("game", "seat", "kind", "source")
        .agg(pl.col("round").min())
        .with_columns(rounds.first_of())
        .join(seats.select("game", "seat", "bot", "win_share"), on=["game", "seat"])
        .join(games.select("game", "setup"), on="game")
    )


def strengths(
    events: pl.LazyFrame,
    games: pl.LazyFrame,
    seats: pl.LazyFrame,
    catalogue: pl.LazyFrame,
    kinds: Sequence[str],
    race: bool,
) -> pl.DataFrame:
    """One row a kind and source, of kinds with several sources: how the seats fare that had the event.

    `win_share` is their mean share of the win, `win_share_n` their number (a seat of a game counts once);
    `expected` that of all seats with an event of the kind at the same seat, bot and span of rounds;
    `difference` how much they win above it, with a 95 % interval over setups in which the expected share counts
    as known, which makes it a little too wide; `in_group` likewise against the sources of the same group alone
    (null of the only one in its group). `q` is the p of the difference adjusted over all sources of the kind
    (Benjamini and Hochberg); `stands_out` is `above` or `below` where q is at most 5 %.
    """
    batches = _batches(events, games, seats, catalogue, kinds, race)
    expected = pl.col("expected")
    measures = (
        _WON,
        Measure("expected", expected, pl.lit(1), rate=False),
        Measure("difference", pl.col("win_share") - expected, pl.lit(1), rate=False),
        _IN_GROUP,
    )
    found = _screened(_tallied(batches, ("kind", "group", "source"), measures)).with_columns(
        pl.when(pl.len().over("kind", "group") > 1).then(pl.col("^in_group.*$")).name.keep(),
    )
    place = pl.col("kind").cast(pl.Enum(list(kinds)))
    return (
        found.filter(pl.len().over("kind") > 1)
        .with_columns(selectors.float().round(DECIMALS))  # else the order of equals is that of the threads
        .sort(place, "difference", "source", descending=[False, True, False])
        .drop("group", "expected_low", "expected_high", "expected_n", "difference_n", "in_group_n")
    )


def sorts(
    events: pl.LazyFrame,
    games: pl.LazyFrame,
    seats: pl.LazyFrame,
    catalogue: pl.LazyFrame,
    kinds: Sequence[str],
    race: bool,
) -> pl.DataFrame:
    """One row an event kind, group and sort of source (the catalogue's `kind`), of groups of several sorts.

    `win_share` and `in_group` as in `strengths`, over all sources of the sort: such as what cards with a drawback
    win beside the other cards of their level.
    """
    several = catalogue.group_by("group").agg(pl.col("kind").n_unique() > 1).filter("kind")
    known = catalogue.join(several, on="group", how="semi")
    batches = _batches(events, games, seats, known, kinds, race)
    tally = _tallied(batches, ("kind", "group", "sort"), (_WON, _IN_GROUP))
    place = pl.col("kind").cast(pl.Enum(list(kinds)))
    return (
        tally.estimates()
        .filter(pl.len().over("kind", "group") > 1)
        .sort(place, "group", "sort")
        .drop("in_group_n")
        .with_columns(selectors.float().round(DECIMALS))
    )


def _batches(
    events: pl.LazyFrame,
    games: pl.LazyFrame,
    seats: pl.LazyFrame,
    catalogue: pl.LazyFrame,
    kinds: Sequence[str],
    race: bool,
) -> list[pl.LazyFrame]:
    """What `held` gives, with the `group` and `sort` of the source, in batches of games."""
    rounds = rounds_of(games)
    of_source = catalogue.select("source", "group", sort="kind")
    return [
        held(happened, table, places, kinds, race, rounds).join(of_source, on="source")
        for table, happened, places in in_batches(BATCH, games, events, seats)
    ]


def _tallied(batches: Sequence[pl.LazyFrame], by: tuple[str, ...], measures: tuple[Measure, ...]) -> Tally:
    """The measures by `by`, of each seat beside what is expected in its stratum."""
    expected = _expected(batches).lazy()
    tally = Tally(by, measures)
    for batch in batches:
        tally.add(batch.join(expected, on=[*_STRATUM, "group"]))
    return tally


def _expected(batches: Sequence[pl.LazyFrame]) -> pl.DataFrame:
    """The mean share of the win in each stratum: `expected`, and `expected_in_group` of each group in it."""
    strata = (*_STRATUM, "group")
    sums = (pl.len().cast(pl.Int64).alias("n"), pl.col("win_share").sum().alias("wins"))
    found = pl.concat([batch.group_by(strata).agg(sums).collect(engine="streaming") for batch in batches])
    found = found.group_by(strata).agg(pl.col("n", "wins").sum())
    wins, n = pl.col("wins"), pl.col("n")
    whole = wins.sum().over(_STRATUM) / n.sum().over(_STRATUM)
    return found.select(*strata, expected=whole, expected_in_group=wins / n)


def _screened(tally: Tally) -> pl.DataFrame:
    """The estimates with `q` and `stands_out`, kind by kind."""
    sums = tally.added().sort(tally.by)
    found = tally.estimates()  # sorted alike
    value, variance, _, setups = ratio_variance(sums, "difference")
    p = pl.Series("p", chance_of_mean(value, variance, setups - 1))
    kinds = [
        rows.with_columns(q=pl.Series(false_discoveries(rows["p"].to_numpy()), nan_to_null=True))
        for rows in found.with_columns(p).partition_by("kind")
    ]
    direction = pl.when(pl.col("difference") > 0).then(pl.lit("above")).otherwise(pl.lit("below"))
    screened = pl.concat(kinds) if kinds else found.with_columns(p, q=p)
    return screened.with_columns(stands_out=pl.when(pl.col("q") <= LEVEL).then(direction)).drop("p")
