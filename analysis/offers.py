"""Groups of sources against each other: whose share of what was paid, and how much it hangs on what else was on offer.

A family are the sources whose ids begin with the same word before a dot; groups are those of the catalogue. A
source counts once a game, whatever it pays to how many seats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from analysis.examples import first_events
from analysis.intervals import Measure, Tally, estimates, in_batches

BATCH = 50_000
"""Games in memory at a time."""

MOST_GROUPS, MOST_COMBINATIONS = 8, 12
"""What a table of combinations can hold and still be read."""


@dataclass(frozen=True)
class Family:
    """Sources of two groups or more that compete for the same payouts."""

    name: str
    groups: tuple[str, ...]

    def measures(self) -> list[Measure]:
        """For each group its share of the family's payouts, and of its offers."""
        return [
            Measure(f"{what}|{group}", _count(what, group), pl.sum_horizontal(_counts(what, self.groups)))
            for what in ("paid", "offered")
            for group in self.groups
        ]


def _count(what: str, group: str) -> pl.Expr:
    return pl.col(f"{what} {group}")


def _counts(what: str, groups: tuple[str, ...]) -> list[pl.Expr]:
    return [_count(what, group) for group in groups]


def families(catalogue: pl.LazyFrame) -> list[Family]:
    """The families of offered sources that have several groups, in the order of the catalogue."""
    family = pl.col("source").str.extract(r"^([^.]+)\.").alias("family")
    offered = catalogue.filter("offered").select(family, "group").drop_nulls().collect()
    groups = {
        str(name): tuple(rows["group"].unique(maintain_order=True))
        for (name,), rows in offered.group_by("family", maintain_order=True)
    }
    return [Family(name, each) for name, each in groups.items() if len(each) > 1]


def counted(
    events: pl.LazyFrame, games: pl.LazyFrame, catalogue: pl.LazyFrame, family: Family
) -> pl.LazyFrame:
    """The games with how many sources of each group were `offered GROUP`, to all `public GROUP`, `paid GROUP`."""
    members = catalogue.filter(pl.col("offered") & pl.col("source").str.starts_with(f"{family.name}."))
    pays = (pl.col("kind") == "paid") & (pl.col("amount") >= 0)
    kinds = {
        "offered": pl.col("kind") == "offered",
        "public": (pl.col("kind") == "offered") & (pl.col("seat") < 0),
        "paid": pays,
    }
    per_source = (
        events.filter((pl.col("kind") == "offered") | pays)
        .join(members.select("source", "group"), on="source")
        .group_by("game", "group", "source")
        .agg(is_it.any().alias(what) for what, is_it in kinds.items())
    )
    per_game = per_source.group_by("game").agg(
        (pl.col(what) & (pl.col("group") == group)).sum().cast(pl.Int64).alias(f"{what} {group}")
        for what in kinds
        for group in family.groups
    )
    return games.join(per_game, on="game", how="left").with_columns(
        _count(what, group).fill_null(0) for what in kinds for group in family.groups
    )


def offer_tables(
    events: pl.LazyFrame, games: pl.LazyFrame, catalogue: pl.LazyFrame
) -> dict[str, pl.DataFrame]:
    """The tables `group` and `combination` of all families with several groups.

    `group`: one row a family and group: its share of what the family paid (`paid`; in a race its share of the
    wins) and of what the family offered (`offered`).
    `combination`: for families of which not every game offers as many of each group to all: a row for each
    combination of numbers offered together (the most frequent ones) and group: the `number` of its sources
    offered, `paid`, the share of games in which it paid (null where it was not offered), and for the whole
    combination `games`, the first of them as `example`, their mean `turns` and the share in which `nothing` of the
    family paid.
    """
    groups, combinations = [], []
    for family in families(catalogue):
        shares = Tally((), tuple(family.measures()))
        together = Tally(("combination",), _together(family))
        firsts: list[pl.DataFrame] = []
        for table, happened in in_batches(BATCH, games, events):
            frame = counted(happened, table, catalogue, family).collect(engine="streaming")
            shares.add(frame.lazy())
            key = pl.concat_str(_counts("public", family.groups), separator="|")
            with_key = frame.lazy().with_columns(combination=key)
            together.add(with_key)
            firsts.append(first_events(with_key, ("combination",)))
        groups += _group_rows(family, shares.estimates())
        if len(family.groups) <= MOST_GROUPS:
            first = pl.concat(firsts).group_by("combination").agg(pl.col("example").min())
            combinations += _combination_rows(family, together, dict(first.iter_rows()))
    schema = {"family": pl.String, "group": pl.String}
    return {
        name: pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame(schema=schema)
        for name, rows in (("group", groups), ("combination", combinations))
    }


def _together(family: Family) -> tuple[Measure, ...]:
    nothing = pl.sum_horizontal(_counts("paid", family.groups)) == 0
    return (
        *(Measure(group, _count("paid", group) > 0, pl.lit(1)) for group in family.groups),
        Measure(" nothing", nothing, pl.lit(1)),
        Measure(" turns", pl.col("turns"), pl.lit(1), rate=False),
    )


def _group_rows(family: Family, found: pl.DataFrame) -> list[dict[str, object]]:
    row = found.row(0, named=True)
    return [
        {"family": family.name, "group": group}
        | {
            f"{what}{suffix}": row[f"{what}|{group}{suffix}"]
            for what in ("paid", "offered")
            for suffix in ("", "_low", "_high", "_n")
        }
        for group in family.groups
    ]


def _combination_rows(family: Family, together: Tally, first: Mapping[str, int]) -> list[dict[str, object]]:
    sums = together.added()
    if sums.height < 2:
        return []
    count = f"{family.groups[0]}|count"
    frequent = sums.sort(count, "combination", descending=[True, True]).head(MOST_COMBINATIONS)
    rows: list[dict[str, object]] = []
    for found in (
        estimates(frequent, ("combination",), together.measures)
        .sort(f"{family.groups[0]}_n", "combination", descending=[True, True])
        .iter_rows(named=True)
    ):
        numbers = [int(number) for number in found["combination"].split("|")]
        whole = {
            f"{what}{suffix}": found[f" {what}{suffix}"]
            for what in ("nothing", "turns")
            for suffix in ("", "_low", "_high", "_n")
        }
        for group, number in zip(family.groups, numbers, strict=True):
            shares = {
                f"paid{suffix}": found[f"{group}{suffix}"] if number else None
                for suffix in ("", "_low", "_high", "_n")
            }
            rows.append(
                {"family": family.name, "combination": found["combination"], "group": group, "number": number}
                | shares
                | {"games": found[" turns_n"], "example": first[found["combination"]]}
                | whole
            )
    return rows
