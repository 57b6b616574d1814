"""How often games are tied, what breaks the ties, and how close the others are."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from analysis.intervals import Measure, never_seen, ratios

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
    rows = []
    for cell in ratios(games, ("players",), measures).iter_rows(named=True):
        for measure, (name, value, _) in zip(measures, outcomes, strict=True):
            numbers = {
                f"share{suffix}": cell[measure.name + suffix] for suffix in ("", "_low", "_high", "_n")
            }
            rows.append({"players": cell["players"], label: name, number: value} | numbers)
    schema = {"players": pl.Int64, label: pl.String, number: pl.Int64}
    return pl.DataFrame(rows, schema_overrides=schema)
