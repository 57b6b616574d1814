"""The sections of several runs side by side: what was measured in all of them, and games to read of each."""

from __future__ import annotations

import polars as pl

from analysis.frames import Row
from analysis.measured import Compared
from analysis.pages import figures
from analysis.pages.columns import Column, figure, table
from analysis.pages.figures import BINS, FAIR
from analysis.pages.sections import numbered

DEALS_NOTE = (
    "Both runs deal the same and draw the same chance, until a seat does otherwise for the first time; from there on "
    "the games part. Shares are of all games. Of each change the games that changed the most stand here, of another "
    "winner those in which the closer of the two was least close."
)
MOST_MARKED = 24
"""Rows that a figure shows of a table whose rows come by how much they stand out."""

OUTLIERS_NOTE = (
    "The first game of each run at either end: it shows how such a game comes about, not how often."
)


def comparison_sections(compared: Compared) -> list[Row]:
    """A section for each table of runs side by side, and one for games to read."""
    labels = [run["label"] for run in compared.runs]
    beside = [_beside(compared, name, rows, labels) for name, rows in compared.tables.items()]
    return numbered({"Side by side": beside, "Games to read": _to_read(compared, labels)})


def _beside(compared: Compared, name: str, rows: pl.DataFrame, labels: list[str]) -> Row:
    kind = "rate" if rows["rate"].all() else "mean"
    columns = [
        Column("What", "what", "text"),
        *(
            Column(label, f"run{place}", kind, example=f"run{place}_example", run=place)
            for place, label in enumerate(labels)
        ),
    ]
    if "difference" in rows.columns:
        how = "within setups" if compared.paired else "of independent runs"
        columns.append(Column("Difference", "difference", f"{kind} difference", f"second less first, {how}"))
        columns.append(Column("q", "q", "chance", "p adjusted over all of this page"))
    lines = rows.to_dicts()
    note = "Wins of a seat times the number of players: 1 is its fair share." if name.startswith(FAIR) else ""
    drawn = rows
    if "changed" in rows.columns and "q" in rows.columns and rows.height > MOST_MARKED:
        drawn = rows.head(MOST_MARKED)
        note = (
            f"The figure shows {MOST_MARKED} of {rows.height}: what was changed, then what stands out most."
        )
    return {
        "title": name,
        "note": note,
        "figures": [figure(*figures.side_by_side(drawn, labels, name, ""))],
        "tables": [table(f"{name}: the numbers", columns, lines, folded=name == BINS)],
    }


def _to_read(compared: Compared, labels: list[str]) -> list[Row]:
    found = []
    for name, rows in compared.examples.items():
        if rows.is_empty():
            continue
        deals = "share" in rows.columns
        columns = [Column("What", "what", "text")]
        if deals:
            columns += [
                Column("Share of games", "share"),
                Column("Turns", "turns", "text", "of the first run and of the second"),
                Column("Won by seat", "winners", "text", "in the first run and in the second"),
            ]
        for place, label in enumerate(labels):
            if not deals:
                columns.append(
                    Column(label, f"run{place}", "count", example=f"run{place}_example", run=place)
                )
            else:
                columns.append(Column(label, f"run{place}_example", "game", run=place))
        found.append(
            {
                "title": name,
                "note": DEALS_NOTE if deals else OUTLIERS_NOTE,
                "figures": [],
                "tables": [table(f"{name}: which to read", columns, [_both(row) for row in rows.to_dicts()])],
            }
        )
    return found


def _both(row: Row) -> Row:
    """The row with what it has of both runs in one cell."""
    for what in ("turns", "winners"):
        if row.get(f"run0_{what}") is not None:
            row[what] = f"{row[f'run0_{what}']} → {row[f'run1_{what}']}"
    return row
