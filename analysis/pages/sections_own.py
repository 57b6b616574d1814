"""What this game alone has, and what it could have shown and never did."""

from __future__ import annotations

import polars as pl

from analysis.frames import Row
from analysis.measured import Measured
from analysis.pages import charts, figures
from analysis.pages.columns import BY, EXAMPLE, Column, across, figure, table
from analysis.words import words


def declared_section(measured: Measured) -> Row:
    tables, sentences = measured.tables, measured.run["columns"]
    drawn: list[Row] = []
    shown: list[Row] = []
    if "kinds" in tables:
        kinds = tables["kinds"]
        title = "Seats with an event in a round, of those still playing"
        rows = kinds["kinds_by_round"].drop_nulls("seats")
        labels = [measured.rounds.label(first) for first in rows["round"].unique().sort()]
        told = figures.each(kinds["kinds"], "kind", "seats")
        said = f"{title}. In the whole game: {told}."
        drawn.append(figure(charts.round_lines(rows, "kind", "seats", labels, title), said))
        line = ("Event", "kind", "kind")
        columns = [
            Column("Event", "kind", "text"),
            Column("Times a seat and game", "mean", "mean"),
            Column(
                "Seats with one",
                "seats",
                "rate",
                "share of the seats that had the event at least once in a game",
            ),
            Column("Turns with one", "turns", "rate", "share of all turns"),
            Column("Wins: with", "with", "rate", "mean share of the win of the seats that had the event"),
            Column("Wins: without", "without", "rate", "mean share of the win of the other seats"),
            Column("Difference", "difference", "rate difference", "in percentage points"),
            EXAMPLE,
        ]
        lines = [
            row | {"kind note": sentences["kinds"].get(row["kind"], "")} for row in kinds["kinds"].to_dicts()
        ]
        shown.append(table("Events of this game's own", columns, lines))
        shown.append(
            table(
                "Seats with an event in a round, of those still playing",
                *across(kinds["kinds_by_round"], "round", "seats", measured.rounds.label, line=line),
                folded=True,
            )
        )
        for key, label in BY:
            for what, caption, kind in (
                ("seats", "Seats with an event at least once in a game", "rate"),
                ("mean", "Times that a seat has an event in a game", "mean"),
            ):
                rows = kinds[f"kinds_by_{key}"]
                shown.append(
                    table(
                        f"{caption}, by {key}", *across(rows, key, what, label, kind, line=line), folded=True
                    )
                )
    if "columns" in tables:
        own = tables["columns"]
        columns = [
            Column("At the end of the game", "column", "text"),
            Column("Mean of a seat", "mean", "mean"),
            Column("Share of seats", "share"),
        ]
        lines = [
            row | {"column note": sentences["seats"].get(row["column"], "")}
            for row in own["columns"].to_dicts()
        ]
        shown.append(table("Columns of this game's own", columns, lines))
        for key, label in BY:
            for what, caption, kind in (
                ("mean", "Mean of a seat", "mean"),
                ("share", "Share of seats", "rate"),
            ):
                rows = own[f"columns_by_{key}"].drop_nulls(what)
                shown.append(
                    table(
                        f"{caption}, by {key}",
                        *across(
                            rows, key, what, label, kind, line=("At the end of the game", "column", "column")
                        ),
                    )
                )
    note = (
        "What this game counts beside the common columns. The seats with and without an event are compared as "
        "they are: who has more of it may be the stronger, longer or luckier player, and the event no cause."
    )
    return {
        "title": "Of this game alone",
        "short": "Its own events",
        "note": note,
        "figures": drawn,
        "tables": shown,
    }


def coverage_section(measured: Measured) -> Row:
    rows = measured.tables["coverage"]["games"]
    counts = rows.group_by("what", maintain_order=True).agg(
        pl.len().alias("things"), pl.col("never").sum().cast(pl.Int64).alias("nevers")
    )
    lines = [
        row | {"name": words(row["name"]) if row["source"] is None else row["name"]}
        for row in rows.to_dicts()
    ]
    columns = [
        Column("What", "what", "text"),
        Column("Name", "name", "text"),
        Column("Share of games", "share", "rate", "n: games in which it could happen"),
        EXAMPLE,
    ]
    shown = [
        table("Never seen", columns, [line for line in lines if line["never"]], filter=True),
        table(
            "How much was seen",
            [
                Column("What", "what", "text"),
                Column("Of these", "things", "count"),
                Column("Never seen", "nevers", "count"),
            ],
            counts.to_dicts(),
        ),
        *_clause_tables(measured),
        table("All of it", columns, lines, filter=True, folded=True),
    ]
    note = (
        "What no game showed is bounded by the rule of three: less than 3 divided by the setups in which it could "
        "happen. A source is paid at any payment that is no loss."
    )
    if "clauses" in measured.tables["coverage"]:
        note += (
            " Of the clauses of the rules those are listed that leave a trace of their own in the tables; a clause "
            "was applied in at least as many games as the most frequent of its traces."
        )
    if "effect chosen" in counts["what"]:
        note += " Effect and VP are chosen in a game that paid the source 0, or more, at some time."
    return {
        "title": "Coverage: what never happened",
        "short": "Never seen",
        "note": note,
        "figures": [],
        "tables": shown,
    }


def _clause_tables(measured: Measured) -> list[Row]:
    if "clauses" not in measured.tables["coverage"]:
        return []
    columns = [
        Column("Clause", "clause", "text"),
        Column("Share of games, at least", "share", "rate", "n: games in which it could be applied"),
        Column("Shown by", "shown_by", "text"),
    ]
    rows = measured.tables["coverage"]["clauses"].drop_nulls("share").to_dicts()
    return [table("Clauses of the rules", columns, rows, filter=True)]
