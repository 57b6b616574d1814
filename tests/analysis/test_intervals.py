"""Intervals against outside implementations, and by simulation."""

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from polars.testing import assert_frame_equal
from scipy.stats import binomtest, norm, ttest_1samp, ttest_ind
from scipy.stats import t as student_t
from statsmodels.stats.proportion import proportion_confint

from analysis.intervals import (
    Measure,
    Tally,
    added,
    array_moments,
    coded,
    differences,
    estimates,
    in_batches,
    moments,
    never_seen,
    ratios,
    rule_of_three,
    setup_totals,
    trials_worth,
    whole_setups,
    wilson,
)

RATE = (Measure("rate", pl.col("yes"), pl.lit(1)),)
MEAN = (Measure("mean", pl.col("points"), pl.lit(1), rate=False),)


def clustered(
    rng: np.random.Generator, runs: int, setups: int, size: int, share: float, likeness: float
) -> pl.LazyFrame:
    """`runs` runs of setups whose games share a beta-distributed chance with that intraclass correlation."""
    if likeness:
        spread = 1 / likeness - 1
        chance = rng.beta(share * spread, (1 - share) * spread, (runs, setups))
    else:
        chance = np.full((runs, setups), share)
    yes = rng.random((runs, setups, size)) < chance[:, :, None]
    run, setup, _ = np.indices(yes.shape)
    return pl.LazyFrame({"run": run.ravel(), "setup": setup.ravel(), "yes": yes.ravel()})


@pytest.mark.parametrize(("k", "n"), [(0, 10), (1, 10), (7, 10), (10, 10), (3, 1000), (499, 1000)])
def test_wilson_agrees_with_scipy(k: int, n: int) -> None:
    outside = binomtest(k, n).proportion_ci(method="wilson")
    low, high = wilson(k, n)
    assert float(low) == pytest.approx(outside.low, abs=1e-12)
    assert float(high) == pytest.approx(outside.high, abs=1e-12)


def test_wilson_knows_nothing_without_trials() -> None:
    low, high = wilson(np.array([0, 0]), np.array([0, 5]))
    assert np.isnan(low[0])
    assert np.isnan(high[0])
    assert low[1] == 0.0


@pytest.mark.parametrize("n", [1, 3, 10, 100, 10_000])
def test_rule_of_three_is_at_least_the_exact_bound(n: int) -> None:
    exact = 1 - 0.05 ** (1 / n)
    assert exact <= rule_of_three(n) <= min(1, exact * (1 + 2 / n) + 1e-6)


def test_a_rate_of_setups_with_one_game_is_the_plain_wilson_interval() -> None:
    frame = pl.LazyFrame({"setup": range(40), "yes": [place % 5 == 0 for place in range(40)]})
    found = ratios(frame, (), RATE).row(0, named=True)
    outside = binomtest(8, 40).proportion_ci(method="wilson")
    assert (found["rate"], found["rate_n"]) == (0.2, 40)
    assert (found["rate_low"], found["rate_high"]) == pytest.approx((outside.low, outside.high))


def test_a_mean_has_the_cluster_robust_variance_of_statsmodels() -> None:
    rng = np.random.default_rng(3)
    setup = np.repeat(np.arange(30), rng.integers(1, 7, 30))
    points = rng.normal(0, 3, 30)[setup] + rng.normal(20, 2, setup.size)
    outside = sm.OLS(points, np.ones_like(points)).fit(
        cov_type="cluster", cov_kwds={"groups": setup, "df_correction": True}, use_t=True
    )
    low, high = outside.conf_int()[0]
    found = ratios(pl.LazyFrame({"setup": setup, "points": points}), (), MEAN).row(0, named=True)
    assert found["mean"] == pytest.approx(points.mean())
    assert (found["mean_low"], found["mean_high"]) == pytest.approx((low, high))


