"""Whether the game is in balance: the section on bands and verdicts."""

from __future__ import annotations

import polars as pl

from analysis.frames import Row
from analysis.measured import Measured
from analysis.pages import figures
from analysis.pages.columns import Column, figure, table
from analysis.words import MANY, families, percentage, plural

NOTE = (
    "A rate is within its band where a test of equivalence shows it (two one-sided tests), above or below where a test "
    "shows that, both at 5 % for a whole family of rates (Holm); else it is open, and more games may tell."
)

COLUMNS = (
    Column("Family", "family", "text"),
    Column("Rate", "name", "text"),
    Column("Value", "value"),
    Column("Band", "band", "text"),
    Column("Verdict", "verdict", "text"),
    Column("Times the games", "times", "times", "that would settle it, if its true rate were the one seen"),
    Column("p within", "p_within", "chance", "adjusted over the family"),
    Column("p outside", "p_outside", "chance", "adjusted over the family"),
)


def verdict_section(measured: Measured) -> Row:
    rows = measured.tables["verdicts"]["bands"]
    drawn = [figure(*figures.verdicts(of_one)) for _, of_one in rows.group_by("family", maintain_order=True)]
    lines = [
        row | {"band": f"{percentage(row['least'])} to {percentage(row['most'])} %"}
        for row in rows.to_dicts()
    ]
    shown = [table("Rates, bands and verdicts", COLUMNS, lines, filter=True)]
    note = " ".join([NOTE, *_whose_bands(measured, rows)])
    return {"title": "In balance?", "note": note, "figures": drawn, "tables": shown}


def _whose_bands(measured: Measured, rows: pl.DataFrame) -> list[str]:
    """Who says what the rates should be: the designer, we, or nobody yet."""
    named, common = (
        rows.filter(pl.col("named") == which)["family"].unique(maintain_order=True).to_list()
        for which in (True, False)
    )
    said = [f"Bands named for this report: {', '.join(named)}."] if named else []
    if common:
        said.append(f"Common aims, not the rulebook's, until --band names others: {', '.join(common)}.")
    if "payouts" in measured.tables:
        offered = measured.tables["payouts"]["source"].filter(pl.col("offered") > 0)
        known = [plural(family) for family, of_one in families(offered).items() if of_one.height >= MANY]
        if free := [family for family in known if family not in named]:
            how = f"--band {free[0]}=0.2:0.8 would judge how often each pays"
            said.append(f"No band is named for {', '.join(free)}: {how}.")
    return said
