"""How often games are tied, what breaks the ties, and how close the others are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.intervals import Measure, never_seen, ratios, student
from analysis.survival import RANDOM_GROUPS

NEAR = (0, 1, 2, 3, 5, 10)
SHARED = -1


def drawn(games: pl.LazyFrame) -> pl.DataFrame:
    """Of a race, one row a player count and `ending`: the `share` of all games that nobody won.

    The first ending of each player count is null: all of them together, a share of 0 bounded by the rule of
    three. Endings that left no game without a winner have no row.
    """
    shared = pl.col("tie_stage") == SHARED
    seen = games.filter(shared).select("ending").unique().collect(engine="streaming")["ending"].sort()
    outcomes: list[tuple[str | None, int | None, pl.Expr]] = [(None, None, shared)]
    outcomes += [(name, None, shared & (pl.col("ending") == name)) for name in seen]
    return never_seen(_shares(games, outcomes, "ending", "stage").drop("stage"), "share", games)


def tie_shares(games: pl.LazyFrame, tie_stages: Sequence[str] = ()) -> pl.DataFrame:
    """One row a player count and `outcome`, with the `share` of the games and its interval.

    Outcomes: decided on points; tied on points (two seats or more at the top score); of these, decided by
    each tie-break, in order; and shared by those whom no tie-break parts. `stage` is null for "tied on
    points", else the number that the games carry. `tie_stages` names the stages from 0 on; stages that never
    occurred are rows too.
    """
    seen = games.select(pl.col("tie_stage").max()).collect(engine="streaming").item()
    stages = range(1, max(len(tie_stages) - 1, seen or 0) + 1)
    outcomes: list[tuple[str | None, int | None, pl.Expr]] = [
        ("decided on points", 0, pl.col("tie_stage") == 0),
        ("tied on points", None, pl.col("tied_on_points") > 1),
    ]
    for stage in stages:
        name = tie_stages[stage] if stage < len(tie_stages) else f"tie-break {stage}"
        outcomes.append((f"decided by {name}", stage, pl.col("tie_stage") == stage))
    outcomes.append(("shared", SHARED, pl.col("tie_stage") == SHARED))
    return _shares(games, outcomes, "outcome", "stage")


def near_ties(games: pl.LazyFrame) -> pl.DataFrame:
    """One row a player count and `margin`: the share of games won by at most so many points (0: tied)."""
    return _shares(games, [(f"at most {m}", m, pl.col("margin") <= m) for m in NEAR], "within", "margin")


def margins(games: pl.LazyFrame, longest: int = 20) -> pl.DataFrame:
    """One row a player count and `margin`: the share of games with it; the last is that and above."""
    bins: list[tuple[str | None, int | None, pl.Expr]] = [
        (str(m), m, pl.col("margin") == m) for m in range(longest)
    ]
    bins.append((f"{longest}+", longest, pl.col("margin") >= longest))
    return _shares(games, bins, "label", "margin")


def _shares(
    games: pl.LazyFrame, outcomes: Sequence[tuple[str | None, int | None, pl.Expr]], label: str, number: str
) -> pl.DataFrame:
    measures = [Measure(str(place), found, pl.lit(1)) for place, (_, _, found) in enumerate(outcomes)]
    first = [pl.col("game").filter(each.total).min().cast(pl.Int64).alias(each.name) for each in measures]
    examples = (
        games.group_by("players").agg(first).collect(engine="streaming").rows_by_key("players", named=True)
    )
    rows = []
    for cell in ratios(games, ("players",), measures).iter_rows(named=True):
        for measure, (name, value, _) in zip(measures, outcomes, strict=True):
            numbers = {
                f"share{suffix}": cell[measure.name + suffix] for suffix in ("", "_low", "_high", "_n")
            }
            key = {"players": cell["players"], label: name, number: value}
            rows.append(key | numbers | {"example": examples[cell["players"]][0][measure.name]})
    schema = {"players": pl.Int64, label: pl.String, number: pl.Int64, "example": pl.Int64}
    return pl.DataFrame(rows, schema_overrides=schema)


def tie_breaks(games: pl.LazyFrame, tie_stages: Sequence[str] = ()) -> pl.DataFrame:
    """One row a player count and tie-break (`stage`, `name`): how many games came to it, and what it did.

    `came` is the share of all games that were still tied before it, `decides` the share of these that it
    decided, null if there were none.
    """
    seen = games.select(pl.col("tie_stage").max()).collect(engine="streaming").item()
    stages = range(1, max(len(tie_stages) - 1, seen or 0) + 1)
    stage = pl.col("tie_stage")
    measures = []
    for number in stages:
        came = (stage >= number) | (stage == SHARED)
        measures += [
            Measure(f"{number} came", came, pl.lit(1)),
            Measure(f"{number} decides", stage == number, came),
        ]
    rows = [
        {
            "players": cell["players"],
            "stage": number,
            "name": tie_stages[number] if number < len(tie_stages) else f"tie-break {number}",
        }
        | {
            f"{what}{end}": cell[f"{number} {what}{end}"]
            for what in ("came", "decides")
            for end in ("", "_low", "_high", "_n")
        }
        for cell in (ratios(games, ("players",), measures).iter_rows(named=True) if stages else ())
        for number in stages
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def independent_ties(seats: pl.LazyFrame, games: pl.LazyFrame) -> pl.DataFrame:
    """One row a player count and `margin`: how often games end so close, and how often chance alone would do it.

    `share` is the share of games won by at most so many points (0: tied), as in `near_ties`; `independent` what it
    would be if each seat scored by itself, drawn from all scores of its bot, with the bots together that sit
    together; `ratio` is the first over the second: below 1 the game drives seats apart, as by racing for the
    same prizes, above 1 together. The last two have 95 % intervals by the delete-a-group jackknife over setups
    (Kott 2001, J. Off. Stat. 17, 521-526), `ratio` none where no game ended so close.
    """
    near, groups = np.array(NEAR), RANDOM_GROUPS
    group = (pl.col("setup") % groups).alias("group")
    table = games.select("game", group, "players", "margin")
    sitting = seats.select("game", "bot", "score").join(table, on="game")
    scores = sitting.group_by("players", "group", "bot", "score").agg(pl.len()).collect(engine="streaming")
    lineups = (
        sitting.group_by("game", "players", "group", "margin")
        .agg(pl.col("bot").sort())
        .group_by("players", "group", "bot")
        .agg(pl.len(), *((pl.col("margin") <= m).sum().alias(str(m)) for m in NEAR))
        .collect(engine="streaming")
    )
    rows = []
    for (players,), of_count in lineups.filter(pl.col("players") > 1).group_by(
        "players", maintain_order=True
    ):
        of_scores = scores.filter(pl.col("players") == players)
        values = of_scores["score"].to_numpy()
        ends_of = int(values.min()), int(values.max())
        spread = {str(bot): _score_shares(cell, *ends_of) for (bot,), cell in of_scores.group_by("bot")}
        # Leaving out no group at all, the last row, gives the estimate.
        games_of, close, chance = (
            np.zeros(groups + 1),
            np.zeros((groups + 1, near.size)),
            np.zeros((groups + 1, near.size)),
        )
        for (bots,), cell in of_count.group_by("bot"):
            left_in = _without(cell, "len")
            games_of += left_in
            close += np.stack([_without(cell, str(m)) for m in NEAR], axis=1)
            chance += left_in[:, None] * _close(np.stack([spread[bot] for bot in bots], axis=0), near)
        with np.errstate(divide="ignore", invalid="ignore"):
            close, chance = close / games_of[:, None], chance / games_of[:, None]
            found = {"independent": chance, "ratio": np.where(close[-1] > 0, close / chance, np.nan)}
            ends = {name: _jackknife(values, of_count["group"].n_unique()) for name, values in found.items()}
        for place, margin in enumerate(NEAR):
            row: dict[str, Any] = {"players": players, "margin": margin}
            for name, (value, low, high) in ends.items():
                numbers = zip(("", "_low", "_high"), (value, low, high), strict=True)
                row |= {
                    f"{name}{end}": float(each[place]) if np.isfinite(each[place]) else None
                    for end, each in numbers
                }
                row[f"{name}_n"] = int(games_of[-1])
            rows.append(row)
    if not rows:
        return pl.DataFrame()
    share = near_ties(games).select("players", "margin", pl.col("^share.*$"))
    found_rows = pl.DataFrame(rows, infer_schema_length=None)
    return share.join(found_rows, on=["players", "margin"], maintain_order="left")


def _score_shares(cell: pl.DataFrame, least: int, most: int) -> NDArray[np.float64]:
    """The shares of the scores of a bot, each group left out in turn and then none, shape (groups + 1, scores)."""
    counts = np.zeros((RANDOM_GROUPS, most - least + 1))
    counts[cell["group"].to_numpy(), cell["score"].to_numpy() - least] = cell["len"].to_numpy()
    left_in = np.concatenate([counts.sum(axis=0) - counts, counts.sum(axis=0, keepdims=True)])
    shares: NDArray[np.float64] = left_in / np.maximum(left_in.sum(axis=1, keepdims=True), 1)
    return shares


def _without(cell: pl.DataFrame, column: str) -> NDArray[np.float64]:
    """The sums of a column, each group left out in turn and then none."""
    sums = np.bincount(cell["group"].to_numpy(), cell[column].to_numpy(), RANDOM_GROUPS)
    return np.append(sums.sum() - sums, sums.sum())


def _close(shares: NDArray[np.float64], near: NDArray[np.int64]) -> NDArray[np.float64]:
    """The chance that the best of independent scores leads by at most so many points, shape (groups + 1, near)."""
    below = np.concatenate([np.zeros((*shares.shape[:2], 1)), shares.cumsum(axis=2)], axis=2)
    found = np.empty((shares.shape[1], near.size))
    for place, margin in enumerate(near):
        # A seat leads by more if all others lie below its score by more than the margin.
        reach = np.maximum(np.arange(shares.shape[2]) - margin, 0)
        others = below[:, :, reach]
        ahead = [
            (shares[seat] * np.delete(others, seat, axis=0).prod(axis=0)).sum(axis=1)
            for seat in range(shares.shape[0])
        ]
        found[:, place] = 1 - np.sum(ahead, axis=0)
    return found


def _jackknife(values: NDArray[np.float64], used: int) -> tuple[NDArray[np.float64], ...]:
    """Value and bounds of what was found with each group left out and, at last, with none; at least 0."""
    whole = values[-1]
    variance = (used - 1) / max(used, 1) * np.square(values[:-1] - whole).sum(axis=0)
    half = student(used) * np.sqrt(variance)
    half = half if used > 1 else np.full_like(whole, np.nan)
    return whole, np.maximum(whole - half, 0), whole + half
