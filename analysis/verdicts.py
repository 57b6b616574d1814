"""Whether a game is in balance: which rates lie within their band, which outside, and which are still open.

That a rate does not differ for certain from what is wanted says nothing: few games tell nothing apart. So a rate is
called within its band only where a test of equivalence shows it, outside where a test shows that, and open else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

from analysis.decisions import chances_of_band, holm
from analysis.frames import Tables
from analysis.intervals import Floats, trials_worth
from analysis.words import MANY, families, plural
from simulator.faults import nearest, shown
from simulator.game import UserError

LEVEL = 0.05
"""The chance of a single wrong `within` in a family of rates, and that of a single wrong `above` or `below`."""

WITHIN, BELOW, ABOVE, OPEN = "within", "below", "above", "open"


JUDGED = ("payouts", "seats", "ties")
"""The sections of a report that the verdicts are on."""


@dataclass(frozen=True)
class Band:
    """What a rate should be, from `least` to `most`; of a seat's share how far off the fair one it may be."""

    least: float
    most: float


BANDS: Mapping[str, Band] = {"seats": Band(-0.01, 0.01), "ties": Band(0.01, 0.04), "draws": Band(0.0, 0.01)}
"""Common aims, where a designer names no others: no rulebook states them."""


def read_bands(given: Mapping[str, str | float | Sequence[float]]) -> dict[str, Band]:
    """The bands by family; of a family from least to most, as "0.15:0.4" or (0.15, 0.4), of the seats 0.02 either way.

    UserError for what is no band.
    """
    if not isinstance(given, Mapping):
        raise UserError(
            f"{type(given).__name__} is no bands, expected a dict such as {{'ties': (0.01, 0.04)}}"
        )
    return {family: _read_band(family, value) for family, value in given.items()}


def _read_band(family: str, value: str | float | Sequence[float]) -> Band:
    parts = (
        value.split(":") if isinstance(value, str) else [value] if isinstance(value, int | float) else value
    )
    try:
        ends = [float(part) for part in parts]
    except (TypeError, ValueError):
        ends = []
    if family == "seats":
        if len(ends) == 1 and 0 < ends[0] < 1:
            return Band(-ends[0], ends[0])
        expected = "how far off the fair share a seat may be, as 0.01"
    elif len(ends) == 2 and 0 <= ends[0] < ends[1] <= 1:
        return Band(*ends)
    else:
        expected = "two shares from 0 to 1, as 0.15:0.4"
    raise UserError(f"{shown(value)} is no band of the {family}, expected {expected}")


def verdicts(
    tables: Mapping[str, Tables], race: bool, alike: bool, bands: Mapping[str, Band] = MappingProxyType({})
) -> pl.DataFrame:
    """One row a rate that has a band: `family`, `name`, `value`, the band, and the `verdict` on it.

    Judged are the shares of the wins of the `seats`, if bots change seats or are all `alike`; games tied on points
    (`ties`), in a race those that nobody wins (`draws`); and of each family of sources that `bands` names, as
    `prophecies`, how often each is paid where it is offered. Whether a band is `named` so is told too.

    `value` has its 95 % interval and n, `least` and `most` are the band. `p_within` and `p_outside` are adjusted over
    the family (Holm 1979): `verdict` is `within`, `below` or `above` where the one or other is at most 5 %, else
    `open`. `times` is how many times the games would settle an open one, if its true rate were the one seen.
    UserError for a band of what this run does not have.
    """
    judged = _families(tables, race, alike)
    _known(bands, judged)
    wanted = dict(BANDS) | dict(bands)
    found = [
        _judged(rows, name, wanted[name]).with_columns(named=pl.lit(name in bands))
        for name, rows in judged.items()
        if name in wanted
    ]
    return pl.concat(found)


def known_families(bands: Iterable[str], catalogue: pl.LazyFrame, race: bool) -> None:
    """UserError for a band of what no run with such a catalogue has."""
    offered = families(catalogue.filter("offered").collect())
    sources = [plural(family) for family, rows in offered.items() if rows.height >= MANY]
    _known(bands, ["seats", "draws" if race else "ties", *sources])


