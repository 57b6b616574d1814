"""The steps of the tracks one by one: how long seats stand on each, who jumps it, what it pays and to whom.

A seat lands on a step when a `step` event takes it higher than it ever was; steps back count for nothing. A
`paid` of the track behind a landing in the same turn is the pay of that step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.intervals import Measure, Tally, coded, in_batches, in_words, ratios
from analysis.survival import RANDOM_GROUPS, crossings, reached_by_time

BATCH = 20_000
"""Games in memory at a time."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

_SEAT = ("game", "source", "seat")
_one = pl.lit(1)
_STEP = (
    Measure("landed", pl.col("landed"), pl.col("came")),
    Measure("pays", pl.col("pays"), pl.col("landed")),
    Measure("vp", pl.col("vp"), pl.col("pays"), rate=False),
    Measure("stayed", pl.col("stayed"), pl.col("landed")),
)
_ORDER = (Measure("vp", pl.col("vp"), _one, rate=False),)
_FIRST = (Measure("first", pl.col("first"), _one), Measure("fair", 1 / pl.col("players"), _one, rate=False))
_SHARE = (
    Measure("share", pl.col("paid"), pl.col("score")),
    Measure("points", pl.col("paid"), _one, rate=False),
)


def step_tables(
    events: pl.LazyFrame, games: pl.LazyFrame, seats: pl.LazyFrame, catalogue: pl.LazyFrame, race: bool
) -> dict[str, pl.DataFrame]:
    """What the steps of each source of kind `track` are to the seats; {} without one that anybody climbs.

    `landing`: one row a track and step: of the seats that came so far, the share that `landed` on it and did
    not jump it; of these the share whose step `pays` (VP or another reward), the mean `vp` of those, the share
    that `stayed` on it to the end; the own turns until half would have left it, `dwell` (Kaplan and Meier, the
    end of the game as censoring; bounds by inverting the band; null where that is not to be seen, as at the top).
    `dead`: why a step is none: nobody came so far, nobody stood on it, or it never paid on a track that does.
    `order`: of each step, the mean `vp` of the seat that came to it as the first, second and so on (`order`).
    `first`: of each step and seat, the share of the games in which anybody came so far that this seat came
    first, and the `fair` one.
    `share`, `share_by_seat`, `share_by_bot` (not in a race): the `share` of all points that the track paid, and
    its `points` a seat. `bonus` (not in a race): for each track and seat the points a game by which its landings
    paid more than the least that their steps ever pay: what it gains by coming early.
    """
    tracks = catalogue.filter(pl.col("kind") == "track").select("source").collect()["source"]
    happened = events.filter(
        pl.col("kind").is_in(["step", "paid"])
        & pl.col("source").is_in(tracks.implode())
        & (pl.col("seat") >= 0)
    )
    tops = dict(
        happened.filter(pl.col("kind") == "step")
        .group_by("source")
        .agg(pl.col("amount").max().cast(pl.Int64))
        .collect(engine="streaming")
        .iter_rows()
    )
    if not any(top > 0 for top in tops.values()):
        return {}
    ladder = pl.LazyFrame(
        [(track, step) for track in tracks for step in range(1, tops.get(track, 0) + 1)],
        schema={"source": pl.String, "step": pl.Int64},
        orient="row",
    )
    step = ("source", "step")
    tallies = {
        "landing": Tally(step, _STEP),
        "order": Tally((*step, "order"), _ORDER),
        "first": Tally((*step, "seat"), _FIRST),
    }
    shares = {
        "share": Tally(("source",), _SHARE),
        "share_by_seat": Tally(("source", "seat"), _SHARE),
        "share_by_bot": Tally(("source", "bot"), _SHARE),
    }
    counts: list[pl.DataFrame] = []
    least: list[pl.DataFrame] = []
    gains: list[pl.DataFrame] = []
    rungs = coded(ladder)
    for table, of_batch, places in in_batches(BATCH, games, coded(happened), coded(seats)):
        of_batch = of_batch.collect(engine="streaming").lazy()
        landed = _landings(of_batch, table, list(tracks)).lazy()
        tallies["landing"].add(_passed(landed, rungs))
        tallies["order"].add(landed)
        tallies["first"].add(_arrived(landed, places))
        counts.append(_left(landed))
        if not race:
            pays = landed.filter(pl.col("payments") > 0)
            least.append(pays.group_by(step).agg(least=pl.col("vp").min()).pipe(in_words).collect())
            gains.append(_gains(pays.filter(pl.col("vp") > 0), step))
            points = _points(of_batch, table, places, list(tops)).collect(engine="streaming").lazy()
            for tally in shares.values():
                tally.add(points)
    setups = int(games.select(pl.col("setup").n_unique()).collect(engine="streaming").item())
    curves = reached_by_time(pl.concat(counts), step, setups)
    found = {name: tally.estimates() for name, tally in (tallies | ({} if race else shares)).items()}
    found["first"] = found["first"].drop("fair_low", "fair_high", "fair_n")
    found["landing"] = _whole(ladder, found["landing"], curves)
    if not race:
        found["bonus"] = _bonus(pl.concat(gains), pl.concat(least), games, seats)
    return found


