"""Chances, equivalence and many at once, against outside implementations and by simulation."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest, ttest_1samp, ttest_ind
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW

from analysis.decisions import chance_of_mean, chance_outside, chances_of_band, false_discoveries, holm
from analysis.intervals import Measure, differences, moments, ratio_variance, setup_totals

MEAN = (Measure("mean", pl.col("points"), pl.lit(1), rate=False),)


def test_the_chance_of_a_mean_is_that_of_a_t_test() -> None:
    points = np.random.default_rng(4).normal(0.3, 1, 30)
    sums = moments(pl.LazyFrame({"setup": range(30), "points": points}), (), MEAN).collect()
    value, variance, _, setups = ratio_variance(sums, "mean")
    assert chance_of_mean(value, variance, setups - 1)[0] == pytest.approx(ttest_1samp(points, 0).pvalue)


def test_what_does_not_vary_has_no_chance() -> None:
    assert np.isnan(chance_of_mean([1.0, 1.0, np.nan], [0.0, np.nan, 1.0], [5, 0, 5])).all()
    assert np.isnan(chance_outside(1.0, 0.0, 5, -2, 2))


@pytest.mark.parametrize("paired", [True, False])
def test_the_chance_of_a_difference_is_that_of_a_t_test(paired: bool) -> None:
    rng = np.random.default_rng(1)
    one = rng.normal(5, 1, 40)
    other = one + rng.normal(0.2, 0.5, 40) if paired else rng.normal(5.4, 3, 25)
    totals = [
        setup_totals(pl.LazyFrame({"setup": range(each.size), "points": each}), (), MEAN).collect()
        for each in (one, other)
    ]
    row = differences(totals[0], totals[1], (), MEAN, paired).row(0, named=True)
    outside = ttest_1samp(other - one, 0) if paired else ttest_ind(other, one, equal_var=False)
    found = chance_of_mean(row["mean"], row["mean_variance"], row["mean_freedom"])
    assert found == pytest.approx(outside.pvalue)


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 0.5), (0.3, 4), (2, 3)])
def test_equivalence_is_that_of_statsmodels(low: float, high: float) -> None:
    points = np.random.default_rng(2).normal(0.3, 1, 50)
    outside = DescrStatsW(points).ttost_mean(low, high)[0]
    found = chance_outside(points.mean(), points.var(ddof=1) / 50, 49, low, high)
    assert found == pytest.approx(outside)


def test_what_lies_at_the_edge_is_called_equivalent_one_time_in_twenty_and_the_middle_nearly_always() -> None:
    """40 setups, deviation 1, band 0.6: the standard error is 0.16."""
    rng, runs = np.random.default_rng(3), 20_000
    for true, least, most in ((0.6, 0.045, 0.055), (-0.6, 0.045, 0.055), (0.0, 0.9, 1.0), (0.8, 0.0, 0.01)):
        points = rng.normal(true, 1, (runs, 40))
        found = chance_outside(points.mean(axis=1), points.var(axis=1, ddof=1) / 40, 39, -0.6, 0.6)
        assert least <= (found <= 0.05).mean() <= most


@pytest.mark.parametrize(("adjusted", "method"), [(holm, "holm"), (false_discoveries, "fdr_bh")])
def test_many_chances_are_adjusted_as_by_statsmodels(adjusted, method: str) -> None:  # type: ignore[no-untyped-def]
    p = np.random.default_rng(5).random(30) ** 4
    outside = multipletests(p, method=method)[1]
    assert adjusted(p) == pytest.approx(outside)
    with_gaps = np.insert(p, [3, 7], np.nan)
    found = adjusted(with_gaps)
    assert found[~np.isnan(with_gaps)] == pytest.approx(outside)
    assert np.isnan(found[np.isnan(with_gaps)]).all()
    assert np.isnan(adjusted(np.array([np.nan, np.nan]))).all()


def test_of_many_that_are_nothing_holm_takes_any_in_one_family_of_twenty() -> None:
    p = np.random.default_rng(6).random((4000, 20))
    taken = np.mean([(holm(each) <= 0.05).any() for each in p])
    assert 0.04 <= taken <= 0.06


def test_of_what_screening_takes_one_in_twenty_is_wrong_at_most() -> None:
    """30 chances of which 10 have an effect of 3 standard errors; expected 5 % times the 20 of 30 without."""
    rng = np.random.default_rng(7)
    effect = np.repeat([3.0, 0.0], [10, 20])
    wrong = []
    for each in rng.normal(effect, 1, (2000, 30)):
        taken = false_discoveries(chance_of_mean(each, np.ones(30), np.full(30, 1e9))) <= 0.05
        wrong.append(taken[10:].sum() / max(taken.sum(), 1))
    assert 0.028 <= np.mean(wrong) <= 0.039


@pytest.mark.parametrize(
    ("k", "n", "least", "most"),
    [
        (25, 100, 0.2, 0.3),
        (250, 1000, 0.2, 0.3),
        (5, 400, 0.02, 0.1),
        (90, 200, 0.2, 0.3),
        (0, 60, 0.05, 0.3),
    ],
)
def test_the_chances_of_a_band_are_those_of_exact_binomial_tests(
    k: int, n: int, least: float, most: float
) -> None:
    within, outside = chances_of_band(k / n, n, least, most)
    tails = [
        binomtest(k, n, bound, way).pvalue
        for bound, way in ((least, "greater"), (most, "less"), (least, "less"), (most, "greater"))
    ]
    assert within == pytest.approx(max(tails[:2]))
    assert outside == pytest.approx(min(1.0, 2 * min(tails[2:])))


def test_a_band_from_0_has_no_lower_side() -> None:
    within, outside = chances_of_band([0.0, 0.5], [400, 400], 0.0, 0.01)
    assert within == pytest.approx([0.99**400, 1.0])
    assert outside[0] == 1.0
    assert outside[1] < 1e-100


def test_without_trials_no_band_can_be_judged() -> None:
    assert np.isnan(chances_of_band(0.5, [np.nan, 0.0], 0.1, 0.2)).all()


@pytest.mark.parametrize("true", [0.24, 0.26])
def test_a_rate_at_the_edge_of_its_band_is_seldom_called_within_or_outside(true: float) -> None:
    n, draws = 4000, 4000
    k = np.random.default_rng(11).binomial(n, true, draws)
    within, outside = chances_of_band(k / n, n, 0.24, 0.26)
    assert (within <= 0.05).mean() <= 0.05
    assert (outside <= 0.05).mean() <= 0.03


def test_a_rate_in_the_middle_of_its_band_is_called_within_once_there_are_enough_trials() -> None:
    rng = np.random.default_rng(12)
    found = {
        n: (chances_of_band(rng.binomial(n, 0.25, 500) / n, n, 0.24, 0.26)[0] <= 0.05).mean()
        for n in (1000, 40_000)
    }
    assert found[1000] < 0.01
    assert found[40_000] > 0.99
