"""How strong the bots are, from whole rankings with ties: the worth of each in a Davidson-Luce model.

A game ranks its seats by choosing the best, then the best of the rest, and so on. A set of k seats is chosen
with a weight of delta_k times the geometric mean of their worths, delta_1 = 1: Davidson's model of ties (1970,
JASA 65, 317-328), for choices from many by Firth, Kosmidis and Turner (2019, arXiv:1909.07123), for rankings by
Turner, van Etten, Firth and Kosmidis (2020, Comput. Stat. 35, 1027-1057). Without ties it is Plackett's and
Luce's. Each choice is a multinomial logit, so that Newton's method finds the one maximum in a few steps. The
variance is the sandwich over setups, whose games share their deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars import selectors
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, logit

from analysis.intervals import in_batches, student

BATCH = 100_000
"""Games in memory at a time."""

STEPS = 100
"""Newton steps at most; a fit takes five to ten."""

FLAT = 1e-6
"""A curvature below this one is none."""

VANISHES = 1e-20
"""A variance of a log worth below this one is what rounding leaves of none."""

ELO = 400 / np.log(10)
"""Points of Elo's scale in one unit of the logarithm of a worth."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """The maximum of the likelihood: `theta` holds the log worths, then the log delta of each tie order."""

    theta: Floats
    variance: Floats
    """Of theta, over setups, 0 of a single one; worths sum to 0 as log worths."""
    orders: tuple[int, ...]
    """The sizes of ties that occur."""


def strengths(seats: pl.LazyFrame, games: pl.LazyFrame, first_only: bool = False) -> dict[str, pl.DataFrame]:
    """The strength of each bot in the games that it shares with others; {} of a single bot.

    `worth`: one row a bot, from the strongest: `worth`, its chance to come first alone among one of each bot if
    nobody ties; `elo`, its strength in points of Elo's scale above the mean of the bots (400 are ten to one),
    with 95 % intervals and the number of games it sat in, `worth_n`, `elo_n`. All null if no finite strength is the
    likeliest: if some bots never beat or never lose to the others, directly or through third ones, or if bots tie
    whenever they can. Bounds are null where setups show no variance, as a single one shows none.
    `tied`: one row a size of tie that occurs, `seats`: its `delta`; for pairs `tied`, the chance that two bots of
    one strength tie, with its interval.
    `first_only` takes of each ranking the first place alone: in a race nobody is ranked behind the winner.
    """
    bots = seats.select(pl.col("bot").unique().sort()).collect(engine="streaming")["bot"].to_list()
    if len(bots) < 2:
        return {}
    counts = [
        _rankings(of_batch, table, bots).collect(engine="streaming")
        for table, of_batch in in_batches(BATCH, games, seats)
    ]
    rows = pl.concat(counts) if counts else pl.DataFrame()
    if rows.is_empty():
        return {}
    written = rows["ranking"].unique().sort()
    rankings = [
        [(int(rank), int(bot)) for rank, bot in (seat.split(":") for seat in each.split())]
        for each in written
    ]
    which, games_of = (
        rows["ranking"].cast(pl.Enum(written)).to_physical().to_numpy(),
        rows["games"].to_numpy(),
    )
    found = fit(rankings, which, games_of, rows["setup"].to_numpy(), len(bots), first_only)
    often = np.bincount(which, games_of, len(rankings))
    n = [
        int(
            sum(
                times
                for ranking, times in zip(rankings, often, strict=True)
                if bot in {each for _, each in ranking}
            )
        )
        for bot in range(len(bots))
    ]
    setups = rows["setup"].n_unique()
    return {"worth": _worths(bots, n, found, setups), "tied": _ties(found, setups)}


def _rankings(seats: pl.LazyFrame, games: pl.LazyFrame, bots: Sequence[str]) -> pl.LazyFrame:
    """One row a setup and `ranking`, rank:bot of each seat from the best on, and how many `games` had it."""
    code = pl.col("bot").cast(pl.Enum(bots)).to_physical()
    seat = pl.format("{}:{}", "rank", code).sort_by("rank", code)
    ranking = seats.group_by("game").agg(seat.str.join(" ").alias("ranking"), pl.len())
    by_setup = ranking.filter(pl.col("len") > 1).join(games.select("game", "setup"), on="game")
    return by_setup.group_by("setup", "ranking").agg(pl.len().cast(pl.Int64).alias("games"))


def fit(
    rankings: Sequence[Sequence[tuple[int, int]]],
    which: NDArray[Any],
    games: NDArray[Any],
    setup: NDArray[Any],
    bots: int,
    first_only: bool = False,
) -> Fit | None:
    """The Davidson-Luce model of rankings, each the (rank, bot) of its seats by rank; None without a finite maximum.

    `which` ranking came in how many `games` of which `setup`, arrays of one length; bots are numbers below `bots`.
    """
    chosen = [_choices(ranking, first_only) for ranking in rankings]
    kinds = sorted({choice for choices in chosen for choice in choices})
    if not _connected(kinds, bots):
        return None
    orders = tuple(sorted({len(best) for best, _ in kinds if len(best) > 1}))
    number = {choice: place for place, choice in enumerate(kinds)}
    # How often each ranking has each choice.
    has = np.zeros((len(rankings), len(kinds)))
    for row, choices in enumerate(chosen):
        for choice in choices:
            has[row, number[choice]] += 1
    often = np.bincount(which, games, len(rankings)) @ has
    sets = [_alternatives(rest, orders, bots) for _, rest in kinds]
    taken = np.array([_features(best, orders, bots) for best, _ in kinds])
    theta = np.zeros(bots + len(orders))
    # The sum of the log worths is free: its curvature is made one, so that it stays 0.
    level = np.concatenate([np.ones(bots), np.zeros(len(orders))])
    for _ in range(STEPS):
        gradients, curvature = _slopes(theta, taken, sets, often)
        curvature += np.outer(level, level)
        # One choice of either kind bends more: along a direction without any the likelihood rises for ever.
        if np.linalg.eigvalsh(curvature)[0] < FLAT:
            return None
        step = np.linalg.solve(curvature, often @ gradients)
        theta = theta + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < 1e-10:
            break
    else:
        return None
    inverse = np.linalg.inv(curvature)
    numbers, place = np.unique(setup, return_inverse=True)
    by_setup = np.zeros((numbers.size, theta.size))
    np.add.at(by_setup, place, games[:, None] * (has @ gradients)[which])
    scale = numbers.size / max(numbers.size - 1, 1)
    return Fit(theta, scale * inverse @ (by_setup.T @ by_setup) @ inverse, orders)


