"""A run folder becomes one self-contained page, `report.html`, and the same numbers as `report.json`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import polars as pl

from analysis import (
    coverage,
    declared,
    examples,
    offers,
    pacing,
    payments,
    payouts,
    plackett_luce,
    seats,
    steps,
    strength,
    tension,
    ties,
    time_to_pay,
)
from analysis.frames import Tables, plain, rounded
from analysis.measured import FACTS, Measured, Progress, numbers_beside
from analysis.rounds import rounds_of
from analysis.shrinkage import with_shrunk
from analysis.summary import summary
from analysis.verdicts import JUDGED, Band, known_families, verdicts
from analysis.words import FAMILY, heading
from simulator.game import EVENT_KINDS
from simulator.store import kept_tables

if TYPE_CHECKING:
    from simulator.store import Run

SCHEMA = 2
"""Version of `report.json`, described in `REPORT.md`; it rises when a key goes or comes to mean something else."""

TITLED = (
    ("payouts", "group"),
    ("offers", "group"),
    ("payments", "group"),
    ("strength", "group"),
    ("scores", "part"),
)
"""The sections whose tables have codes to be read as words, and the column of these."""

NOT_KEPT = {
    "events": "Payout rates, track pacing and whatever else happens within a game need the events, "
    "which this run did not keep.",
    "seats": "Seats, bots, scores and actions need the seats, which this run did not keep.",
}
"""What a report says of the tables that a run did not keep."""

NO_TENSION = (
    "Tension follows the points as they are paid, in a race the steps on its tracks; here are none before the end, "
    "or no game that one seat wins alone."
)


def write(
    run_folder: str | Path,
    out: str | Path | None = None,
    bands: Mapping[str, Band] = MappingProxyType({}),
    progress: Progress | None = None,
) -> Path:
    """Write a run's page and its numbers, under the same name with .json; the page's path.

    The page is `out`, or else `report.html` in the run folder; `bands` as in `verdicts`.
    """
    # Matplotlib and the page's other libraries load only when a page is drawn.
    from analysis.pages.page import as_page
    from simulator.store import load

    run = load(run_folder)
    page = Path(run_folder) / "report.html" if out is None else Path(out)
    numbers = numbers_beside(page)
    page.parent.mkdir(parents=True, exist_ok=True)
    measured = measure(run, bands, progress)
    numbers.write_text(as_json(measured), encoding="utf-8")
    page.write_text(as_page(measured, numbers.name), encoding="utf-8")
    return page


def measure(
    run: Run, bands: Mapping[str, Band] = MappingProxyType({}), progress: Progress | None = None
) -> Measured:
    """All measures of a run; what it did not keep is left out and said so."""
    games, about = run.games, run.experiment
    kept = kept_tables(about["keep"])
    left_out = [sentence for table, sentence in NOT_KEPT.items() if table not in kept]
    asked = [
        (name, of_section)
        for table, of_table in SECTIONS.items()
        if table in kept
        for name, of_section in of_table.items()
    ]
    known_families(bands, run.catalogue, about["race"])  # before the work, not after it
    tables: dict[str, Tables] = {}
    for place, (name, of_section) in enumerate(asked):
        if progress:
            progress(place, len(asked), name)
        if found := of_section(run):
            tables[name] = found
    if progress:
        progress(len(asked), len(asked), "the page")
    tables["verdicts"] = _verdicts(run, tables, bands)
    if "events" in kept and "tension" not in tables:
        left_out.append(NO_TENSION)
    _finish(tables, run.catalogue)
    counts = games.select(pl.len().alias("games"), pl.col("setup").n_unique().alias("setups"))
    facts = {key: about.get(key) for key in FACTS} | counts.collect(engine="streaming").row(0, named=True)
    minute, details = summary(tables, about)
    return Measured(facts, str(run.path), tables, rounds_of(games), left_out, minute, details)


def section(run: Run, name: str) -> Tables:
    """The tables of one section, the same as in the report; {} of what the game does not have.

    UserError if the run did not keep what they are made of.
    """
    found = next(of_table[name] for of_table in SECTIONS.values() if name in of_table)(run)
    _finish({name: found}, run.catalogue)
    return found


def judged(run: Run, bands: Mapping[str, Band] = MappingProxyType({})) -> Tables:
    """The section `verdicts`, the same as in the report."""
    known_families(bands, run.catalogue, run.experiment["race"])
    kept = kept_tables(run.experiment["keep"])
    tables = {
        name: of_table[name](run)
        for table, of_table in SECTIONS.items()
        if table in kept
        for name in JUDGED
        if name in of_table
    }
    found = _verdicts(run, {name: of_section for name, of_section in tables.items() if of_section}, bands)
    _finish({"verdicts": found}, run.catalogue)
    return found


def _verdicts(run: Run, tables: dict[str, Tables], bands: Mapping[str, Band]) -> Tables:
    about = run.experiment
    alike = about["seating"] != "fixed" or len(set(about["bots"])) == 1
    return {"bands": verdicts(tables, about["race"], alike, bands)}


def _payouts(run: Run) -> Tables:
    if not _has_offers(run):
        return {}
    tables = payouts.payout_tables(run.events, run.games, run.seats, run.catalogue)
    return tables | {"source": with_shrunk(tables["source"], "paid_offered", FAMILY)}


def _offers(run: Run) -> Tables:
    return offers.offer_tables(run.events, run.games, run.catalogue) if _has_offers(run) else {}


def _has_offers(run: Run) -> bool:
    return bool(run.catalogue.select(pl.col("offered").any()).collect().item())


def _pacing(run: Run) -> Tables:
    tables = pacing.pacing_tables(run.events, run.games, run.seats, run.catalogue)
    if tables["step"].is_empty():
        return {}
    games = examples.climbs(run.events, run.games, run.seats, tables["step"])
    tables["step"] = tables["step"].join(games, on=["source", "step"], maintain_order="left")
    return tables | {"position": steps.positions(tables["round"])}


def _steps(run: Run) -> Tables:
    return steps.step_tables(run.events, run.games, run.seats, run.catalogue, run.experiment["race"])


def _waits(run: Run) -> Tables:
    return time_to_pay.time_tables(run.events, run.games, run.catalogue)


def _tension(run: Run) -> Tables:
    return tension.tension_tables(run.events, run.games, run.seats, run.catalogue, run.experiment["race"])


def _payments(run: Run) -> Tables:
    with_what = run.experiment["payments"]
    if not with_what:
        return {}
    return payments.payment_tables(run.events, run.games, run.seats, run.catalogue, with_what)


def _own_kinds(run: Run) -> list[str]:
    return [kind for kind in run.experiment["kinds"] if kind not in EVENT_KINDS]


def _strength(run: Run) -> Tables:
    kinds, race = ("paid", *_own_kinds(run)), run.experiment["race"]
    tables = strength.strength_tables(run.events, run.games, run.seats, run.catalogue, kinds, race)
    first = examples.first_events(run.events, ("kind", "source"))
    found = tables["source"].join(first, on=["kind", "source"], how="left", maintain_order="left")
    return tables | {"source": found}


def _kinds(run: Run) -> Tables:
    own = _own_kinds(run)
    if not own:
        return {}
    tables = declared.kind_tables(run.events, run.games, run.seats, own)
    first = examples.first_events(run.events, ("kind",))
    return tables | {"kinds": tables["kinds"].join(first, on="kind", how="left", maintain_order="left")}


def _ties(run: Run) -> Tables:
    games, about = run.games, run.experiment
    if about["race"]:
        return {"drawn": ties.drawn(games)}
    tables = {
        "outcomes": ties.tie_shares(games, about.get("tie_stages", ())),
        "near": ties.near_ties(games),
        "margins": ties.margins(games),
        "tie_breaks": ties.tie_breaks(games, about.get("tie_stages", ())),
    }
    if about["keep"] != "games":
        tables["independent"] = ties.independent_ties(run.seats, games)
    return tables


def _bots(run: Run) -> Tables:
    """Of several bots; a race ranks nobody behind its winner."""
    found = plackett_luce.strengths(run.seats, run.games, first_only=run.experiment["race"])
    return found | {"against": seats.against(run.seats, run.games)} if found else {}


def _coverage(run: Run) -> Tables:
    kept = kept_tables(run.experiment["keep"])
    places, events = (getattr(run, name) if name in kept else None for name in ("seats", "events"))
    shown = coverage.covered(run.games, places, events, run.catalogue, run.experiment)
    clauses = run.experiment["clauses"]
    return {"games": shown} | (
        {"clauses": coverage.clauses_covered(shown, run.catalogue, clauses)} if clauses else {}
    )


def _seats(run: Run) -> Tables:
    places, games = run.seats, run.games
    return {
        "by_seat": seats.results(places, games, ("seat",)),
        "by_bot": seats.results(places, games, ("bot",)),
        "by_seat_and_bot": seats.results(places, games, ("seat", "bot")),
    }


def _actions(run: Run) -> Tables:
    places, games = run.seats, run.games
    return {
        "actions": seats.actions(places, games),
        "by_bot": seats.actions(places, games, ("bot",)),
        "by_seat": seats.actions(places, games, ("seat",)),
    }


def _scores(run: Run) -> Tables:
    if run.experiment["race"]:
        return {}
    places, games, spends = run.seats, run.games, run.experiment["spends"]
    return {
        **({"spending": seats.spending(places, games, spends)} if spends else {}),
        "parts": seats.score_parts(places, games, (), spends),
        "parts_by_bot": seats.score_parts(places, games, ("bot",), spends),
        "parts_by_seat": seats.score_parts(places, games, ("seat",), spends),
        "spread": seats.score_spread(places, games),
        "spread_by_bot": seats.score_spread(places, games, ("bot",)),
        "distribution": seats.score_distribution(places),
        "bins": examples.bins(places.join(games.select("game", "setup"), on="game"), "score"),
    }


def _columns(run: Run) -> Tables:
    own = declared.own_columns(run.seats)
    return declared.column_tables(run.seats, run.games, own) if own else {}


def _examples(run: Run) -> Tables:
    places = None if run.experiment["keep"] == "games" else run.seats
    return {"outliers": examples.outliers(run.games, places, run.experiment["race"])}


def _length(run: Run) -> Tables:
    games, about = run.games, run.experiment
    places = None if about["keep"] == "games" else run.seats
    return {
        "spread": seats.lengths(games, places),
        "by_ending": seats.lengths(games, places, ("ending",)),
        "by_players": seats.lengths(games, places, ("players",)),
        "turns": seats.turn_distribution(games),
        "turn_bins": examples.bins(games, "turns"),
        "endings": seats.endings(games, about.get("endings", ())),
    }


SECTIONS: dict[str, dict[str, Callable[[Run], Tables]]] = {
    "events": {
        "payouts": _payouts,
        "offers": _offers,
        "waits": _waits,
        "pacing": _pacing,
        "steps": _steps,
        "tension": _tension,
        "payments": _payments,
        "strength": _strength,
        "kinds": _kinds,
    },
    "seats": {
        "seats": _seats,
        "bots": _bots,
        "actions": _actions,
        "scores": _scores,
        "columns": _columns,
    },
    "games": {"ties": _ties, "length": _length, "examples": _examples, "coverage": _coverage},
}
"""How the tables of each section come out of a run, by what it must have kept; {} if its game has none."""


def _finish(tables: dict[str, Tables], catalogue: pl.LazyFrame) -> None:
    """Give the tables of sections their names and titles, and round them."""
    _name_all(tables, catalogue)
    for of_section in tables.values():
        for name, table in of_section.items():
            of_section[name] = table.with_columns(rounded())


def _name_all(tables: dict[str, Tables], catalogue: pl.LazyFrame) -> None:
    """Give every table of sources their names, and every table of groups or parts a title to read."""
    label = catalogue.select("source", "name", "group", "text").collect()
    for section, of_section in tables.items():
        taken = label if section == "strength" else label.drop("group", "text")
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
        "details": measured.details,
        "left_out": measured.left_out,
        **sections,
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
