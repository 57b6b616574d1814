"""A run folder becomes one self-contained page, `report.html`, and the same numbers as `report.json`."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from polars import selectors

from analysis import pacing, payouts, seats, ties
from analysis.summary import Row, Tables, summary

if TYPE_CHECKING:
    from simulator.store import Run

SCHEMA = "counterpoise-report/1"
"""Version of `report.json`; it changes when a key is renamed or means something else."""

DIGITS = 12


def write(run_folder: str | Path, out: str | Path | None = None) -> Path:
    """Write `report.html` and `report.json` into the run folder, or into `out`, and give the page's path."""
    # Matplotlib and the page's other libraries load only when a page is drawn.
    from analysis.page import as_page
    from simulator.store import load

    run = load(run_folder)
    folder = Path(run_folder) if out is None else Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    measured = measure(run)
    (folder / "report.json").write_text(as_json(measured), encoding="utf-8")
    page = folder / "report.html"
    page.write_text(as_page(measured), encoding="utf-8")
    return page


@dataclass(frozen=True)
class Measured:
    """Every number of a report: what the run is, and tables by section."""

    run: Row
    folder: str
    tables: dict[str, Tables]
    race: bool
    left_out: list[str]
    summary: list[dict[str, str]]


def measure(run: Run) -> Measured:
    """All measures of a run; what it did not keep is left out and said so."""
    games, catalogue, about = run.games, run.catalogue, run.experiment
    keep = about.get("keep", "events")
    left_out = []
    tables: dict[str, Tables] = {}
    if keep == "events":
        events = run.events
        tables["payouts"] = payouts.payout_tables(events, games, run.seats, catalogue)
        tables["pacing"] = pacing.pacing_tables(events, games, run.seats, catalogue)
    else:
        left_out.append("Payout rates and track pacing need the events, which this run did not keep.")
    race = ties.is_race(games)
    tables["ties"] = {
        "outcomes": ties.tie_shares(games, about.get("tie_stages", ())),
        "near": ties.near_ties(games),
        "margins": ties.margins(games),
    }
    if keep == "games":
        left_out.append("Seats, bots and scores need the seats, which this run did not keep.")
    else:
        places = run.seats
        tables["seats"] = {
            "by_seat": seats.results(places, games, ("seat",)),
            "by_bot": seats.results(places, games, ("bot",)),
            "by_seat_and_bot": seats.results(places, games, ("seat", "bot")),
        }
        tables["scores"] = {
            "parts": seats.score_parts(places, games),
            "parts_by_bot": seats.score_parts(places, games, ("bot",)),
            "parts_by_seat": seats.score_parts(places, games, ("seat",)),
            "spread": seats.score_spread(places),
            "spread_by_bot": seats.score_spread(places, ("bot",)),
            "distribution": seats.score_distribution(places),
        }
    tables["length"] = {
        "spread": seats.lengths(games),
        "turns": seats.turn_distribution(games),
        "endings": seats.endings(games),
    }
    names = pl.col("source", "name", "group", "kind")
    label = catalogue.select(names).collect()
    for section in ("payouts", "pacing"):
        for name, table in tables.get(section, {}).items():
            if "source" in table.columns and "name" not in table.columns:
                joined = table.join(label, on="source", how="left", maintain_order="left")
                tables[section][name] = joined.select(
                    "source", "name", pl.exclude("source", "name", "group", "kind")
                )
    titles = dict(label.select("source", "name").iter_rows())
    for section, key in (("payouts", "group"), ("scores", "part")):
        for name, table in tables.get(section, {}).items():
            if key in table.columns:
                title = [titles.get(each, each.replace("_", " ").capitalize()) for each in table[key]]
                tables[section][name] = table.with_columns(pl.Series("title", title, dtype=pl.String))
    for of_section in tables.values():
        for name, table in of_section.items():
            # Sums of floats depend in their last digits on which thread came first.
            of_section[name] = table.with_columns(selectors.float().round_sig_figs(DIGITS))
    counts = games.select(pl.len().alias("games"), pl.col("setup").n_unique().alias("setups"))
    known = (
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
    )
    facts = {key: about.get(key) for key in known} | counts.collect(engine="streaming").row(0, named=True)
    return Measured(facts, str(run.path), tables, race, left_out, summary(tables, race))


def as_json(measured: Measured) -> str:
    """The numbers as JSON: `schema`, `run`, `summary`, `left_out`, then by section a list of rows a table.

    `NAME_low`, `NAME_high` bound NAME at 95 %, `NAME_n` is how many units it stands on; seats count from 0;
    null is a number that the run cannot give.
    """
    sections = {
        name: {key: [_plain(row) for row in table.iter_rows(named=True)] for key, table in tables.items()}
        for name, tables in measured.tables.items()
    }
    content = {
        "schema": SCHEMA,
        "run": measured.run | {"race": measured.race},
        "summary": measured.summary,
        "left_out": measured.left_out,
        **sections,
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(row: Row) -> Row:
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in row.items()
    }
