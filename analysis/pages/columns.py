"""A report's tables as the page's template takes them: columns, and cells with text, note and a value to sort by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import markupsafe
import polars as pl

from analysis.frames import Row
from analysis.pages import drawing
from analysis.words import chance, decimal, percentage, signed, times

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BY: tuple[tuple[str, Callable[[Any], str]], ...] = (("bot", str), ("seat", "seat {}".format))
"""By what most tables stand too, and how its values are written."""


@dataclass(frozen=True)
class Column:
    """A column of a table on the page: where its numbers are and how they are written."""

    label: str
    key: str
    kind: str = "rate"
    """text, count, rate, mean, game, chance, times; rate difference and mean difference have a sign."""
    hint: str = ""
    example: str = ""
    """Where the game stands that is an example of a cell's number."""
    run: int = 0
    """Of several runs the one that its games are of."""

    def cell(self, row: Row) -> Row:
        """`text` to read, `note` (interval and n), `sort`, the value to sort by, and a `game` of `run` as example."""
        value = row.get(self.key)
        game = value if self.kind == "game" else row.get(self.example)
        cell = {"kind": self.kind, "note": "", "game": game, "run": self.run}
        if value is None:
            return cell | {"text": "—", "sort": "", "game": None}
        if self.kind == "text":
            return cell | {"text": str(value), "note": row.get(f"{self.key} note", ""), "sort": str(value)}
        if self.kind in ("count", "game"):
            return cell | {"text": f"{value:,}" if self.kind == "count" else "", "sort": value}
        if self.kind in ("chance", "times"):
            return cell | {"text": chance(value) if self.kind == "chance" else times(value), "sort": value}
        what, _, differs = self.kind.partition(" ")
        write = percentage if what == "rate" else decimal
        if differs:
            write = partial(signed, write)
        low, high, units = (row.get(f"{self.key}_{part}") for part in ("low", "high", "n"))
        note = ""
        if low is not None and high is not None:
            note = f"{write(low)}{' to ' if differs else '–'}{write(high)}"
        elif self.kind == "mean" and (low is not None or high is not None):
            note = f"{decimal(low)}–{decimal(high)}"
        if units is not None:
            note += f"{' · ' if note else ''}n {units:,}"
        text = write(value) + {"rate": " %", "rate difference": " points"}.get(self.kind, "")
        return cell | {"text": text, "note": note, "sort": value}


EXAMPLE = Column("Example", "example", "game")
"""The first game like this."""
SPREAD_COLUMNS = tuple(
    Column(label, key, "mean")
    for label, key in (
        ("Least", "least"),
        ("5 %", "q05"),
        ("25 %", "q25"),
        ("Median", "q50"),
        ("75 %", "q75"),
        ("95 %", "q95"),
        ("Most", "most"),
        ("Deviation", "spread"),
    )
)


def table(caption: str, columns: Sequence[Column], rows: Iterable[Row], **extra: Any) -> Row:
    """A table as the template takes it, without the columns in which no row has anything."""
    lines = list(rows)
    kept = [each for each in columns if any(line.get(each.key) is not None for line in lines)]
    cells = [[column.cell(line) for column in kept] for line in lines]
    return {"caption": caption, "columns": kept, "rows": cells} | extra


def across(
    rows: pl.DataFrame,
    key: str,
    measure: str,
    label: Callable[[Any], str],
    kind: str = "rate",
    line: tuple[str, str, str] = ("Source", "source", "name"),
) -> tuple[list[Column], list[Row]]:
    """The rows with one column for each value of `key`; `line` is what a line is called, its key and its name."""
    head, line_key, name = line
    values = rows[key].unique().sort().to_list()
    columns = [Column(head, "name", "text"), *(Column(label(value), f"{value}", kind) for value in values)]
    lines: dict[Any, Row] = {}
    for row in rows.iter_rows(named=True):
        found = lines.setdefault(row[line_key], {"name": row[name]})
        found |= {
            f"{row[key]}{suffix}": row.get(f"{measure}{suffix}") for suffix in ("", "_low", "_high", "_n")
        }
    return columns, list(lines.values())


PIXELS_A_POINT = 1.45
"""Of all figures alike, so that their words are of one size."""


def figure(drawn: Figure, description: str) -> Row:
    """A figure as the template takes it; matplotlib escapes every text that it writes into an SVG."""
    widest = round(72 * PIXELS_A_POINT * drawn.get_figwidth())
    return {"svg": markupsafe.Markup(drawing.svg(drawn)), "description": description, "widest": widest}
