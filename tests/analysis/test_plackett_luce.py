"""The strength of bots: against published figures, where the truth is planted, and where there is none."""

from itertools import combinations, product

import numpy as np
import polars as pl
import pytest

from analysis import plackett_luce
from analysis.intervals import student

PUDDINGS = (
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9),
    (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16),
    (1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
)  # fmt: skip
"""Brands of chocolate pudding: the first preferred, the second, neither (Davidson 1970, example 2)."""


def test_davidsons_puddings_get_the_worths_and_errors_that_are_published_of_them() -> None:
    """The estimates of the R package PlackettLuce, which has Davidson's after seven steps, and its errors."""
    rankings, games = [], []
    for i, j, first, second, neither in PUDDINGS:
        i, j = i - 1, j - 1
        rankings += [[(1, i), (2, j)], [(1, j), (2, i)], [(1, i), (1, j)]]
        games += [first, second, neither]
    which = np.repeat(np.arange(len(rankings)), games)
    found = plackett_luce.fit(rankings, which, np.ones(which.size), np.arange(which.size), 6)
    assert found is not None
    worth = np.exp(found.theta[:6])
    published = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
    assert worth / worth.sum() == pytest.approx(published, abs=3e-5)
    assert np.exp(found.theta[6]) == pytest.approx(0.7468147, abs=3e-5)
    errors = [0.121949, 0.121818, 0.126823, 0.122003, 0.127054, 0.126594, 0.082499]
    # The published ones trust the model's own variance, ours do not.
    assert np.sqrt(np.diag(found.variance)) == pytest.approx(errors, rel=0.04)


WORTH = np.array([0.4, 0.3, 0.2, 0.1])
DELTA = {1: 1.0, 2: 0.15, 3: 0.05}


def ranked(
    rng: np.random.Generator, seats: list[int], worth: np.ndarray, delta: dict[int, float]
) -> list[int]:
    """The rank of each seat, drawn from the model as it is written down."""
    rank, rest, place = [0] * len(seats), list(range(len(seats))), 1
    while rest:
        sets = [best for size in delta if size <= len(rest) for best in combinations(rest, size)]
        weights = np.array(
            [delta[len(best)] * worth[[seats[s] for s in best]].prod() ** (1 / len(best)) for best in sets]
        )
        best = sets[rng.choice(len(sets), p=weights / weights.sum())]
        for seat in best:
            rank[seat] = place
        place += len(best)
        rest = [seat for seat in rest if seat not in best]
    return rank


def frames(
    ranks: list[list[int]], bots: list[list[int]], setup: list[int]
) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    games = range(len(ranks))
    rows = [(g, s, "abcd"[bots[g][s]], ranks[g][s]) for g in games for s in range(len(ranks[g]))]
    seats = pl.LazyFrame(rows, schema=["game", "seat", "bot", "rank"], orient="row")
    return seats, pl.LazyFrame({"game": games, "setup": setup})


def test_the_planted_worths_and_ties_are_found_whoever_sits_together() -> None:
    rng = np.random.default_rng(11)
    bots = [[int(bot) for bot in rng.integers(0, 4, int(rng.integers(2, 5)))] for _ in range(1500)]
    ranks = [ranked(rng, seats, WORTH, DELTA) for seats in bots]
    found = plackett_luce.strengths(*frames(ranks, bots, list(range(1500))))
    worth = found["worth"].sort("bot")
    assert worth["worth"].to_list() == pytest.approx(WORTH.tolist(), abs=0.025)
    assert ((worth["worth_low"] < WORTH) & (worth["worth_high"] > WORTH)).all()
    assert worth["elo"].sum() == pytest.approx(0, abs=1e-6)
    assert worth["elo"][0] - worth["elo"][3] == pytest.approx(400 * np.log10(4), abs=60)
    ties = found["tied"]
    assert ties["seats"].to_list() == [2, 3]
    for size, row in zip((2, 3), ties.iter_rows(named=True), strict=True):
        assert row["delta_low"] < DELTA[size] < row["delta_high"]
    assert ties["tied"].to_list() == pytest.approx([0.15 / 2.15, None], abs=0.02)


