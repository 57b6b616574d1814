"""Bounds that hold at all times at once: against integrals, a plain loop and by simulation."""

import numpy as np
import polars as pl
import pytest
from scipy.integrate import quad
from scipy.stats import beta, binom, norm

from analysis.intervals import Measure, array_moments, estimates
from analysis.sequential import mean_sequence, peeking, rate_sequence


@pytest.mark.parametrize(("k", "n"), [(0, 20), (3, 20), (10, 20), (20, 20), (40, 1000)])
def test_at_the_bounds_of_a_rate_the_mixture_is_twenty_times_as_likely(k: int, n: int) -> None:
    """The mixture by numerical integration, with scipy's densities."""
    mixture = quad(
        lambda angle: binom.pmf(k, n, np.sin(angle) ** 2) * 2 / np.pi, 0, np.pi / 2, epsabs=0, limit=200
    )[0]
    assert beta(0.5, 0.5).cdf(np.sin(0.3) ** 2) == pytest.approx(
        0.3 * 2 / np.pi
    )  # the prior is even in the angle
    for bound in (float(each) for each in rate_sequence(k, n)):
        if 0 < bound < 1:
            assert mixture / binom.pmf(k, n, bound) == pytest.approx(20, rel=1e-6)
        else:
            assert bound == k / n


def test_nothing_seen_bounds_nothing() -> None:
    assert [float(each) for each in rate_sequence(0, 0)] == [0.0, 1.0]


def test_the_reach_of_peeking_is_where_the_normal_mixture_is_twenty_times_as_likely() -> None:
    """At any number of setups, by numerical integration over the mixture's effects (Robbins 1970)."""
    alpha = 0.05
    spread = np.sqrt((-2 * np.log(alpha) + np.log(-2 * np.log(alpha) + 1)) / 500)
    for seen in (50.0, 500.0, 5000.0):
        total = float(peeking(500)(np.array(seen))) * np.sqrt(seen)
        likely = quad(
            lambda effect, s=seen, t=total: (
                np.exp(effect * t - effect**2 * s / 2) * norm.pdf(effect, 0, spread)
            ),
            -10 * spread,
            10 * spread,
            points=[total / seen],
        )[0]
        assert likely == pytest.approx(20, rel=1e-6)


def test_the_reach_is_least_about_the_number_that_was_aimed_at() -> None:
    for aim in (300, 3000):
        around = [float(peeking(aim)(np.array(float(aim * each)))) / np.sqrt(each) for each in (0.2, 1, 5)]
        width = [float(peeking(other)(np.array(float(aim)))) for other in (aim // 5, aim, aim * 5)]
        assert width[1] == min(width)
        assert around == sorted(around, reverse=True)


def test_the_bounds_of_a_mean_are_those_of_the_theorem_step_by_step() -> None:
    """Waudby-Smith and Ramdas 2024, theorem 2, equations (13) to (15), with bets of at most 1/2, in a plain loop."""
    x = np.random.default_rng(1).beta(2, 5, 600)
    bets = weighted = cost = total = 0.0
    squares, mean, spread = 0.25, 0.5, 0.25
    lows, highs = [0.0], [1.0]
    for t, value in enumerate(x, start=1):
        bet = min(np.sqrt(2 * np.log(2 / 0.05) / (spread * t * np.log(1 + t))), 0.5)
        cost += 4 * (value - mean) ** 2 * (-np.log(1 - bet) - bet) / 4
        bets, weighted, total = bets + bet, weighted + bet * value, total + value
        half = (np.log(2 / 0.05) + cost) / bets
        lows.append(max(lows[-1], weighted / bets - half))
        highs.append(min(highs[-1], weighted / bets + half))
        mean = (0.5 + total) / (t + 1)
        squares += (value - mean) ** 2
        spread = squares / (t + 1)
    low, high = mean_sequence(x)
    assert low == pytest.approx(lows[1:])
    assert high == pytest.approx(highs[1:])


TRIALS = 1000


@pytest.mark.parametrize("share", [0.02, 0.25, 0.5])
def test_a_rate_looked_at_after_every_trial_is_covered_at_all_times(share: float) -> None:
    yes = np.random.default_rng(2).random((1000, TRIALS)) < share
    k, n = yes.cumsum(axis=1), np.arange(1, TRIALS + 1)
    low, high = rate_sequence(k[:, ::5], n[::5])
    covered = ((low <= share) & (share <= high)).all(axis=1).mean()
    assert 0.95 <= covered < 1


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (2, 6), (20, 60)])
def test_a_mean_looked_at_after_every_value_is_covered_at_all_times(a: float, b: float) -> None:
    """Shares of the win that scatter much, some and little; those that scatter little soon have narrow bounds."""
    values = np.random.default_rng(3).beta(a, b, (1000, TRIALS))
    low, high = mean_sequence(values)
    true = a / (a + b)
    assert ((low <= true) & (true <= high)).all(axis=1).mean() >= 0.95
    plain_low, plain_high = rate_sequence(values.sum(axis=1), TRIALS)
    narrower = (high - low)[:, -1].mean() / (plain_high - plain_low).mean()
    assert (narrower < 0.6) == (a > 1)


@pytest.mark.parametrize("share", [0.1, 0.25])
def test_rates_and_means_of_setups_are_covered_at_all_looks(share: float) -> None:
    """Looks at every tenth setup from the 100th to the 1000th, setups of four games that are alike (0.3)."""
    rng, runs, setups = np.random.default_rng(4), 1000, 1000
    spread = 1 / 0.3 - 1
    chance = rng.beta(share * spread, (1 - share) * spread, (runs, setups, 1))
    won = (rng.random((runs, setups, 4)) < chance).sum(axis=2)
    measures = (Measure("won", pl.lit(0), pl.lit(0)), Measure("mean", pl.lit(0), pl.lit(0), rate=False))
    once, always = np.zeros((2, runs)), np.ones((2, runs), dtype=bool)
    for seen in range(100, setups + 1, 10):
        sums = array_moments(won[:, :seen].T, np.full((seen, runs), 4))
        frame = pl.DataFrame(
            {f"{each.name}|{key}": values for each in measures for key, values in sums.items()}
        )
        for reach in ({"reach": peeking(500)}, {}):
            found = estimates(frame, (), measures, **reach)
            for row, measure in enumerate(measures):
                inside = found[f"{measure.name}_low"] <= share, found[f"{measure.name}_high"] >= share
                there = (inside[0] & inside[1]).to_numpy()
                if reach:
                    always[row] &= there
                else:
                    once[row] += ~there
    assert (always.mean(axis=1) >= 0.95).all()
    # Plain intervals, each of which covers 95 %, do not at all looks together: the simulation has teeth.
    assert ((once == 0).mean(axis=1) < 0.85).all()
