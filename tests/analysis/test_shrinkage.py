"""Empirical Bayes against a published table and outside implementations, and by simulation."""

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize
from scipy.stats import beta, betabinom, norm
from statsmodels.stats.meta_analysis import combine_effects

from analysis.intervals import Measure, moments, wilson
from analysis.shrinkage import beta_nodes, shrunk, shrunk_effects, shrunk_rates, with_shrunk

BATTING = (0.400, 0.378, 0.356, 0.333, 0.311, 0.311, 0.289, 0.267, 0.244, 0.244, 0.222, 0.222,
           0.222, 0.222, 0.222, 0.200, 0.178, 0.156)  # fmt: skip
JAMES_STEIN = (0.294, 0.289, 0.284, 0.280, 0.275, 0.275, 0.270, 0.266, 0.261, 0.261, 0.256, 0.256,
               0.256, 0.256, 0.256, 0.252, 0.247, 0.242)  # fmt: skip
"""18 players after 45 times at bat in 1970, and their estimates: Efron and Morris 1977, Sci. Am. 236, 119-127."""


def test_equal_variances_give_the_published_batting_averages() -> None:
    found = shrunk_effects(BATTING, np.full(18, 0.265 * 0.735 / 45))
    assert found.centre == pytest.approx(np.mean(BATTING))
    assert found.value == pytest.approx(JAMES_STEIN, abs=0.0011)


def test_equal_variances_give_morriss_intervals() -> None:
    """Morris 1983, section 1: V (1 - (k - 1) / k B) + 2 / (k - 3) (B (y - mean))^2, with B the share drawn."""
    y, variance = np.array(BATTING), 0.265 * 0.735 / 45
    drawn = 15 * variance / ((y - y.mean()) ** 2).sum()
    after = variance * (1 - 17 / 18 * drawn) + 2 / 15 * (drawn * (y - y.mean())) ** 2
    found = shrunk_effects(y, np.full(18, variance))
    assert found.value == pytest.approx(y - drawn * (y - y.mean()))
    assert (found.high - found.low) / 2 == pytest.approx(norm.ppf(0.975) * np.sqrt(after))


def test_the_spread_of_effects_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(1)
    variance = rng.uniform(0.2, 2, 25)
    effects = rng.normal(1, 1, 25) + rng.normal(0, np.sqrt(variance))
    outside = combine_effects(effects, variance, method_re="iterated")
    found = shrunk_effects(effects, variance)
    assert found.spread**2 == pytest.approx(outside.tau2, rel=1e-4)
    assert found.centre == pytest.approx(outside.mean_effect_re, rel=1e-4)


def test_effects_that_chance_explains_are_drawn_nearly_together_and_three_are_left_alone() -> None:
    alike = shrunk_effects([1.0, 1.1, 0.9, 1.05, 0.95], np.ones(5))
    assert alike.spread == 0
    assert np.ptp(alike.value) == pytest.approx(0.2 * (1 - 2 / 4))
    few = shrunk_effects([1.0, 2.0, 9.0, np.nan], np.ones(4))
    assert few.value[:3].tolist() == [1.0, 2.0, 9.0]
    assert np.isnan(few.value[3])


@pytest.mark.parametrize(
    ("number", "spread", "most"), [(10, 0.5, 0.985), (30, 0.3, 0.985), (30, 1.0, 0.97), (100, 2.0, 0.97)]
)
def test_the_intervals_of_drawn_effects_cover_as_promised_and_err_less(
    number: int, spread: float, most: float
) -> None:
    rng, inside, squares = np.random.default_rng(2), [], []
    for _ in range(400):
        true, variance = rng.normal(3, spread, number), rng.uniform(0.3, 1.5, number)
        seen = rng.normal(true, np.sqrt(variance))
        found = shrunk_effects(seen, variance)
        inside.append(((found.low <= true) & (true <= found.high)).mean())
        squares.append([((seen - true) ** 2).mean(), ((found.value - true) ** 2).mean()])
    assert 0.93 <= np.mean(inside) <= most
    plain, drawn = np.mean(squares, axis=0)
    assert drawn < plain


