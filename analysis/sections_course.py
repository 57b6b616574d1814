"""How games go: the sections on tracks, length, actions and what a game declares itself."""

from __future__ import annotations

import polars as pl

from analysis import charts
from analysis.columns import BY, EXAMPLE, SPREAD_COLUMNS, Column, across, figure, table
from analysis.frames import Row, Tables
from analysis.measured import Measured
from analysis.words import words


def pacing_sections(tables: Tables) -> list[Row]:
    sections = []
    for (source, name), steps in tables["step"].group_by("source", "name", maintain_order=True):
        rounds, turns = (tables[key].filter(source=source) for key in ("round", "turn"))
        title = f"{name}: seats on each step or above"
        drawn = figure(
            charts.track_pace(rounds, turns, title), f"{title}, by the end of each round and by own turn."
        )
        lines: list[Row] = []
        for row in steps.sort("step").iter_rows(named=True):
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
            Column(
                "Median own turn", "median_turn", "mean", "by which half of the seats would have reached it"
            ),
            Column("Median round", "median_round", "count"),
            Column("Never", "never"),
            Column("Reached in", "reached_example", "game", "the first game in which a seat reached it"),
            Column("Not in", "never_example", "game", "the first game in which a seat did not"),
        ]
        note = (
            "Shares by round are of all seats. The curve by turn counts the end of a game as censoring "
            "(Kaplan and Meier): the pace if games went on. It ends where fewer than 2 % of the seats are "
            "still at risk."
        )
        sections.append(
            {
                "title": f"Track pacing: {name}",
                "note": note,
                "figures": [drawn],
                "tables": [table(f"{name}: steps", columns, lines)],
            }
        )
    return sections


def length_section(tables: Tables) -> Row:
    drawn = charts.histogram(tables["turns"], "turns", "How long games take", "turns of all seats")
    spread = [Column("Length", "length", "text"), Column("Mean", "mean", "mean"), *SPREAD_COLUMNS]
    shown = [table("Turns and rounds", spread, tables["spread"].to_dicts())]
    for key, head, kind in (("players", "Players", "count"), ("ending", "Ending", "text")):
        rows = tables[f"by_{key}"]
        if rows[key].n_unique() > 1:
            shown.append(
                table(
                    f"Turns and rounds by {head.lower()}", [Column(head, key, kind), *spread], rows.to_dicts()
                )
            )
    shown.append(
        table(
            "Endings",
            [Column("Ending", "ending", "text"), Column("Share of games", "share"), EXAMPLE],
            [row | {"ending": words(row["ending"])} for row in tables["endings"].to_dicts()],
        )
    )
    shown.append(
        table(
            "Games by their turns",
            [Column("Turns", "bin", "text"), Column("Share of games", "share"), EXAMPLE],
            tables["turn_bins"].to_dicts(),
            folded=True,
        )
    )
    notes = []
    if tables["spread"].height > 2:
        notes.append("Own turns of the winner: of seats that win alone, where turns go round from seat 0.")
    if (tables["endings"]["share"] == 0).any():
        notes.append("An ending that no game had is bounded by the rule of three: 3 divided by the setups.")
    return {
        "title": "Length",
        "note": " ".join(notes),
        "figures": [figure(drawn, "Distribution of the number of turns.")],
        "tables": shown,
    }


def example_section(tables: Tables) -> Row:
    columns = [
        Column("What", "what", "text"),
        Column("Value", "value", "count"),
        Column("Seat", "seat", "count"),
        Column("Game", "example", "game", "the button copies the command that tells it turn by turn"),
    ]
    note = (
        "The games at either end, those with the lowest numbers first where several are alike. Each is one "
        "game and no rule: it shows how such a game comes about, not how often."
    )
    shown = [table("Games that stand out", columns, tables["outliers"].to_dicts())]
    return {"title": "Games to read", "note": note, "figures": [], "tables": shown}


def action_section(tables: Tables) -> Row:
    figures = []
    for key, _ in BY:
        title = f"What seats do, by {key}: percent of their actions"
        rows = tables[f"by_{key}"].with_columns(
            (pl.lit("seat ") + pl.col("seat").cast(pl.String)).alias("seat")
            if key == "seat"
            else pl.col("bot"),
            pl.col("action").str.replace_all("_", " "),
        )
        figures.append(
            figure(
                charts.stacked_shares(rows, key, "action", title), f"{title}; the tables have the numbers."
            )
        )
    line = ("Action", "action", "action")
    shown = [
        table(
            "Actions",
            [
                Column("Action", "action", "text"),
                Column("Times a seat and game", "mean", "mean"),
                Column("Share of all actions", "share"),
                Column("Seats", "n", "count"),
            ],
            tables["actions"].to_dicts(),
        ),
    ]
    for key, label in BY:
        rows = tables[f"by_{key}"]
        shown += [
            table(f"Share of all actions, by {key}", *across(rows, key, "share", label, line=line)),
            table(
                f"Times a seat and game, by {key}",
                *across(rows, key, "mean", label, "mean", line=line),
                folded=True,
            ),
        ]
    return {"title": "Actions", "note": "", "figures": figures, "tables": shown}


def declared_section(measured: Measured) -> Row:
    tables, sentences = measured.tables, measured.run["columns"]
    figures: list[Row] = []
    shown: list[Row] = []
    if "kinds" in tables:
        kinds = tables["kinds"]
        title = "How often: share of the seats still playing that had it, by round"
        rows = kinds["kinds_by_round"].drop_nulls("seats")
        labels = [measured.rounds.label(first) for first in rows["round"].unique().sort()]
        drawn = charts.round_lines(rows, "kind", "seats", labels, title)
        figures.append(figure(drawn, f"{title}; the table has the numbers."))
        line = ("Event", "kind", "kind")
        columns = [
            Column("Event", "kind", "text"),
            Column("Times a seat and game", "mean", "mean"),
            Column("Seats", "seats", "rate", "of the seats had it at least once in a game"),
            Column("Turns", "turns", "rate", "share of all turns with one"),
            Column("Wins: with", "with", "rate", "mean share of the win of seats that had it"),
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
                "Share of the seats still playing that had it, by round",
                *across(kinds["kinds_by_round"], "round", "seats", measured.rounds.label, line=line),
                folded=True,
            )
        )
        for key, label in BY:
            for what, caption, kind in (
                ("seats", "Share of the seats that had it", "rate"),
                ("mean", "Times a seat and game", "mean"),
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
    return {"title": "Of this game alone", "note": note, "figures": figures, "tables": shown}
