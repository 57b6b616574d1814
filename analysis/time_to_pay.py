"""How long offers wait until they pay: turns and rounds from offer to first payment, and one in how many pays.

The unit is that of `analysis.payouts`: one source offered in one game, to all seats or to one alone; what no
event ever offers is open from the first turn. Offers that lapse, or are open when the game ends, have waited
at least so long: they are censored (Kaplan and Meier 1958), so that the times tell how long an offer would
wait if it stood until it is paid.
"""

from __future__ import annotations

import polars as pl

from analysis.intervals import Measure, Tally, coded, in_batches, in_words
from analysis.payouts import never_offered
from analysis.survival import RANDOM_GROUPS, crossings, reached_by_time

BATCH = 20_000
"""Games in memory at a time."""

CLOCKS = ("turns", "rounds")
PARTS = {"_q25": 0.25, "": 0.5, "_q75": 0.75}

_PAID = (Measure("paid", pl.col("paid"), pl.lit(1)),)
_OFFER = ("game", "source", "seat")
_FROM_THE_START = {"turn": 0, "round": 1, "last": 0}


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
    tally = Tally(("source",), _PAID)
    counts: dict[str, list[pl.DataFrame]] = {clock: [] for clock in CLOCKS}
    always_open = coded(pl.LazyFrame({"source": never_offered(happened)}))
    for table, of_batch in in_batches(BATCH, games, coded(happened)):
        waits = _waits(of_batch, table, always_open).collect(engine="streaming")
        tally.add(waits.lazy())
        for clock in CLOCKS:
            counts[clock].append(
                waits.lazy()
                .group_by("source", (pl.col("setup") % RANDOM_GROUPS).alias("group"), time=clock)
                .agg(
                    pl.col("paid").sum().cast(pl.Int32).alias("reached"),
                    (~pl.col("paid")).sum().cast(pl.Int32).alias("left"),
                )
                .with_columns(pl.col("group").cast(pl.Int8))
                .collect()
            )
    setups = int(games.select(pl.col("setup").n_unique()).collect(engine="streaming").item() or 0)
    paid = tally.estimates() if tally.sums else pl.DataFrame()
    if paid.is_empty():
        return {}
    curves = {
        clock: reached_by_time(in_words(pl.concat(parts).lazy()).collect(), ("source",), setups)
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


def _waits(happened: pl.LazyFrame, games: pl.LazyFrame, always: pl.LazyFrame) -> pl.LazyFrame:
    """One row an offer: `source`, `setup`, whether it was `paid`, and the `turns` and `rounds` until then or its end."""
    to_all = pl.lit(-1, pl.Int8).alias("seat")
    # In memory, for offers, payments and lapses are read from it by turns.
    happened = (
        happened.select(
            *_OFFER[:2],
            pl.col("seat").cast(pl.Int8),
            pl.col("turn", "round").cast(pl.Int32),
            "kind",
            "amount",
        )
        .collect(engine="streaming")
        .lazy()
    )
    table = games.select("game", "setup", *(pl.col(name).cast(pl.Int32) for name in CLOCKS))
    kind, times = pl.col("kind"), pl.col("turn", "round")  # the rounds rise with the turns
    offers = happened.filter(kind == "offered").group_by(_OFFER).agg(times.min(), last=pl.col("turn").max())
    open_ = table.join(always, how="cross").select(
        "game", "source", to_all, *(pl.lit(at, pl.Int32).alias(name) for name, at in _FROM_THE_START.items())
    )
    mine = happened.filter((kind == "paid") & (pl.col("amount") >= 0)).group_by(_OFFER).agg(times.min())
    # An offer to all is paid by the first payment to any seat, a hand's card by that to its own seat.
    anybodys = mine.group_by(_OFFER[:2]).agg(times.min()).select(*_OFFER[:2], to_all, "turn", "round")
    paid = pl.concat([mine.filter(pl.col("seat") >= 0), anybodys])
    paid = paid.select(*_OFFER, times.name.prefix("paid_"))
    gone = happened.filter(kind == "lapsed").group_by(_OFFER).agg(times.max().name.prefix("gone_"))
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
