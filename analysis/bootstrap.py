"""Bounds by resampling, for what has no formula: quantiles, curves, anything that sums over units tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy.special import ndtr

from analysis.intervals import Floats, student

DRAWS = 1000
SPREAD = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles of a spread."""

MOST_UNITS = 1000
"""Of more units, those of equal number modulo this one are drawn together."""

ALL_ON_ONE_SIDE = 0.01
"""The largest chance at which all units may lie on one side of a quantile that has bounds."""


def bootstrap(
    totals: ArrayLike, statistic: Callable[[Floats], Floats], draws: int = DRAWS, seed: int = 0
) -> tuple[Floats, Floats]:
    """Lower and upper 95 % bounds of a statistic of sums over independent units, from its resamples.

    `totals` has a row a unit (a game or a setup), with its part in each sum; `statistic` takes sums of shape
    (draws, sums) and gives (draws, ...). The percentile bootstrap (Efron 1979, Ann. Stat. 7, 1-26; Efron and
    Tibshirani 1993, chapter 13), at levels that make up for the narrowness of few units: as far out as Student's t
    of the standard error with n - 1 (Hesterberg 2015, Am. Stat. 69, 371-386). NaN of a single unit.
    """
    parts = np.asarray(totals, dtype=np.float64)
    units = parts.shape[0]
    if units < 2:
        nothing = np.full_like(statistic(parts)[0], np.nan, dtype=np.float64)
        return nothing, nothing
    drawn = np.random.default_rng(seed).integers(0, units, (draws, units)) + units * np.arange(draws)[:, None]
    times = np.bincount(drawn.ravel(), minlength=draws * units).reshape(draws, units)
    tail = float(ndtr(-student(units) * np.sqrt(units / (units - 1))))
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
    thousand values at most, as scores and turns have. What is drawn are units: `setup` or `game`. The bounds are
    null where so few may all lie on one side: the median has some from 7 units on, quartiles from 17, 5 and 95 %
    from 90.
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
        bounds = bootstrap(
            parts, lambda sums: np.stack([_places(sums, at), _places(sums, at, upper=True)], 1), draws, seed
        )
        for share, place, *ends in zip(at, places, bounds[0][0], bounds[1][1], strict=True):
            of_share: dict[str, Any] = dict(zip(by, key, strict=True)) | {
                "quantile": share,
                "value": float(values[place]),
            }
            if max(share, 1 - share) ** units.size <= ALL_ON_ONE_SIDE:
                # Values lie apart: bounds are values that occur, on the outer side.
                low, high = int(np.floor(ends[0])), int(np.ceil(ends[1]))
                of_share |= {"low": float(values[low]), "high": float(values[high])}
            rows.append(of_share | {"n": int(whole.sum())})
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
            else pl.concat([cells, of_one], how="horizontal_extend")
        )
    shown = [f"q{quantile * 100:02.0f}{end}" for quantile in SPREAD for end in ("", "_low", "_high")]
    cells = cells.select(*by, "least", *shown, "most", "spread", "n")
    return cells.sort(*by) if by else cells


def _places(counts: Floats, at: Sequence[float], upper: bool = False) -> Floats:
    """Where in sorted values of so many each, shape (draws, values), the quantiles lie: (draws, quantiles).

    Where a share ends between two values the quantile is the lower of them, or the `upper`.
    """
    upto = np.cumsum(counts, axis=-1)
    # Rounding must not carry an exact share over the edge.
    wanted = np.asarray(at)[:, None, None] * upto[None, :, -1:] * (1 + (1e-12 if upper else -1e-12))
    # Nothing lies beyond the last value.
    return np.asarray((upto[None, :, :-1] < wanted).sum(axis=-1).T)