def rankings_of(seats: list[int], delta: dict[int, float]) -> dict[tuple[int, ...], float]:
    """Every ranking of the seats with its chance, as its ranks."""
    found = {}
    for ranks in product(range(1, len(seats) + 1), repeat=len(seats)):
        chance, taken = 1.0, 0
        while chance and taken < len(seats):
            rest = [seat for seat, rank in zip(seats, ranks, strict=True) if rank > taken]
            best = [seat for seat, rank in zip(seats, ranks, strict=True) if rank == taken + 1]
            sets = [each for size in delta for each in combinations(rest, size)]
            weights = [delta[len(each)] * WORTH[list(each)].prod() ** (1 / len(each)) for each in sets]
            weight = dict(zip(sets, weights, strict=True)).get(tuple(best), 0.0)
            chance = chance * weight / sum(weights) if weight else 0.0
            taken += len(best)
        if chance:
            found[ranks] = chance
    return found


def test_intervals_of_strength_hold_what_they_promise_in_setups_of_two_games() -> None:
    """Two games of a setup come out alike, so that they are worth one."""
    rng = np.random.default_rng(4)
    theta = np.log(WORTH[:3]) - np.log(WORTH[:3]).mean()
    chances = rankings_of([0, 1, 2], {1: 1.0, 2: 0.1})
    assert sum(chances.values()) == pytest.approx(1)
    rankings = [sorted(zip(ranks, (0, 1, 2), strict=True)) for ranks in chances]
    inside = []
    for _ in range(250):
        which = rng.choice(len(rankings), 150, p=list(chances.values()))
        found = plackett_luce.fit(rankings, which, np.full(150, 2), np.arange(150), 3)
        assert found is not None
        half = student(150) * np.sqrt(np.diag(found.variance)[:3])
        inside.append(np.abs(found.theta[:3] - theta) < half)
    assert 0.93 <= np.mean(inside) <= 0.97


def test_of_a_race_the_first_place_alone_counts_and_the_worths_are_the_shares_of_the_wins() -> None:
    ranks = [[1, 2, 2]] * 5 + [[2, 1, 2]] * 3 + [[2, 2, 1]] * 2
    found = plackett_luce.strengths(*frames(ranks, [[0, 1, 2]] * 10, list(range(10))), first_only=True)
    assert found["worth"].select("bot", "worth").rows() == [
        ("a", pytest.approx(0.5)), ("b", pytest.approx(0.3)), ("c", pytest.approx(0.2)),
    ]  # fmt: skip
    assert found["worth"]["worth_n"].to_list() == [10, 10, 10]
    # The odds of a share of n wins have the error 1 / sqrt(n p (1 - p)).
    half = student(10) * np.sqrt(10 / 9 / (10 * 0.3 * 0.7))
    odds = found["worth"]["worth_high"][1] / (1 - found["worth"]["worth_high"][1])
    assert np.log(odds) == pytest.approx(np.log(3 / 7) + half)
    assert found["tied"].is_empty()


def test_a_bot_that_never_loses_has_no_finite_strength() -> None:
    found = plackett_luce.strengths(*frames([[1, 2, 3], [1, 3, 2]], [[0, 1, 2]] * 2, [0, 1]))
    assert found["worth"]["elo"].to_list() == [None] * 3
    assert found["tied"].is_empty()


@pytest.mark.parametrize("ranks", [[1, 1], [1, 1, 1], [1, 1, 3], [1, 3, 1]])
def test_bots_that_tie_whenever_they_can_have_no_finite_strength(ranks: list[int]) -> None:
    turned = [[*ranks[turn:], *ranks[:turn]] for turn in range(len(ranks))] * 4
    found = plackett_luce.strengths(
        *frames(turned, [[0, 1, 2][: len(ranks)]] * len(turned), list(range(len(turned))))
    )
    assert found["worth"]["worth"].null_count() == found["worth"].height
    assert found["tied"].is_empty()


@pytest.mark.parametrize("setup", [[0] * 6, [0, 0, 0, 1, 1, 1]])
def test_setups_that_do_not_differ_show_strengths_and_no_bounds(setup: list[int]) -> None:
    found = plackett_luce.strengths(*frames([[1, 2], [2, 1], [1, 1]] * 2, [[0, 1]] * 6, setup))
    assert found["worth"]["worth"].to_list() == pytest.approx([0.5, 0.5])
    assert found["tied"]["tied"].to_list() == pytest.approx([1 / 3])
    for table in found.values():
        bounds = table.select(pl.col("^.*_(low|high)$"))
        assert bounds.null_count().row(0) == (table.height,) * bounds.width


def test_a_single_bot_has_no_strength_against_itself() -> None:
    assert plackett_luce.strengths(*frames([[1, 2]], [[0, 0]], [0])) == {}
