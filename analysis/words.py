"""How numbers and codes are written: the same in sentences, tables, figures and notebooks."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from analysis.frames import Row

MANY = 5
"""Families of sources with at least so many members get a sentence, a chart and a table of their own."""

FAMILY = pl.col("source").str.extract(r"^([^.]+)\.").fill_null("")
"""The word before the dot of a source's id, which those have in common that belong together."""


def percent(row: Row, name: str, units: str = "") -> str:
    """`12.3 % (11.8–12.9)`, and `of 1,204 units` behind it if units are named."""
    if row[name] is None:
        return "—"
    text = f"{percentage(row[name])}\N{NO-BREAK SPACE}%"
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    if low is not None and high is not None:
        text += f" ({percentage(low)}–{percentage(high)})"
    return f"{text} of {row[f'{name}_n']:,} {units}" if units else text


def number(row: Row, name: str) -> str:
    """`12.3 (11.8–12.9)`."""
    return "—" if row[name] is None else f"{decimal(row[name])}{span(row, name)}"


def span(row: Row, name: str) -> str:
    """` (11.8–12.9)`, empty without an interval; an open end is `…`."""
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    if low is None and high is None:
        return ""
    return f" ({decimal(low)}–{decimal(high)})"


def percentage(share: float) -> str:
    value = 100 * abs(share)
    sign = "−" if share < 0 else ""
    text = f"{value:.0f}" if value in (0, 100) else f"{value:.2f}" if value < 0.995 else f"{value:.1f}"
    return f"{sign}{text}"


def signed(write: Callable[[float], str], value: float) -> str:
    """A difference with its sign, as `write` writes numbers; what is written as zero has none."""
    text = write(abs(value))
    sign = "" if not text.strip("0.") else "−" if value < 0 else "+"
    return sign + text


def decimal(value: float | None) -> str:
    if value is None:
        return "…"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}" if abs(value) >= 10 else f"{value:.2f}"


def chance(p: float) -> str:
    """A p-value as it is read."""
    return "under 0.001" if p < 0.001 else f"{p:.3f}"


def times(value: float) -> str:
    """How many times as many, of which nobody needs more than two digits."""
    return "over 100" if value > 100 else f"{value:.1f}"


def words(code: str) -> str:
    """A code of the data as words."""
    return code.replace("_", " ")


def heading(code: str) -> str:
    """A code of the data as words with a capital letter first."""
    return code[:1].upper() + words(code[1:])


def plural(word: str) -> str:
    """The English plural of a family's name."""
    return f"{word[:-1]}ies" if word.endswith("y") else word if word.endswith("s") else f"{word}s"


def families(sources: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The rows of sources by their family, the largest first; sources without one are left out."""
    parts = sources.with_columns(FAMILY.alias("family")).partition_by("family", maintain_order=True)
    named = {part["family"][0]: part.drop("family") for part in parts if part["family"][0]}
    return dict(sorted(named.items(), key=lambda item: -item[1].height))
