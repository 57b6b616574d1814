"""What every column, kind of event and source of a run means; the one place that explains the fixed columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import polars as pl

from analysis.frames import Frames, Row, html_table
from analysis.seats import ACTION, PART
from analysis.words import heading, words
from simulator.store import kept_tables

if TYPE_CHECKING:
    from simulator.store import Run

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "games": {
        "game": "The game's number in the run, from 0; `explain` tells it.",
        "setup": "Which chance the game was dealt: games of one setup share every shuffle.",
        "rotation": "How many seats the bots have moved on, 0 to players − 1; 0 unless seats rotate.",
        "players": "How many seats play.",
        "rounds": "Rounds (or ages) begun.",
        "turns": "Turns of all seats together.",
        "ending": "What ended the game.",
        "winners": "Seats that share the win, 1 if one wins alone.",
        "top_score": "The highest score.",
        "margin": "Points between the best and the second seat, 0 when they are tied.",
        "tied_on_points": "Seats at the top score; 1 is no tie.",
        "tie_stage": "What decided: 0 the points, 1 the first tie-break and so on, −1 nothing: the win is shared.",
        "lead_changes": "How often the sole lead on points passed to another seat, looked at after each turn.",
    },
    "seats": {
        "game": "The game's number in the run.",
        "seat": "The place at the table; 0 starts.",
        "bot": "Who played on the seat.",
        "score": "Points at the end; in a race 1 for the winner.",
        "rank": "1 for the winner; seats that share the win share it.",
        "win_share": "1 for a win alone, 1/k for one shared by k seats, else 0: its mean is the share of the wins.",
    },
    "events": {
        "game": "The game's number in the run.",
        "turn": "Turns of all seats completed before; final scoring has the number of all turns.",
        "step_in_turn": "The event's place within its turn, from 0.",
        "round": "The round (or age), from 1.",
        "seat": "Whom it befell; −1 is nobody, or all alike.",
        "kind": "What happened.",
        "source": "Which source of points or progress it came from.",
        "amount": "Points paid, or the step reached; what else, the kind says.",
    },
}
"""The fixed columns of every game's tables, in their order, a sentence each."""

KINDS: Mapping[str, str] = {
    "offered": "The source can be won from now on, by all (seat −1) or by one seat.",
    "reachable": "At the start of its own action turn the seat could win the source with what it holds, for the "
    "first time since it was offered; at the latest with `paid`.",
    "paid": "The source paid the seat this many points; 0 for a reward that is no points, below 0 for a loss. "
    "Of a source that is won, the first is the win.",
    "step": "The seat moved to this step of the track.",
    "lapsed": "The source left the game unwon.",
}
"""The kinds of event that every game has, a sentence each."""


class Catalogue(Frames):
    """What a run's tables hold; a notebook shows all of it."""

    def _repr_html_(self) -> str:
        return "".join(
            f"<details{' open' if name == 'columns' else ''}><summary>{name}: {frame.height}</summary>"
            f"{html_table(frame.columns, frame.iter_rows())}</details>"
            for name, frame in self.items()
        )


def catalogue(run: Run) -> Catalogue:
    """What a run's tables hold, in three tables: `columns`, `kinds` and `sources`.

    `columns`: one row a `column` of a `table` that the run kept, its `type` and its `meaning`; null where the
    run, stored before games explained their columns, does not say.
    `kinds`: one row a kind of event, the game's own behind those of all games.
    `sources`: one row a source of points or progress: `source`, `name`, `group`, `kind`, `text`, and whether it
    is ever `offered`.
    """
    about = run.experiment
    sources = run.catalogue.collect()
    titles = dict(sources.select("source", "name").iter_rows())
    columns = [row for table in kept_tables(about["keep"]) for row in _columns(run, table, titles)]
    own = about["columns"]["kinds"]
    kinds = [{"kind": kind, "meaning": KINDS.get(kind, own.get(kind))} for kind in about["kinds"]]
    text = ("table", "column", "type", "meaning")
    return Catalogue(
        columns=pl.DataFrame(columns, schema=dict.fromkeys(text, pl.String)),
        kinds=pl.DataFrame(kinds, schema={"kind": pl.String, "meaning": pl.String}),
        sources=sources,
    )


def _columns(run: Run, table: str, titles: Mapping[str, str]) -> Iterator[Row]:
    frame: pl.LazyFrame = getattr(run, table)
    own = run.experiment["columns"].get(table, {})
    for name, kind in frame.collect_schema().items():
        meaning = COLUMNS[table].get(name, own.get(name))
        if meaning is None and table == "seats" and name.startswith(PART):
            part = name.removeprefix(PART)
            meaning = f"Points from {titles.get(part, heading(part))}; all such parts add up to the score."
        if meaning is None and table == "seats" and name.startswith(ACTION):
            meaning = f"How many times the seat took the action {words(name.removeprefix(ACTION))}."
        yield {"table": table, "column": name, "type": str(kind), "meaning": meaning}
