"""The bootstrap against scipy's, and by simulation."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from analysis.bootstrap import MOST_UNITS, bootstrap, quantiles, spread


def mean_of(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def test_the_bounds_of_a_mean_are_those_of_scipys_percentile_bootstrap() -> None:
    points = np.random.default_rng(1).exponential(3, 80)
    low, high = bootstrap(np.column_stack([points, np.ones(80)]), mean_of, draws=20_000)
    # Hesterberg (2015): the normal level that lies as far out as Student's t of the standard error with n - 1.
    level = 2 * stats.norm.cdf(stats.t.ppf(0.975, 79) * np.sqrt(80 / 79)) - 1
    outside = stats.bootstrap(
        (points,), np.mean, method="percentile", n_resamples=20_000, confidence_level=level, rng=2
    )
    interval = outside.confidence_interval
    assert (low, high) == pytest.approx((interval.low, interval.high), abs=0.02)


def test_the_same_seed_draws_the_same() -> None:
    parts = np.random.default_rng(1).random((50, 2))
    assert bootstrap(parts, mean_of) == bootstrap(parts, mean_of)
    assert bootstrap(parts, mean_of) != bootstrap(parts, mean_of, seed=1)


@pytest.mark.parametrize(("setups", "size"), [(10, 4), (30, 1), (100, 4)])
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
LOWER = (0.05, 0.25, 0.5)


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


@pytest.mark.parametrize(
    ("setups", "at"), [(10, (0.5,)), (30, (0.25, 0.5, 0.75)), (200, (0.05, 0.25, 0.5, 0.75, 0.95))]
)
def test_the_bounds_of_quantiles_cover_as_promised(setups: int, at: tuple[float, ...]) -> None:
    """Scores to a hundredth of their deviation, setups of two games that are alike."""
    rng, runs = np.random.default_rng(5), 400
    points = rng.normal(0, 1, (runs, setups, 1)) + rng.normal(0, 1, (runs, setups, 2))
    rounded = (points * 100).round().astype(np.int64)
    run, setup, _ = np.indices(rounded.shape)
    frame = pl.LazyFrame({"run": run.ravel(), "setup": setup.ravel(), "points": rounded.ravel()})
    found = quantiles(frame, ("run",), "points", at, draws=400)
    for share, cell in found.group_by("quantile"):
        true = 100 * np.sqrt(2) * stats.norm.ppf(share[0])
        assert cell["low"].null_count() == 0
        assert 0.93 <= cell.select(pl.lit(true).is_between("low", "high").mean()).item() <= 0.985


@pytest.mark.parametrize(
    ("setups", "bounded"), [(1, []), (6, []), (7, [0.5]), (17, [0.25, 0.5]), (90, LOWER)]
)
def test_quantiles_have_no_bounds_of_setups_that_may_all_lie_on_one_side(
    setups: int, bounded: list[float]
) -> None:
    frame = pl.LazyFrame({"setup": np.arange(3 * setups) // 3, "points": np.arange(3 * setups)})
    found = quantiles(frame, (), "points", LOWER)
    assert found["value"].null_count() == 0
    assert found.filter(pl.col("low").is_not_null())["quantile"].to_list() == list(bounded)
    assert found.filter(pl.col("high").is_not_null())["quantile"].to_list() == list(bounded)


def test_losses_have_the_bounds_of_gains_turned_round() -> None:
    points = np.random.default_rng(7).integers(0, 1000, (20, 8))
    run, setup = np.indices(points.shape)
    frame = pl.LazyFrame({"run": run.ravel(), "setup": setup.ravel(), "points": points.ravel()})
    gains, losses = (
        quantiles(each, ("run",), "points", (0.5,)) for each in (frame, frame.with_columns(-pl.col("points")))
    )
    assert gains["low"].to_list() == (-losses["high"]).to_list()
    assert gains["high"].to_list() == (-losses["low"]).to_list()


@pytest.mark.parametrize("by", [(), ("bot",)])
def test_a_spread_of_nothing_is_null(by: tuple[str, ...]) -> None:
    frame = pl.LazyFrame({"setup": [0, 1], "bot": ["a", "a"], "points": [None, None]}).cast(
        {"points": pl.Int64}
    )
    for empty in (frame, frame.clear()) if not by else (frame,):
        row = spread(empty, by, "points").row(0, named=True)
        assert row.pop("n") == 0
        assert set(row.values()) <= {None, "a"}
        assert {"q05", "q95_high", "most"} <= row.keys()


def test_a_statistic_of_one_unit_has_no_bounds() -> None:
    assert np.isnan(bootstrap([[5.0, 1.0]], mean_of)).all()


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