def _known(bands: Iterable[str], judged: Collection[str]) -> None:
    for name in bands:
        if name not in judged:
            known = f"{nearest(name, judged)} (there are {', '.join(judged)})"
            raise UserError(f"there is no family {shown(name)} to have a band, expected {known}")


def _families(tables: Mapping[str, Tables], race: bool, alike: bool) -> dict[str, pl.DataFrame]:
    """The rates that may have a band: `name`, `source`, `value` with bounds and n, and what the band is `around`."""
    found = {}
    if "seats" in tables and alike:
        by_seat = tables["seats"]["by_seat"]
        found["seats"] = _rates(by_seat, pl.format("seat {}", "seat"), "win_share", around=pl.col("fair"))
    if race:
        drawn = tables["ties"]["drawn"].filter(pl.col("ending").is_null())
        found["draws"] = _rates(drawn, _with_players(drawn, "games that nobody wins"), "share")
    else:
        tied = tables["ties"]["outcomes"].filter(pl.col("stage").is_null())
        found["ties"] = _rates(tied, _with_players(tied, "games tied on points"), "share")
    if "payouts" in tables:
        offered = tables["payouts"]["source"].filter(pl.col("offered") > 0)
        for family, rows in families(offered).items():
            if rows.height >= MANY:
                found[plural(family)] = _rates(rows, pl.col("name"), "paid_offered")
    return found


def _rates(table: pl.DataFrame, name: pl.Expr, rate: str, around: pl.Expr | None = None) -> pl.DataFrame:
    return table.select(
        name.cast(pl.String).alias("name"),
        pl.col("source") if "source" in table.columns else pl.lit(None, pl.String).alias("source"),
        *(pl.col(f"{rate}{end}").alias(f"value{end}") for end in ("", "_low", "_high", "_n")),
        (pl.lit(0.0) if around is None else around).alias("around"),
    )


def _with_players(table: pl.DataFrame, what: str) -> pl.Expr:
    return pl.format(f"{what}, {{}} players", "players") if table.height > 1 else pl.lit(what)


def _judged(rates: pl.DataFrame, family: str, band: Band) -> pl.DataFrame:
    """The rates of a family with their verdicts."""
    rows = rates.select(
        pl.lit(family).alias("family"),
        pl.exclude("around"),
        (pl.col("around") + band.least).clip(0, 1).alias("least"),
        (pl.col("around") + band.most).clip(0, 1).alias("most"),
    )
    value, low, high, least, most = (
        rows[name].cast(pl.Float64).to_numpy()
        for name in ("value", "value_low", "value_high", "least", "most")
    )
    trials = trials_worth(value, low, high)
    p_within, p_outside = (holm(p) for p in chances_of_band(value, trials, least, most))
    outside = np.where(value > most, ABOVE, BELOW)
    verdict = np.where(p_within <= LEVEL, WITHIN, np.where(p_outside <= LEVEL, outside, OPEN))
    # Holm asks the next of a family only against those that are not yet rejected on its side.
    inside = (least <= value) & (value <= most)
    left = np.where(inside, (p_within > LEVEL).sum(), (p_outside > LEVEL).sum())
    times = np.where(verdict == OPEN, _times(value, trials, least, most, np.maximum(left, 1)), np.nan)
    return rows.with_columns(
        pl.Series("p_within", p_within, nan_to_null=True),
        pl.Series("p_outside", p_outside, nan_to_null=True),
        pl.Series("verdict", verdict, dtype=pl.String),
        pl.Series("times", times, nan_to_null=True),
    )


def _times(value: Floats, trials: Floats, least: Floats, most: Floats, among: NDArray[np.int64]) -> Floats:
    """How many times the trials would tell such rates from the ends of their band, `among` so many others."""
    ends = np.stack([np.where(least > 0, least, np.nan), np.where(most < 1, most, np.nan)])
    away = np.abs(value - ends)
    inside = (least <= value) & (value <= most)
    reach = ndtri(1 - LEVEL / among / np.where(inside, 1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = reach**2 * ends * (1 - ends) / away**2
        return np.asarray(np.fmax(*needed) / trials)