def positions(reached: pl.DataFrame) -> pl.DataFrame:
    """One row a track and round: quantiles `q05` to `q95` and `mean` of the highest step of all seats by its end.

    `reached` is the table `round` of `analysis.pacing`; a quantile is the lowest step with so large a share of
    the seats on it or below.
    """
    if reached.is_empty():
        return reached
    # So many steps are reached by more than a share of 1 - q of the seats.
    above = {q: (pl.col("reached") > 1 - q + 1e-12).sum().cast(pl.Int64) for q in QUANTILES}
    return (
        reached.group_by("source", "round", maintain_order=True)
        .agg(
            *(value.alias(f"q{q * 100:02.0f}") for q, value in above.items()),
            pl.col("reached").sum().alias("mean"),
            pl.col("reached_n").first().alias("n"),
        )
        .sort("source", "round")
    )


def _landings(happened: pl.LazyFrame, games: pl.LazyFrame, tracks: list[str]) -> pl.DataFrame:
    """One row a landing: its `step`, `order`, pay, own turns until the next (or the end: `stayed`).

    In arrays: windows over so many small groups take ten times longer.
    """
    names = ("game", "seat", "turn", "step_in_turn", "amount")
    rows = happened.select(
        *(pl.col(name).cast(pl.Int64) for name in names),
        pl.col("source").cast(pl.Enum(tracks)).to_physical().cast(pl.Int64).alias("track"),
        (pl.col("kind") == "step").alias("is_step"),
    ).collect(engine="streaming")
    game, seat, turn, within, amount, track = (rows[name].to_numpy() for name in (*names, "track"))
    places, high = int(seat.max(initial=0)) + 1, int(amount.max(initial=0)) + 2
    climber = (game * len(tracks) + track) * places + seat
    sorted_ = _in_order(climber, turn, within)
    climber, turn_, amount_ = climber[sorted_], turn[sorted_], amount[sorted_]
    is_step = rows["is_step"].to_numpy()[sorted_]
    place = np.arange(sorted_.size)
    # Each climber's own maximum so far: the climbers lie in rising order, further apart than any step is high.
    height = climber * high + np.where(is_step, amount_, 0)
    top = np.maximum.accumulate(height)
    lands = is_step & (height > np.maximum(np.concatenate([[-1], top[:-1]]), climber * high))
    # The pay of a landing: what its track pays the same seat in the same turn before the next step.
    latest = np.maximum.accumulate(np.where(is_step, place, -1))
    paid = ~is_step & (latest >= 0) & (amount_ >= 0)
    paid &= (climber[latest] == climber) & (turn_[latest] == turn_)
    vp = np.bincount(latest[paid], amount_[paid], sorted_.size).astype(np.int64)
    payments = np.bincount(latest[paid], minlength=sorted_.size)
    at = np.flatnonzero(lands)
    table = games.select("game", "setup", *(pl.col(name).cast(pl.Int64) for name in ("players", "turns")))
    found = (
        rows[sorted_[at]]
        .lazy()
        .join(table, on="game", maintain_order="left")
        .select("game", "seat", "setup", "players", "turns", "turn", "track", pl.col("amount").alias("step"))
        .collect()
    )
    players, turns = (found[name].to_numpy() for name in ("players", "turns"))
    own, last = turn_[at] // players + 1, -(-turns // players)
    moves = np.append(climber[at][1:] == climber[at][:-1], np.zeros(min(at.size, 1), dtype=bool))
    dwell = np.where(moves, np.append(own[1:], own[:1]), np.maximum(last, own)) - own
    return found.select(
        "game", "seat", "setup", "players", "step",
        source=pl.lit(pl.Series(tracks, dtype=pl.Categorical)).gather(pl.col("track")),
        vp=vp[at], payments=payments[at], dwell=dwell, stayed=~moves,
        order=_order((game[sorted_] * len(tracks) + track[sorted_])[at], amount_[at], turn_[at], within[sorted_][at]),
    )  # fmt: skip


def _in_order(*keys: Any) -> NDArray[np.intp]:
    """The places of the rows in rising order of the keys, whole numbers from 0; the first key goes before all."""
    whole: NDArray[np.int64] = keys[0]
    for key in keys[1:]:
        whole = whole * (key.max(initial=0) + 1) + key
    # One key of long runs, as events in the order of their games have, sorts ten times faster than three.
    return np.argsort(whole, kind="stable")


def _order(track_of_game: Any, step: Any, turn: Any, within: Any) -> Any:
    """As which seat of its game, 1 for the first, each landing comes to its step."""
    place = track_of_game * (step.max(initial=0) + 1) + step
    sorted_ = _in_order(place, turn, within)
    starts = np.flatnonzero(np.diff(place[sorted_], prepend=-1))
    order = np.empty(sorted_.size, dtype=np.int64)
    order[sorted_] = 1 + np.arange(sorted_.size) - np.repeat(starts, np.diff(starts, append=sorted_.size))
    return order


