"""How fast the tracks are climbed, and what each of their steps is worth."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from analysis.frames import Row, Tables
from analysis.pages import figures
from analysis.pages.columns import SPREAD_COLUMNS, Column, across, figure, table

NOTE = (
    "Shares by round are of all seats. The curve by turn counts the end of a game as censoring (Kaplan and Meier): "
    "the pace if games went on. It ends where fewer than 2 % of the seats are still at risk."
)
ON_STEPS = (
    " A step is dead if nobody stands on it, or if it never pays on a track that does. Own turns on a step count the "
    "end of the game as censoring too."
)


def track_sections(pacing: Tables, steps: Tables | None) -> list[Row]:
    """A section for each track, in the order of the catalogue."""
    found = []
    for source, name in pacing["step"].select("source", "name").unique(maintain_order=True).iter_rows():
        shown = [_step_table(pacing, source, name)]
        if steps is not None:
            shown += _landing_tables({key: rows.filter(source=source) for key, rows in steps.items()}, name)
        spread = [column for column in SPREAD_COLUMNS if column.key.startswith("q")]
        shown.append(
            table(
                f"{name}: the step on which seats stand at the end of each round",
                [
                    Column("Round", "round", "count"),
                    Column("Mean", "mean", "mean"),
                    *spread,
                    Column("Seats", "seats", "count"),
                ],
                pacing["position"].filter(source=source).with_columns(seats="n").to_dicts(),
                folded=True,
            )
        )
        drawn = [
            figure(*figures.positions(pacing, source, name)),
            figure(*figures.pace(pacing, source, name)),
        ]
        found.append(
            {
                "title": f"Track pacing: {name}",
                "short": name,
                "note": NOTE + (ON_STEPS if steps is not None else ""),
                "figures": drawn,
                "tables": shown,
            }
        )
    return found


def _step_table(tables: Tables, source: str, name: str) -> Row:
    rounds = tables["round"].filter(source=source)
    lines: list[Row] = []
    for row in tables["step"].filter(source=source).sort("step").iter_rows(named=True):
        of_step = rounds.filter(step=row["step"])
        by_round = {
            f"round {each['round']}{suffix}": each[f"reached{suffix}"]
            for each in of_step.iter_rows(named=True)
            for suffix in ("", "_low", "_high", "_n")
        }
        lines.append(row | by_round)
    columns = [
        Column("Step", "step", "count"),
        *(
            Column(f"By end of round {number}", f"round {number}")
            for number in rounds["round"].unique().sort()
        ),
        Column("Median own turn", "median_turn", "mean", "by which half of the seats would have reached it"),
        Column("Median round", "median_round", "count"),
        Column("Never", "never"),
        Column("Reached in", "reached_example", "game", "the first game in which a seat reached it"),
        Column("Not in", "never_example", "game", "the first game in which a seat did not"),
    ]
    return table(f"{name}: seats on each step or above", columns, lines)


def _landing_tables(of: Mapping[str, pl.DataFrame], name: str) -> list[Row]:
    lines = of["landing"].with_columns(pl.format("step {}", "step").alias("line")).to_dicts()
    columns = [
        Column("Step", "line", "text"),
        Column("Stood on", "landed", "rate", "of the seats that came so far; the others jumped it"),
        Column("Own turns on it", "dwell", "mean", "until half of the seats have left it"),
        Column("Stayed to the end", "stayed", "rate", "of the seats that stood on it"),
        Column("Pays", "pays", "rate", "of the landings brought VP or another reward"),
        Column("VP", "vp", "mean", "of the landings that pay"),
        Column("Dead", "dead", "text"),
    ]
    shown = [table(f"{name}: each step", columns, lines)]
    line = ("Step", "step", "line")
    for key, label, measure, kind, caption in (
        ("order", "came {}.", "vp", "mean", "VP by the order in which seats come to a step"),
        ("first", "seat {}", "first", "rate", "share of the games in which each seat came first"),
    ):
        by = "order" if key == "order" else "seat"
        rows = of[key].with_columns(pl.format("step {}", "step").alias("line"))
        if key == "order":
            # Steps that pay everybody alike say nothing about the order.
            rows = rows.filter(pl.col("vp").n_unique().over("step") > 1)
        if rows.height:
            shown.append(
                table(f"{name}: {caption}", *across(rows, by, measure, label.format, kind, line), folded=True)
            )
    return shown + _point_tables(name, of)


def _point_tables(name: str, of: Mapping[str, pl.DataFrame]) -> list[Row]:
    """What a track pays, of games with points."""
    if "share" not in of:
        return []
    numbers = [Column("Share of all points", "share"), Column("Points a seat", "points", "mean")]
    early = Column("Order bonus", "bonus", "mean", "points a game above the least that its steps ever pay")
    bonus = of["bonus"].select("seat", pl.col("^bonus.*$"))
    by_seat = of["share_by_seat"].join(bonus, on="seat", how="left", maintain_order="left")
    return [
        table(
            f"{name}: points by bot", [Column("Bot", "bot", "text"), *numbers], of["share_by_bot"].to_dicts()
        ),
        table(
            f"{name}: points by seat",
            [Column("Seat", "place", "text"), *numbers, early],
            [row | {"place": f"seat {row['seat']}"} for row in by_seat.to_dicts()],
        ),
    ]
