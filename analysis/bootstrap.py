"""Bounds by resampling, for what has no formula: quantiles, curves, anything that sums over units tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from analysis.intervals import CONFIDENCE, Floats

DRAWS = 1000
MOST_UNITS = 1000
"""Of more units, those of equal number modulo this one are drawn together."""


def bootstrap(
    totals: ArrayLike, statistic: Callable[[Floats], Floats], draws: int = DRAWS, seed: int = 0
) -> tuple[Floats, Floats]:
    """Lower and upper bounds of a statistic of sums over independent units: 2.5 and 97.5 % of its resamples.

    `totals` has a row a unit (a game or a setup), with its part in each sum; `statistic` takes sums of shape
    (draws, sums) and gives (draws, ...). The percentile bootstrap (Efron 1979, Ann. Stat. 7, 1-26; Efron and
    Tibshirani 1993, chapter 13); below some 50 units it is a little too narrow.
    """
    parts = np.asarray(totals, dtype=np.float64)
    units = parts.shape[0]
    drawn = np.random.default_rng(seed).integers(0, units, (draws, units)) + units * np.arange(draws)[:, None]
    times = np.bincount(drawn.ravel(), minlength=draws * units).reshape(draws, units)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(statistic(times.astype(np.float64) @ parts), (tail, 1 - tail), axis=0)
    return low, high


def quantiles(
    frame: pl.LazyFrame,
    by: Sequence[str],
    name: str,
    at: Sequence[float],
    unit: str = "setup",
    draws: int = DRAWS,
    seed: int = 0,
) -> pl.DataFrame:
    """One row a cell of `by` and `quantile`: its `value`, `low`, `high` (95 %) and `n`, the rows of the cell.

    The value is the smallest that so large a share of the column `name` does not exceed; it should have some
    thousand values at most, as scores and turns have. What is drawn are units: `setup` or `game`.
    """
    drawn = (pl.col(unit) % MOST_UNITS).alias("unit")
    counts = (
        frame.group_by(*by, drawn, pl.col(name).alias("value"))
        .agg(pl.len().cast(pl.Float64).alias("n"))
        .drop_nulls("value")
        .collect(engine="streaming")
    )
    cells = counts.partition_by(*by, as_dict=True) if by else {(): counts}
    rows = []
    for key, cell in cells.items():
        values, column = np.unique(cell["value"].to_numpy(), return_inverse=True)
        units, row = np.unique(cell["unit"].to_numpy(), return_inverse=True)
        parts = np.zeros((units.size, values.size))
        np.add.at(parts, (row, column), cell["n"].to_numpy())
        whole = parts.sum(axis=0)
        places = _places(whole[None], at)[0]
        bounds = bootstrap(parts, lambda sums: _places(sums, at), draws, seed)
        for each, (share, place) in enumerate(zip(at, places, strict=True)):
            # Values lie apart: bounds are values that occur, on the outer side.
            low, high = (values[int(end)] for end in (np.floor(bounds[0][each]), np.ceil(bounds[1][each])))
            rows.append(
                dict(zip(by, key, strict=True))
                | {"quantile": share, "value": values[place], "low": low, "high": high, "n": int(whole.sum())}
            )
    return pl.DataFrame(rows).sort(*by, "quantile") if rows else pl.DataFrame()


def _places(counts: Floats, at: Sequence[float]) -> Floats:
    """Where in sorted values of so many each, shape (draws, values), the quantiles lie: (draws, quantiles)."""
    upto = np.cumsum(counts, axis=-1)
    # Rounding must not carry an exact share over the edge.
    wanted = np.asarray(at)[:, None, None] * upto[None, :, -1:] * (1 - 1e-12)
    return np.asarray((upto[None] < wanted).sum(axis=-1).T)
