"""Survival curves against an outside implementation, and their bands by simulation."""

import numpy as np
import polars as pl
import pytest
from statsmodels.duration.survfunc import SurvfuncRight

from analysis.survival import RANDOM_GROUPS, reached_by_time

SETUPS, SEATS, LAST = 150, 4, 12
"""Of each simulated run: seats of one setup are fast or slow together, and games end after so many turns."""


def counted(
    setup: np.ndarray, time: np.ndarray, reached: np.ndarray, run: np.ndarray | int = 0
) -> pl.DataFrame:
    columns = {"run": run, "group": setup % RANDOM_GROUPS, "time": time, "reached": reached}
    frame = pl.DataFrame({name: np.broadcast_to(each, time.shape).ravel() for name, each in columns.items()})
    sums = (pl.col("reached").cast(pl.Int64).sum(), (~pl.col("reached")).cast(pl.Int64).sum().alias("left"))
    return frame.group_by("run", "group", "time").agg(sums)


def watched(seed: int, seats: int) -> tuple[np.ndarray, np.ndarray]:
    """When each of some seats reached a step or was lost from sight, and whether it reached it."""
    rng = np.random.default_rng(seed)
    reached_at, left_at = rng.geometric(0.1, seats), rng.integers(5, 25, seats)
    return np.minimum(reached_at, left_at), reached_at <= left_at


def test_the_share_reached_is_that_of_statsmodels_survival_function() -> None:
    time, reached = watched(8, 500)
    found = reached_by_time(counted(np.arange(500), time, reached), ("run",), 500)
    outside = SurvfuncRight(time, reached.astype(float))
    ours = dict(found.select("time", "share").iter_rows())
    for moment, survival in zip(outside.surv_times, outside.surv_prob, strict=True):
        assert ours[int(moment)] == pytest.approx(1 - survival)


def test_the_band_of_seats_alone_in_their_setups_is_as_wide_as_greenwoods() -> None:
    time, reached = watched(9, 5000)
    found = reached_by_time(counted(np.arange(5000), time, reached), ("run",), 5000)
    outside = SurvfuncRight(time, reached.astype(float))
    there = found.filter(pl.col("time").is_in(outside.surv_times.astype(int)))
    half = ((there["high"] - there["low"]) / 2).to_numpy() / 2.0096  # Student's t of 50 groups
    assert (half / outside.surv_prob_se).mean() == pytest.approx(1, abs=0.1)


@pytest.fixture(scope="module")
def runs() -> pl.DataFrame:
    """600 runs whose seats need a geometric number of turns, at 5 or 20 % a turn, alike in a setup."""
    rng = np.random.default_rng(4)
    pace = rng.choice([0.05, 0.2], (600, SETUPS, 1))
    reached_at = rng.geometric(np.broadcast_to(pace, (600, SETUPS, SEATS)))
    run, setup, _ = np.indices(reached_at.shape)
    return counted(setup, np.minimum(reached_at, LAST), reached_at <= LAST, run)


def within(curves: pl.DataFrame) -> pl.DataFrame:
    time = pl.col("time")
    true = 1 - (0.95**time + 0.8**time) / 2
    return curves.filter(time > 0).with_columns(true.is_between("low", "high").alias("within"))


def test_each_moment_of_a_curve_covers_as_promised_when_the_seats_of_a_setup_are_alike(
    runs: pl.DataFrame,
) -> None:
    found = within(reached_by_time(runs, ("run",), SETUPS)).group_by("time").agg(pl.col("within").mean())
    assert found.height == LAST
    assert found["within"].is_between(0.925, 0.975).all()
    assert 0.93 <= found["within"].mean() <= 0.97  # type: ignore[operator]


def test_the_band_holds_for_all_moments_at_once(runs: pl.DataFrame) -> None:
    found = within(reached_by_time(runs, ("run",), SETUPS, at_once=True))
    covered = found.group_by("run").agg(pl.col("within").all())["within"].mean()
    assert 0.93 <= covered <= 0.98  # type: ignore[operator]


def test_bounds_of_each_moment_alone_do_not_hold_at_once(runs: pl.DataFrame) -> None:
    found = within(reached_by_time(runs, ("run",), SETUPS))
    assert found.group_by("run").agg(pl.col("within").all())["within"].mean() < 0.92  # type: ignore[operator]
