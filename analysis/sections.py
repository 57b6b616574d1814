"""The sections of a report: each takes its tables and gives figures and tables that the page's template shows."""

from __future__ import annotations

import polars as pl

from analysis import charts
from analysis.columns import Column, figure, table
from analysis.frames import Row
from analysis.measured import Compared, Measured
from analysis.sections_course import (
    action_section,
    declared_section,
    example_section,
    length_section,
    pacing_sections,
)
from analysis.sections_further import further_sections
from analysis.sections_paid import payment_section, payout_section, strength_section
from analysis.sections_result import race_section, score_section, seat_section, tie_section
from analysis.sections_verdicts import verdict_section


def sections(measured: Measured) -> list[Row]:
    """All sections in their order; of what a run did not keep or its game does not have there is none."""
    tables, race = measured.tables, bool(measured.run["race"])
    found = [verdict_section(tables["verdicts"])]
    if "payouts" in tables:
        found.append(payout_section(measured))
    if "pacing" in tables:
        found += pacing_sections(tables["pacing"])
    found.append(race_section(tables["ties"]) if race else tie_section(tables["ties"]))
    if "seats" in tables:
        found.append(seat_section(tables["seats"], race))
    if "scores" in tables:
        found.append(score_section(tables["scores"]))
    found.append(length_section(tables["length"]))
    found.append(example_section(tables["examples"]))
    if "actions" in tables and tables["actions"]["actions"].height:
        found.append(action_section(tables["actions"]))
    if "payments" in tables:
        found.append(payment_section(measured))
    if "strength" in tables and tables["strength"]["source"].height:
        found.append(strength_section(measured))
    if "kinds" in tables or "columns" in tables:
        found.append(declared_section(measured))
    found += further_sections(measured)
    for place, section in enumerate(found):
        section["id"] = f"section-{place + 1}"
        section["tables"] = [each for each in section["tables"] if each["rows"]]
    return found


def comparison_sections(compared: Compared) -> list[Row]:
    """A section for each table of runs side by side."""
    labels = [run["label"] for run in compared.runs]
    found = []
    for place, (name, rows) in enumerate(compared.tables.items()):
        kind = "rate" if rows["rate"].all() else "mean"
        columns = [
            Column("What", "what", "text"),
            *(Column(label, f"run{number}", kind) for number, label in enumerate(labels)),
        ]
        if "difference" in rows.columns:
            how = "within setups" if compared.paired else "of independent runs"
            columns.append(
                Column("Difference", "difference", f"{kind} difference", f"second less first, {how}")
            )
        marks = pl.concat(
            rows.select(
                pl.col("what").alias("title"),
                pl.lit(label).alias("run"),
                *(
                    pl.col(f"run{number}{end}").cast(pl.Float64).alias(f"mean{end}")
                    for end in ("", "_low", "_high")
                ),
            )
            for number, label in enumerate(labels)
        ).drop_nulls("mean")
        drawn = charts.run_dots(marks, name, "run", kind == "rate")
        found.append(
            {
                "id": f"section-{place + 1}",
                "title": name,
                "note": "",
                "figures": [figure(drawn, f"{name}, with 95 % intervals; the table has the numbers.")],
                "tables": [table(name, columns, rows.to_dicts())],
            }
        )
    return found