RATS = (
    "0/20 " * 7 + "0/19 " * 4 + "0/18 0/18 0/17 " + "1/20 " * 4 + "1/19 1/19 1/18 1/18 2/25 2/24 2/23 "
    + "2/20 " * 6 + "1/10 5/49 2/19 5/46 3/27 2/17 7/49 7/47 3/20 3/20 2/13 9/48 10/50 " + "4/20 " * 7
    + "10/48 4/19 4/19 4/19 5/22 11/46 12/49 5/20 5/20 6/23 5/19 6/22 6/20 6/20 6/20 16/52 15/47 15/46 9/24 4/14"
)  # fmt: skip
"""Tumours in 71 groups of rats: Tarone 1982, as in Gelman et al., Bayesian Data Analysis, table 5.1."""


def test_the_distribution_of_rates_is_the_published_one_of_the_rat_tumours() -> None:
    """Section 5.3: the posterior means of a and b are 2.4 and 14.3, under a prior of (a + b) ** -0.5."""
    k, n = np.array([each.split("/") for each in RATS.split()], dtype=float).T
    assert k.size == 71
    a, b, weight = beta_nodes(k, n)
    weight = weight * np.sqrt(a + b)
    assert np.average(a, weights=weight) == pytest.approx(2.4, abs=0.05)
    assert np.average(b, weights=weight) == pytest.approx(14.3, abs=0.05)


def test_few_rates_have_the_posterior_of_plain_integration() -> None:
    """Over 200 centres and 400 values of 1 / (a + b), all alike, with scipy's densities."""
    k, n = np.array([2, 5, 9, 4]), np.array([20, 20, 20, 10])
    centre, certainty = np.meshgrid(np.linspace(0.0025, 0.9975, 200), 1 / np.linspace(0.00125, 0.99875, 400))
    a, b = (centre * certainty).ravel(), ((1 - centre) * certainty).ravel()
    weight = np.prod([betabinom.pmf(each, of, a, b) for each, of in zip(k, n, strict=True)], axis=0)
    found = shrunk_rates(k, n)
    for place in range(4):
        after = beta(a + k[place], b + n[place] - k[place])
        assert found.value[place] == pytest.approx(np.average(after.mean(), weights=weight), abs=0.001)
        below = [np.average(after.cdf(end[place]), weights=weight) for end in (found.low, found.high)]
        assert below == pytest.approx([0.025, 0.975], abs=0.01)


def test_many_rates_are_drawn_as_by_the_likeliest_beta_binomial_of_scipy() -> None:
    rng = np.random.default_rng(3)
    n = rng.integers(5, 200, 400)
    k = rng.binomial(n, rng.beta(3, 9, 400))

    def unlikely(logs: np.ndarray) -> float:
        return -float(betabinom.logpmf(k, n, *np.exp(logs)).sum())

    a, b = np.exp(minimize(unlikely, [0.0, 0.0], method="Nelder-Mead").x)
    found = shrunk_rates(k, n)
    outside = beta(a + k, b + n - k)
    assert found.centre == pytest.approx(a / (a + b), abs=0.002)
    assert found.spread == pytest.approx(beta(a, b).std(), rel=0.02)
    assert found.value == pytest.approx(outside.mean(), abs=0.003)
    assert found.low == pytest.approx(outside.ppf(0.025), abs=0.006)
    assert found.high == pytest.approx(outside.ppf(0.975), abs=0.006)


def test_a_rate_that_was_never_tried_has_none_and_equal_rates_are_one() -> None:
    found = shrunk_rates([30, 30, 30, 0], [100, 100, 100, 0])
    assert found.value[:3] == pytest.approx(0.3, abs=0.005)
    assert np.isnan([found.value[3], found.low[3], found.high[3]]).all()


