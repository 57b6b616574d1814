"""The bootstrap against scipy's, and by simulation."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from analysis.bootstrap import MOST_UNITS, bootstrap, quantiles


def mean_of(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def test_the_bounds_of_a_mean_are_those_of_scipys_percentile_bootstrap() -> None:
    points = np.random.default_rng(1).exponential(3, 80)
    low, high = bootstrap(np.column_stack([points, np.ones(80)]), mean_of, draws=20_000)
    outside = stats.bootstrap((points,), np.mean, method="percentile", n_resamples=20_000, rng=2)
    interval = outside.confidence_interval
    assert (low, high) == pytest.approx((interval.low, interval.high), abs=0.02)


def test_the_same_seed_draws_the_same() -> None:
    parts = np.random.default_rng(1).random((50, 2))
    assert bootstrap(parts, mean_of) == bootstrap(parts, mean_of)
    assert bootstrap(parts, mean_of) != bootstrap(parts, mean_of, seed=1)


@pytest.mark.parametrize(("setups", "size"), [(100, 1), (100, 4)])
def test_the_bounds_of_a_ratio_cover_as_promised(setups: int, size: int) -> None:
    """Games of one setup are alike; the unit is the setup."""
    rng, covered, runs = np.random.default_rng(2), 0, 600
    for points in rng.normal(5, 1, (runs, setups, 1)) + rng.normal(0, 1, (runs, setups, size)):
        low, high = bootstrap(
            np.column_stack([points.sum(axis=1), np.full(setups, size)]), mean_of, draws=400
        )
        covered += low <= 5 <= high
    assert 0.93 <= covered / runs <= 0.97


AT = (0.05, 0.5, 0.9)


def test_quantiles_are_numpys() -> None:
    points = np.random.default_rng(3).integers(0, 60, 400)
    found = quantiles(pl.LazyFrame({"setup": np.arange(400) // 4, "points": points}), (), "points", AT)
    outside = np.quantile(points, AT, method="inverted_cdf")
    assert found["value"].to_list() == outside.tolist()
    assert found.select(
        (pl.col("low") <= pl.col("value")).all(), (pl.col("value") <= pl.col("high")).all()
    ).row(0) == (True, True)
    assert found["n"].to_list() == [400] * 3


def test_an_exact_share_is_reached() -> None:
    """7 of 100 is 7 %, whatever 0.07 times 100 is in floats."""
    frame = pl.LazyFrame({"setup": range(100), "points": range(100)})
    assert quantiles(frame, (), "points", (0.07, 0.28, 0.5, 1.0))["value"].to_list() == [6, 27, 49, 99]


def test_quantiles_are_told_by_cell_and_those_of_copies_are_wider() -> None:
    """Four games of a setup that are copies tell no more than one."""
    points = np.random.default_rng(4).integers(0, 1000, 200)
    frame = pl.LazyFrame({"setup": np.arange(800) // 4, "game": range(800), "points": np.repeat(points, 4)})
    frame = pl.concat([frame.with_columns(bot=pl.lit(bot)) for bot in ("a", "b")])
    widths = {}
    for unit in ("setup", "game"):
        found = quantiles(frame, ("bot",), "points", (0.5,), unit)
        assert found["bot"].to_list() == ["a", "b"]
        widths[unit] = (found["high"] - found["low"])[0]
    assert widths["setup"] > 1.5 * widths["game"]


def test_the_bounds_of_quantiles_cover_as_promised() -> None:
    """Scores to a hundredth of their deviation, 100 setups of two games that are alike."""
    rng, runs = np.random.default_rng(5), 500
    points = rng.normal(0, 1, (runs, 100, 1)) + rng.normal(0, 1, (runs, 100, 2))
    rounded = (points * 100).round().astype(np.int64)
    run, setup, _ = np.indices(rounded.shape)
    frame = pl.LazyFrame({"run": run.ravel(), "setup": setup.ravel(), "points": rounded.ravel()})
    found = quantiles(frame, ("run",), "points", (0.25, 0.5), draws=400)
    for share, cell in found.group_by("quantile"):
        true = 100 * np.sqrt(2) * stats.norm.ppf(share[0])
        assert 0.93 <= cell.select(pl.lit(true).is_between("low", "high").mean()).item() <= 0.97


def test_many_setups_that_are_drawn_together_give_bounds_as_wide_as_they_should_be() -> None:
    """The standard error of a median is half the inverse root of n over the density there."""
    size, runs = 3 * MOST_UNITS, 12
    points = (np.random.default_rng(6).normal(0, 1, (runs, size)) * 500).round()
    run, setup = np.indices(points.shape)
    frame = pl.LazyFrame({"run": run.ravel(), "setup": setup.ravel(), "points": points.ravel()})
    found = quantiles(frame, ("run",), "points", (0.5,), draws=600)
    error = 500 * 0.5 / np.sqrt(size) / stats.norm.pdf(0)
    widths = (found["high"] - found["low"]).to_numpy() / (2 * 1.96 * error)
    assert widths.mean() == pytest.approx(1, abs=0.12)
    assert widths.std() < 0.15
