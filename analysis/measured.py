"""What a report is made of, before it is a page: the numbers of one run, or of several side by side."""

from __future__ import annotations

from dataclasses import dataclass, field

from analysis.frames import Frames, Row, Tables, html_table
from analysis.rounds import Rounds

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
    summary: list[dict[str, str]]


@dataclass(frozen=True)
class Compared:
    """Every number of a report on several runs: which they are, and the tables side by side.

    A notebook shows the summary.
    """

    runs: list[Row] = field(repr=False)
    """Of each its `label`, `folder` and what its experiment says."""
    paired: bool
    tables: Frames = field(repr=False)
    summary: list[dict[str, str]]

    def _repr_html_(self) -> str:
        return html_table(("", "What differs"), ((line["topic"], line["text"]) for line in self.summary))