@pytest.mark.parametrize(("number", "a", "b", "most"), [(60, 2, 6, 150), (60, 20, 60, 60), (200, 1, 20, 300)])
def test_the_intervals_of_drawn_rates_cover_as_promised_and_err_less(
    number: int, a: float, b: float, most: int
) -> None:
    rng, inside, squares = np.random.default_rng(4), [], []
    for _ in range(9000 // number):
        true, n = rng.beta(a, b, number), rng.integers(10, most, number)
        k = rng.binomial(n, true)
        found = shrunk_rates(k, n)
        inside.append(((found.low <= true) & (true <= found.high)).mean())
        squares.append([((k / n - true) ** 2).mean(), ((found.value - true) ** 2).mean()])
    assert 0.93 <= np.mean(inside) <= 0.97
    plain, drawn = np.mean(squares, axis=0)
    assert drawn < plain


def test_cells_with_few_setups_are_drawn_further() -> None:
    """Ten cards of 30 % in 400 games, two a setup, and one seen in five games that all paid."""
    rng = np.random.default_rng(5)
    chance = np.repeat(rng.beta(30, 70, 10), 400)
    frame = pl.LazyFrame(
        {
            "card": np.append(np.repeat(np.arange(10), 400), np.full(5, 10)),
            "setup": np.append(np.tile(np.arange(400) // 2, 10), np.arange(5)),
            "paid": np.append(rng.random(4000) < chance, np.ones(5, dtype=bool)),
        }
    )
    measures = (
        Measure("rate", pl.col("paid"), pl.lit(1)),
        Measure("points", pl.col("paid").cast(pl.Float64) * 10, pl.lit(1), rate=False),
    )
    found = shrunk(moments(frame, ("card",), measures).collect(), ("card",), measures)
    plain = frame.group_by("card").agg(pl.col("paid").mean()).sort("card").collect()["paid"]
    assert found["card"].to_list() == list(range(11))
    assert (found["rate"] - plain).abs()[:10].max() < 0.03  # type: ignore[operator]
    assert found["rate"][10] < 0.6
    # Two games a setup that have nothing in common count as two.
    width = ((found["rate_high"] - found["rate_low"])[:10]).mean()
    assert width == pytest.approx(2 * 1.96 * np.sqrt(0.3 * 0.7 / 400), rel=0.12)
    assert found.select((pl.col("rate_low") < pl.col("rate")).all()).item()
    # Five games that all paid the same show no variance: no effect to draw.
    assert found["points"][10] is None
    assert found["points"][:10].is_not_null().all()


def test_rates_are_drawn_to_those_that_are_alike_and_keep_their_places() -> None:
    rng = np.random.default_rng(3)
    k = rng.binomial(50, rng.beta(4, 6, 40))
    low, high = wilson(k, 50)
    table = pl.DataFrame({"family": ["a", "b"] * 20, "x": k / 50, "x_low": low, "x_high": high})
    found = with_shrunk(table, "x", pl.col("family"))
    assert found.drop("x_shrunk", "x_shrunk_low", "x_shrunk_high").equals(table)
    for family in "ab":
        of_one = found.filter(family=family)
        alone = shrunk_rates(of_one["x"].to_numpy() * 50, np.full(20, 50.0))
        assert of_one["x_shrunk"].to_numpy() == pytest.approx(alone.value)
    inward = (found["x_shrunk"] - found["x"]) * (found["x"].mean() - found["x"])  # type: ignore[operator]
    assert (inward > 0).mean() > 0.8  # type: ignore[operator]


def test_a_rate_without_units_is_drawn_nowhere() -> None:
    table = pl.DataFrame({"x": [0.5, None], "x_low": [0.4, None], "x_high": [0.6, None]})
    assert with_shrunk(table, "x", pl.lit("all"))["x_shrunk"].to_list()[1] is None
    assert with_shrunk(table.clear(), "x", pl.lit("all")).columns[-1] == "x_shrunk_high"
