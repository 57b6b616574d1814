"""The statistics, once: intervals for shares and means of games that come in setups.

Games of one setup share their deals, and the seats of one game share the table, so neither is an
independent observation. Every interval here takes the setup as the unit: a rate or mean is a ratio of two
totals, its variance comes from the totals by setup. `moments` reduces a frame to sums that can be added
over any split of the games that keeps setups whole; `estimates` turns the sums into numbers.

What stands on them: `survival` curves, `decisions`, `shrinkage` of many, `sequential` bounds; `bootstrap` resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from polars import selectors
from scipy.special import ndtri, stdtrit

CONFIDENCE = 0.95
SUMS = ("total", "count", "setups", "total_2", "total_count", "count_2")
DECIMALS = 9
"""Of differences: what large sums leave when they cancel depends on their order, beyond these decimals."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """A ratio of two sums over rows, named after its column: a rate or a mean.

    A rate is a mean of what lies between 0 and 1: yes and no, or shares of a win that several seats have.
    """

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


def trials_worth(share: ArrayLike, low: ArrayLike, high: ArrayLike) -> Floats:
    """The number of independent trials whose Wilson interval is this one, NaN where there is none.

    What `wilson` makes of a share and a size, the other way round; the bound that lies further off tells. Of 0 and
    of 1 the bound may be that of the rule of three: there it is the smaller of the numbers that either would tell.
    """
    share, low, high = (np.asarray(each, dtype=np.float64) for each in (share, low, high))
    end = np.where(high - share >= share - low, high, low)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = ndtri(0.5 + CONFIDENCE / 2) ** 2 * end * (1 - end) / (end - share) ** 2
        size = np.where((share == 0) | (share == 1), np.minimum(3 / np.abs(end - share), size), size)
    return np.where(np.isfinite(size), size, np.nan)


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
    found = per_setup.group_by(*by).agg(outer) if by else per_setup.select(outer)
    return in_words(found)


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


def student(setups: ArrayLike) -> Floats:
    """How many standard errors bounds lie off at 95 %, where the error is estimated from that many setups."""
    freedom = np.maximum(np.asarray(setups, dtype=np.float64) - 1, 1)
    return np.asarray(stdtrit(freedom, 0.5 + CONFIDENCE / 2))


def estimates(
    sums: pl.DataFrame,
    by: Sequence[str],
    measures: Iterable[Measure],
    reach: Callable[[Floats], Floats] = student,
) -> pl.DataFrame:
    """One row a cell of `by` (sorted): for each measure `NAME`, `NAME_low`, `NAME_high`, `NAME_n`.

    `NAME_n` is the denominator: how many units the number stands on. The variance is that of the ratio
    estimator over setups (Cochran 1977, Sampling Techniques, section 9A; the "ultimate cluster" variance).
    A mean gets Student's t with setups - 1 degrees of freedom. A rate gets Wilson's interval at the
    effective sample size (Korn and Graubard 1998, Survey Methodology 24, 193-201; Dean and Pagano 2015,
    J. Surv. Stat. Methodol. 3, 484-503), which is the plain one where each setup has one yes or no. Shares of
    a win vary less than yes and no, so theirs is narrower. A rate without variance, as 0 or 1, has as effective
    size the number of setups, as if their games were copies. `reach` says for numbers of setups how many
    standard errors the bounds lie off; `sequential.peeking` gives one for bounds that are looked at again and
    again.
    """
    columns: dict[str, Any] = {name: sums[name] for name in by}
    for measure in measures:
        value, variance, count, setups = ratio_variance(sums, measure.name)
        if measure.rate:
            size = effective_size(value, variance, setups, reach(setups))
            if reach is student:
                # One yes or no a setup: a sum of zeros and ones is that of their squares.
                yes_or_no = sums[f"{measure.name}|total_2"] == sums[f"{measure.name}|total"]
                plain = (setups == count) & yes_or_no.to_numpy()
                size = np.where(plain, count, size)
            low, high = wilson(value * size, size)
        else:
            half = reach(setups) * np.sqrt(variance)
            low, high = value - half, value + half
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


def effective_size(share: Floats, variance: Floats, setups: Floats, reach: Floats) -> Floats:
    """The number of independent trials that are worth as much as what gave shares of this variance.

    Wilson's interval at this size reaches `reach` standard errors; without variance it is that of `setups`.
    """
    normal = ndtri(0.5 + CONFIDENCE / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        size: Floats = share * (1 - share) / variance * (normal / reach) ** 2
    # One setup shows no variance either.
    known = np.isfinite(size) & (variance > 0)
    return np.where(known, size, setups * np.minimum(student(setups) / reach, 1.0) ** 2)


def differences(
    one: pl.DataFrame, other: pl.DataFrame, by: Sequence[str], measures: Iterable[Measure], paired: bool
) -> pl.DataFrame:
    """How much more `other` has than `one`: a row a cell of `by`, `NAME`, `NAME_low`, `NAME_high` (95 %).

    Beside them `NAME_variance` and `NAME_freedom`, from which `decisions` finds chances. Both are
    `setup_totals`. If `paired`, equal numbers are one setup whose halves vary together; else all setups are
    independent (Welch's t). The variance is that of a difference of two ratios over setups (Cochran 1977,
    Sampling Techniques, section 6.17). What has none, as what never happens, has no bounds.
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
    keys = [f"{name}{suffix}" for suffix in ("", "_low", "_high", "_variance", "_freedom")]
    if difference is None:
        return dict.fromkeys(keys)
    bounds = [round(difference, DECIMALS), *(round(difference + side, DECIMALS) for side in (-half, half))]
    basis = [float(squares.sum()), float(freedom)] if half > 0 else [np.nan, np.nan]
    return {key: None if np.isnan(value) else value for key, value in zip(keys, bounds + basis, strict=True)}


def ratios(frame: pl.LazyFrame, by: Sequence[str], measures: Iterable[Measure]) -> pl.DataFrame:
    """The estimates of the measures in each cell of `by`, from a frame with a column `setup`."""
    measures = tuple(measures)
    return estimates(moments(frame, by, measures).collect(engine="streaming"), by, measures)


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


def coded(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The frame with categories for its words: to group and join by them takes half the time of strings."""
    return frame.with_columns(selectors.string().cast(pl.Categorical))


def in_words(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The frame with strings for its categories: what `coded` undone gives."""
    return frame.with_columns(selectors.categorical().cast(pl.String))


def in_batches(size: int, games: pl.LazyFrame, *frames: pl.LazyFrame) -> Iterator[list[pl.LazyFrame]]:
    """The games and the other frames cut alike, about `size` games at a time and whole setups."""
    for first, last in whole_setups(games, size):
        within = pl.col("game").is_between(first, last)
        yield [frame.filter(within) for frame in (games, *frames)]
