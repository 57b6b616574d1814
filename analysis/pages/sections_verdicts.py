"""Whether the game is in balance: the section on bands and verdicts."""

from __future__ import annotations

from analysis.frames import Row, Tables
from analysis.pages import figures
from analysis.pages.columns import Column, figure, table
from analysis.words import chance, percentage

NOTE = (
    "A rate is within its band where a test of equivalence shows it (two one-sided tests), above or below where a test "
    "shows that, both at 5 % for a whole family of rates (Holm); else it is open, and more games may tell. "
)
COMMON = "The bands are common aims, not the rulebook's: --band sets your own."

COLUMNS = (
    Column("Family", "family", "text"),
    Column("Rate", "name", "text"),
    Column("Value", "value"),
    Column("Band", "band", "text"),
    Column("Verdict", "verdict", "text"),
    Column("Times the games", "times", "text", "that would settle it, if its true rate were the one seen"),
    Column("p within", "p_within", "text", "adjusted over the family"),
    Column("p outside", "p_outside", "text", "adjusted over the family"),
)
MOST_TIMES = 100


def verdict_section(tables: Tables) -> Row:
    rows = tables["bands"]
    drawn = [figure(*figures.verdicts(of_one)) for _, of_one in rows.group_by("family", maintain_order=True)]
    lines = [
        row
        | {
            "band": f"{percentage(row['least'])} to {percentage(row['most'])} %",
            "times": _times(row["times"]),
        }
        | {key: chance(row[key]) for key in ("p_within", "p_outside")}
        for row in rows.to_dicts()
    ]
    shown = [table("Rates, bands and verdicts", COLUMNS, lines, filter=True)]
    return {"title": "In balance?", "note": NOTE + COMMON, "figures": drawn, "tables": shown}


def _times(times: float | None) -> str | None:
    return None if times is None else f"over {MOST_TIMES}" if times > MOST_TIMES else f"{times:.1f}"
