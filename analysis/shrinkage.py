"""Many rates or effects drawn towards each other as far as chance alone would part them: before they are ranked.

The largest of many estimates is mostly too large. What all of them show together says how much: the wider the
interval of one and the closer the others, the nearer it is drawn to their middle (empirical Bayes).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import betaincinv, betaln, expit, ndtri

from analysis.intervals import (
    CONFIDENCE,
    Floats,
    Measure,
    effective_size,
    ratio_variance,
    student,
    trials_worth,
)

LOG_CERTAINTIES = np.arange(0, 14, 0.1)
"""Logarithms of a + b of the beta distributions that rates may come from: from nearly anything to all alike."""

OFFSETS = np.linspace(-4, 4, 9)
"""Of their centres, in standard errors."""


class Shrunk(NamedTuple):
    """Values drawn towards each other, with bounds; NaN where nothing was seen."""

    value: Floats
    low: Floats
    high: Floats
    centre: float
    """What they are drawn to."""
    spread: float
    """The standard deviation of the true values around it."""


def shrunk_rates(k: ArrayLike, n: ArrayLike) -> Shrunk:
    """Shares of k in n whose true values come from one beta distribution, which all of them together tell.

    The beta-binomial model (Skellam 1948, JRSS B 10, 257-261) with the prior of Tak, Kelly and Morris (2017, J.
    Stat. Softw. 78(5)), under which all centres a / (a + b) are alike and all 1 / (a + b). That the distribution
    is not known for certain widens the 95 % intervals (Kass and Steffey 1989, JASA 84, 717-726), which are those
    of beta distributions with the mean and variance of the posterior. k and n may be fractions, as effective
    sizes are; NaN where n is 0.
    """
    k, n = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    known = n > 0
    a, b, weight = beta_nodes(k[known], n[known])
    total, centres = a + b, a / (a + b)
    after_a, after_n = a[:, None] + k[known], total[:, None] + n[known]
    means = after_a / after_n
    mean = weight @ means
    variance = weight @ (means * (1 - means) / (after_n + 1) + (means - mean) ** 2)
    certainty = mean * (1 - mean) / variance - 1
    value, low, high = (np.full(k.shape, np.nan) for _ in range(3))
    value[known] = mean
    for ends, side in ((low, (1 - CONFIDENCE) / 2), (high, (1 + CONFIDENCE) / 2)):
        ends[known] = betaincinv(mean * certainty, (1 - mean) * certainty, side)
    spread = np.sqrt(weight @ (centres * (1 - centres) / (total + 1)))
    return Shrunk(value, low, high, float(weight @ centres), float(spread))


def beta_nodes(k: Floats, n: Floats) -> tuple[Floats, Floats, Floats]:
    """Beta distributions a and b that may have brought forth k of n, and how likely each is, summing to 1."""
    total = np.exp(LOG_CERTAINTIES)[:, None]
    # What each rate tells about the centre, if their distribution is so certain.
    told = n / (1 + np.maximum(n - 1, 0) / (total + 1))
    middle = ((told * k / n).sum(axis=1, keepdims=True) + 0.5) / (told.sum(axis=1, keepdims=True) + 1)
    error = 1 / np.sqrt(middle * (1 - middle) * (told.sum(axis=1, keepdims=True) + 1))
    centre = expit(np.log(middle / (1 - middle)) + OFFSETS * error)
    a, b = (np.ravel(total * centre), np.ravel(total * (1 - centre)))
    likely = (betaln(a[:, None] + k, b[:, None] + n - k) - betaln(a, b)[:, None]).sum(axis=1)
    # The nodes lie evenly in logarithms, and further apart where the error is larger.
    prior = np.ravel(np.log(centre * (1 - centre) * error / total))
    weight = np.exp(likely + prior - (likely + prior).max())
    return a, b, weight / weight.sum()


def shrunk_effects(value: ArrayLike, variance: ArrayLike) -> Shrunk:
    """Effects with known variances that come from one normal distribution, fitted to all of them.

    Its variance is that of Paule and Mandel (1982, J. Res. NBS 87, 377-385); how far an effect is drawn and the
    95 % intervals allow for the fit (Morris 1983, JASA 78, 47-55), which for equal variances gives the estimator
    of James and Stein as in Efron and Morris (1975, JASA 70, 311-319). They cover more than 95 % where the true
    effects differ by less than the estimates err. Four effects are needed; fewer come back as they are. NaN where
    the value or its variance is, or where the variance is 0.
    """
    y, v = np.asarray(value, dtype=np.float64), np.asarray(variance, dtype=np.float64)
    known = np.isfinite(y) & (v > 0)
    shown, v = np.where(known, y, np.nan), np.where(known, v, np.nan)
    number = int(known.sum())
    normal = ndtri(0.5 + CONFIDENCE / 2)
    if number < 4:
        half = normal * np.sqrt(v)
        return Shrunk(shown, shown - half, shown + half, np.nan, np.nan)
    between = _between(y[known], v[known])
    weight = np.where(known, 1 / (v + between), 0.0)
    centre = float((weight * np.where(known, y, 0.0)).sum() / weight.sum())
    drawn = (number - 3) / (number - 1) * v / (v + between)
    off = shown - centre
    typical = float((weight * np.where(known, v, 0.0)).sum() / weight.sum())
    # Beside the posterior's own variance that of the centre and that of how far to draw.
    share = number * weight / weight.sum()
    after = v * (1 - (number - share) / number * drawn)
    after = after + 2 / (number - 3) * drawn**2 * (typical + between) / (v + between) * off**2
    half = normal * np.sqrt(after)
    middle = shown - drawn * off
    return Shrunk(middle, middle - half, middle + half, centre, float(np.sqrt(between)))


def _between(y: Floats, v: Floats) -> float:
    """The variance of the true effects with which their squares come out as expected, 0 if chance suffices."""

    def excess(between: float) -> float:
        weight = 1 / (v + between)
        centre = (weight * y).sum() / weight.sum()
        return float((weight * (y - centre) ** 2).sum() - (y.size - 1))

    if excess(0.0) <= 0:
        return 0.0
    return float(brentq(excess, 0.0, float(((y - y.mean()) ** 2).sum()) + float(v.max())))


def shrunk(sums: pl.DataFrame, by: Sequence[str], measures: Iterable[Measure]) -> pl.DataFrame:
    """One row a cell of `by` (sorted): for each measure `NAME`, `NAME_low`, `NAME_high`, drawn to the others.

    `sums` are the `intervals.moments` of the cells that are like each other, such as all cards of a kind. Rates
    count with the effective sample size of their setups, means with their variance over setups.
    """
    columns: dict[str, Any] = {name: sums[name] for name in by}
    for measure in measures:
        value, variance, _, setups = ratio_variance(sums, measure.name)
        if measure.rate:
            size = np.where(np.isnan(value), 0.0, effective_size(value, variance, setups, student(setups)))
            found = shrunk_rates(np.where(size > 0, value * size, 0.0), size)
        else:
            found = shrunk_effects(value, variance)
        for suffix, numbers in (("", found.value), ("_low", found.low), ("_high", found.high)):
            columns[measure.name + suffix] = pl.Series(numbers, nan_to_null=True)
    return pl.DataFrame(columns).sort(*by)


def with_shrunk(table: pl.DataFrame, rate: str, alike: pl.Expr) -> pl.DataFrame:
    """The table with `RATE_shrunk` and its bounds: each rate drawn to those of the rows that `alike` calls so.

    A rate counts as so many trials as its 95 % interval is worth; null where it has none.
    """
    columns = {f"{rate}_shrunk{end}": pl.Float64 for end in ("", "_low", "_high")}
    parts = []
    for rows in table.with_row_index("place").with_columns(alike.alias("alike")).partition_by("alike"):
        value, low, high = (rows[f"{rate}{end}"].cast(pl.Float64).to_numpy() for end in ("", "_low", "_high"))
        trials = np.nan_to_num(trials_worth(value, low, high))
        found = shrunk_rates(np.where(trials > 0, value * trials, 0.0), trials)
        drawn = dict(zip(columns, (found.value, found.low, found.high), strict=True))
        parts.append(
            rows.with_columns(pl.Series(name, each, nan_to_null=True) for name, each in drawn.items())
        )
    if not parts:
        return table.with_columns(pl.lit(None, kind).alias(name) for name, kind in columns.items())
    return pl.concat(parts).sort("place").drop("place", "alike")
