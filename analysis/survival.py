"""How soon things happen where the game may end before: survival curves, with setups as units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import polars as pl

from analysis.intervals import CONFIDENCE, Floats, effective_size, student, wilson

RANDOM_GROUPS = 50

AT_RISK_SHARE = 0.02
"""A curve is read only where at least this share of those at risk at first still is."""

HALF: Mapping[str, float] = MappingProxyType({"": 0.5})
"""The one part that a median is: by its suffix."""

DRAWS = 3000
"""Of curves, to find how far the worst moment of one lies off."""


def reached_by_time(
    counts: pl.DataFrame, by: Sequence[str], setups: int, at_once: bool = False
) -> pl.DataFrame:
    """One row a cell of `by` and time: `share` that has reached it, with bounds, and the number at risk `n`.

    `counts` has, for each cell, random group of setups (`group`) and `time`, how many `reached` it then and
    how many `left` unreached then, after having been at risk at that time; a group is a setup's number modulo
    RANDOM_GROUPS, of `setups` in all. The share is one minus the estimator of Kaplan and Meier (1958, JASA
    53, 457-481), so leaving counts as censoring. Its variance is the delete-a-group jackknife (Kott 2001,
    J. Off. Stat. 17, 521-526), for setups, not seats, are independent; the bounds are Wilson's at the
    effective sample size. They hold at 95 % for each time alone or, if `at_once`, as a band for all times of a
    cell together up to AT_RISK_SHARE: they reach as far as the largest of all standardised deviations does
    (the sup-t band of Montiel Olea and Plagborg-Møller 2019, J. Appl. Econom. 34, 1-17).
    """
    frames = []
    groups = int(counts["group"].max()) + 1 if counts.height else 0  # type: ignore[arg-type]
    for key, cell in counts.group_by(*by, maintain_order=True):
        last = int(cell["time"].max())  # type: ignore[arg-type]
        grid = np.zeros((2, groups, last + 1))
        index = (cell["group"].to_numpy(), cell["time"].to_numpy())
        for row, name in enumerate(("reached", "left")):
            np.add.at(grid[row], index, cell[name].to_numpy())
        grid = grid[:, grid.sum(axis=(0, 2)) > 0]
        whole = grid.sum(axis=1)
        share, at_risk = _kaplan_meier(whole[0], whole[1])
        without, _ = _kaplan_meier(whole[0] - grid[0], whole[1] - grid[1])
        used = grid.shape[1]
        moved = np.sqrt((used - 1) / used) * (without - share)
        variance = (moved**2).sum(axis=0)
        reach = student(used)
        if at_once:
            readable = at_risk >= AT_RISK_SHARE * at_risk[0]
            reach = np.maximum(reach, _furthest(moved[:, readable & (variance > 0)]))
        at_stake = np.maximum(setups * at_risk / at_risk[0], 1.0)
        size = effective_size(share, variance, at_stake, reach)
        low, high = wilson(share * size, size)
        times = np.arange(last + 1)
        frame = pl.DataFrame(
            {"time": times, "share": share, "low": low, "high": high, "n": at_risk.astype(np.int64)}
        )
        labels = [pl.lit(value).alias(name) for name, value in zip(by, key, strict=True)]
        frames.append(frame.filter(pl.col("n") > 0).select(*labels, pl.all()))
    return pl.concat(frames).sort(*by, "time") if frames else pl.DataFrame()


def _furthest(moved: Floats) -> float:
    """How many standard errors the worst time of a curve lies off in 19 of 20 curves.

    `moved`, shape (groups, times), is how far each group moves the curve; the curves are drawn from its
    covariance as a multivariate t, for that covariance rests on few groups.
    """
    groups, times = moved.shape
    if groups < 2 or times == 0:
        return 0.0
    drawn = _drawn(groups) @ (moved / np.sqrt((moved**2).sum(axis=0)))
    return float(np.quantile(np.abs(drawn).max(axis=1), CONFIDENCE))


@lru_cache(maxsize=1)
def _drawn(groups: int) -> Floats:
    """Rows of a multivariate t with independent columns, the same for every curve."""
    rng = np.random.default_rng(0)
    freedom = groups - 1
    return rng.standard_normal((DRAWS, groups)) / np.sqrt(rng.chisquare(freedom, (DRAWS, 1)) / freedom)


def _kaplan_meier(reached: Floats, left: Floats) -> tuple[Floats, Floats]:
    """Share reached and number at risk, along the last axis (time)."""
    gone: Floats = np.asarray(np.cumsum(reached + left, axis=-1), dtype=np.float64)
    at_risk: Floats = gone[..., -1:] - gone + reached + left
    with np.errstate(divide="ignore", invalid="ignore"):
        stays = np.where(at_risk > 0, 1 - reached / at_risk, 1.0)
    share: Floats = np.asarray(1 - np.cumprod(stays, axis=-1))
    return share, at_risk


def crossings(
    curves: pl.DataFrame, by: Sequence[str], name: str, parts: Mapping[str, float] = HALF
) -> pl.DataFrame:
    """By `by`, when a curve first crosses each part, as `name` with the part's suffix; null where it never does.

    Bounds `_low` and `_high` are of the crossing of one half, `_n` the most ever at risk. A curve is read where
    at least AT_RISK_SHARE of that is at risk.
    """
    readable = curves.filter(pl.col("n") >= AT_RISK_SHARE * pl.col("n").max().over(by))

    def first_time(column: str, part: float) -> pl.Expr:
        return pl.col("time").filter(pl.col(column) >= part).min()

    # The upper edge of the band crosses one half first, so it gives the lower bound of the median.
    return readable.group_by(by).agg(
        *(first_time("share", part).alias(f"{name}{suffix}") for suffix, part in parts.items()),
        first_time("high", 0.5).alias(f"{name}_low"),
        first_time("low", 0.5).alias(f"{name}_high"),
        pl.col("n").max().alias(f"{name}_n"),
    )
