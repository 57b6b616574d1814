"""What a report is made of, before it is a page: the numbers of one run, or of several side by side."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.frames import Frames, Row, Sentence, Tables, html_table
from analysis.rounds import Rounds
from simulator.faults import nearest, shown
from simulator.game import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Progress = Callable[[int, int, str], None]
"""Is told how many of how many sections are measured, and which comes next."""


def numbers_beside(page: Path) -> Path:
    """Where the numbers of a page lie; UserError if that is a file of something else, such as of a run."""
    numbers = page.with_suffix(".json")
    if numbers.exists():
        begin = numbers.read_bytes()[:40] if numbers.is_file() else b""
        if not re.match(rb'\s*\{\s*"schema"', begin):
            raise UserError(f"{numbers} is no report's and would be lost, expected another name for the page")
    return numbers


FACTS = (
    "game",
    "title",
    "players",
    "bots",
    "seating",
    "seed",
    "settings",
    "reconstructed",
    "fingerprint",
    "engine",
    "keep",
    "race",
    "spends",
    "columns",
)
"""What a report tells of the experiment."""


@dataclass(frozen=True)
class Measured:
    """Every number of a report: what the run is, and tables by section."""

    run: Row
    folder: str
    tables: dict[str, Tables]
    rounds: Rounds
    left_out: list[str]
    summary: list[Sentence]
    details: list[Sentence]


@dataclass(frozen=True)
class Compared:
    """Every number of a report on several runs: which they are, and the tables side by side.

    A notebook shows the summary.
    """

    runs: list[Row] = field(repr=False)
    """Of each its `label`, `folder` and what its experiment says."""
    paired: bool
    tables: Frames = field(repr=False)
    examples: Frames = field(repr=False)
    """Games to read of each run, and of two that share their deals those that went otherwise."""
    summary: list[Sentence]

    def figure(self, table: str | None = None) -> Figure:
        """A table side by side with its intervals, by default the first; UserError if there is none so called."""
        from analysis.pages import figures

        if table is None:
            table = next(iter(self.tables))
        elif table not in self.tables:
            raise UserError(f"there is no table {shown(table)}, expected {nearest(table, self.tables)}")
        labels = [run["label"] for run in self.runs]
        return figures.side_by_side(self.tables[table], labels, table, table)[0]

    def _repr_html_(self) -> str:
        return html_table(("", "What differs"), ((line["topic"], line["text"]) for line in self.summary))
