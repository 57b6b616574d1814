"""How fast the tracks are climbed: when seats reach each step, by round and by turn."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from analysis.intervals import (
    Measure,
    added,
    estimates,
    moments,
    whole_setups,
)
from analysis.rounds import rounds_of
from analysis.survival import RANDOM_GROUPS, crossings, reached_by_time

BATCH = 100_000
"""Games in memory at a time."""


def pacing_tables(
    events: pl.LazyFrame, games: pl.LazyFrame, seats: pl.LazyFrame, catalogue: pl.LazyFrame
) -> dict[str, pl.DataFrame]:
    """The pacing of each source of kind `track`; a seat has reached step k once it stood on k or higher.

    `round`: for each track, step and round the share of all seats that `reached` the step by the end of that
    round (a game that ended before counts with where it stood); of many rounds only the ends of spans.
    `turn`: for each track, step and own turn (`time`, 1 is the first of a seat; the game's turn divided by
    the players) the `share` that has reached the step, by Kaplan and Meier with the end of the game as
    censoring, and the seats at risk `n`: what the pace would be if games went on.
    `step`: for each track and step the share of seats that `never` reached it, the `median_turn` (own turn by
    which half of the seats would have reached it; bounds by inverting the band of `turn`; null where it is
    not reached), and `median_round`, the first round by whose end half of all seats had reached it.
    Intervals are of 95 %, with setups as units.
    """
    tracks = catalogue.filter(pl.col("kind") == "track").select("source").collect()["source"].to_list()
    last_steps = dict(
        events.filter((pl.col("kind") == "step") & pl.col("source").is_in(tracks))
        .group_by("source")
        .agg(pl.col("amount").max())
        .collect(engine="streaming")
        .iter_rows()
    )
    rounds = rounds_of(games).ends
    by_round: list[pl.DataFrame] = []
    by_turn: list[pl.DataFrame] = []
    medians: list[pl.DataFrame] = []
    for track in (name for name in tracks if last_steps.get(name, 0) > 0):
        steps = range(1, int(last_steps[track]) + 1)
        parts, counts, halves = _one_track(events, games, seats, track, steps, rounds)
        by_round.append(parts)
        by_turn.append(counts)
        medians.append(halves)
    if not by_round:
        return {"round": pl.DataFrame(), "turn": pl.DataFrame(), "step": pl.DataFrame()}
    reached = pl.concat(by_round)
    setups = int(games.select(pl.col("setup").n_unique()).collect(engine="streaming").item())
    curves = reached_by_time(pl.concat(by_turn), ("source", "step"), setups)
    return {"round": reached, "turn": curves, "step": _steps(reached, curves, pl.concat(medians))}


def _one_track(
    events: pl.LazyFrame,
    games: pl.LazyFrame,
    seats: pl.LazyFrame,
    track: str,
    steps: range,
    rounds: Sequence[int],
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Shares by round, the counts by own turn that a survival curve is made of, and the median rounds."""
    measures = {
        (step, number): Measure(
            f"{step}.{number}", (pl.col(f"round_{step}") <= number).fill_null(False), pl.lit(1)
        )
        for step in steps
        for number in rounds
    }
    last_turn = (pl.col("turns").cast(pl.Int32) + pl.col("players") - 1) // pl.col("players")
    sums, counts, halves = [], [], []
    for first, last in whole_setups(games, BATCH):
        within = pl.col("game").is_between(first, last)
        # A step may be jumped over, so each step asks for the first event at or above it.
        at_or_above = {step: pl.col("amount") >= step for step in steps}
        climbed = (
            events.filter(within & (pl.col("kind") == "step") & (pl.col("source") == track))
            .group_by("game", "seat")
            .agg(
                *(
                    pl.when(there).then(pl.col("round")).min().alias(f"round_{step}")
                    for step, there in at_or_above.items()
                ),
                *(
                    pl.when(there).then(pl.col("turn")).min().alias(f"turn_{step}")
                    for step, there in at_or_above.items()
                ),
            )
        )
        table = games.filter(within).select("game", "setup", "players", "turns")
        places = (
            seats.filter(within)
            .select("game", "seat")
            .join(table, on="game")
            .join(climbed, on=["game", "seat"], how="left")
            .collect(engine="streaming")
        )
        sums.append(moments(places.lazy(), (), measures.values()).collect())
        for step in steps:
            halves.append(
                places.group_by(pl.col(f"round_{step}").cast(pl.Int64).alias("round"))
                .agg(pl.len().cast(pl.Int64).alias("seats"))
                .with_columns(pl.lit(step).alias("step"))
            )
            turn = pl.col(f"turn_{step}")
            counts.append(
                places.select(
                    (pl.col("setup") % RANDOM_GROUPS).alias("group"),
                    pl.when(turn.is_null())
                    .then(last_turn)
                    .otherwise(turn.cast(pl.Int32) // pl.col("players") + 1)
                    .alias("time"),
                    turn.is_not_null().alias("reached"),
                )
                .group_by("group", "time")
                .agg(
                    pl.col("reached").sum().cast(pl.Int64),
                    (~pl.col("reached")).sum().cast(pl.Int64).alias("left"),
                )
                .select(pl.lit(track).alias("source"), pl.lit(step).alias("step"), pl.all())
            )
    found = estimates(added(sums, ()), (), measures.values()).row(0, named=True)
    rows = [
        {"source": track, "step": step, "round": number}
        | {f"reached{suffix}": found[f"{measure.name}{suffix}"] for suffix in ("", "_low", "_high", "_n")}
        for (step, number), measure in measures.items()
    ]
    return pl.DataFrame(rows), pl.concat(counts), _median_rounds(track, pl.concat(halves))


def _median_rounds(track: str, counts: pl.DataFrame) -> pl.DataFrame:
    """For each step the first round by whose end half of all seats had reached it, null if they never did."""
    by_round = (
        counts.group_by("step", "round").agg(pl.col("seats").sum()).sort("step", "round", nulls_last=True)
    )
    gone = pl.col("seats").cum_sum().over("step") >= 0.5 * pl.col("seats").sum().over("step")
    median = pl.col("round").filter(pl.col("gone")).min()
    return (
        by_round.with_columns(gone=gone)
        .group_by("step")
        .agg(median.alias("median_round"))
        .select(pl.lit(track).alias("source"), pl.all())
    )


def _steps(reached: pl.DataFrame, curves: pl.DataFrame, median_rounds: pl.DataFrame) -> pl.DataFrame:
    """One row a track and step: never, median turn with bounds, median round."""
    key = ["source", "step"]
    medians = crossings(curves, key, "median_turn")
    last_round = reached.filter(pl.col("round") == pl.col("round").max())
    never = last_round.select(
        *key,
        (1 - pl.col("reached")).alias("never"),
        (1 - pl.col("reached_high")).alias("never_low"),
        (1 - pl.col("reached_low")).alias("never_high"),
        pl.col("reached_n").alias("never_n"),
    )
    return never.join(medians, on=key, how="left").join(median_rounds, on=key, how="left").sort(key)
