"""How long offers wait until they pay: turns and rounds from offer to first payment, and one in how many pays.

The unit is that of `analysis.payouts`: one source offered in one game, to all seats or to one alone; what no
event ever offers is open from the first turn. Offers that lapse, or are open when the game ends, have waited
at least so long: they are censored (Kaplan and Meier 1958), so that the times tell how long an offer would
wait if it stood until it is paid.
"""

from __future__ import annotations

import polars as pl

from analysis.intervals import Measure, Tally, in_batches
from analysis.survival import RANDOM_GROUPS, crossings, reached_by_time

BATCH = 20_000
"""Games in memory at a time."""

CLOCKS = ("turns", "rounds")
PARTS = {"_q25": 0.25, "": 0.5, "_q75": 0.75}

_PAID = (Measure("paid", pl.col("paid"), pl.lit(1)),)
_OFFER = ("game", "source", "seat")


def time_tables(
    events: pl.LazyFrame, games: pl.LazyFrame, catalogue: pl.LazyFrame
) -> dict[str, pl.DataFrame]:
    """How long the offers of each source wait.

    `source`: `turns` and `rounds` by which half of the offers have paid (0: in the turn of the offer; turns of
    all seats), with 95 % bounds by inverting the band of the curve, and the quarters `_q25` and `_q75`; null
    where so many are not paid while 2 % of the offers are still open. `one_in`: one in how many offers pays, the
    inverse of the share `paid`, null if none did, open above if so few did that none may.
    `curve`: for each source and turn since the offer (`time`) the `share` paid by then, if offers stood, with
    bounds, and how many were still open (`n`).
    """
    sources = catalogue.filter("offered").select("source").collect()["source"]
    happened = events.filter(
        pl.col("kind").is_in(["offered", "paid", "lapsed"]) & pl.col("source").is_in(sources.implode())
    )
    always = (
        happened.group_by("source")
        .agg((pl.col("kind") == "offered").any().alias("offered"))
        .filter(~pl.col("offered"))
        .select("source")
        .collect(engine="streaming")
    )
    tally = Tally(("source",), _PAID)
    counts: dict[str, list[pl.DataFrame]] = {clock: [] for clock in CLOCKS}
    for table, of_batch in in_batches(BATCH, games, happened):
        waits = _waits(of_batch, table, always).collect(engine="streaming")
        tally.add(waits.lazy())
        for clock in CLOCKS:
            counts[clock].append(
                waits.group_by("source", pl.col("setup") % RANDOM_GROUPS, pl.col(clock).alias("time")).agg(
                    pl.col("paid").sum().cast(pl.Int64).alias("reached"),
                    (~pl.col("paid")).sum().cast(pl.Int64).alias("left"),
                )
            )
    setups = int(games.select(pl.col("setup").n_unique()).collect(engine="streaming").item() or 0)
    paid = tally.estimates() if tally.sums else pl.DataFrame()
    if paid.is_empty():
        return {}
    curves = {
        clock: reached_by_time(pl.concat(parts).rename({"setup": "group"}), ("source",), setups)
        for clock, parts in counts.items()
    }
    found = paid.with_columns(
        _inverse("paid").alias("one_in"),
        _inverse("paid_high").alias("one_in_low"),
        _inverse("paid_low").alias("one_in_high"),
        pl.col("paid_n").alias("one_in_n"),
    )
    for clock, curve in curves.items():
        found = found.join(crossings(curve, ["source"], clock, PARTS), on="source", how="left")
    order = catalogue.select("source").collect().join(found, on="source", maintain_order="left")
    return {"source": order, "curve": curves["turns"]}


def _inverse(share: str) -> pl.Expr:
    return pl.when(pl.col(share) > 0).then(1 / pl.col(share))


def _waits(happened: pl.LazyFrame, games: pl.LazyFrame, always: pl.DataFrame) -> pl.LazyFrame:
    """One row an offer: `source`, `setup`, whether it was `paid`, and the `turns` and `rounds` until then or its end."""
    turn, kind = pl.col("turn").cast(pl.Int64), pl.col("kind")
    seat = pl.col("seat").cast(pl.Int64)
    happened = happened.with_columns(turn, seat, pl.col("round").cast(pl.Int64))
    table = games.select("game", "setup", *(pl.col(name).cast(pl.Int64) for name in CLOCKS))
    first = pl.col("turn", "round").sort_by("turn").first()
    offers = happened.filter(kind == "offered").group_by(_OFFER).agg(first, last=pl.col("turn").max())
    open_ = table.join(always.lazy(), how="cross").select(
        "game",
        "source",
        pl.lit(-1, pl.Int64).alias("seat"),
        pl.lit(0, pl.Int64).alias("turn"),
        pl.lit(1, pl.Int64).alias("round"),
        pl.lit(0, pl.Int64).alias("last"),
    )
    pays = happened.filter((kind == "paid") & (pl.col("amount") >= 0))
    # An offer to all is paid by the first payment to any seat, a hand's card by that to its own seat.
    payments = pl.concat([pays, pays.with_columns(pl.lit(-1, pl.Int64).alias("seat"))])
    paid = payments.group_by(_OFFER).agg(first.name.prefix("paid_"))
    gone = (
        happened.filter(kind == "lapsed")
        .group_by(_OFFER)
        .agg(pl.col("turn", "round").sort_by("turn").last().name.prefix("gone_"))
    )
    lapsed = pl.col("gone_turn") >= pl.col("last")
    ends = {
        clock: pl.when(pl.col("paid"))
        .then(pl.col(f"paid_{unit}"))
        .when(lapsed)
        .then(pl.col(f"gone_{unit}"))
        .otherwise(pl.col(clock))
        - pl.col(unit)
        for clock, unit in (("turns", "turn"), ("rounds", "round"))
    }
    return (
        pl.concat([offers, open_])
        .join(table, on="game")
        .join(paid, on=_OFFER, how="left")
        .join(gone, on=_OFFER, how="left")
        .with_columns(paid=pl.col("paid_turn").is_not_null())
        .select("source", "setup", "paid", **{clock: end.clip(0) for clock, end in ends.items()})
    )
