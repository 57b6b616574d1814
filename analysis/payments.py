"""What payments are made of: the columns of an event that a game declares to say what a `paid` was paid with."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from analysis.intervals import Measure, Tally, in_batches
from analysis.rounds import Rounds, rounds_of

BATCH = 50_000
"""Games in memory at a time."""

KEYS = {"whole": (), "group": ("group",), "round": ("round",), "bot": ("bot",)}


def measures(payments: Sequence[str]) -> list[Measure]:
    """For each of the columns its share of all that was paid."""
    whole = pl.sum_horizontal(*payments)
    return [Measure(name, pl.col(name), whole) for name in payments]


def paid_with(
    events: pl.LazyFrame,
    games: pl.LazyFrame,
    seats: pl.LazyFrame,
    catalogue: pl.LazyFrame,
    payments: Sequence[str],
    rounds: Rounds,
) -> pl.LazyFrame:
    """One row a `paid` with what it was paid with, and its setup, group, bot and (first of a span) round."""
    return (
        events.filter(pl.col("kind") == "paid")
        .select("game", "seat", "source", rounds.first_of(), *payments)
        .join(catalogue.select("source", "group"), on="source")
        .join(games.select("game", "setup"), on="game")
        .join(seats.select("game", "seat", "bot"), on=["game", "seat"])
    )


def payment_tables(
    events: pl.LazyFrame,
    games: pl.LazyFrame,
    seats: pl.LazyFrame,
    catalogue: pl.LazyFrame,
    payments: Sequence[str],
) -> dict[str, pl.DataFrame]:
    """The payment mix as a `whole`, and by `group` of what was paid for, `round` and `bot`.

    One row a cell and `payment`, the name of the column: its `share` of all that was paid there (with the
    interval of a ratio of sums over setups; `share_n` counts what was paid) and its `mean` in one `paid`.
    """
    each = [Measure(f"{name} mean", pl.col(name), pl.lit(1), rate=False) for name in payments]
    tallies = {key: Tally(by, (*measures(payments), *each)) for key, by in KEYS.items()}
    rounds = rounds_of(games)
    for table, happened, places in in_batches(BATCH, games, events, seats):
        lazy = paid_with(happened, table, places, catalogue, payments, rounds)
        frame = lazy.collect(engine="streaming")
        for tally in tallies.values():
            tally.add(frame.lazy())
    order = catalogue.select("group").unique(maintain_order=True).collect()["group"].to_list()
    tables = {}
    for key, tally in tallies.items():
        rows = [
            {name: cell[name] for name in tally.by}
            | {"payment": name}
            | {f"share{suffix}": cell[f"{name}{suffix}"] for suffix in ("", "_low", "_high", "_n")}
            | {f"mean{suffix}": cell[f"{name} mean{suffix}"] for suffix in ("", "_low", "_high", "_n")}
            for cell in tally.estimates().iter_rows(named=True)
            for name in payments
        ]
        tables[key] = pl.DataFrame(rows, infer_schema_length=None)
    if tables["group"].height:
        place = pl.col("group").cast(pl.Enum(order))
        tables["group"] = tables["group"].sort(place, maintain_order=True)
    return tables
