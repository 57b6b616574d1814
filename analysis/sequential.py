"""Bounds that stay valid however often one looks, for runs that go on until they are precise enough.

An interval of 95 % holds at a number of games that was fixed before. Who looks again and again and stops when
the interval pleases is wrong far more often. A confidence sequence holds at all numbers of games at once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, xlog1py, xlogy

from analysis.intervals import CONFIDENCE, Floats

ALPHA = 1 - CONFIDENCE
HALVINGS = 40
"""Of an interval of length 1 on the way to a bound: to 12 digits."""

LARGEST_BET = 0.5


def peeking(setups: int) -> Callable[[Floats], Floats]:
    """For `intervals.estimates`: its `reach` where the bounds of rates and means hold at all times at once.

    An asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Ann. Stat. 52,
    2613-2640, theorem 2.2): to be looked at only from some hundred setups on. It is tightest at about `setups`,
    a number fixed before the run.
    """
    width = (np.log(1 - 2 * np.log(ALPHA)) - 2 * np.log(ALPHA)) / setups

    def reach(seen: Floats) -> Floats:
        grown = np.asarray(seen, dtype=np.float64) * width + 1
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.sqrt(2 * grown / (grown - 1) * np.log(np.sqrt(grown) / ALPHA)))

    return reach


def rate_sequence(k: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
    """Lower and upper bounds of a share of k in n trials that hold at 95 % for all n at once; 0 and 1 at n = 0.

    The mixture of likelihood ratios over a Beta(1/2, 1/2) prior (Robbins 1970, Ann. Math. Stat. 41, 1397-1409)
    with Ville's inequality. It is exact for independent yes and no and, as their variance is the largest,
    conservative for anything between 0 and 1 with independent or at most so certain terms, such as a setup's
    mean share of the win; k and n broadcast.
    """
    k, n = np.broadcast_arrays(np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64))
    mixture = betaln(k + 0.5, n - k + 0.5) - betaln(0.5, 0.5)

    def refuted(share: Floats) -> NDArray[np.bool_]:
        evidence: Floats = mixture - xlogy(k, share) - xlog1py(n - k, -share)
        return np.asarray(evidence >= -np.log(ALPHA))

    middle = k / np.maximum(n, 1.0)
    ends = []
    for end in (0.0, 1.0):
        # The evidence falls towards the share that was seen, so halving closes in on where it is 1/alpha.
        out, within = np.full(k.shape, end), middle.copy()
        for _ in range(HALVINGS):
            between = (out + within) / 2
            outside = refuted(between)
            out, within = np.where(outside, between, out), np.where(outside, within, between)
        ends.append(out)
    return ends[0], ends[1]


def mean_sequence(values: ArrayLike) -> tuple[Floats, Floats]:
    """Bounds of the mean of values between 0 and 1 after each of them, along the last axis, at all times at once.

    The empirical Bernstein sequence with predictable bets (Waudby-Smith and Ramdas 2024, JRSS B 86, 1-27,
    theorem 2), as narrow as the values vary, at 95 % at least; the values are independent, in the order in which
    they came, such as the mean share of the win in each setup.
    """
    x = np.asarray(values, dtype=np.float64)
    seen = np.arange(1, x.shape[-1] + 1)
    mean = (0.5 + np.cumsum(x, axis=-1)) / (seen + 1)
    spread = (0.25 + np.cumsum((x - mean) ** 2, axis=-1)) / (seen + 1)
    # A bet may know only what came before.
    known_mean = np.concatenate([np.full((*x.shape[:-1], 1), 0.5), mean[..., :-1]], axis=-1)
    known_spread = np.concatenate([np.full((*x.shape[:-1], 1), 0.25), spread[..., :-1]], axis=-1)
    bet = np.sqrt(2 * np.log(2 / ALPHA) / (known_spread * seen * np.log1p(seen)))
    bet = np.minimum(bet, LARGEST_BET)
    cost = (x - known_mean) ** 2 * (-np.log1p(-bet) - bet)
    staked = np.cumsum(bet, axis=-1)
    centre = np.cumsum(bet * x, axis=-1) / staked
    half = (np.log(2 / ALPHA) + np.cumsum(cost, axis=-1)) / staked
    low = np.maximum.accumulate(np.clip(centre - half, 0, 1), axis=-1)
    high = np.minimum.accumulate(np.clip(centre + half, 0, 1), axis=-1)
    return low, high
