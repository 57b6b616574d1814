"""The statistics, once: intervals for shares and means of games that come in setups.

Games of one setup share their deals, and the seats of one game share the table, so neither is an
independent observation. Every interval here takes the setup as the unit: a rate or mean is a ratio of two
totals, its variance comes from the totals by setup. `moments` reduces a frame to sums that can be added
over any split of the games that keeps setups whole; `estimates` turns the sums into numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtr, stdtrit

CONFIDENCE = 0.95
SUMS = ("total", "count", "setups", "total_2", "total_count", "count_2")
RANDOM_GROUPS = 50
DECIMALS = 9
"""Of differences: what large sums leave when they cancel depends on their order, beyond these decimals."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """A ratio of two sums over rows, named after its column: a rate (of yes and no) or a mean."""

    name: str
    total: pl.Expr
    count: pl.Expr
    rate: bool = True


def wilson(k: ArrayLike, n: ArrayLike, confidence: float = CONFIDENCE) -> tuple[Floats, Floats]:
    """Lower and upper bounds of a share of k in n independent trials, NaN where n is 0.

    The score interval of Wilson (1927, JASA 22, 209-212); k and n broadcast and may be fractions, as
    effective sample sizes are.
    """
    k, n = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z = ndtri(0.5 + confidence / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = k / n
        centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    # Without the exact ends, rounding leaves 1e-17 where nothing was ever seen.
    low = np.where(share == 0, 0.0, np.clip(centre - half, 0, 1))
    high = np.where(share == 1, 1.0, np.clip(centre + half, 0, 1))
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def rule_of_three(n: ArrayLike) -> Floats:
    """The share, 3/n and at most 1, that something never seen in n independent trials stays below.

    At 95 % confidence and slightly conservative (Hanley and Lippman-Hand 1983, JAMA 249, 1743-1745).
    """
    n = np.asarray(n, dtype=np.float64)
    bound: Floats = np.minimum(1.0, 3.0 / np.maximum(n, 1.0))
    return bound


def setup_totals(frame: pl.LazyFrame, by: Sequence[str], measures: Iterable[Measure]) -> pl.LazyFrame:
    """One row a cell of `by` and `setup`, with the columns `<measure>|total` and `<measure>|count`.

    `frame` has a column `setup`.
    """
    # As columns before they are summed: the sum of a literal alone would not count the rows.
    terms = [
        expression.cast(pl.Float64).alias(f"{measure.name}|{name}")
        for measure in measures
        for name, expression in (("total", measure.total), ("count", measure.count))
    ]
    return frame.select(*by, "setup", *terms).group_by(*by, "setup").agg(pl.all().sum())


def moments(frame: pl.LazyFrame, by: Sequence[str], measures: Iterable[Measure]) -> pl.LazyFrame:
    """The sums that `estimates` needs, one row a cell of `by`, columns `<measure>|<sum>`.

    `frame` has a column `setup`; the sums of frames that share no setup may be added.
    """
    measures = tuple(measures)
    per_setup = setup_totals(frame, by, measures)
    outer = []
    for measure in measures:
        t, n = pl.col(f"{measure.name}|total"), pl.col(f"{measure.name}|count")
        sums = (t.sum(), n.sum(), (n > 0).cast(pl.Float64).sum(), (t * t).sum(), (t * n).sum(), (n * n).sum())
        outer += [
            expression.alias(f"{measure.name}|{name}") for expression, name in zip(sums, SUMS, strict=True)
        ]
    return per_setup.group_by(*by).agg(outer) if by else per_setup.select(outer)


def array_moments(total: NDArray[Any], count: NDArray[Any]) -> dict[str, Floats]:
    """The sums of `moments` from totals and counts by setup, shape (setups, cells), each over the cells."""
    t, n = total.astype(np.float64), count.astype(np.float64)
    sums = (
        t.sum(axis=0),
        n.sum(axis=0),
        (n > 0).sum(axis=0).astype(np.float64),
        np.einsum("ij,ij->j", t, t),
        np.einsum("ij,ij->j", t, n),
        np.einsum("ij,ij->j", n, n),
    )
    return dict(zip(SUMS, sums, strict=True))


def added(parts: Sequence[pl.DataFrame], by: Sequence[str]) -> pl.DataFrame:
    """The moments of frames that share no setup, as one frame of moments."""
    rows = pl.concat(parts, how="vertical_relaxed")
    sums = pl.exclude(*by).sum() if by else pl.all().sum()
    return rows.group_by(*by).agg(sums) if by else rows.select(sums)


def estimates(sums: pl.DataFrame, by: Sequence[str], measures: Iterable[Measure]) -> pl.DataFrame:
    """One row a cell of `by` (sorted): for each measure `NAME`, `NAME_low`, `NAME_high`, `NAME_n`.

    `NAME_n` is the denominator: how many units the number stands on. The variance is that of the ratio
    estimator over setups (Cochran 1977, Sampling Techniques, section 9A; the "ultimate cluster" variance).
    A mean gets Student's t with setups - 1 degrees of freedom. A rate gets Wilson's interval at the
    effective sample size (Korn and Graubard 1998, Survey Methodology 24, 193-201; Dean and Pagano 2015,
    J. Surv. Stat. Methodol. 3, 484-503), which is the plain one where each setup has one unit. A rate of 0
    or 1 shows no variance: there the effective size is the number of setups, as if their games were copies.
    """
    columns: dict[str, Any] = {name: sums[name] for name in by}
    for measure in measures:
        value, variance, count, setups = ratio_variance(sums, measure.name)
        if measure.rate:
            low, high = _rate_bounds(value, variance, count, setups)
        else:
            low, high = mean_interval(value, variance, setups)
        for suffix, numbers in (("", value), ("_low", low), ("_high", high)):
            columns[measure.name + suffix] = pl.Series(numbers, nan_to_null=True)
        columns[f"{measure.name}_n"] = pl.Series(count).cast(pl.Int64)
    result = pl.DataFrame(columns)
    return result.sort(*by) if by else result


@dataclass(frozen=True)
class Tally:
    """The estimates of some measures by `by`, from frames that share no setup and are added as they come."""

    by: tuple[str, ...]
    measures: tuple[Measure, ...]
    sums: list[pl.DataFrame] = field(default_factory=list)

    def add(self, frame: pl.LazyFrame) -> None:
        self.sums.append(moments(frame, self.by, self.measures).collect(engine="streaming"))

    def added(self) -> pl.DataFrame:
        return added(self.sums, self.by)

    def estimates(self) -> pl.DataFrame:
        return estimates(self.added(), self.by, self.measures)


def ratio_variance(sums: pl.DataFrame, name: str) -> tuple[Floats, Floats, Floats, Floats]:
    """Ratio, its variance over setups, denominator and number of setups, from the moments of a measure."""
    total, count, setups, total_2, total_count, count_2 = (
        sums[f"{name}|{each}"].to_numpy().astype(np.float64) for each in SUMS
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        value = total / count
        squares = np.maximum(total_2 - 2 * value * total_count + value**2 * count_2, 0.0)
        # Sums of squares cancel: what is left below their rounding error is no variance.
        squares[squares < 1e-12 * np.maximum(total_2, 1.0)] = 0.0
        variance = setups / (setups - 1) * squares / count**2
    return value, variance, count, setups


def differences(
    one: pl.DataFrame, other: pl.DataFrame, by: Sequence[str], measures: Iterable[Measure], paired: bool
) -> pl.DataFrame:
    """How much more `other` has than `one`: a row a cell of `by`, `NAME`, `NAME_low`, `NAME_high` (95 %).

    Both are `setup_totals`. If `paired`, equal numbers are one setup whose halves vary together; else all
    setups are independent (Welch's t). The variance is that of a difference of two ratios over setups
    (Cochran 1977, Sampling Techniques, section 6.17). What has none, as what never happens, has no bounds.
    """
    measures = tuple(measures)
    cells = [frame.partition_by(*by, as_dict=True) if by else {(): frame} for frame in (one, other)]
    rows = []
    for key in (each for each in cells[0] if each in cells[1]):
        row = dict(zip(by, key, strict=True))
        halves = [each[key] for each in cells]
        if paired:
            setups = pl.concat([half.select("setup") for half in halves]).unique(maintain_order=True)
            halves = [setups.join(half, on="setup", how="left", maintain_order="left") for half in halves]
        for measure in measures:
            row |= _difference([_influence(half, measure.name) for half in halves], measure.name, paired)
        rows.append(row)
    result = pl.DataFrame(rows, infer_schema_length=None)
    return result.sort(*by) if by and rows else result


def never_seen(rows: pl.DataFrame, name: str, games: pl.LazyFrame) -> pl.DataFrame:
    """The rows with the rule of three over setups as the upper bound of every share of 0, for rare things."""
    setups = games.select(pl.col("setup").n_unique()).collect(engine="streaming").item()
    bound = pl.when(pl.col(name) == 0).then(float(rule_of_three(setups))).otherwise(pl.col(f"{name}_high"))
    return rows.with_columns(bound.alias(f"{name}_high"))


def _influence(totals: pl.DataFrame, name: str) -> tuple[float, Floats, NDArray[np.bool_]]:
    """A ratio, how far each setup moves it, and which setups have a part in it."""
    total, count = (
        totals[f"{name}|{part}"].fill_null(0.0).to_numpy().astype(np.float64) for part in ("total", "count")
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(total.sum() / count.sum())
        return value, (total - value * count) / count.sum(), count > 0


def _difference(
    halves: list[tuple[float, Floats, NDArray[np.bool_]]], name: str, paired: bool
) -> dict[str, float | None]:
    (first, moved_first, in_first), (second, moved_second, in_second) = halves
    alone = [(moved_first, in_first), (moved_second, in_second)]
    parts = [(moved_second - moved_first, in_first | in_second)] if paired else alone
    setups = np.array([there.sum() for _, there in parts], dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = setups / (setups - 1) * np.array([(moved**2).sum() for moved, _ in parts])
        freedom = squares.sum() ** 2 / (squares**2 / (setups - 1)).sum()
        half = float(stdtrit(freedom, 0.5 + CONFIDENCE / 2) * np.sqrt(squares.sum()))
    difference = second - first if np.isfinite(second - first) else None
    # Sums of floats in another order differ by as little.
    varies = any((moved**2).sum() > 1e-24 for moved, _ in alone) and (setups > 1).all()
    if difference is None or not varies:
        half = np.nan
    elif squares.sum() < 1e-24:
        half = 0.0  # the same games twice
    if difference is None:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
    bounds = (None, None) if np.isnan(half) else (difference - half, difference + half)
    values = zip((name, f"{name}_low", f"{name}_high"), (difference, *bounds), strict=True)
    return {key: None if value is None else round(value, DECIMALS) for key, value in values}


def false_discoveries(p: ArrayLike) -> Floats:
    """Of p-values, NaN where there is none, those adjusted by Benjamini and Hochberg (1995, JRSS B 57, 289-300)."""
    from scipy.stats import false_discovery_control  # only here: it takes half a second to load

    p = np.asarray(p, dtype=np.float64)
    adjusted, known = np.full(p.shape, np.nan), ~np.isnan(p)
    if known.any():
        adjusted[known] = false_discovery_control(p[known])
    return adjusted


def ratios(frame: pl.LazyFrame, by: Sequence[str], measures: Iterable[Measure]) -> pl.DataFrame:
    """The estimates of the measures in each cell of `by`, from a frame with a column `setup`."""
    measures = tuple(measures)
    return estimates(moments(frame, by, measures).collect(engine="streaming"), by, measures)


def mean_interval(mean: Floats, variance: Floats, setups: Floats) -> tuple[Floats, Floats]:
    """Bounds of means whose variance comes from that many setups (Student's t), NaN below two setups."""
    half = _student(setups) * np.sqrt(variance)
    return np.where(setups > 1, mean - half, np.nan), np.where(setups > 1, mean + half, np.nan)


def chance_of_mean(mean: Floats, variance: Floats, setups: Floats) -> Floats:
    """The two-sided p of a mean whose true value were 0 (Student's t over setups), NaN where it can't vary."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(mean) / np.sqrt(variance)
    known = (setups > 1) & (variance > 0)
    return np.where(known, 2 * stdtr(np.maximum(setups - 1, 1), -np.where(known, t, 0.0)), np.nan)


def _rate_bounds(
    share: Floats, variance: Floats, count: Floats, setups: Floats, freedom: Floats | None = None
) -> tuple[Floats, Floats]:
    """Wilson's bounds at the effective sample size; the variance rests on `freedom` (setups) observations."""
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = share * (1 - share) / variance
        effective *= (ndtri(0.5 + CONFIDENCE / 2) / _student(setups if freedom is None else freedom)) ** 2
    effective = np.where(np.isfinite(effective) & (variance > 0), effective, setups)
    effective = np.where(setups == count, count, effective)
    return wilson(share * effective, effective)


def _student(setups: Floats) -> Floats:
    return np.asarray(stdtrit(np.maximum(setups - 1, 1), 0.5 + CONFIDENCE / 2))


def reached_by_time(counts: pl.DataFrame, by: Sequence[str], setups: int) -> pl.DataFrame:
    """One row a cell of `by` and time: `share` that has reached it, with bounds, and the number at risk `n`.

    `counts` has, for each cell, random group of setups (`group`) and `time`, how many `reached` it then and
    how many `left` unreached then, after having been at risk at that time; a group is a setup's number modulo
    RANDOM_GROUPS, of `setups` in all. The share is one minus the estimator of Kaplan and Meier (1958, JASA
    53, 457-481), so leaving counts as censoring. Its variance is the delete-a-group jackknife (Kott 2001,
    J. Off. Stat. 17, 521-526), for setups, not seats, are independent; the bounds are Wilson's at the
    effective sample size.
    """
    frames = []
    groups = int(counts["group"].max()) + 1 if counts.height else 0  # type: ignore[arg-type]
    for key, cell in counts.group_by(*by, maintain_order=True):
        last = int(cell["time"].max())  # type: ignore[arg-type]
        grid = np.zeros((2, groups, last + 1))
        index = (cell["group"].to_numpy(), cell["time"].to_numpy())
        for row, name in enumerate(("reached", "left")):
            np.add.at(grid[row], index, cell[name].to_numpy())
        whole = grid.sum(axis=1)
        share, at_risk = _kaplan_meier(whole[0], whole[1])
        without, _ = _kaplan_meier(whole[0] - grid[0], whole[1] - grid[1])
        used = max(int((grid.sum(axis=(0, 2)) > 0).sum()), 1)
        variance = (used - 1) / used * ((without - share) ** 2).sum(axis=0)
        at_stake = np.maximum(setups * at_risk / at_risk[0], 1.0)
        low, high = _rate_bounds(share, variance, at_risk, at_stake, np.full(last + 1, float(used)))
        times = np.arange(last + 1)
        frame = pl.DataFrame(
            {"time": times, "share": share, "low": low, "high": high, "n": at_risk.astype(np.int64)}
        )
        labels = [pl.lit(value).alias(name) for name, value in zip(by, key, strict=True)]
        frames.append(frame.filter(pl.col("n") > 0).select(*labels, pl.all()))
    return pl.concat(frames).sort(*by, "time") if frames else pl.DataFrame()


def _kaplan_meier(reached: Floats, left: Floats) -> tuple[Floats, Floats]:
    """Share reached and number at risk, along the last axis (time)."""
    gone: Floats = np.asarray(np.cumsum(reached + left, axis=-1), dtype=np.float64)
    at_risk: Floats = gone[..., -1:] - gone + reached + left
    with np.errstate(divide="ignore", invalid="ignore"):
        stays = np.where(at_risk > 0, 1 - reached / at_risk, 1.0)
    share: Floats = np.asarray(1 - np.cumprod(stays, axis=-1))
    return share, at_risk


def whole_setups(games: pl.LazyFrame, size: int) -> list[tuple[int, int]]:
    """Ranges of game numbers (first, last) of about `size` games each that split no setup.

    Setups that do not lie together in the order of the games make one range of all.
    """
    table = games.select("game", "setup").sort("game").collect(engine="streaming")
    if table.is_empty():
        return []
    runs = table.group_by(pl.col("setup").rle_id().alias("run"), maintain_order=True).agg(
        pl.col("setup").first(),
        pl.col("game").first().alias("first"),
        pl.col("game").last().alias("last"),
        pl.len(),
    )
    if runs["setup"].n_unique() < runs.height:
        return [(int(table["game"][0]), int(table["game"][-1]))]
    part = (runs["len"].cum_sum() - 1) // size
    ranges = runs.group_by(part.alias("part"), maintain_order=True).agg(
        pl.col("first").first(), pl.col("last").last()
    )
    return [(int(first), int(last)) for first, last in ranges.select("first", "last").iter_rows()]


def in_batches(size: int, games: pl.LazyFrame, *frames: pl.LazyFrame) -> Iterator[list[pl.LazyFrame]]:
    """The games and the other frames cut alike, about `size` games at a time and whole setups."""
    for first, last in whole_setups(games, size):
        within = pl.col("game").is_between(first, last)
        yield [frame.filter(within) for frame in (games, *frames)]
