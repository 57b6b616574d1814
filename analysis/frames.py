"""Frames by name: what every measure gives, and how a notebook and JSON take it."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl
from polars import selectors

from simulator.faults import nearest, shown
from simulator.game import UserError

Row = dict[str, Any]
Tables = dict[str, pl.DataFrame]
Sentence = dict[str, str]
"""Its `topic` and its `text`."""

DIGITS = 12


def html_table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as a notebook shows it, its texts escaped; None is a dash."""
    lines = [
        "".join(
            f"<td style='text-align: left'>{html.escape('—' if cell is None else str(cell))}</td>"
            for cell in row
        )
        for row in rows
    ]
    titles = "".join(f"<th style='text-align: left'>{html.escape(title)}</th>" for title in head)
    return f"<table><tr>{titles}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


class Frames(dict[str, pl.DataFrame]):
    """Frames by name; a notebook lists their sizes and columns. UserError for a name that is none of theirs."""

    def __missing__(self, name: str) -> pl.DataFrame:
        raise UserError(f"there is no frame {shown(name)}, expected {nearest(str(name), self)}")

    def _repr_html_(self) -> str:
        rows = [(name, frame.height, ", ".join(_measures(frame))) for name, frame in self.items()]
        return html_table(("frame", "rows", "columns"), rows)


def _measures(frame: pl.DataFrame) -> list[str]:
    """The columns without the bounds and numbers of units that stand beside a measure."""
    ends = ("_low", "_high", "_n")
    return [
        name
        for name in frame.columns
        if not any(name.endswith(end) and name.removesuffix(end) in frame.columns for end in ends)
    ]


def rounded() -> pl.Expr:
    """All floats of a table without their last digits: in sums these depend on which thread came first."""
    return selectors.float().round_sig_figs(DIGITS)


def plain(row: Row) -> Row:
    """A row as JSON can have it."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in row.items()
    }
