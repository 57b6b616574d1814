"""A run folder becomes one self-contained page, `report.html`, and the same numbers as `report.json`."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from polars import selectors

from analysis import declared, offers, pacing, payments, payouts, seats, strength, ties
from analysis.rounds import Rounds, rounds_of
from analysis.summary import Row, Tables, heading, summary
from simulator.game import EVENT_KINDS

if TYPE_CHECKING:
    from simulator.store import Run

SCHEMA = "counterpoise-report/1"
"""Version of `report.json`; it changes when a key is renamed or means something else."""

DIGITS = 12

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

TITLED = (
    ("payouts", "group"),
    ("offers", "group"),
    ("payments", "group"),
    ("strength", "group"),
    ("scores", "part"),
)
"""The sections whose tables have codes to be read as words, and the column of these."""


def write(run_folder: str | Path, out: str | Path | None = None) -> Path:
    """Write a run's page and its numbers, under the same name with .json; the page's path.

    The page is `out`, or else `report.html` in the run folder.
    """
    # Matplotlib and the page's other libraries load only when a page is drawn.
    from analysis.page import as_page
    from simulator.store import load

    run = load(run_folder)
    page = Path(run_folder) / "report.html" if out is None else Path(out)
    numbers = page.with_suffix(".json")
    page.parent.mkdir(parents=True, exist_ok=True)
    measured = measure(run)
    numbers.write_text(as_json(measured), encoding="utf-8")
    page.write_text(as_page(measured, numbers.name), encoding="utf-8")
    return page


@dataclass(frozen=True)
class Measured:
    """Every number of a report: what the run is, and tables by section."""

    run: Row
    folder: str
    tables: dict[str, Tables]
    rounds: Rounds
    left_out: list[str]
    summary: list[dict[str, str]]


def measure(run: Run) -> Measured:
    """All measures of a run; what it did not keep is left out and said so."""
    games, about = run.games, run.experiment
    keep = about["keep"]
    left_out = []
    tables: dict[str, Tables] = {}
    if keep == "events":
        tables |= _of_events(run)
    else:
        left_out.append(
            "Payout rates, track pacing and whatever else happens within a game need the events, "
            "which this run did not keep."
        )
    tables["ties"] = _of_ties(games, about)
    if keep == "games":
        left_out.append("Seats, bots, scores and actions need the seats, which this run did not keep.")
    else:
        tables |= _of_seats(run)
    places = None if keep == "games" else run.seats
    tables["length"] = {
        "spread": seats.lengths(games, places),
        "by_ending": seats.lengths(games, places, ("ending",)),
        "by_players": seats.lengths(games, places, ("players",)),
        "turns": seats.turn_distribution(games),
        "endings": seats.endings(games, about.get("endings", ())),
    }
    _name_all(tables, run.catalogue)
    for of_section in tables.values():
        for name, table in of_section.items():
            of_section[name] = table.with_columns(rounded())
    counts = games.select(pl.len().alias("games"), pl.col("setup").n_unique().alias("setups"))
    facts = {key: about.get(key) for key in FACTS} | counts.collect(engine="streaming").row(0, named=True)
    return Measured(facts, str(run.path), tables, rounds_of(games), left_out, summary(tables, about["race"]))


def _of_events(run: Run) -> dict[str, Tables]:
    """The sections for which a run must have kept its events."""
    events, games, places, catalogue, about = run.events, run.games, run.seats, run.catalogue, run.experiment
    tables: dict[str, Tables] = {}
    if catalogue.select(pl.col("offered").any()).collect().item():
        tables["payouts"] = payouts.payout_tables(events, games, places, catalogue)
        tables["offers"] = offers.offer_tables(events, games, catalogue)
    tables["pacing"] = pacing.pacing_tables(events, games, places, catalogue)
    if about["payments"]:
        tables["payments"] = payments.payment_tables(events, games, places, catalogue, about["payments"])
    own = [kind for kind in about["kinds"] if kind not in EVENT_KINDS]
    sources = strength.strengths(events, games, places, catalogue, ("paid", *own), about["race"])
    tables["strength"] = {"source": sources}
    if own:
        tables["kinds"] = declared.kind_tables(events, games, places, own)
    return tables


def _of_ties(games: pl.LazyFrame, about: Row) -> Tables:
    if about["race"]:
        return {"drawn": ties.drawn(games)}
    return {
        "outcomes": ties.tie_shares(games, about.get("tie_stages", ())),
        "near": ties.near_ties(games),
        "margins": ties.margins(games),
    }


def _of_seats(run: Run) -> dict[str, Tables]:
    """The sections for which a run must have kept its seats."""
    places, games = run.seats, run.games
    tables: dict[str, Tables] = {
        "seats": {
            "by_seat": seats.results(places, games, ("seat",)),
            "by_bot": seats.results(places, games, ("bot",)),
            "by_seat_and_bot": seats.results(places, games, ("seat", "bot")),
        },
        "actions": {
            "actions": seats.actions(places, games),
            "by_bot": seats.actions(places, games, ("bot",)),
            "by_seat": seats.actions(places, games, ("seat",)),
        },
    }
    if not run.experiment["race"]:
        tables["scores"] = {
            "parts": seats.score_parts(places, games),
            "parts_by_bot": seats.score_parts(places, games, ("bot",)),
            "parts_by_seat": seats.score_parts(places, games, ("seat",)),
            "spread": seats.score_spread(places),
            "spread_by_bot": seats.score_spread(places, ("bot",)),
            "distribution": seats.score_distribution(places),
        }
    own = declared.own_columns(places)
    if own:
        tables["columns"] = declared.column_tables(places, games, own)
    return tables


def _name_all(tables: dict[str, Tables], catalogue: pl.LazyFrame) -> None:
    """Give every table of sources their names, and every table of groups or parts a title to read."""
    label = catalogue.select("source", "name", "group").collect()
    for section, of_section in tables.items():
        taken = label if section == "strength" else label.drop("group")
        for name, table in of_section.items():
            if "source" in table.columns and "name" not in table.columns:
                joined = table.join(taken, on="source", how="left", maintain_order="left")
                of_section[name] = joined.select(*taken.columns, pl.exclude(taken.columns))
    titles = dict(label.select("source", "name").iter_rows())
    for section, key in TITLED:
        for name, table in tables.get(section, {}).items():
            if key in table.columns:
                title = [titles.get(each, heading(each)) for each in table[key]]
                tables[section][name] = table.with_columns(pl.Series("title", title, dtype=pl.String))


def as_json(measured: Measured) -> str:
    """The numbers as JSON: `schema`, `run`, `summary`, `left_out`, then by section a list of rows a table.

    `NAME_low`, `NAME_high` bound NAME at 95 %, `NAME_n` is how many units it stands on; seats count from 0;
    null is a number that the run cannot give.
    """
    sections = {
        name: {key: [plain(row) for row in table.iter_rows(named=True)] for key, table in tables.items()}
        for name, tables in measured.tables.items()
    }
    content = {
        "schema": SCHEMA,
        "run": measured.run,
        "summary": measured.summary,
        "left_out": measured.left_out,
        **sections,
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def rounded() -> pl.Expr:
    """All floats of a table without their last digits: in sums these depend on which thread came first."""
    return selectors.float().round_sig_figs(DIGITS)


def plain(row: Row) -> Row:
    """A row as JSON can have it."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in row.items()
    }