def _passed(landed: pl.LazyFrame, ladder: pl.LazyFrame) -> pl.LazyFrame:
    """One row a step and setup: the seats that `came` so far, those that `landed`, and how it `pays` them."""
    step = ["source", "step", "setup"]
    tops = landed.group_by(*_SEAT, "setup").agg(top=pl.col("step").max())
    came = (
        tops.group_by("source", "setup", "top")
        .agg(came=pl.len().cast(pl.Int64))
        .join(ladder, on="source")
        .filter(pl.col("step") <= pl.col("top"))
        .group_by(step)
        .agg(pl.col("came").sum())
    )
    there = landed.group_by(step).agg(
        landed=pl.len().cast(pl.Int64),
        pays=(pl.col("payments") > 0).sum().cast(pl.Int64),
        vp=pl.col("vp").sum(),
        stayed=pl.col("stayed").sum().cast(pl.Int64),
    )
    return came.join(there, on=step, how="left").with_columns(pl.exclude(step).fill_null(0))


def _arrived(landed: pl.LazyFrame, seats: pl.LazyFrame) -> pl.LazyFrame:
    """One row a step, a game in which anybody landed on it, and a seat: whether that was the first."""
    firsts = landed.filter(pl.col("order") == 1).select(
        "game", "setup", "players", "source", "step", winner="seat"
    )
    return firsts.join(seats.select("game", "seat"), on="game").with_columns(
        first=pl.col("seat") == pl.col("winner")
    )


def _left(landed: pl.LazyFrame) -> pl.DataFrame:
    """How many seats left each step after so many own turns, and how many were on it when the game ended."""
    return (
        landed.group_by("source", "step", (pl.col("setup") % RANDOM_GROUPS).alias("group"), time="dwell")
        .agg(
            (~pl.col("stayed")).sum().cast(pl.Int64).alias("reached"),
            pl.col("stayed").sum().cast(pl.Int64).alias("left"),
        )
        .pipe(in_words)
        .collect()
    )


def _points(
    happened: pl.LazyFrame, games: pl.LazyFrame, seats: pl.LazyFrame, tracks: Sequence[str]
) -> pl.LazyFrame:
    """One row a seat and track with the points that it paid in all, and the score."""
    paid = (
        happened.filter(pl.col("kind") == "paid")
        .group_by(*_SEAT)
        .agg(paid=pl.col("amount").sum().cast(pl.Int64))
    )
    return (
        seats.select("game", "seat", "bot", "score")
        .join(games.select("game", "setup"), on="game")
        .join(coded(pl.LazyFrame({"source": tracks})), how="cross")
        .join(paid, on=[*_SEAT], how="left")
        .with_columns(pl.col("paid").fill_null(0))
    )


def _gains(pays: pl.LazyFrame, step: Sequence[str]) -> pl.DataFrame:
    sums = pays.group_by(*step, "setup", "seat").agg(vp=pl.col("vp").sum(), landings=pl.len())
    return in_words(sums).collect()


def _bonus(
    gains: pl.DataFrame, least: pl.DataFrame, games: pl.LazyFrame, seats: pl.LazyFrame
) -> pl.DataFrame:
    """What each seat is paid above the least pay of the steps on which it lands, a game."""
    floor = least.group_by("source", "step").agg(pl.col("least").min())
    above = (
        gains.join(floor, on=["source", "step"])
        .group_by("source", "setup", "seat")
        .agg(bonus=(pl.col("vp") - pl.col("least") * pl.col("landings")).sum())
    )
    played = seats.join(games.select("game", "setup"), on="game").group_by("setup", "seat")
    whole = (
        played.agg(games=pl.len())
        .join(above.lazy().select("source").unique(), how="cross")
        .join(above.lazy(), on=["source", "setup", "seat"], how="left")
        .with_columns(pl.col("bonus").fill_null(0))
    )
    bonus = Measure("bonus", pl.col("bonus"), pl.col("games"), rate=False)
    return ratios(whole, ("source", "seat"), (bonus,))


def _whole(ladder: pl.LazyFrame, landing: pl.DataFrame, curves: pl.DataFrame) -> pl.DataFrame:
    """Every step of every track, with its dwell, and why it is dead."""
    step = ["source", "step"]
    dwell = crossings(curves, step, "dwell")
    whole = ladder.collect().join(landing, on=step, how="left", maintain_order="left")
    whole = whole.join(dwell, on=step, how="left", maintain_order="left")
    ever = pl.col("pays").max().over("source") > 0
    return whole.with_columns(
        pl.when(pl.col("landed").is_null())
        .then(pl.lit("nobody came so far"))
        .when(pl.col("landed") == 0)
        .then(pl.lit("nobody stood on it"))
        .when(ever & (pl.col("pays") == 0))
        .then(pl.lit("never paid"))
        .alias("dead"),
        *(pl.when(ever).then(f"pays{end}").alias(f"pays{end}") for end in ("", "_low", "_high", "_n")),
    )