Choice = tuple[tuple[int, ...], tuple[int, ...]]


def _choices(ranking: Sequence[tuple[int, int]], first_only: bool) -> list[Choice]:
    """The bots chosen at each place, and those chosen from; the last of all is no choice."""
    places = [tuple(bot for _, bot in place) for _, place in groupby(ranking, key=lambda seat: seat[0])]
    found, rest = [], [bot for place in places for bot in place]
    for place in places[:1] if first_only else places:
        if len(rest) > 1:
            found.append((tuple(sorted(place)), tuple(sorted(rest))))
        rest = rest[len(place) :]
    return found


def _features(best: Iterable[int], orders: Sequence[int], bots: int) -> Floats:
    """What theta is multiplied with to give the log weight of a set of seats."""
    best = tuple(best)
    found = np.bincount(best, minlength=bots) / len(best)
    return np.concatenate([found, [float(len(best) == order) for order in orders]])


def _alternatives(rest: Sequence[int], orders: Sequence[int], bots: int) -> Floats:
    """The features of every set of seats that could have been chosen from the rest, shape (sets, features)."""
    sizes = (1, *(order for order in orders if order <= len(rest)))
    return np.array([_features(best, orders, bots) for size in sizes for best in combinations(rest, size)])


def _slopes(theta: Floats, taken: Floats, sets: Sequence[Floats], often: Floats) -> tuple[Floats, Floats]:
    """The gradient of the log likelihood of each choice, and the curvature of that of all."""
    gradients, curvature = np.empty_like(taken), np.zeros((theta.size, theta.size))
    for place, (best, features) in enumerate(zip(taken, sets, strict=True)):
        weight = features @ theta
        chance = np.exp(weight - weight.max())
        chance /= chance.sum()
        mean = chance @ features
        gradients[place] = best - mean
        spread = features - mean
        curvature += often[place] * (chance[:, None] * spread).T @ spread
    return gradients, curvature


def _connected(kinds: Iterable[Choice], bots: int) -> bool:
    """Whether every bot beats or ties every other, directly or through others: else no maximum is finite."""
    beats = np.zeros((bots, bots))
    for best, rest in kinds:
        for winner in best:
            for loser in rest:
                beats[winner, loser] = 1
    return int(connected_components(beats, directed=True, connection="strong")[0]) == 1


def _worths(bots: Sequence[str], n: Sequence[int], found: Fit | None, setups: int) -> pl.DataFrame:
    names = ("worth", "worth_low", "worth_high", "elo", "elo_low", "elo_high")
    if found is None:
        columns: dict[str, Any] = dict.fromkeys(names, pl.Series([None] * len(bots), dtype=pl.Float64))
    else:
        theta, variance = found.theta[: len(bots)], found.variance[: len(bots), : len(bots)]
        worth = np.exp(theta - theta.max())
        worth /= worth.sum()
        # The odds of a worth against all others, as theirs is a mean weighted by their worths.
        others = np.tile(worth, (len(bots), 1))
        np.fill_diagonal(others, 0.0)
        slope = np.eye(len(bots)) - others / others.sum(axis=1, keepdims=True)
        half = _half(np.einsum("bi,ij,bj->b", slope, variance, slope), setups)
        away = _half(np.diag(variance), setups)
        values = (
            worth,
            expit(logit(worth) - half),
            expit(logit(worth) + half),
            ELO * theta,
            ELO * (theta - away),
            ELO * (theta + away),
        )
        columns = {name: pl.Series(each, nan_to_null=True) for name, each in zip(names, values, strict=True)}
    table = pl.DataFrame({"bot": bots, **columns, "worth_n": n, "elo_n": n})
    return table.sort("worth", "bot", descending=[True, False], nulls_last=True)


def _ties(found: Fit | None, setups: int) -> pl.DataFrame:
    rows = []
    orders = () if found is None else found.orders
    for place, order in enumerate(orders):
        assert found is not None
        at = found.theta.size - len(orders) + place
        value, half = found.theta[at], _half(found.variance[at, at], setups)
        ends = {"": value, "_low": value - half, "_high": value + half}
        row: dict[str, Any] = {"seats": order} | {f"delta{end}": float(np.exp(x)) for end, x in ends.items()}
        # delta / (2 + delta)
        row |= {f"tied{end}": float(expit(x - np.log(2))) if order == 2 else None for end, x in ends.items()}
        rows.append(row)
    return pl.DataFrame(rows).with_columns(selectors.float().fill_nan(None))


def _half(variance: Floats, setups: int) -> Floats:
    """How far 95 % bounds lie off, NaN where there is no variance."""
    return np.where(variance > VANISHES, float(student(setups)) * np.sqrt(np.maximum(variance, 0.0)), np.nan)
