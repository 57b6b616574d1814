"""Which games to read: the longest and the closest, one from every bin, and who never climbed a track.

Where several games would do it is those with the lowest numbers, so the same run names the same games.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from analysis.intervals import Measure, ratios, whole_setups

AT_EITHER_END, MOST_BINS = 3, 20
BATCH = 20_000
"""Games in memory at a time."""
COMMON = 0.99
"""The share of rows whose values say on which grid they lie; the rare others may lie between."""


class Spans(NamedTuple):
    """Where bins begin, as a range whose step is their width, and the `grid` that divides it."""

    begins: range
    grid: int


def spans(values: pl.DataFrame, most: int = MOST_BINS) -> Spans:
    """At most so many bins of equal width for whole numbers; `values` has columns `value` and `rows`, or shares.

    Games of four players mostly last a multiple of 4 turns: bins of another width would hold now one such length,
    now two. So the width is a multiple of the distance between the common values, and the bins begin on one.
    """
    value, rows = pl.col("value"), pl.col("rows")
    ordered = values.sort("rows", "value", descending=[True, False])
    often = ordered.filter(rows.cum_sum() - rows < COMMON * rows.sum())["value"].to_list()
    grid = math.gcd(*(each - often[0] for each in often)) or 1
    low, high = values.select(value.min().alias("low"), value.max().alias("high")).row(0)
    low -= (low - often[0]) % grid
    width = grid * -(-(high - low + 1) // (grid * most))
    return Spans(range(low, high + 1, width), grid)


def outliers(games: pl.LazyFrame, seats: pl.LazyFrame | None, race: bool) -> pl.DataFrame:
    """One row a game that stands out: `what` about it, its `value`, the `seat` if it is one's, the `example`.

    The longest and shortest games; unless the game is a `race` the widest and narrowest margins, games tied
    on points and, with `seats`, the most and fewest points; and games that seats share at the very end.
    """
    shared = games.filter(pl.col("tie_stage") == -1)
    ends = [("longest game (turns)", games, "turns", True), ("shortest game (turns)", games, "turns", False)]
    if not race:
        ends += [
            ("widest margin (points)", games, "margin", True),
            ("narrowest margin but a tie (points)", games.filter(pl.col("margin") > 0), "margin", False),
            ("tied on points (seats)", games.filter(pl.col("tied_on_points") > 1), "tied_on_points", True),
        ]
        if seats is not None:
            ends += [
                ("most points of a seat", seats, "score", True),
                ("fewest points of a seat", seats, "score", False),
            ]
    ends.append(("most changes of the lead", games, "lead_changes", True))
    ends.append(("drawn (turns)" if race else "shared after every tie-break (turns)", shared, "turns", True))
    rows = []
    for what, frame, column, most in ends:
        seat = pl.col("seat").cast(pl.Int64) if frame is seats else pl.lit(None, pl.Int64).alias("seat")
        found = frame.select(
            pl.lit(what).alias("what"),
            pl.col(column).cast(pl.Int64).alias("value"),
            seat,
            example=pl.col("game"),
        )
        rows.append(
            found.sort("value", "example", "seat", descending=[most, False, False]).head(AT_EITHER_END)
        )
    return pl.concat(each.collect(engine="streaming") for each in rows)


def bins(frame: pl.LazyFrame, column: str) -> pl.DataFrame:
    """One row a `bin` of equally many whole numbers, at most 20: its `share` with interval, and an `example`.

    `least` and `most` are the numbers at its ends. `frame` has columns `game`, `setup` and the one asked for.
    """
    value = pl.col(column).cast(pl.Int64)
    values = frame.group_by(value.alias("value")).agg(pl.len().alias("rows")).collect(engine="streaming")
    begins = spans(values).begins
    number = (value - begins.start) // begins.step
    count = len(begins)
    shares = ratios(frame, (), [Measure(str(bin), number == bin, pl.lit(1)) for bin in range(count)]).row(
        0, named=True
    )
    firsts = (
        frame.group_by(number.alias("bin"))
        .agg(pl.col("game").min().cast(pl.Int64))
        .collect(engine="streaming")
    )
    example = dict(firsts.iter_rows())
    rows = []
    for bin, least in enumerate(begins):
        most = least + begins.step - 1
        share = {f"share{suffix}": shares[f"{bin}{suffix}"] for suffix in ("", "_low", "_high", "_n")}
        label = f"{least}" if begins.step == 1 else f"{least}–{most}"
        rows.append({"bin": label, "least": least, "most": most} | share | {"example": example.get(bin)})
    return pl.DataFrame(rows, schema_overrides={"example": pl.Int64}, infer_schema_length=None)


def climbs(
    events: pl.LazyFrame, games: pl.LazyFrame, seats: pl.LazyFrame, steps: pl.DataFrame
) -> pl.DataFrame:
    """One row a `source` and `step` of `steps`: a game in which a seat `reached` it, and one in which one did not.

    `steps` has the share of seats that `never` reached each step, so that nothing is looked for that is not there.
    """
    parts = whole_setups(games, BATCH)
    rows = []
    for (source,), of_track in steps.group_by("source", maintain_order=True):
        highest: dict[int, int] = {}
        wanted = of_track.select("step", "never").rows()
        for first, last in parts:
            within = pl.col("game").is_between(first, last)
            climbed = events.filter(within & (pl.col("kind") == "step") & (pl.col("source") == source))
            climbed = climbed.group_by("game", "seat").agg(pl.col("amount").max())
            places = (
                seats.filter(within).select("game", "seat").join(climbed, on=["game", "seat"], how="left")
            )
            by_step = places.group_by(pl.col("amount").fill_null(0).cast(pl.Int64)).agg(pl.col("game").min())
            highest = dict(by_step.collect(engine="streaming").iter_rows()) | highest
            found = [_either_side(highest, step) for step, _ in wanted]
            if all(
                (above is not None or never == 1) and (below is not None or never == 0)
                for (above, below), (_, never) in zip(found, wanted, strict=True)
            ):
                break
        rows += [
            {"source": source, "step": step, "reached_example": above, "never_example": below}
            for (step, _), (above, below) in zip(wanted, found, strict=True)
        ]
    schema = {"source": pl.String, "reached_example": pl.Int64, "never_example": pl.Int64}
    return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)


def _either_side(highest: dict[int, int], step: int) -> tuple[int | None, int | None]:
    """The first game of a seat that stood on the step or above, and of one that stayed below."""
    above = [game for reached, game in highest.items() if reached >= step]
    below = [game for reached, game in highest.items() if reached < step]
    return min(above, default=None), min(below, default=None)


def first_events(events: pl.LazyFrame, by: Sequence[str]) -> pl.DataFrame:
    """One row a cell of `by`, columns of the events: the first game that had such an event, as `example`."""
    found = events.group_by(*by).agg(pl.col("game").min().cast(pl.Int64).alias("example"))
    return found.sort(*by).collect(engine="streaming")