def test_one_setup_gives_no_interval_of_a_mean() -> None:
    found = ratios(pl.LazyFrame({"setup": [1, 1], "points": [3, 4]}), (), MEAN).row(0, named=True)
    assert (found["mean"], found["mean_low"], found["mean_high"]) == (3.5, None, None)


def test_a_rate_never_seen_counts_setups_not_their_copies() -> None:
    frame = pl.LazyFrame({"setup": [number // 4 for number in range(400)], "yes": [False] * 400})
    found = ratios(frame, (), RATE).row(0, named=True)
    assert found["rate_high"] == pytest.approx(float(wilson(0, 100)[1]))


@pytest.mark.parametrize(
    ("share", "setups", "size", "likeness"),
    [(0.3, 400, 1, 0.0), (0.05, 500, 1, 0.0), (0.3, 100, 4, 0.3), (0.1, 200, 4, 0.5), (0.5, 30, 3, 0.2)],
)
def test_the_interval_of_a_rate_covers_as_promised(
    share: float, setups: int, size: int, likeness: float
) -> None:
    runs = 3000
    frame = clustered(np.random.default_rng(11), runs, setups, size, share, likeness)
    found = ratios(frame, ("run",), RATE)
    covered = found.select(((pl.col("rate_low") <= share) & (share <= pl.col("rate_high"))).mean()).item()
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize(("setups", "size"), [(12, 4), (200, 2)])
def test_the_interval_of_a_mean_covers_as_promised(setups: int, size: int) -> None:
    rng, runs = np.random.default_rng(5), 3000
    points = rng.normal(0, 1, (runs, setups, 1)) + rng.normal(0, 1, (runs, setups, size))
    run, setup, _ = np.indices(points.shape)
    found = ratios(
        pl.LazyFrame({"run": run.ravel(), "setup": setup.ravel(), "points": points.ravel()}), ("run",), MEAN
    )
    covered = found.select(((pl.col("mean_low") <= 0) & (pl.col("mean_high") >= 0)).mean()).item()
    assert 0.93 <= covered <= 0.97


def tied_wins(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """A seat's shares of the win: it wins 1 game in 6 alone, shares 1 in 4 by halves and 1 in 12 by thirds."""
    return rng.choice([1.0, 0.5, 1 / 3, 0.0], shape, p=[1 / 6, 1 / 4, 1 / 12, 1 / 2])


WON = 1 / 6 + 1 / 8 + 1 / 36
SHARE = (Measure("share", pl.col("won"), pl.lit(1)),)


def test_a_shared_win_counts_with_the_variance_of_its_shares() -> None:
    """Wilson's interval, of statsmodels, at the size that the variance of the mean is worth."""
    won = tied_wins(np.random.default_rng(6), (300,))
    row = ratios(pl.LazyFrame({"setup": range(300), "won": won}), (), SHARE).row(0, named=True)
    mean, variance = won.mean(), won.var(ddof=1) / 300
    size = mean * (1 - mean) / variance * (norm.ppf(0.975) / student_t(299).ppf(0.975)) ** 2
    assert size > 1.5 * 300
    outside = proportion_confint(mean * size, size, method="wilson")
    assert (row["share_low"], row["share_high"]) == pytest.approx(outside)


@pytest.mark.parametrize(("setups", "size"), [(40, 1), (400, 1), (100, 4)])
def test_the_interval_of_shared_wins_covers_as_promised(setups: int, size: int) -> None:
    won = tied_wins(np.random.default_rng(7), (3000, setups, size))
    run, setup, _ = np.indices(won.shape)
    frame = pl.LazyFrame({"run": run.ravel(), "setup": setup.ravel(), "won": won.ravel()})
    found = ratios(frame, ("run",), SHARE)
    assert 0.93 <= found.select(pl.lit(WON).is_between("share_low", "share_high").mean()).item() <= 0.97


def test_a_win_that_is_always_shared_alike_stands_on_its_setups() -> None:
    row = ratios(pl.LazyFrame({"setup": range(50), "won": [0.5] * 50}), (), SHARE).row(0, named=True)
    outside = binomtest(25, 50).proportion_ci(method="wilson")
    assert (row["share_low"], row["share_high"]) == pytest.approx((outside.low, outside.high))


def test_sums_of_whole_setups_add_up_to_those_of_the_run() -> None:
    frame = clustered(np.random.default_rng(1), 3, 20, 4, 0.4, 0.2).collect()
    whole = ratios(frame.lazy(), ("run",), RATE)
    halves = [
        moments(frame.filter((pl.col("setup") < 7) == first).lazy(), ("run",), RATE).collect()
        for first in (True, False)
    ]
    assert estimates(added(halves, ("run",)), ("run",), RATE).equals(whole)


def test_sums_of_arrays_are_those_of_frames() -> None:
    frame = clustered(np.random.default_rng(2), 5, 20, 4, 0.4, 0.2)
    wide = frame.collect().pivot("run", index="setup", values="yes", aggregate_function="sum").sort("setup")
    total = wide.drop("setup").to_numpy()
    sums = array_moments(total, np.full_like(total, 4))
    expected = moments(frame, ("run",), RATE).collect().sort("run")
    for name, values in sums.items():
        assert values.tolist() == expected[f"rate|{name}"].to_list()


def test_words_as_categories_have_the_moments_of_the_words() -> None:
    frame = clustered(np.random.default_rng(2), 3, 20, 4, 0.4, 0.2).with_columns(
        run=pl.format("run {}", "run")
    )
    found = moments(coded(frame), ("run",), RATE).collect()
    assert coded(frame).collect_schema()["run"] == pl.Categorical
    assert_frame_equal(found, moments(frame, ("run",), RATE).collect(), check_row_order=False)


def test_a_tally_of_batches_is_the_whole() -> None:
    frame = clustered(np.random.default_rng(1), 3, 20, 4, 0.4, 0.2).sort("setup").with_row_index("game")
    tally = Tally(("run",), RATE)
    for games, same in in_batches(50, frame, frame):
        assert games.collect().equals(same.collect())
        tally.add(games)
    assert len(tally.sums) > 2
    assert tally.estimates().equals(ratios(frame, ("run",), RATE))


# Differences


def totals(setup: np.ndarray, points: np.ndarray) -> pl.DataFrame:
    return setup_totals(pl.LazyFrame({"setup": setup, "points": points}), (), MEAN).collect()


def test_the_difference_of_independent_runs_is_welchs() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(5, 1, 40), rng.normal(6, 3, 25)
    found = differences(totals(np.arange(40), one), totals(np.arange(25), other), (), MEAN, paired=False)
    outside = ttest_ind(other, one, equal_var=False).confidence_interval()
    row = found.row(0, named=True)
    assert row["mean"] == pytest.approx(other.mean() - one.mean())
    assert (row["mean_low"], row["mean_high"]) == pytest.approx((outside.low, outside.high))


def test_the_difference_of_paired_runs_is_that_of_the_pairs() -> None:
    rng = np.random.default_rng(2)
    one = rng.normal(5, 3, 40)
    other = one + rng.normal(0.2, 0.5, 40)
    found = differences(totals(np.arange(40), one), totals(np.arange(40), other), (), MEAN, paired=True)
    outside = ttest_1samp(other - one, 0).confidence_interval()
    row = found.row(0, named=True)
    assert (row["mean_low"], row["mean_high"]) == pytest.approx((outside.low, outside.high))


@pytest.mark.parametrize("paired", [True, False])
def test_the_interval_of_a_difference_covers_as_promised(paired: bool) -> None:
    """40 setups of 1 to 4 games; two sides that share the luck of their setups or do not."""
    rng, runs, setups = np.random.default_rng(3), 1500, 40
    shared = rng.normal(0, 2, (runs, setups))
    sides = []
    for shift in (0.0, 1.0):
        luck = shared if paired else rng.normal(0, 2, (runs, setups))
        points = shift + luck[:, :, None] + rng.normal(0, 1, (runs, setups, 4))
        run, setup, game = np.indices(points.shape)
        played = game < rng.integers(1, 5, (runs, setups, 1))
        columns = {"run": run[played], "setup": setup[played], "points": points[played]}
        sides.append(setup_totals(pl.LazyFrame(columns), ("run",), MEAN).collect())
    found = differences(sides[0], sides[1], ("run",), MEAN, paired)
    covered = found.select(pl.lit(1.0).is_between("mean_low", "mean_high").mean()).item()
    assert 0.93 <= covered <= 0.97


def test_differences_are_told_by_cell_and_only_of_cells_that_both_have() -> None:
    frame = pl.LazyFrame({"setup": [0, 1, 0, 1], "seat": [0, 0, 1, 1], "points": [1, 2, 5, 7]})
    one = setup_totals(frame, ("seat",), MEAN).collect()
    other = setup_totals(frame.filter(pl.col("seat") == 1).with_columns(points=9), ("seat",), MEAN).collect()
    found = differences(one, other, ("seat",), MEAN, paired=True)
    assert found.select("seat", "mean").rows() == [(1, 3.0)]


def test_what_never_happens_has_no_bounds_and_the_same_run_twice_no_difference() -> None:
    never = totals(np.arange(9), np.zeros(9))
    row = differences(never, never, (), MEAN, paired=True).row(0, named=True)
    assert (row["mean"], row["mean_low"], row["mean_high"]) == (0.0, None, None)
    same = totals(np.arange(9), np.arange(9.0))
    row = differences(same, same, (), MEAN, paired=True).row(0, named=True)
    assert (row["mean"], row["mean_low"], row["mean_high"]) == (0.0, 0.0, 0.0)


def test_one_setup_gives_no_interval_of_a_difference() -> None:
    one, other = totals(np.zeros(3), np.arange(3.0)), totals(np.zeros(3), np.arange(3.0) + 1)
    for paired in (True, False):
        row = differences(one, other, (), MEAN, paired).row(0, named=True)
        assert (row["mean"], row["mean_low"]) == (1.0, None)


def test_what_was_never_seen_is_bounded_by_setups() -> None:
    rows = pl.DataFrame({"share": [0.0, 0.5], "share_high": [0.9, 0.6]})
    games = pl.LazyFrame({"setup": [number // 4 for number in range(400)]})
    assert never_seen(rows, "share", games)["share_high"].to_list() == [0.03, 0.6]


def test_ranges_of_games_split_no_setup() -> None:
    games = pl.LazyFrame({"game": range(12), "setup": [number // 3 for number in range(12)]})
    assert whole_setups(games, 6) == [(0, 5), (6, 11)]
    assert whole_setups(games, 4) == [(0, 2), (3, 5), (6, 11)]


def test_games_of_a_setup_that_lie_apart_make_one_range() -> None:
    games = pl.LazyFrame({"game": range(6), "setup": [0, 1, 2, 0, 1, 2]})
    assert whole_setups(games, 2) == [(0, 5)]


@pytest.mark.parametrize("n", [1.0, 7.5, 400.0, 1e6])
def test_an_interval_tells_the_trials_that_it_is_worth(n: float) -> None:
    shares = np.array([0.001, 0.2, 0.5, 0.97])
    assert trials_worth(shares, *wilson(shares * n, n)) == pytest.approx(np.full(4, n))


def test_of_what_never_or_always_happened_the_rule_of_three_tells_the_trials() -> None:
    found = trials_worth([0.0, 1.0, 0.0], [0.0, 0.99, np.nan], [float(rule_of_three(500)), 1.0, np.nan])
    assert found[:2] == pytest.approx([500, 300])
    assert np.isnan(found[2])
    never = wilson(0, 500)
    assert trials_worth(0.0, *never) < 500
