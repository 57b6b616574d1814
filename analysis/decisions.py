"""From estimates to decisions: is it other than nothing, is it near enough to nothing, and which of many are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, stdtr

from analysis.intervals import Floats


def chance_of_mean(mean: ArrayLike, variance: ArrayLike, freedom: ArrayLike) -> Floats:
    """The two-sided p of means whose true value were 0, NaN where they can't vary.

    Student's t (1908, Biometrika 6, 1-25); the variance is that of the mean and has so many degrees of
    freedom: setups less 1, or those that `differences` tells.
    """
    return 2 * _tail(np.abs(np.asarray(mean, dtype=np.float64)), variance, freedom)


def chance_outside(
    mean: ArrayLike, variance: ArrayLike, freedom: ArrayLike, low: ArrayLike, high: ArrayLike
) -> Floats:
    """The p of means as far within low and high whose true value were not between them: small if equivalent.

    Two one-sided tests, TOST (Schuirmann 1987, J. Pharmacokinet. Biopharm. 15, 657-680), of which the larger p
    counts; at 5 % they agree with a 90 % interval that lies within. NaN where the mean can't vary.
    """
    mean, low, high = (np.asarray(each, dtype=np.float64) for each in (mean, low, high))
    return np.maximum(_tail(mean - low, variance, freedom), _tail(high - mean, variance, freedom))


def chances_of_band(
    share: ArrayLike, trials: ArrayLike, least: ArrayLike, most: ArrayLike
) -> tuple[Floats, Floats]:
    """Two p of shares of so many trials: small if the true one is within the band, and small if it is outside.

    The first is TOST with two exact binomial tests, of which the larger p counts (Clopper and Pearson 1934,
    Biometrika 26, 404-413; so it is conservative): at 5 % an interval of 90 % lies within. The second is the
    smaller one of those against the other sides, doubled for there are two: an interval of 95 % lies outside. A
    band that begins at 0 or ends at 1 has no such side. Trials may be fractions; NaN where there are none.
    """
    share, n, least, most = (np.asarray(each, dtype=np.float64) for each in (share, trials, least, most))
    k = share * n
    # The chances to see at most, and at least, so many.
    below, above = _upto(k, n, least), _upto(n - k, n, 1 - most)
    within = np.fmax(
        np.where(least > 0, _upto(n - k, n, 1 - least), 0), np.where(most < 1, _upto(k, n, most), 0)
    )
    outside = 2 * np.fmin(np.where(least > 0, below, 1), np.where(most < 1, above, 1))
    known = np.isfinite(n) & (n > 0)
    return np.where(known, within, np.nan), np.where(known, np.minimum(outside, 1.0), np.nan)


def _upto(k: Floats, n: Floats, share: Floats) -> Floats:
    """The chance of at most k in n trials."""
    return np.where(k >= n, 1.0, betainc(np.maximum(n - k, 1e-12), k + 1, 1 - share))


def _tail(above: Floats, variance: ArrayLike, freedom: ArrayLike) -> Floats:
    """The chance that Student's t is at least so far above 0."""
    variance, freedom = np.asarray(variance, dtype=np.float64), np.asarray(freedom, dtype=np.float64)
    known = (variance > 0) & (freedom > 0)
    t = above / np.sqrt(np.where(known, variance, 1.0))
    return np.where(known, stdtr(np.where(known, freedom, 1.0), -t), np.nan)


def holm(p: ArrayLike) -> Floats:
    """Of p-values, NaN where there is none, those adjusted by Holm (1979, Scand. J. Stat. 6, 65-70): for decisions.

    Who takes all that are at most 5 % takes a single wrong one in at most one of twenty such families.
    """
    p = np.asarray(p, dtype=np.float64)
    adjusted, order = np.full(p.shape, np.nan), np.argsort(p)  # NaN last
    known = order[: np.count_nonzero(~np.isnan(p))]
    still_open = np.arange(known.size, 0, -1)
    adjusted[known] = np.minimum(np.maximum.accumulate(still_open * p[known]), 1.0)
    return adjusted


def false_discoveries(p: ArrayLike) -> Floats:
    """Of p-values, NaN where there is none, those adjusted by Benjamini and Hochberg (1995, JRSS B 57, 289-300).

    For screening: of all that are at most 5 %, one in twenty is expected to be wrong.
    """
    from scipy.stats import false_discovery_control  # only here: it takes half a second to load

    p = np.asarray(p, dtype=np.float64)
    adjusted, known = np.full(p.shape, np.nan), ~np.isnan(p)
    if known.any():
        adjusted[known] = false_discovery_control(p[known])
    return adjusted
