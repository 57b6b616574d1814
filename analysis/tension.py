"""How tense a game is: who leads when, how far the winner comes back, and how long the outcome stays open.

The measures are those of Browne (2008, Automatic Generation and Evaluation of Recombination Games, thesis,
Queensland University of Technology; 2011, Evolutionary Game Design, Springer): lead change, drama, decisiveness
and uncertainty. He takes a position's worth from a search; here it is what lies on the table: the points paid
so far, in a race the steps on its tracks. A hidden card counts when it pays, so what everybody sees late looks late.
Only games that one seat wins alone have a winner to follow; the others are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.bootstrap import spread
from analysis.intervals import Measure, ratios, whole_setups

CELLS = 8_000_000
"""Cells (games x turns x seats) in memory at a time."""

TENTHS = tuple(range(1, 11))

Array = NDArray[Any]

_one = pl.lit(1)
MEASURES = (
    Measure("lead_changes", pl.col("lead_changes"), _one, rate=False),
    Measure("lead_change", pl.col("lead_changes"), pl.col("turns"), rate=False),
    Measure("behind", pl.col("behind"), pl.col("turns")),
    Measure("drama", pl.col("gap"), pl.col("behind"), rate=False),
    Measure("drama_most", pl.col("gap_most"), _one, rate=False),
    Measure("threshold", pl.col("threshold"), _one, rate=False),
    Measure("decisiveness", pl.col("left"), _one),
    Measure("settled", pl.col("settled"), _one),
    Measure("at_the_end", pl.col("at_the_end"), _one),
)
SPREAD = ("lead_changes", "gap_most", "settled")


def tension_tables(
    events: pl.LazyFrame, games: pl.LazyFrame, seats: pl.LazyFrame, catalogue: pl.LazyFrame, race: bool
) -> dict[str, pl.DataFrame]:
    """The tension of a run, {} of a race without tracks, which has no standing before its end.

    `games`: one row a player count, means over games with 95 % intervals over setups. `lead_changes` how often
    the sole leader is another than the last one, after each turn and after final scoring; `lead_change` the
    same a turn (Browne's lead change). `behind` share of turns after which the later winner is behind; `drama`
    how far behind it is then, and `drama_most` the most in a game, 0 if never (Browne's drama, average and
    maximum, without his square root). `threshold` the largest lead that a seat had which did not win, and
    `decisiveness` the share of the turns that remain once the winner's lead is larger (Browne: a decisive game
    ends soon, so near 0). `settled` the share of the turns after which the winner leads alone for good, 1 if only
    final scoring or a tie-break makes it so, which are the games `at_the_end`.
    `spread`: one row a player count and `measure` of lead_changes, gap_most and settled: `least`, quantiles, `most`,
    and the first game that has it as `most_example`.
    `course`: one row a player count and tenth of the turns (11: after final scoring, which a race has not):
    `leader_wins`, how often the leader of that time wins (seats that share the lead 1/k each); `uncertainty`, the
    entropy (Shannon 1948, Bell Syst. Tech. J. 27, 379-423) of the place from which the winner comes, 1 if every
    place were as likely, 0 if the leader always won; `lead`, how far the first is ahead of the second.
    """
    moves = _moves(events, catalogue, race)
    if moves is None:
        return {}
    found = [_followed(batch) for batch in _batches(moves, games, seats, race)]
    if not found:
        return {}
    table = pl.concat(table for table, _ in found).lazy()
    spreads = [
        spread(table, ("players",), name)
        .join(_games_of_the_most(table, name), on="players")
        .with_columns(measure=pl.lit(name))
        .drop("spread")
        for name in SPREAD
    ]
    course = _course(pl.concat((places for _, places in found), how="diagonal"))
    return {
        "games": ratios(table, ("players",), MEASURES),
        "spread": pl.concat(spreads)
        .select(
            "players", "measure", pl.exclude("players", "measure", "most_example", "n"), "most_example", "n"
        )
        .sort("players", maintain_order=True),
        "course": course.filter(pl.col("tenth") <= 10) if race else course,
    }


def _games_of_the_most(table: pl.LazyFrame, name: str) -> pl.DataFrame:
    most = pl.col(name) == pl.col(name).max()
    first = pl.col("game").filter(most).min().cast(pl.Int64).alias("most_example")
    return table.group_by("players").agg(first).collect()


@dataclass(frozen=True)
class _Batch:
    """Some games of one player count, ordered by setup."""

    players: int
    game: Array
    setup: Array
    turns: Array
    winner: Array
    standing: Array
    """(games, turns of the longest + 1, seats): after each turn; behind the last one, after final scoring."""


def _moves(events: pl.LazyFrame, catalogue: pl.LazyFrame, race: bool) -> pl.LazyFrame | None:
    """What moves the standing: payments, or in a race the steps on its tracks, if it has any."""
    if not race:
        return events.filter((pl.col("kind") == "paid") & (pl.col("seat") >= 0))
    tracks = catalogue.filter(pl.col("kind") == "track").select("source").collect()["source"]
    steps = events.filter((pl.col("kind") == "step") & pl.col("source").is_in(tracks.implode()))
    return steps if steps.head(1).collect().height else None


def _batches(moves: pl.LazyFrame, games: pl.LazyFrame, seats: pl.LazyFrame, race: bool) -> Iterator[_Batch]:
    size = games.select(pl.col("turns").max(), pl.col("players").max()).collect(engine="streaming").row(0)
    most = max(1, CELLS // ((int(size[0] or 0) + 1) * int(size[1] or 1)))
    for first, last in whole_setups(games, most):
        within = pl.col("game").is_between(first, last)
        won = (
            seats.filter(within)
            .filter(pl.col("win_share") == 1)
            .select("game", pl.col("seat").cast(pl.Int64).alias("winner"))
        )
        table = (
            games.filter(within)
            .filter((pl.col("players") > 1) & (pl.col("turns") > 0))
            .select("game", "setup", pl.col("players", "turns").cast(pl.Int64))
            .join(won, on="game")
            .collect()
            .sort("setup", "game")
        )
        happened = moves.filter(within).select("game", "turn", "seat", "source", "amount").collect()
        for (players,), of_count in table.group_by("players", maintain_order=True):
            yield _batch(of_count, happened, int(str(players)), race)


def _batch(table: pl.DataFrame, happened: pl.DataFrame, players: int, race: bool) -> _Batch:
    turns = table["turns"].to_numpy()
    longest = int(turns.max())
    placed = happened.join(table.select("game").with_row_index("row"), on="game")
    row, seat = placed["row"].to_numpy().astype(np.int64), placed["seat"].to_numpy().astype(np.int64)
    turn = np.minimum(placed["turn"].to_numpy().astype(np.int64), longest)
    amount = placed["amount"].to_numpy()
    shape = (table.height, longest + 1, players)
    if race:
        standing = np.zeros(shape, dtype=np.int32)
        source = placed["source"].to_numpy()
        for track in np.unique(source):
            on = source == track
            steps = np.zeros(shape, dtype=np.int32)
            np.maximum.at(steps, (row[on], turn[on], seat[on]), amount[on].astype(np.int32))
            standing += np.maximum.accumulate(steps, axis=1)
    else:
        cell = (row * shape[1] + turn) * players + seat
        paid = np.bincount(cell, amount, int(np.prod(shape))).reshape(shape)
        standing = np.cumsum(paid.astype(np.int32), axis=1, dtype=np.int32)
    return _Batch(
        players,
        table["game"].to_numpy(),
        table["setup"].to_numpy(),
        turns,
        table["winner"].to_numpy(),
        standing,
    )


def _followed(batch: _Batch) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The numbers of each game, and by setup the places from which winners come at each time."""
    standing, turns, winner = batch.standing, batch.turns, batch.winner
    games, times, _ = standing.shape
    final = times - 1
    at = np.arange(times)
    played = at < turns[:, None]
    best, second = _first_two(standing)
    lead = best - second
    sole = np.where(lead > 0, standing.argmax(axis=2), -1)
    own = np.take_along_axis(standing, winner[:, None, None], axis=2)[:, :, 0]
    gap = np.where(played, best - own, 0)
    leads = sole == winner[:, None]
    # The last turn without the winner alone in front; what lies behind the end of a game copies its end.
    lost = np.where(played & ~leads, at + 1, 0).max(axis=1)
    only_at_end = ~leads[:, final] | (lost == turns)
    settled = np.where(only_at_end, 1.0, (lost + 1) / turns)
    other_lead = np.where(played & (sole >= 0) & ~leads, lead, 0).max(axis=1)
    beyond = played & leads & (lead > other_lead[:, None])
    left = np.where(beyond.any(axis=1), (turns - 1 - beyond.argmax(axis=1)) / turns, 0.0)
    table = pl.DataFrame(
        {
            "game": batch.game,
            "setup": batch.setup,
            "players": np.full(games, batch.players),
            "turns": turns,
            "lead_changes": _lead_changes(sole),
            "behind": (gap > 0).sum(axis=1),
            "gap": gap.sum(axis=1),
            "gap_most": gap.max(axis=1),
            "threshold": other_lead,
            "left": left,
            "settled": settled,
            "at_the_end": only_at_end,
        }
    )
    when = np.stack([-(-turns * tenth // 10) - 1 for tenth in TENTHS] + [np.full(games, final)], axis=1)
    return table, _placed(batch, own, lead, when)


def _first_two(standing: Array) -> tuple[Array, Array]:
    """The two highest of the last axis, seat by seat: to sort rows of so few takes three times longer."""
    best, second = standing[..., 0], np.full_like(standing[..., 0], np.iinfo(standing.dtype).min)
    for seat in range(1, standing.shape[-1]):
        second = np.maximum(second, np.minimum(best, standing[..., seat]))
        best = np.maximum(best, standing[..., seat])
    return best, second


def _lead_changes(sole: Array) -> Array:
    """How often the sole leader (-1: none) differs from the last one that there was, along the times."""
    at = np.arange(sole.shape[1])
    latest = np.maximum.accumulate(np.where(sole >= 0, at, -1), axis=1)
    before = np.concatenate([np.full((sole.shape[0], 1), -1), latest[:, :-1]], axis=1)
    last = np.take_along_axis(sole, np.maximum(before, 0), axis=1)
    changes: Array = ((sole >= 0) & (before >= 0) & (sole != last)).sum(axis=1)
    return changes


def _placed(batch: _Batch, own: Array, lead: Array, when: Array) -> pl.DataFrame:
    """One row a setup and time: its `games`, winners that come from each place `place0`.., and the sum of leads.

    Seats that stand alike share their places.
    """
    standing = np.take_along_axis(batch.standing, when[:, :, None], axis=1)
    mine = np.take_along_axis(own, when, axis=1)[:, :, None]
    above, alike = (standing > mine).sum(axis=2), (standing == mine).sum(axis=2)
    place = np.arange(batch.players)
    there = (place >= above[:, :, None]) & (place < (above + alike)[:, :, None])
    credit = there / alike[:, :, None]
    starts = np.flatnonzero(np.r_[True, batch.setup[1:] != batch.setup[:-1]])
    by_setup = np.add.reduceat(credit, starts, axis=0)
    leads = np.add.reduceat(np.take_along_axis(lead, when, axis=1), starts, axis=0)
    times = when.shape[1]
    columns = {
        "setup": batch.setup[starts].repeat(times),
        "players": np.full(starts.size * times, batch.players),
        "tenth": np.tile(np.arange(1, times + 1), starts.size),
        "games": np.diff(starts, append=batch.setup.size).repeat(times),
        "lead": leads.ravel(),
    }
    return pl.DataFrame(columns | {f"place{each}": by_setup[:, :, each].ravel() for each in place})


def _course(setups: pl.DataFrame) -> pl.DataFrame:
    """Shares, entropies and leads by player count and time, from the sums by setup."""
    by, places = ("players", "tenth"), pl.col("^place.*$")
    share = places.sum().over(by) / pl.col("games").sum().over(by)
    surprise = pl.when(share > 0).then(-share.log() / pl.col("players").log()).otherwise(0.0)
    # The entropy moves with each share by its surprise: the mean surprise has its variance (delta method).
    surprises = setups.with_columns((places * surprise).name.keep()).select(
        entropy=pl.sum_horizontal(places.fill_null(0.0))
    )
    games = pl.col("games")
    measures = (
        Measure("leader_wins", pl.col("place0"), games),
        Measure("uncertainty", pl.col("entropy"), games, rate=False),
        Measure("lead", pl.col("lead"), games, rate=False),
    )
    found = ratios(setups.with_columns(surprises["entropy"]).lazy(), by, measures)
    return found.with_columns(pl.col("uncertainty_low", "uncertainty_high").clip(0, 1))
