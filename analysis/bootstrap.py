"""Bounds by resampling, for what has no formula: quantiles, curves, anything that sums over units tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from analysis.intervals import CONFIDENCE, Floats

DRAWS = 1000
SPREAD = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles of a spread."""

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
        if cell.is_empty():
            continue
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
                | {"quantile": share, "value": float(values[place]), "low": float(low), "high": float(high)}
                | {"n": int(whole.sum())}
            )
    kinds = {name: counts.schema[name] for name in by} | dict.fromkeys(
        ("quantile", "value", "low", "high"), pl.Float64
    )
    return pl.DataFrame(rows, schema=kinds | {"n": pl.Int64}).sort(*by, "quantile")


def spread(frame: pl.LazyFrame, by: Sequence[str], name: str) -> pl.DataFrame:
    """One row a cell of `by`: `least`, quantiles `q05` to `q95` with bounds as in `quantiles`, `most`, deviation, `n`.

    The deviation is the column `spread`. `frame` has the column `name` and `setup`.
    """
    column = pl.col(name).cast(pl.Float64)
    ends = (
        column.min().alias("least"),
        column.max().alias("most"),
        column.std().alias("spread"),
        column.count().cast(pl.Int64).alias("n"),
    )
    cells = (frame.group_by(*by).agg(ends) if by else frame.select(ends)).collect(engine="streaming")
    found = quantiles(frame, by, name, SPREAD)
    for quantile in SPREAD:
        label = f"q{quantile * 100:02.0f}"
        of_one = found.filter(pl.col("quantile") == quantile).select(
            *by, pl.col("value").alias(label), pl.col("low", "high").name.prefix(f"{label}_")
        )
        # Where nothing has a value there is no quantile either.
        cells = (
            cells.join(of_one, on=list(by), how="left", nulls_equal=True)
            if by
            else pl.concat([cells, of_one], how="horizontal")
        )
    shown = [f"q{quantile * 100:02.0f}{end}" for quantile in SPREAD for end in ("", "_low", "_high")]
    cells = cells.select(*by, "least", *shown, "most", "spread", "n")
    return cells.sort(*by) if by else cells


def _places(counts: Floats, at: Sequence[float]) -> Floats:
    """Where in sorted values of so many each, shape (draws, values), the quantiles lie: (draws, quantiles)."""
    upto = np.cumsum(counts, axis=-1)
    # Rounding must not carry an exact share over the edge.
    wanted = np.asarray(at)[:, None, None] * upto[None, :, -1:] * (1 - 1e-12)
    return np.asarray((upto[None] < wanted).sum(axis=-1).T)
